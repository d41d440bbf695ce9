"""Measures the cost of a router: two hosts and one between them, each in a network namespace,
joined by veth, with `ulnetd` as the router. For bandwidth and latency the reference is raw TCP: raw
loops at both ends, and the raw relay (bench/raw/relay.cc) between them. For the rate of small
messages the reference has ulnet at both ends too, and the raw relay in place of the router. Both
ends share one CPU, and the router or relay has the other, in all runs."""
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import callgrind
from loops import KIB, MIB, as_words, bytes_per_second, find_program, messages_per_second, one_way_microseconds

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tests.rigs import spaces

MTU = 9000
PORT = 9988
FRAME = 104    # a message of 8 bytes: 24 bytes of socklnd's header, 72 of LNet's
GATHERED = 64  # the most messages that the driver gathers in one call


class Routed(spaces.Spaces):
    """Host a on one net, host b on another; host r is on both."""
    A, R_TO_A, R_TO_B, B = '10.79.1.1', '10.79.1.2', '10.79.2.2', '10.79.2.1'

    def __init__(self):
        super().__init__('arb')

    def build(self):
        self.join('a', (f'{self.A}/24', 'e0'), 'r', (f'{self.R_TO_A}/24', 'e0'), MTU)
        self.join('b', (f'{self.B}/24', 'e0'), 'r', (f'{self.R_TO_B}/24', 'e1'), MTU)


class Relayed(spaces.Spaces):
    """Hosts a and b, which see one net: the cable of each ends at a relay that has the address of
    the other."""
    A, B = '10.79.1.1', '10.79.1.2'

    def __init__(self):
        super().__init__(('a', 'b', 'towards_a', 'towards_b'))

    def build(self):
        self.join('a', (f'{self.A}/24', 'e0'), 'towards_a', (f'{self.B}/24', 'e0'), MTU)
        self.join('b', (f'{self.B}/24', 'e0'), 'towards_b', (f'{self.A}/24', 'e0'), MTU)


def start(hosts, host, *words):
    return subprocess.Popen([*hosts.inside(host), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


@contextlib.contextmanager
def ended(process):
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ready(process):
    said = process.stdout.readline()
    if not said.startswith('ready'):
        raise RuntimeError(f'{process.args}: printed {said!r} instead of ready')
    return said


def report(process, seconds):
    said, _ = process.communicate(timeout=60 + 5 * seconds)
    if process.returncode != 0:
        raise RuntimeError(f'{process.args}: ended with code {process.returncode}')
    return json.loads(said)


class Runner:
    def __init__(self, folders, cpus, seconds):
        self.raw_loop, self.ulnet_loop, self.ulnetd, self.ctl = (
            find_program(folders, name) for name in ('raw_loop', 'ulnet_loop', 'ulnetd', 'ulnetctl'))
        self.end_cpu, self.middle_cpu = cpus[0], cpus[-1]
        self.seconds = seconds

    def ends(self, hosts, program, loop, serve, drive):
        """(driver's report, server's report). `drive` gets the line that the server printed, and
        returns the driver's words."""
        common = {'seconds': self.seconds, 'cpu': self.end_cpu}
        with ended(start(hosts, 'b', program, loop, 'serve', *as_words({**common, **serve}))) as server:
            words = drive(ready(server))
            with ended(start(hosts, 'a', program, loop, 'drive', *as_words({**common, **words}))) as driver:
                return report(driver, self.seconds), report(server, self.seconds)

    @contextlib.contextmanager
    def relay(self, hosts, host, words):
        with ended(start(hosts, host, self.raw_loop, 'relay', 'serve', *as_words({'cpu': self.middle_cpu, **words}))) as relay:
            yield ready(relay).split()[1]

    def raw(self, hosts, loop, words, relay):
        """The raw loops at a and b, and the relay at r."""
        with contextlib.ExitStack() as stack:
            def drive(said):
                port = stack.enter_context(self.relay(hosts, 'r', {**relay, 'host': Routed.R_TO_A, 'to': Routed.B, 'to_port': said.split()[1]}))
                return {**words, 'host': Routed.R_TO_A, 'port': port}
            return self.ends(hosts, self.raw_loop, loop, {**words, 'host': Routed.B}, drive)

    def relayed(self, hosts, loop, words, relay):
        """ulnet at a and b, and the relay between them."""
        words = {'port': PORT, **words}
        relay = {**relay, 'host': Relayed.B, 'port': PORT, 'to': Relayed.B, 'to_port': PORT,
                 'to_space': f'/run/netns/{hosts.space("towards_b")}'}
        with self.relay(hosts, 'towards_a', relay):
            return self.ends(hosts, self.ulnet_loop, loop, {**words, 'host': Relayed.B},
                             lambda _: {**words, 'host': Relayed.A, 'peer': Relayed.B})

    def routed(self, hosts, loop, words, settings):
        """ulnet at a and b, and ulnetd as the router at r. `settings` are parameters of all three
        nodes."""
        words = {'port': PORT, **words, **settings}
        with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder, self.router(hosts, folder, settings):
            return self.ends(hosts, self.ulnet_loop, loop,
                             {**words, 'host': Routed.B, 'net': 'tcp1', 'routes': f'tcp {Routed.R_TO_B}@tcp1'},
                             lambda _: {**words, 'host': Routed.A, 'peer': Routed.B, 'peer_net': 'tcp1',
                                        'routes': f'tcp1 {Routed.R_TO_A}@tcp'})

    @contextlib.contextmanager
    def router(self, hosts, folder, settings):
        configuration = os.path.join(folder, 'router.yaml')
        with open(configuration, 'w') as file:
            file.write('net:\n')
            for net, address in (('tcp', Routed.R_TO_A), ('tcp1', Routed.R_TO_B)):
                file.write(f'    - net type: {net}\n      local NI(s):\n        - interfaces:\n              0: {address}\n')
        environment = {**os.environ, 'ULNET_CONTROL': os.path.join(folder, 'router.sock'), 'XDG_RUNTIME_DIR': folder,
                       'XDG_CONFIG_HOME': folder}
        words = {'accept': 'trust', 'accept_port': PORT, 'accept_port_bulk': PORT, 'forwarding': 'enabled', 'congestion': 'reno',
                 'conns_per_peer': 1, **settings}
        sets = [word for key, value in words.items() for word in ('--set', f'{key}={value}')]
        node = subprocess.Popen([*hosts.inside('r'), 'taskset', '-c', str(self.middle_cpu), self.ulnetd, '--name', 'router', '--control',
                                 environment['ULNET_CONTROL'], *sets, '--config', configuration], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while subprocess.run([self.ctl, 'routing', 'show'], env=environment, capture_output=True).returncode != 0:
                if time.monotonic() > end or node.poll() is not None:
                    raise RuntimeError('the router does not start')
                time.sleep(0.05)
            yield node
        finally:
            node.terminate()
            node.wait(30)


def alternately(reference, ours, figure, quick):
    runs = []
    for _ in range(1 if quick else 5):
        runs.append({'reference': figure(*reference()), 'ours': figure(*ours())})
        print(f'  {runs[-1]["ours"]:.2f}; reference {runs[-1]["reference"]:.2f}', file=sys.stderr)
    return runs


def runner(folders, quick):
    if why := spaces.missing(Routed()):
        raise FileNotFoundError(why)
    return Runner(folders, sorted(os.sched_getaffinity(0))[:2], 0.2 if quick else 1)


def bandwidth(folders, quick):
    run, words = runner(folders, quick), {'size': MIB, 'buffers': 1}
    with Routed() as hosts:
        return alternately(lambda: run.raw(hosts, 'bandwidth', words, {'size': MIB}),
                           lambda: run.routed(hosts, 'bandwidth', {**words, 'mode': 'shared', 'outstanding': 8}, {}), bytes_per_second, quick)


def latency(folders, quick):
    run, wait = runner(folders, quick), {'wait': 'epoll'}
    with Routed() as hosts:
        return alternately(lambda: run.raw(hosts, 'latency', {'size': 8, **wait}, {'size': 4096, **wait}),
                           lambda: run.routed(hosts, 'latency', {'size': 8, 'mode': 'shared'}, {'wait': 'block'}), one_way_microseconds, quick)


MANY = {'peer_credits': 1024, 'credits': 1024}
PUTS = {'size': 8, 'mode': 'shared', 'outstanding': 1024}


def rate(folders, quick):
    run = runner(folders, quick)
    with Routed() as routed, Relayed() as relayed:
        return alternately(lambda: run.relayed(relayed, 'rate', {**PUTS, **MANY}, {'size': 64 * KIB}),
                           lambda: run.routed(routed, 'rate', PUTS, MANY), messages_per_second, quick)


def rate_raw_ends(folders, quick):
    run = runner(folders, quick)
    with Routed() as hosts:
        return alternately(lambda: run.raw(hosts, 'rate', {'size': FRAME, 'gather': GATHERED}, {'size': FRAME * GATHERED, 'frame': FRAME}),
                           lambda: run.routed(hosts, 'rate', PUTS, MANY), messages_per_second, quick)


def routed_slope(folders, quick, routers):
    """Instructions of a PUT of 8 bytes without ACK through `routers` routers. The start of a
    program differs from run to run by a few calls of its threads, so this is the median of
    three."""
    program = find_program(folders, 'smp_loop')
    few, more = (100, 300) if quick else (2000, 10000)
    return statistics.median(callgrind.slope(lambda count: callgrind.instructions(program, 'routed', count, routers, 8), few, more)
                             for _ in range(1 if quick else 3))


def instructions(folders, quick):
    """Instructions of a router for each message, against those of one send and one receive."""
    direct = routed_slope(folders, quick, 0)
    return [{'ours': routed_slope(folders, quick, 1) - direct, 'reference': direct}]


ROWS = (
    ('forward_bw_1m', bandwidth, 'MB/s', 'a router between two hosts (namespaces, veth), 8 in flight, adaptive; reference: raw loops and a raw relay'),
    ('forward_lat_8', latency, 'µs', 'the same, one way, wait=block; reference: raw loops and relay, epoll'),
    ('forward_rate_8', rate, 'M/s', '1,024 outstanding, peer_credits 1024; reference: the same ends with a raw relay between them'),
    ('forward_rate_8_raw_ends', rate_raw_ends, 'M/s',
     f'unequal: the same against raw ends and relay that gather {GATHERED} frames of {FRAME} bytes and do nothing else'),
    ('forward_instructions', instructions, 'instructions', 'of a router per message of 8 bytes; reference: a send and a receive; callgrind, pipe driver'))
