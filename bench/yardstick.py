"""Checks the reference: measures the raw bandwidth loop and `iperf3 -l 1M` alternately. The loop
must reach 0.9 of iperf3. In the same rounds it measures ulnet against iperf3."""
import json
import shutil
import subprocess
import sys
import time

import results
from loops import PUT_BW_1M, bytes_per_second, free_port

ROWS = {'raw_bw_1m': 'the raw loop against iperf3 -l 1M', 'put_bw_1m_iperf3': 'ours as in put_bw_1m; reference: iperf3 -l 1M'}


def iperf3(runner):
    """MB/s received by iperf3's server."""
    port, cpus = str(free_port()), runner.cpus
    server = subprocess.Popen(['iperf3', '-s', '-1', '-p', port, '-A', str(cpus[-1])], stdout=subprocess.DEVNULL)
    try:
        for _ in range(50):
            client = subprocess.run(['iperf3', '-c', '127.0.0.1', '-p', port, '-l', '1M', '-C', runner.congestion, '-t',
                                     str(max(1, round(runner.seconds))), '-A', str(cpus[0]), '--json'],
                                    stdout=subprocess.PIPE, text=True)
            received = json.loads(client.stdout or '{}').get('end', {}).get('sum_received')
            if received:  # in JSON mode the exit code does not show success
                return received['bits_per_second'] / 8e6
            time.sleep(0.1)  # the server is not listening yet
        raise RuntimeError(f'iperf3: {client.stdout}')
    finally:
        server.terminate()
        server.wait()


def measure(runner, rounds):
    if not shutil.which('iperf3'):
        print('iperf3 is not installed: the raw loop is not checked', file=sys.stderr)
        return
    runs = {name: [] for name in ROWS}
    for _ in range(rounds):
        reference = iperf3(runner)
        for name, one in (('raw_bw_1m', runner.raw), ('put_bw_1m_iperf3', runner.ulnet)):
            runs[name].append({'ours': bytes_per_second(*one(PUT_BW_1M)), 'reference': reference})
    for name, mode in ROWS.items():
        yield results.row(name, 'MB/s', runs[name]), mode
