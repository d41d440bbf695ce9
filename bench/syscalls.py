"""System calls of an RPC of selftest, as a row. strace counts all calls of all threads of both
sides of `lst_ping_c1`, in a short run and in a longer one. The difference of the two leaves out
start and end."""
import os
import re
import subprocess
import tempfile

from loops import PING_C1, LoopRunner

LIMIT = 3
SIDES = ('drive', 'serve')


def total(summary):
    """The calls in a summary of `strace -c --summary-columns=calls,name`."""
    return int(re.search(r'^\s*(\d+) total$', summary, re.M).group(1))


def may_trace():
    return subprocess.run(['strace', '-o', '/dev/null', 'true'], stderr=subprocess.DEVNULL).returncode == 0


def traced(folders, seconds):
    """The RPCs of a run of `seconds`, and the system calls of each side."""
    runner = LoopRunner(folders, sorted(os.sched_getaffinity(0))[:2], seconds, quick=False)
    with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder:
        driver, _ = runner.ulnet(PING_C1, lambda side: ['strace', '-f', '-c', '--summary-columns=calls,name', '-o', f'{folder}/{side}'])
        summaries = {side: content(f'{folder}/{side}') for side in SIDES}
    return {'rpcs': driver['messages'], **{side: total(text) for side, text in summaries.items()}}


def content(path):
    with open(path) as file:
        return file.read()


def difference(short, longer):
    """The run of the row: the calls per RPC of each side. `ours` is the figure of the side that
    makes more calls."""
    per_rpc = {side: (longer[side] - short[side]) / (longer['rpcs'] - short['rpcs']) for side in SIDES}
    return {'ours': max(per_rpc.values()), 'reference': LIMIT, **per_rpc}


def per_rpc(folders, quick):
    if not may_trace():
        raise FileNotFoundError('strace may not trace processes here')
    short, longer = (0.1, 0.4) if quick else (0.5, 2.5)
    return [difference(traced(folders, short), traced(folders, longer)) for _ in range(1 if quick else 3)]


ROWS = (('syscalls_per_rpc_c1', per_rpc, 'system calls', 'reference: the limit; the side with more, runs as lst_ping_c1; strace'),)
