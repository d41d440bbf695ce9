#!/usr/bin/env python3
"""Checks sessions of our node, recorded at the sockets, with tshark. (Every replay checks its
session with lnetdump.py.)"""
import os
import sys
import tempfile

from tests.lnet.live.interop import cases
from tests.lnet.live.interop import decoders
from tests.lnet.live.interop import run
from tests.lnet.live.interop import translate

NAMES = ['01-passive', '02-active', '03a-active', '09-active', '09-passive']


def main():
    if not decoders.have_tshark():
        print('skipped: tshark is not installed')
        return run.SKIPPED
    failed = False
    for name in NAMES:
        with tempfile.TemporaryDirectory(prefix='ulnet-decoders-') as folder:
            problems = run.run_case(cases.find(name), translate.Loopback(), folder)
            problems += decoders.tshark_problems(os.path.join(folder, f'{name}.pcap'))
        print(f'{"FAILED" if problems else "ok    "} {name}', *problems, sep='\n  ' if problems else '')
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
