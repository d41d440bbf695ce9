"""Costs of the simulator, as rows with limits: messages per minute with faults and all checkers, a world of 10,000 idle nodes, and
instructions of an event in a large world against a small one. They are measured with `sim_loop` (bench/sim)."""
import re
import subprocess

from loops import find_program

MESSAGES_A_MINUTE = 1e6
IDLE_BYTES = 2 * 2**30
IDLE_SECONDS = 10.0


def run(folders, *words):
    """The figures that sim_loop prints, by name."""
    done = subprocess.run([find_program(folders, 'sim_loop'), *map(str, words)], capture_output=True, text=True, check=True, timeout=600)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def messages_per_minute(folders, quick):
    """PUTs of 4 KiB with ACK among 16 nodes, per minute of one core's time; the slower of the two drivers."""
    count = 500 if quick else 200000
    return [{'ours': min(run(folders, 'messages', driver, count)['messages_per_minute'] for driver in ('pipe', 'sock')),
             'reference': MESSAGES_A_MINUTE} for _ in range(1 if quick else 3)]


def idle_bytes(folders, quick):
    """The largest memory of the whole program."""
    return [{'ours': run(folders, 'idle', 'sock', 50 if quick else 10000)['bytes'], 'reference': IDLE_BYTES}]


def idle_start_seconds(folders, quick):
    """CPU time until all nodes have started; they have no timers that run."""
    return [{'ours': run(folders, 'idle', 'sock', 50 if quick else 10000)['seconds'], 'reference': IDLE_SECONDS}
            for _ in range(1 if quick else 3)]


def event_cost(folders, quick):
    """Instructions of an event: the slope between two numbers of events, so that start and warm-up do not count."""
    few, more, many = (200, 600, 20) if quick else (20000, 100000, 10000)
    counted = {nodes: (instructions(folders, nodes, more) - instructions(folders, nodes, few)) / (more - few) for nodes in (10, many)}
    return [{'ours': counted[many], 'reference': counted[10]}]


def instructions(folders, nodes, events):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', find_program(folders, 'sim_loop'), 'events',
                           'sock', str(nodes), str(events)], capture_output=True, text=True, timeout=1800)
    collected = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not collected:
        raise RuntimeError(f'callgrind: {done.stderr}')
    return int(collected.group(1))


ROWS = (
    ('sim_messages_per_minute_16', messages_per_minute, 'messages', 'reference: the limit; faults, all checkers'),
    ('sim_10000_nodes_bytes', idle_bytes, 'bytes', 'reference: the limit; lnd/sock at every node'),
    ('sim_10000_nodes_start_s', idle_start_seconds, 's', 'reference: the limit; lnd/sock at every node'),
    ('sim_event_cost_10000_over_10', event_cost, 'instructions', 'reference: with 10 nodes; callgrind'))
