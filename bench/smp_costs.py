"""Gains and costs of CPU partitions, as rows, measured with `smp_loop` (bench/smp): two partitions
on two CPUs against two processes with a node of one partition each, where no message or a tenth of
the messages crosses partitions; two partitions on one CPU against one partition; the extra cost of
a PUT that crosses partitions; instructions of a PUT with its ACK.

Where PUTs cross, the reference is the rate that local PUTs had at an earlier commit (before.json).
This is the rate measured now, multiplied by the instructions of a local PUT now, divided by its
instructions at that commit. A faster local PUT must not make a PUT that crosses look worse. """
import functools
import subprocess

import before
import callgrind
from loops import find_program

INSTRUCTIONS = 4000
EXTRA_MICROSECONDS = 2.0


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
    then = times_instructions_then(folders, quick)
    return rounds(quick, lambda s: rate(scale(folders, s, 2, 2, 10)), lambda s: two_alone(folders, s) * then)


def two_on_one_core(folders, quick):
    return rounds(quick, lambda s: rate(scale(folders, s, 2, 1, 0)), lambda s: rate(scale(folders, s, 1, 1, 0)))


def scaling(partitions, cross):
    """`partitions` partitions, each with a thread, on the two CPUs, against one partition on one
    CPU."""
    def measure(folders, quick):
        then = times_instructions_then(folders, quick) if cross else 1
        return rounds(quick, lambda s: rate(scale(folders, s, partitions, 2, cross)), lambda s: rate(scale(folders, s, 1, 1, 0)) * then,
                      seconds=1, count=3)
    return measure


def extra_microseconds(local, crossing, threads):
    """The extra time of a thread for a PUT where all PUTs cross, against where no PUT does. Both
    rates are PUTs/s of all threads."""
    return (threads / crossing - threads / local) * 1e6


def cross_extra(folders, quick):
    runs = rounds(quick, lambda s: rate(scale(folders, s, 2, 2, 100)), lambda s: rate(scale(folders, s, 2, 2, 0)))
    return [{'ours': extra_microseconds(run['reference'], run['ours'], 2), 'reference': EXTRA_MICROSECONDS} for run in runs]


def slope(folders, quick, command, *rest):
    program = find_program(folders, 'smp_loop')
    return callgrind.slope(lambda count: callgrind.instructions(program, command, count, *rest), *((100, 300) if quick else (2000, 6000)))


def put_slope(folders, quick, others=10, partitions=1):
    """Instructions of a PUT with ACK by a node that has `others` other peers and buffers."""
    return slope(folders, quick, 'puts', others, others, partitions)


@functools.cache
def local_put_now(folders, quick):
    return put_slope(folders, quick)


def times_instructions_then(folders, quick):
    """The factor that turns a rate of local PUTs measured now into the rate of the earlier
    commit."""
    return local_put_now(tuple(folders), quick) / before.instructions('smp_reference')


def smp_reference(folders, quick):
    return [{'ours': local_put_now(tuple(folders), quick), 'reference': before.instructions('smp_reference')}]


def put_instructions(folders, quick):
    return [{'ours': put_slope(folders, quick), 'reference': INSTRUCTIONS}]


def put_instructions_many(folders, quick):
    return [{'ours': put_slope(folders, quick, 100 if quick else 100000), 'reference': put_slope(folders, quick)}]


def put_instructions_partitions(folders, quick):
    return [{'ours': put_slope(folders, quick, partitions=4), 'reference': put_slope(folders, quick)}]


def rails_slope(folders, quick, rails, others=10):
    """Instructions of a PUT with ACK between nodes with `rails` NIs each, which know `others` other
    peers."""
    return slope(folders, quick, 'rails', rails, others)


def select_16x16(folders, quick):
    return [{'ours': rails_slope(folders, quick, 16), 'reference': rails_slope(folders, quick, 1)}]


def select_100k_peers(folders, quick):
    return [{'ours': rails_slope(folders, quick, 4, 100 if quick else 100000), 'reference': rails_slope(folders, quick, 4)}]


def route_slope(folders, quick, gateways, nids=1):
    """Instructions to choose a route among `gateways` gateways, and to update the gateway that a
    message takes."""
    program = find_program(folders, 'route_loop')
    return callgrind.slope(lambda count: callgrind.instructions(program, count, gateways, nids), *((2000, 4000) if quick else (5000, 25000)))


def select_500_gateways(folders, quick):
    return [{'ours': route_slope(folders, quick, 500), 'reference': route_slope(folders, quick, 5)}]


def run_token(folders, quick):
    return [{'ours': slope(folders, quick, 'lock', 'token'), 'reference': slope(folders, quick, 'lock', 'mutex')}]


ROWS = (
    ('smp_2_local', two_local, 'PUTs/s', 'reference: two processes of one partition; a CPU each'),
    ('smp_reference', smp_reference, 'instructions', 'a local PUT; reference: before (before.json); callgrind'),
    ('smp_2_cross10', two_cross10, 'PUTs/s', 'reference: two processes of one partition, before; a tenth crosses'),
    ('smp_2_on_1_core', two_on_one_core, 'PUTs/s', 'reference: one partition; one CPU'),
    ('smp_cross_extra_us', cross_extra, 'µs', 'reference: the limit; 2 partitions, 100 % cross, less 0 % cross'),
    ('put_instructions', put_instructions, 'instructions', 'reference: the limit; callgrind, both sides, ACK, hosts and pipe driver'),
    ('put_instructions_100k_peers', put_instructions_many, 'instructions', 'reference: 10 peers and buffers; callgrind'),
    ('select_16x16_over_1x1', select_16x16, 'instructions',
     'PUT with ACK, both sides, 16 NIs each on one net, LNet chooses; reference: 1 NI each; callgrind'),
    ('select_100k_peers_over_10', select_100k_peers, 'instructions',
     'the same with 4 NIs each, 100,000 other peers known; reference: 10; callgrind'),
    ('select_500_gateways_over_5', select_500_gateways, 'instructions',
     'the choice of a route, its credit and its turn, 500 gateways of one net, 8 messages under way; reference: 5; callgrind'),
    ('put_instructions_4_shards', put_instructions_partitions, 'instructions',
     '4 partitions in turn, none crosses; reference: one partition; callgrind'),
    *((f'smp_scale_{partitions}_cross{cross}', scaling(partitions, cross), 'PUTs/s',
       f'{partitions} partitions on two CPUs, {cross} % cross; reference: one partition, one CPU' + (', before' if cross else ''))
      for partitions in (2, 4) for cross in (0, 2, 10, 50)),
    ('run_token_instructions', run_token, 'instructions', 'taken and given back, nobody else there; reference: std::mutex'))
