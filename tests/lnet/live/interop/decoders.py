"""Independent decoders, lnetdump.py and tshark: they decode a session of our node that was written
to a pcap file."""
import json
import os
import re
import shutil
import subprocess
import sys

from tests.rigs.programs import ROOT

LNETDUMP = str(ROOT / 'tests' / 'rigs' / 'lnetdump.py')


def lnetdump(path):
    done = subprocess.run([sys.executable, LNETDUMP, path, '--json'], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f'lnetdump.py failed: {done.stderr}')
    return json.loads(done.stdout)


def lnetdump_problems(path, messages):
    """Problems that lnetdump.py finds: bytes that it cannot decode, or a number of LNet messages
    that differs from the number exchanged. It cannot decode V1 streams."""
    found = lnetdump(path)
    spoken = [row for row in found if row['pdu'] in ('BAD', 'UNKNOWN')]
    if any(row['pdu'] == 'HELLO_V1' for row in found):
        return []
    made_up = {'3412000003000000', '6369724563000000'}  # the fake listener of capture 13 sends these on purpose
    bad = [row for row in spoken if row['hex'][:16] not in made_up]
    decoded = sum(1 for row in found if row['pdu'] == 'LNET')
    problems = [f'lnetdump.py cannot read {row}' for row in bad]
    if decoded < messages:
        problems.append(f'lnetdump.py found {decoded} LNet messages, {messages} were exchanged')
    return problems


def tshark_problems(path):
    """Problems that tshark finds: a number of messages that differs from lnetdump.py's, or
    malformed messages. Its dissector knows V3 messages, but neither hellos nor 16-byte NIDs.

    One report is ignored, because tshark also makes it on production's captures: a PUT whose
    payload belongs to an upper layer that it does not know ("offset" where the payload begins,
    nothing decoded of it). Any other message that it calls malformed is a problem.
    """
    fields = ['-e', 'lnet.msg_type', '-e', '_ws.malformed', '-e', '_ws.expert.message']
    done = subprocess.run(['tshark', '-r', path, '-d', 'tcp.port==988,lnet', '-T', 'fields', '-E', 'separator=|', *fields],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return [f'tshark failed: {done.stderr}']
    messages = sum(1 for row in lnetdump(path) if row['pdu'] == 'LNET')
    found, problems = 0, []
    for number, line in enumerate(done.stdout.splitlines(), 1):
        types, malformed, said = line.split('|', 2)
        found += len([t for t in types.split(',') if t])
        complaints = re.findall(r'Capture:\d+ offset:\d+ \(length:\d+\) msg_type:(\d+)', said)
        if malformed and (not complaints or set(complaints) != {'1'}):
            problems.append(f'tshark calls frame {number} malformed: {said}')
    if found != messages:
        problems.append(f'tshark found {found} LNet messages, lnetdump.py {messages}')
    return problems


def have_tshark():
    return shutil.which('tshark') is not None
