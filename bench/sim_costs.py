"""Costs of the simulator, as rows with limits, measured with `sim_loop` (bench/sim): messages per
minute with faults and all checkers, the instructions of one message, a world of 10,000 idle nodes,
and the instructions of an event in a large world against those in a small one. Then `ulnet-sim
swarm` runs new worlds from a random seed for ten minutes and prints how many worlds it ran and how
many had a violation."""
import functools
import re
import subprocess
import sys

import before
import callgrind
from loops import find_program

MESSAGES_A_MINUTE = 1e6
IDLE_BYTES = 2 * 2**30
IDLE_SECONDS = 10.0
# db22fa77 on two cores, 2026-11: 63,678 worlds from seed 60000000 on in fifteen minutes, 57 of them
# with a violation.
WORLDS_A_MINUTE = 63678 / 15
WORLDS_A_VIOLATION = 63678 / 57


def run(folders, *words):
    """The figures that sim_loop prints, by name."""
    done = subprocess.run([find_program(folders, 'sim_loop'), *map(str, words)], capture_output=True, text=True, check=True, timeout=600)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def messages_per_minute(folders, quick):
    """PUTs of 4 KiB with ACK among 16 nodes, per minute of one core's time. The figure is that of
    the slower of the two drivers."""
    count = 500 if quick else 200000
    return [{'ours': min(run(folders, 'messages', driver, count)['messages_per_minute'] for driver in ('pipe', 'sock')),
             'reference': MESSAGES_A_MINUTE} for _ in range(1 if quick else 3)]


def idle_bytes(folders, quick):
    """The largest memory of the whole program."""
    return [{'ours': run(folders, 'idle', 'sock', 50 if quick else 10000)['bytes'], 'reference': IDLE_BYTES}]


def idle_start_seconds(folders, quick):
    """CPU time until all nodes have started. None of their timers runs."""
    return [{'ours': run(folders, 'idle', 'sock', 50 if quick else 10000)['seconds'], 'reference': IDLE_SECONDS}
            for _ in range(1 if quick else 3)]


def slope(folders, few, more, *words):
    """Instructions of one message or event, without the start and the warm-up."""
    program = find_program(folders, 'sim_loop')
    return callgrind.slope(lambda count: callgrind.instructions(program, *words, count), few, more)


def event_cost(folders, quick):
    few, more, many = (200, 600, 20) if quick else (20000, 100000, 10000)
    ours, reference = (slope(folders, few, more, 'events', 'sock', nodes) for nodes in (many, 10))
    return [{'ours': ours, 'reference': reference}]


def message_cost(folders, quick):
    """Uses the world of messages_per_minute. Its seed is always the same."""
    few, more = (100, 300) if quick else (10000, 50000)
    return [{'ours': slope(folders, few, more, 'messages', 'sock'), 'reference': before.instructions('sim_message')}]


@functools.cache
def swarm(program, *limit):
    """(worlds, seconds, violations) of a swarm from a random seed. Prints the seeds that fail."""
    done = subprocess.run([program, 'swarm', *limit], capture_output=True, text=True, timeout=3600)
    worlds, seconds = re.search(r'^seeds .*: (\d+) worlds in ([0-9.]+) s', done.stdout, re.M).groups()
    failing = re.search(r'^failing seeds: (\d+)\n.*', done.stdout, re.M | re.S)
    if failing:
        print(failing[0], end='', file=sys.stderr)
    return int(worlds), float(seconds), int(failing[1]) if failing else 0


def new_worlds(folders, quick):
    return swarm(find_program(folders, 'ulnet-sim'), *(['--seeds', '20', '--first', '1'] if quick else ['--seeds', '10000000', '--minutes', '10']))


def worlds_a_minute(folders, quick):
    worlds, seconds, _ = new_worlds(folders, quick)
    return [{'ours': worlds * 60 / seconds, 'reference': WORLDS_A_MINUTE}]


def violations(folders, quick):
    worlds, _, bad = new_worlds(folders, quick)
    return [{'ours': bad, 'reference': worlds / WORLDS_A_VIOLATION}]


ROWS = (
    ('swarm_seeds_per_minute', worlds_a_minute, 'worlds', 'new worlds, all cores; reference: db22fa77 on two cores'),
    ('swarm_new_violations', violations, 'worlds', 'those with a violation; reference: the share that db22fa77 had'),
    ('sim_messages_per_minute_16', messages_per_minute, 'messages', 'reference: the limit; faults, all checkers'),
    ('sim_instructions_per_message', message_cost, 'instructions', 'the same, lnd/sock; reference: before (before.json); callgrind'),
    ('sim_10000_nodes_bytes', idle_bytes, 'bytes', 'reference: the limit; lnd/sock at every node'),
    ('sim_10000_nodes_start_s', idle_start_seconds, 's', 'reference: the limit; lnd/sock at every node'),
    ('sim_event_cost_10000_over_10', event_cost, 'instructions', 'reference: with 10 nodes; callgrind'))
