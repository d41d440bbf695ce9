"""Runs pairs of processes of the raw loop and of ulnet with the same settings, and takes the figure
of each row from the runs."""
import json
import os
import random
import socket
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

MIB, KIB = 1 << 20, 1 << 10
INLINE = {'mode': 'inline'}
SPIN = {'mode': 'inline', 'wait': 'spin'}
SHARED = {'mode': 'shared'}


def bytes_per_second(driver, _):
    return driver['bytes'] / driver['seconds'] / 1e6


def nanoseconds_per_kib(driver, server):
    return (driver['cpu_seconds'] / driver['bytes'] + server['cpu_seconds'] / server['bytes']) * 1e9 * KIB


def one_way_microseconds(driver, _):
    return driver['seconds'] / driver['messages'] / 2 * 1e6


def messages_per_second(driver, _):
    return driver['messages'] / driver['seconds'] / 1e6


def thousand_messages_per_second(driver, _):
    return driver['messages'] / driver['seconds'] / 1e3


@dataclass
class Row:
    name: str
    loop: str
    figure: object
    unit: str
    mode: str                      # how both sides wait, for people
    size: int
    ours: dict
    raw: dict = field(default_factory=dict)
    same_core: bool = False
    runs_of: str = ''              # the row from whose runs this one takes its figure
    raw_loop: str = ''             # the raw loop, if its name is not that of `loop`
    against: object = None         # the row whose ours is the reference, instead of a raw loop


def _bandwidth(name, size, mode, ours, buffers=1, **more):
    """Both sides of both loops use `buffers` buffers in turn; iperf3 uses one.
    LoopRunner.fastest_reader() chooses how the raw receiver waits."""
    return Row(name, 'bandwidth', bytes_per_second, 'MB/s', mode, size, {'outstanding': 8, 'buffers': buffers, **ours},
               {'buffers': buffers}, **more)


def _latency(name, size, mode, ours, wait, **more):
    return Row(name, 'latency', one_way_microseconds, 'µs', mode, size, ours, {'wait': wait}, **more)


def _rate(name, mode, ours, **more):
    return Row(name, 'rate', messages_per_second, 'M/s', mode, 8, {'outstanding': 1024, **ours}, **more)


def _lst(name, loop_words, mode, **more):
    return Row(name, 'lst', bytes_per_second, 'MB/s', mode, MIB, {'outstanding': 8, **SHARED, **loop_words}, **more)


READERS = ('recv', 'adaptive')
MANY = {'peer_credits': 1024, 'credits': 1024}

PUT_BW_1M_8_BUFFERS = _bandwidth('put_bw_1m_8_buffers', MIB, '8 in flight from and to 8 buffers, shared mode, adaptive', SHARED,
                                 buffers=8)
PUT_BW_1M = _bandwidth('put_bw_1m', MIB, '8 in flight, shared mode, adaptive', SHARED)
PING_C1 = Row('lst_ping_c1', 'lst', thousand_messages_per_second, 'k/s',
              'selftest, one under way, both sides wait=block; raw: requests and answers, epoll', 160,
              {'outstanding': 1, 'wait': 'block', **SHARED, 'test': 'ping'}, {'outstanding': 1, 'wait': 'epoll'}, raw_loop='exchange')

ROWS = [
    PUT_BW_1M,
    Row('cpu_per_byte_1m', 'bandwidth', nanoseconds_per_kib, 'ns/KiB', 'both sides, runs of put_bw_1m', MIB, {},
        runs_of='put_bw_1m'),
    PUT_BW_1M_8_BUFFERS,
    _bandwidth('put_bw_1m_ack', MIB, '8 unacknowledged PUTs, shared mode, adaptive', {'ack': 1, **SHARED}),
    _bandwidth('put_bw_1m_inline', MIB, '8 in flight, inline polling', INLINE),
    _bandwidth('put_bw_64k', 64 * KIB, '8 in flight, shared mode, adaptive', SHARED),
    _bandwidth('put_bw_64k_inline', 64 * KIB, '8 in flight, inline polling', INLINE),
    _latency('put_lat_8_spin', 8, 'both spin: inline polling, raw MSG_DONTWAIT', SPIN, 'spin'),
    _latency('put_lat_1k_spin', KIB, 'both spin: inline polling, raw MSG_DONTWAIT', SPIN, 'spin'),
    _latency('put_lat_4k_spin', 4 * KIB, 'both spin: inline polling, raw MSG_DONTWAIT', SPIN, 'spin'),
    _latency('put_lat_8_block', 8, 'handlers, wait=adaptive (the default); raw the same: spins 50 us, then epoll', SHARED, 'adaptive'),
    _latency('put_lat_8_strict_block', 8, 'handlers, wait=block; raw the same: epoll', {'wait': 'block', **SHARED}, 'epoll'),
    _latency('put_lat_8_block_epoll', 8, 'unequal: ours wait=adaptive, which spins first; raw epoll', SHARED, 'epoll'),
    _latency('put_lat_8_block_same_core', 8, 'same core: handlers, wait=adaptive; raw the same', SHARED, 'adaptive', same_core=True),
    _rate('put_rate_8', '1,024 outstanding, peer_credits 1024, inline; raw: one send a message', {**INLINE, **MANY}),
    _rate('put_rate_8_shared', '1,024 outstanding, peer_credits 1024, shared mode', {**SHARED, **MANY}),
    _rate('put_rate_8_default', '1,024 outstanding, default credits, inline', INLINE),
    _bandwidth('put_bw_1m_same_core', MIB, 'same core: 8 in flight, shared mode, adaptive', SHARED, same_core=True),
    _lst('lst_brw_write_1m', {'test': 'write'}, 'selftest, concurrency 8, no check; reference: our put_bw_1m_8_buffers', against=PUT_BW_1M_8_BUFFERS),
    _lst('lst_brw_read_1m', {'test': 'read'}, 'selftest, concurrency 8, no check; reference: our put_bw_1m_8_buffers', against=PUT_BW_1M_8_BUFFERS),
    _lst('lst_check_full', {'test': 'write', 'check': 'full'},
         'selftest, concurrency 8, write; raw: fills, poisons and compares with the same functions', raw_loop='checked'),
    Row('lst_ping_rate', 'lst', messages_per_second, 'M/s', 'selftest, 64 outstanding; raw: requests and answers, one send a message, waits the same',
        160, {'outstanding': 64, **SHARED, 'test': 'ping'}, {'outstanding': 64, 'wait': 'adaptive'}, raw_loop='exchange'),
    PING_C1,
]


def find_program(folders, name):
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    raise LookupError(f'{name} is not in {", ".join(folders)}: build it first')


def free_port():
    """A port that is free on every loopback address that a run uses."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as probe:
            try:
                probe.bind(('0.0.0.0', port))
                return port
            except OSError:
                continue


def nothing_around(_):
    return []


class LoopRunner:
    def __init__(self, folders, cpus, seconds, quick, congestion='reno'):
        self.raw_loop = find_program(folders, 'raw_loop')
        self.ulnet_loop = find_program(folders, 'ulnet_loop')
        self.cpus, self.seconds, self.quick, self.congestion = cpus, seconds, quick, congestion
        self.reader = None  # how the receiver of the raw bandwidth loop waits; see fastest_reader()

    def _common(self, row):
        length = {'count': 2048 if row.loop == 'rate' else 16} if self.quick else {'seconds': self.seconds}
        return {'size': row.size, 'congestion': self.congestion, **length}

    def _cpus(self, row):
        return (self.cpus[0], self.cpus[0] if row.same_core or len(self.cpus) < 2 else self.cpus[1])

    def reference(self, row):
        return self.ulnet(row.against) if row.against else self.raw(row)

    def raw(self, row):
        """(driver's report, server's report) of one raw run."""
        drive_cpu, serve_cpu = self._cpus(row)
        words = {**self._common(row), **row.raw}
        if row.loop == 'bandwidth' and not row.raw_loop:
            words = {'wait': self.fastest_reader(), **words}
        return self._pair([self.raw_loop, row.raw_loop or row.loop], {**words, 'cpu': serve_cpu},
                          lambda ready: {**words, 'cpu': drive_cpu, 'port': ready.split()[1]})

    def fastest_reader(self):
        """How the receiver of the raw bandwidth loop waits: in the way that is the fastest on this
        machine, because a slow one would be no fair reference. Where a wake-up is expensive the
        fastest way is to spin first."""
        if self.reader is None:
            self.reader = 'recv'
            if not self.quick:
                rates = {reader: [] for reader in READERS}
                for _ in range(3):
                    for self.reader in READERS:
                        rates[self.reader].append(bytes_per_second(*self.raw(PUT_BW_1M)))
                self.reader = max(READERS, key=lambda reader: statistics.median(rates[reader]))
                print(f'the raw receiver waits by {self.reader}: ' + ', '.join(
                    f'{reader} {statistics.median(rates[reader]):.0f} MB/s' for reader in READERS), file=sys.stderr)
        return self.reader

    def ulnet(self, row, around=nothing_around):
        """(driver's report, server's report) of one run of ulnet. `around` gives the words before
        the command of a side, 'serve' or 'drive'."""
        drive_cpu, serve_cpu = self._cpus(row)
        words = {**self._common(row), **row.ours, 'port': free_port()}
        return self._pair([self.ulnet_loop, row.loop], {**words, 'cpu': serve_cpu, 'host': '127.0.0.2'},
                          lambda _: {**words, 'cpu': drive_cpu, 'host': '127.0.0.3', 'peer': '127.0.0.2'}, around)

    def _pair(self, command, serve_words, drive_words, around=nothing_around):
        server = subprocess.Popen([*around('serve'), *command, 'serve', *as_words(serve_words)], stdout=subprocess.PIPE, text=True)
        try:
            ready = server.stdout.readline()
            if not ready.startswith('ready'):
                raise RuntimeError(f'{command}: the server printed {ready!r} instead of ready')
            driver = subprocess.run([*around('drive'), *command, 'drive', *as_words(drive_words(ready))],
                                    stdout=subprocess.PIPE, text=True, timeout=60 + 5 * self.seconds, check=True)
            served, _ = server.communicate(timeout=30)
            if server.returncode != 0:
                raise RuntimeError(f'{command}: the server ended with code {server.returncode}')
            return json.loads(driver.stdout), json.loads(served)
        finally:
            if server.poll() is None:
                server.kill()
                server.communicate()


def as_words(options):
    return [f'{key}={value}' for key, value in options.items()]
