"""Gains and costs of CPU partitions, as rows: two partitions on two CPUs against two processes with a node of one partition each, with
no message or a tenth of them crossing partitions; two partitions on one CPU against one; instructions of a PUT with its ACK. They are
measured with `smp_loop` (bench/smp)."""
import re
import subprocess

from loops import find_program

INSTRUCTIONS = 3000


def start(folders, *words):
    return subprocess.Popen([find_program(folders, 'smp_loop'), *map(str, words)], stdout=subprocess.PIPE, text=True)


def rate(process):
    out, _ = process.communicate(timeout=600)
    if process.returncode != 0:
        raise RuntimeError('smp_loop failed')
    return float(out.split()[1])


def scale(folders, seconds, partitions, cpus, cross, first=0):
    return start(folders, 'scale', partitions, cpus, cross, seconds, first)


def two_alone(folders, seconds):
    """Two processes at the same time, each on its own CPU, with nodes of one partition."""
    both = [scale(folders, seconds, 1, 1, 0, first) for first in (0, 1)]
    return sum(rate(one) for one in both)


def rounds(quick, ours, reference, seconds=2, count=5):
    seconds = 0.1 if quick else seconds
    runs = []
    for _ in range(1 if quick else count):
        runs.append({'reference': reference(seconds), 'ours': ours(seconds)})
    return runs


def two_local(folders, quick):
    return rounds(quick, lambda s: rate(scale(folders, s, 2, 2, 0)), lambda s: two_alone(folders, s))


def two_cross10(folders, quick):
    return rounds(quick, lambda s: rate(scale(folders, s, 2, 2, 10)), lambda s: two_alone(folders, s))


def two_on_one_core(folders, quick):
    return rounds(quick, lambda s: rate(scale(folders, s, 2, 1, 0)), lambda s: rate(scale(folders, s, 1, 1, 0)))


def scaling(partitions, cross):
    """`partitions` partitions, each with a thread, on the two CPUs, against one partition on one CPU."""
    return lambda folders, quick: rounds(quick, lambda s: rate(scale(folders, s, partitions, 2, cross)),
                                         lambda s: rate(scale(folders, s, 1, 1, 0)), seconds=1, count=3)


def slope(folders, quick, command, *rest):
    """Instructions of one operation: the slope between two numbers of operations, so that the start does not count."""
    few, more = (100, 300) if quick else (2000, 6000)
    return (instructions(folders, command, more, *rest) - instructions(folders, command, few, *rest)) / (more - few)


def instructions(folders, *words):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', find_program(folders, 'smp_loop'),
                           *map(str, words)], capture_output=True, text=True, timeout=1800)
    collected = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not collected:
        raise RuntimeError(f'callgrind: {done.stderr}')
    return int(collected.group(1))


def put_instructions(folders, quick):
    return [{'ours': slope(folders, quick, 'puts', 10, 10), 'reference': INSTRUCTIONS}]


def put_instructions_many(folders, quick):
    many = 100 if quick else 100000
    return [{'ours': slope(folders, quick, 'puts', many, many), 'reference': slope(folders, quick, 'puts', 10, 10)}]


def run_token(folders, quick):
    return [{'ours': slope(folders, quick, 'lock', 'token'), 'reference': slope(folders, quick, 'lock', 'mutex')}]


ROWS = (
    ('smp_2_local', two_local, 'PUTs/s', 'reference: two processes of one partition; a CPU each'),
    ('smp_2_cross10', two_cross10, 'PUTs/s', 'reference: two processes of one partition; a tenth crosses'),
    ('smp_2_on_1_core', two_on_one_core, 'PUTs/s', 'reference: one partition; one CPU'),
    ('put_instructions', put_instructions, 'instructions', 'reference: the limit; callgrind, both sides, ACK, hosts and pipe driver'),
    ('put_instructions_100k_peers', put_instructions_many, 'instructions', 'reference: 10 peers and buffers; callgrind'),
    *((f'smp_scale_{partitions}_cross{cross}', scaling(partitions, cross), 'PUTs/s',
       f'{partitions} partitions on two CPUs, {cross} % cross; reference: one partition, one CPU')
      for partitions in (2, 4) for cross in (0, 2, 10, 50)),
    ('run_token_instructions', run_token, 'instructions', 'taken and given back, nobody else there; reference: std::mutex'))
