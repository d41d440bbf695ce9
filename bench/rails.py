"""Measures several rails between two daemons in network namespaces (tests/rigs/rails_rig.py). Each
rail is shaped to the same rate. `ulst run` does writes of 1 MiB, 16 under way. The reference is the
rate of all rails together. In the same run raw TCP uses one rail alone, which shows how much of the
rate the shaping lets through."""
import json
import os
import subprocess
import sys
import tempfile
import time

from loops import as_words, find_program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tests.rigs import rails_rig

MBIT = 200


def megabytes(mbit):
    return mbit / 8


def raw_rate(folders, rails, seconds):
    """MB/s of one TCP connection over the first rail."""
    loop = find_program(folders, 'raw_loop')
    words = {'size': 1 << 20, 'seconds': seconds}
    server = subprocess.Popen([*rails.inside('b'), loop, 'bandwidth', 'serve', *as_words({**words, 'host': rails.address('b', 1)})],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().split()[1]
        subprocess.run([*rails.inside('a'), loop, 'bandwidth', 'drive', *as_words({**words, 'host': rails.address('b', 1), 'port': port})],
                       stdout=subprocess.DEVNULL, timeout=60 + 5 * seconds, check=True)
        served, _ = server.communicate(timeout=60)
        report = json.loads(served)
        return report['bytes'] / report['seconds'] / 1e6
    finally:
        if server.poll() is None:
            server.kill()
            server.communicate()


def wait_for_node(socket, environment, ctl):
    end = time.monotonic() + 20
    while subprocess.run([ctl, 'global', 'show'], env=environment, capture_output=True).returncode != 0:
        if time.monotonic() > end:
            raise RuntimeError(f'no node answers at {socket}')
        time.sleep(0.05)


def start_node(folders, rails, host, folder, *arguments):
    socket = os.path.join(folder, f'{host}.sock')
    configuration = os.path.join(folder, f'{host}.yaml')
    with open(configuration, 'w') as file:
        file.write('net:\n    - net type: tcp\n      local NI(s):\n')
        for rail in range(1, rails.count + 1):
            file.write(f'        - interfaces:\n              0: {rails.address(host, rail)}\n')
    environment = {**os.environ, 'ULNET_CONTROL': socket, 'XDG_RUNTIME_DIR': folder, 'XDG_CONFIG_HOME': folder}
    node = subprocess.Popen([*rails.inside(host), find_program(folders, 'ulnetd'), '--name', host, '--control', socket, '--set',
                             'accept=trust', '--config', configuration, *arguments], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return node, socket, environment


def ulnet_rate(folders, rails, seconds):
    """MB/s of writes from a to b."""
    nodes = []
    with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder:
        try:
            for host, more in (('a', ()), ('b', ('--selftest',))):
                node, socket, environment = start_node(folders, rails, host, folder, *more)
                nodes.append(node)
                wait_for_node(socket, environment, find_program(folders, 'ulnetctl'))
            done = subprocess.run([find_program(folders, 'ulst'), 'run', '--from', f'{rails.address("a", 1)}@tcp', '--to',
                                   f'{rails.address("b", 1)}@tcp', '--write', '--sizes', '1m', '--concurrency', '16', '--time',
                                   f'{seconds}s', '--json'],
                                  env={**os.environ, 'ULNET_CONTROL': os.path.join(folder, 'a.sock')}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120 + 5 * seconds)
            said = json.loads(done.stdout)
            if not said['ok']:
                raise RuntimeError(f'ulst run: {done.stderr} {said["problems"]}')
            return said['tests'][0]['bytes_per_s'] / 1e6
        finally:
            for node in nodes:
                node.terminate()
            for node in nodes:
                node.wait(30)


def measure(count):
    def rails_of(folders, quick):
        if why := rails_rig.missing():
            raise FileNotFoundError(why)
        seconds = 1 if quick else 10
        runs = []
        for _ in range(1 if quick else 3):
            with rails_rig.Rails(count, MBIT) as rails:
                raw = raw_rate(folders, rails, seconds)
                ours = ulnet_rate(folders, rails, seconds)
            runs.append({'ours': ours, 'reference': count * megabytes(MBIT), 'raw_1_rail': raw})
            print(f'  {ours:.1f} MB/s; raw TCP on one rail {raw:.1f} of {megabytes(MBIT):.1f} MB/s', file=sys.stderr)
        return runs
    return rails_of


ROWS = tuple((f'rails_{count}', measure(count), 'MB/s',
              f'writes by ulst over {count} rails of {MBIT} Mbit/s in namespaces; reference: {count} × that rate') for count in (2, 4))
