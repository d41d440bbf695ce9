"""Measures the memory that other nodes can make a daemon keep, and the memory that it still has
after a peak. The peers are those of tests/rigs/attacker.py."""
import contextlib
import os
import subprocess
import sys
import time

from loops import find_program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tests.rigs import daemon_rig
from tests.rigs.attacker import MIB, Attacker, Innocents, resident
from costs import raise_descriptor_limit

BEYOND_BUDGET_MIB = 32
AFTER_PEAK_S = 30


class Attacked:
    """Two daemons; the first is attacked."""

    def __init__(self, folders, budget_mib, **params):
        raise_descriptor_limit()
        more = [word for name, value in params.items() for word in ('--set', f'{name}={value}')]
        self.folder = daemon_rig.Folder()
        self.port = daemon_rig.free_port()
        self.node, self.other = [daemon_rig.Daemon(
            self.folder, '--accept-port', self.port, '--set', 'accept=trust', '--set', f'memory_budget={budget_mib}', '--selftest', *more, '--if',
            daemon_rig.address(last), name=f'n{last}', program=find_program(folders, 'ulnetd')) for last in (1, 2)]
        self.attacker = Attacker(daemon_rig.address(1), self.port)

    def __enter__(self):
        try:
            self.node.ready()
            self.other.ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.attacker.leave()
        self.node.stop()
        self.other.stop()
        self.folder.remove()

    @staticmethod
    def nid(last):
        return f'{daemon_rig.address(last)}@tcp'

    @contextlib.contextmanager
    def innocents(self):
        """Two nodes that ping each other during the attack; no ping may fail."""
        pair = Innocents(self.node, self.nid(1), self.other, self.nid(2))
        try:
            yield
        finally:
            pair.end()
        if pair.failed or pair.pings == 0:
            raise RuntimeError(f'{pair.pings} pings between nodes that do not attack; failed: {pair.failed[:3]}')

    def rss_mib(self, name='VmRSS'):
        return resident(self.node.process.pid, name) / MIB

    def held(self):
        return self.node.get('/v1/counters')['memory']['held']


def hold_mib(folders, quick):
    """The largest growth of a daemon when 1,500 peers from 60 addresses each send 1 MiB to a lazy
    portal."""
    return [hold_run(folders, *((40, 16) if quick else (1500, 64))) for _ in range(1 if quick else 3)]


def hold_run(folders, peers, budget_mib):
    with Attacked(folders, budget_mib) as attacked:
        before = attacked.rss_mib()
        with attacked.innocents():
            attacked.attacker.payload(peers, [daemon_rig.address(10 + k) for k in range(60)])
            daemon_rig.wait_until(lambda: attacked.node.get('/v1/counters')['driver'].get('hold_short', 0) > 0, 'memory is short')
        return {'ours': attacked.rss_mib('VmHWM') - before, 'reference': budget_mib + BEYOND_BUDGET_MIB, 'before': before}


def rss_after_peak(folders, quick):
    """The resident size of a daemon before some peaks, and 30 s after them. The peaks are held
    payload and the data of selftest."""
    return [peak_run(folders, 20 if quick else 400, 0 if quick else AFTER_PEAK_S) for _ in range(1 if quick else 3)]


def peak_run(folders, peak_mib, seconds_after):
    ulst = find_program(folders, 'ulst')
    with Attacked(folders, 4 * peak_mib) as attacked:
        before = attacked.rss_mib()

        def write(source, target, count):
            subprocess.run([ulst, 'run', '--from', attacked.nid(source), '--to', attacked.nid(target), '--write', '--sizes', '1m', '--concurrency',
                            str(count), '--time', '2s'], env={**os.environ, 'ULNET_CONTROL': str(attacked.other.socket)},
                           stdout=subprocess.DEVNULL, check=True)
        for _ in range(2):  # the C library allocates a size that was freed before in another way
            attacked.attacker.payload(peak_mib, [daemon_rig.address(10 + k) for k in range(20)])
            daemon_rig.wait_until(lambda: attacked.held()['used'] > 0.95 * peak_mib * MIB, 'the payload is held')
            attacked.attacker.leave()
            daemon_rig.wait_until(lambda: attacked.held()['used'] == 0, 'the payload is given back')
        for source, target in ((2, 1), (1, 2)):
            write(source, target, peak_mib * 3 // 4)  # selftest's share of the budget also holds its units
        peak = attacked.rss_mib('VmHWM')
        if peak < before + 0.9 * peak_mib:
            raise RuntimeError(f'the daemon did not grow as expected: peak {peak:.0f} MiB, before {before:.0f} MiB')
        attacked.other.stop()
        time.sleep(seconds_after)
        return {'ours': attacked.rss_mib(), 'reference': before, 'peak': peak}


def rss_after_strangers(folders, quick):
    """The resident size of a daemon before 1,500 peers send payload, and 30 s after they have left
    and the daemon has forgotten them."""
    return [strangers_run(folders, *((40, 16, 0) if quick else (1500, 64, AFTER_PEAK_S))) for _ in range(1 if quick else 3)]


def strangers_run(folders, peers, budget_mib, seconds_after):
    with Attacked(folders, budget_mib, peer_idle_timeout=5, lnet_transaction_timeout=5) as attacked:
        before = attacked.rss_mib()
        with attacked.innocents():
            attacked.attacker.payload(peers, [daemon_rig.address(10 + k) for k in range(60)])
            daemon_rig.wait_until(lambda: attacked.node.get('/v1/counters')['driver'].get('hold_short', 0) > 0, 'memory is short')
            attacked.attacker.leave()
            daemon_rig.wait_until(lambda: len(attacked.node.get('/v1/peer')['peer']) < peers / 100 + 3, 'the daemon has forgotten the peers')
            time.sleep(seconds_after)
        return {'ours': attacked.rss_mib(), 'reference': before, 'peak': attacked.rss_mib('VmHWM')}


ROWS = (('hostile_hold_mib', hold_mib, 'MiB', 'reference: memory_budget and 32 MiB; 1,500 peers from 60 addresses, 1 MiB each for a lazy portal'),
        ('rss_after_peak', rss_after_peak, 'MiB', 'reference: before; 30 s after 400 MiB of held payload, twice, and of selftest'),
        ('rss_after_strangers', rss_after_strangers, 'MiB', 'reference: before; 30 s after 1,500 peers with 1 MiB each are forgotten'))
