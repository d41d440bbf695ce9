"""Measures UCX for comparison, where it is installed: ucx_perftest over TCP against the raw loop in
the same rounds.

UCX has no setting for the congestion control, so its two processes run in a network namespace that
has it as its default. If no namespace can be made and the default of the system is another one, the
comparison would not be fair, and there is no figure. """
import os
import re
import shutil
import subprocess
import sys

import results
from loops import ROWS, one_way_microseconds

DEFAULT = '/proc/sys/net/ipv4/tcp_congestion_control'
# (row of ulnet whose raw loop is the reference, ucx test, iterations)
TESTS = [('put_lat_8_spin', 'tag_lat', 200000), ('put_lat_4k_spin', 'tag_lat', 100000), ('put_bw_64k', 'tag_bw', 50000),
         ('put_bw_1m', 'tag_bw', 5000), ('put_rate_8', 'tag_bw', 1000000)]


def pair_script(row, test, iterations, cpus):
    """Server and client in one shell, so that one namespace holds both."""
    common = f'ucx_perftest -p 13400 -t {test} -s {row.size} -n {iterations} -w {iterations // 10}'
    return (f'export UCX_TLS=tcp UCX_NET_DEVICES=lo; {common} -c {cpus[-1]} >/dev/null 2>&1 & '
            f'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.3; {common} -c {cpus[0]} 127.0.0.1 && break; done; wait')


def namespace(congestion):
    """The command that starts a shell in which `congestion` is the default, or None."""
    with open(DEFAULT) as file:
        if file.read().strip() == congestion:
            return ['sh', '-c']
    unshare = ['unshare', '--net'] if os.geteuid() == 0 else ['unshare', '--map-root-user', '--net']
    prepare = f'ip link set lo up && echo {congestion} > {DEFAULT}'
    if subprocess.run([*unshare, 'sh', '-c', prepare], capture_output=True).returncode != 0:
        return None
    return [*unshare, 'sh', '-c', prepare + ' && sh -c "$0"']


def ucx(shell, row, test, iterations, cpus):
    """UCX's figure in the unit of the row."""
    done = subprocess.run([*shell, pair_script(row, test, iterations, cpus)], capture_output=True, text=True, timeout=300)
    final = re.search(r'^Final:\s+(.*)$', done.stdout, re.M)
    if not final:
        raise RuntimeError(f'ucx_perftest: {done.stdout}{done.stderr}')
    columns = [float(word) for word in final.group(1).split()]
    latency, rate = columns[3], columns[7]
    if row.figure is one_way_microseconds:
        return latency
    return rate * row.size / 1e6 if row.loop == 'bandwidth' else rate / 1e6


def measure(runner, rounds):
    if not shutil.which('ucx_perftest'):
        print('ucx_perftest is not installed: no figures of UCX', file=sys.stderr)
        return
    shell = namespace(runner.congestion)
    if shell is None:
        print(f'{runner.congestion} is not the default of this system and no namespace may be made: no figures of UCX', file=sys.stderr)
        return
    for name, test, iterations in TESTS:
        row = next(row for row in ROWS if row.name == name)
        print(f'ucx_{name}', file=sys.stderr)
        runs = [{'reference': row.figure(*runner.raw(row)), 'ours': ucx(shell, row, test, iterations, runner.cpus)}
                for _ in range(rounds)]
        yield results.row(f'ucx_{name}', row.unit, runs), f'UCX {test} over TCP beside the raw loop'
