#!/usr/bin/env python3
"""Checks with tshark, a decoder of others, sessions of our node that were recorded at the sockets."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tests.lnet.live.interop import cases
from tests.lnet.live.interop import run
from tests.lnet.live.interop import translate
from tests.rigs import pcap, pdu

NAMES = ['01-passive', '02-active', '03a-active', '09-active', '09-passive']


def tshark_problems(path):
    """Problems that tshark finds: a number of messages that differs from pdu.py's, or malformed messages. Its dissector
    knows V3 messages, but neither hellos nor 16-byte NIDs.

    One report is ignored, because tshark also makes it on production's captures: a PUT whose
    payload belongs to an upper layer that it does not know ("offset" where the payload begins,
    nothing decoded of it). Any other message that it calls malformed is a problem.
    """
    fields = ['-e', 'lnet.msg_type', '-e', '_ws.malformed', '-e', '_ws.expert.message']
    done = subprocess.run(['tshark', '-r', path, '-d', 'tcp.port==988,lnet', '-T', 'fields', '-E', 'separator=|', *fields],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return [f'tshark failed: {done.stderr}']
    messages = sum(one.kind == 'lnet' for connection in pcap.connections(path) for one in pdu.of_connection(connection))
    found, problems = 0, []
    for number, line in enumerate(done.stdout.splitlines(), 1):
        types, malformed, said = line.split('|', 2)
        found += len([t for t in types.split(',') if t])
        complaints = re.findall(r'Capture:\d+ offset:\d+ \(length:\d+\) msg_type:(\d+)', said)
        if malformed and (not complaints or set(complaints) != {'1'}):
            problems.append(f'tshark calls frame {number} malformed: {said}')
    if found != messages:
        problems.append(f'tshark found {found} LNet messages, pdu.py {messages}')
    return problems


def main():
    if shutil.which('tshark') is None:
        print('skipped: tshark is not installed')
        return run.SKIPPED
    failed = False
    for name in NAMES:
        with tempfile.TemporaryDirectory(prefix='ulnet-decoders-') as folder:
            problems = run.run_case(cases.find(name), translate.Loopback(), folder)
            problems += tshark_problems(os.path.join(folder, f'{name}.pcap'))
        print(f'{"FAILED" if problems else "ok    "} {name}', *problems, sep='\n  ' if problems else '')
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
