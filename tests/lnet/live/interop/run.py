#!/usr/bin/env python3
"""Replays captures against a running node of ours.

    python3 -m tests.lnet.live.interop.run --list      the names of the cases
    ... run CASE...                with recorded addresses moved to loopback addresses, no rights needed
    ... run --namespace CASE...    in a network namespace with the recorded addresses, port 988 and privileged ports
    ... run --either CASE...       in a namespace, or on loopback where no namespace may be made

ULNET_BIN: folders of ulnetd, ulnetctl and interop_actor. --record FOLDER keeps each session as CASE.pcap (in recorded
addresses and ports). Exit code 77: skipped, with the reason.
"""
import argparse
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

from tests.lnet.live.interop import cases
from tests.rigs import pcap
from tests.lnet.live.interop import translate
from tests.lnet.live.interop import upper
from tests.lnet.live.interop.actor import Actor
from tests.lnet.live.interop.replay import Mismatch, Replay
from tests.lnet.live.interop.script import Builder
from tests.rigs.daemon_rig import OwnDaemon, yaml_of
from tests.rigs.programs import ROOT

SKIPPED = 77


def captures_folder():
    return os.environ.get('ULNET_CAPTURES', str(ROOT / 'tests' / 'data' / 'captures'))


def is_unrouted(us):
    """A filter that keeps messages between the two ends of a connection, which no router has forwarded."""
    ours = {struct.pack('>I', int.from_bytes(map(int, a.split('.')), 'big')) for a in us}

    def keep(one):
        if one.kind != 'lnet':
            return True
        ends = {one.src_nid[:4][::-1], one.dst_nid[:4][::-1]}
        nets = {one.src_nid[4:6], one.dst_nid[4:6]}
        return bool(ends & ours) and len(nets) == 1
    return keep


def build(case):
    builder = Builder(case.us)
    for name, window in case.captures:
        path = os.path.join(captures_folder(), name + '.pcap')
        keep = is_unrouted(case.us) if case.unrouted else lambda one: True
        builder.add(path, window, keep)
    return builder.build(case.zero_copy)


def parameters(case, place):
    # The machine may stop the replay peer for seconds between its connection and its hello.
    params = {'conns_per_peer': 1, 'accept': 'secure' if place.privileged else 'trust', 'accept_timeout': 60, **case.params}
    if not place.privileged:
        params.update(accept_port=place.port, accept_port_bulk=place.port)
    if case.zero_copy:
        params['zc_request'] = 1
    return params


def start_subject(case, place):
    moved = {net: [place.address(a) for a in addresses] for net, addresses in case.interfaces().items()}
    if case.subject == 'daemon':
        return OwnDaemon(parameters(case, place), yaml_of(*((net, *addresses) for net, addresses in moved.items())))
    networks = ','.join(f'{net}({",".join(addresses)})' for net, addresses in moved.items())
    return Actor(networks, parameters(case, place))


def run_case(case, place, record):
    script = build(case)
    with tempfile.TemporaryDirectory(prefix='ulnet-replay-') as folder:
        path = os.path.join(record or folder, f'{case.name}.pcap')
        recorder = pcap.Writer(path)
        replay = Replay(script, place, recorder, zero_copy=case.zero_copy, selftest=case.subject == 'selftest',
                        free_data=case.free_data)
        try:
            with start_subject(case, place) as subject:
                kind = {'daemon': upper.ByDaemon, 'actor': upper.ByActor, 'selftest': upper.BySelftest}[case.subject]
                layer = kind(subject, script, replay.session, case.ping_seconds)
                replay.run(layer, case.seconds, case.quiet, case.own_pushes)
                problems = layer.problems()
                probe = replay.probe()
                problems += [probe] if probe else []
        finally:
            replay.close()
            recorder.close()
        return problems


def run_all(names, place_of, record):
    failed = 0
    for name in names:
        case = cases.find(name)
        if case.ipv6 and not isinstance(place_of(), translate.Identity):
            print(f'skipped {name}: loopback has one IPv6 address; run it with --namespace')
            if len(names) == 1:
                return SKIPPED
            continue
        try:
            problems = run_case(case, place_of(), record)
        except (Mismatch, AssertionError) as reason:
            problems = [str(reason)]
        print(f'{"FAILED" if problems else "ok    "} {name}')
        for problem in problems:
            print('  ' + problem.replace('\n', '\n  '))
        failed += bool(problems)
    return 1 if failed else 0


def enter_namespace(arguments):
    """Runs this program again in a new network namespace; returns a reason when that is not
    possible."""
    unshare = ['unshare', '--net'] if os.geteuid() == 0 else ['unshare', '--map-root-user', '--net']
    probe = subprocess.run([*unshare, 'ip', 'link', 'set', 'lo', 'up'], capture_output=True, text=True)
    if probe.returncode != 0:
        print(f'skipped: no network namespace may be made here: {probe.stderr.strip()}')
        return SKIPPED
    return subprocess.call([*unshare, sys.executable, '-m', __spec__.name, '--inside', *arguments])


def set_up_loopback():
    addresses = sorted({a for case in cases.CASES for name, _ in case.captures for a in recorded_addresses(name)})
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
    for address in addresses:
        length, more = (128, ['nodad']) if ':' in address else (32, [])
        subprocess.run(['ip', 'address', 'add', f'{address}/{length}', 'dev', 'lo', *more], check=True)
    for address in addresses:
        for source in addresses:
            if (':' in source) == (':' in address):
                wait_until_reachable(source, address)


def wait_until_reachable(source, address):
    """Waits, because the kernel adds the route of a new IPv6 address with a delay. The kernel looks
    for the route by both addresses of a connection."""
    deadline = time.monotonic() + 10
    while True:
        with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind((source, 0))
                return probe.connect((address, 9))
            except OSError:
                if time.monotonic() > deadline:
                    raise


def recorded_addresses(name):
    for connection in pcap.connections(os.path.join(captures_folder(), name + '.pcap')):
        yield connection.active[0]
        yield connection.passive[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--namespace', action='store_true')
    parser.add_argument('--either', action='store_true')
    parser.add_argument('--inside', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('--record')
    parser.add_argument('names', nargs='*')
    arguments = parser.parse_args()
    if arguments.list:
        print('\n'.join(case.name for case in cases.CASES))
        return 0
    names = arguments.names or [case.name for case in cases.CASES]
    record = ['--record', os.path.abspath(arguments.record)] if arguments.record else []
    if arguments.namespace or arguments.either:
        code = enter_namespace([*record, *names])
        if code != SKIPPED or not arguments.either:
            return code
    if arguments.inside:
        set_up_loopback()
        return run_all(names, translate.Identity, arguments.record)
    return run_all(names, translate.Loopback, arguments.record)


if __name__ == '__main__':
    sys.exit(main())
