#!/usr/bin/env python3
"""What hostile or merely many peers can make a real daemon keep stays within its limits, and an innocent pair does not notice. docs/SECURITY.md."""
import pathlib
import resource
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))

import daemon_rig
import hostile
import pdu
from daemon_rig import E2e, address, wait_until

MIB = 1 << 20
LAZY = 50  # the portal of selftest's requests keeps what no buffer is there for
BEYOND = 32 * MIB  # what a daemon may have besides its budget


def resident(daemon):
    """RssAnon in bytes."""
    for line in pathlib.Path(f'/proc/{daemon.process.pid}/status').read_text().splitlines():
        if line.startswith('RssAnon:'):
            return int(line.split()[1]) * 1024
    raise AssertionError('no RssAnon')


class Bounds(E2e):
    def victim(self, *arguments, **more):
        """The daemon that is attacked, and another that pings it."""
        self.node = self.running('--if', address(1), '--selftest', *arguments, name='victim', **more)
        self.innocent = self.running('--if', address(2), name='innocent')
        self.pings()
        return self.node

    def pings(self):
        self.assertEqual(self.innocent.ping(f'{address(1)}@tcp')['failed'], [])

    def claims(self, nid, source):
        """A connection from `source` whose hello claims the NID `nid`@tcp."""
        line = hostile.Line(address(1), self.port, source)
        self.addCleanup(line.sock.close)
        line.us = pdu.nid4(nid)
        line.send(line.request() + line.hello())
        return line

    def counts(self, name):
        return self.node.get('/v1/counters')['driver'].get(name, 0)

    def held(self):
        return self.node.get('/v1/counters')['memory']['held']

    def attack_with_payload(self, peers, sources):
        """Each peer claims a NID and sends 1 MiB to a lazy portal. Returns the connections."""
        lines = []
        for k in range(peers):
            line = self.claims(f'11.0.{k // 250}.{k % 250 + 1}', sources[k % len(sources)])
            line.read(56)
            line.sock.setblocking(False)
            try:
                line.sock.send(line.put(LAZY, 1 << 40, bytes(MIB - 4096)))
            except BlockingIOError:
                pass
            lines.append(line)
        return lines

    def test_held_payload_stays_within_its_share_of_the_budget(self):
        self.victim('--set', 'memory_budget=64')
        before = resident(self.node)
        share = self.held()['share']
        self.assertEqual(share, 16 * MIB)
        sources = [address(last) for last in range(10, 16)]
        self.attack_with_payload(120, sources)
        wait_until(lambda: self.counts('hold_short') >= 20, 'memory is short')
        self.pings()
        held = self.held()
        self.assertLessEqual(held['peak'], share)
        self.assertGreater(held['used'], 0)
        self.assertLess(resident(self.node), before + share + BEYOND)
        self.node.says(r'warning: .*no memory is left for payload that is held')

    def test_one_address_with_many_nids_has_a_quarter_of_it(self):
        self.victim('--set', 'memory_budget=64')
        self.attack_with_payload(40, [address(10)])
        wait_until(lambda: self.counts('hold_short') >= 10, 'the address has its share')
        self.assertLessEqual(self.held()['peak'], 4 * MIB)
        self.pings()

    def test_what_is_held_is_given_back_when_its_connection_ends(self):
        self.victim('--set', 'memory_budget=64')
        for line in self.attack_with_payload(8, [address(10), address(11)]):
            line.sock.close()
        wait_until(lambda: self.held()['used'] == 0, 'all is given back')
        self.pings()

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer needs the address space')
    def test_too_little_address_space_ends_no_daemon(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))}
        self.victim(**limited)
        self.attack_with_payload(150, [address(last) for last in range(10, 20)])
        wait_until(lambda: self.held()['used'] + MIB > self.held()['share'] or self.counts('hold_short') > 0, 'it is short')
        self.pings()
        self.assertIsNone(self.node.process.poll())

    def test_a_peer_that_has_been_idle_makes_room(self):
        self.victim('--set', 'accept_open=33', '--set', 'accept_open_per_address=30')
        for k in range(9):
            self.claims(f'11.0.0.{k + 1}', address(10)).read(56)
        self.pings()
        # Those of the first address have been idle for long enough two seconds later.
        wait_until(self.newcomer_is_greeted, 'an idle peer is disconnected')
        self.assertGreater(self.counts('evicted'), 0)
        self.pings()

    def newcomer_is_greeted(self):
        self.newcomers = getattr(self, 'newcomers', 0) + 1
        line = self.claims(f'11.0.1.{self.newcomers}', address(20 + self.newcomers % 100))
        try:
            line.read(56)
        except (EOFError, ConnectionResetError):
            return False
        return self.counts('evicted') > 0

    def test_one_address_opens_no_more_than_its_share(self):
        self.victim('--set', 'accept_open_per_address=15')
        for k in range(5):
            self.claims(f'11.0.0.{k + 1}', address(10)).read(56)
        self.assertTrue(self.claims('11.0.0.9', address(10)).is_closed())
        self.assertEqual(self.counts('refused_address_full'), 1)
        self.claims('11.0.0.9', address(11)).read(56)
        self.node.says(r'warning: .*its address has as many connections as one may have')

    def test_few_descriptors_are_not_all_for_strangers(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))}
        self.victim(**limited)
        for k in range(60):
            self.claims(f'11.0.{k // 4}.{k % 4 + 1}', address(10 + k // 4))
        self.pings()
        self.assertEqual(self.node.ping(f'{address(2)}@tcp')['failed'], [])
        self.assertEqual(self.counts('refused_no_descriptor'), 0)

    def test_a_claimed_nid_is_told_and_can_be_refused(self):
        self.victim()
        self.claims('11.0.0.1', address(10)).read(56)
        self.node.says(r'warning: .*says a NID with another address')
        self.assertEqual(self.node.ctl('param', 'set', 'peer_address_check', 'enforce')[0], 0)
        self.assertTrue(self.claims(address(2), address(11)).is_closed())
        self.assertEqual(self.counts('refused_address'), 1)
        self.pings()


if __name__ == '__main__':
    daemon_rig.take_program_from_arguments()
    unittest.main()
