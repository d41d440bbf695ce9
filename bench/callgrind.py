"""Counts instructions with callgrind. Unlike times, counts are the same on a busy machine."""
import re
import subprocess


def instructions(*command):
    """The instructions of a whole run of a program, with its start and end."""
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *map(str, command)], capture_output=True,
                          text=True, timeout=1800)
    collected = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not collected:
        raise RuntimeError(f'callgrind: {done.stderr}')
    return int(collected.group(1))


def slope(instructions_of, few, more):
    """Instructions of one operation: the slope between two numbers of operations, which leaves out
    start and end."""
    return (instructions_of(more) - instructions_of(few)) / (more - few)
