#!/usr/bin/env python3
"""Tests several rails between real nodes: on loopback addresses what is shown, between shaped interfaces in network namespaces what
happens when one goes. spec/multirail.md 3, 5."""
import json
import os
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True

import daemon_rig
import rails_rig
from daemon_rig import Daemon, E2e, Folder, address, wait_until, yaml_of

ULST = os.environ.get('ULST', '')


class Path(E2e):
    """`ulnetctl debug path` on nodes with two rails."""

    def setUp(self):
        super().setUp()
        self.far = self.with_rails('far', 2, 4, '--selftest')
        self.near = self.with_rails('near', 1, 3)

    def with_rails(self, name, first, second, *arguments):
        file = self.folder.file(f'{name}.yaml', yaml_of(('tcp', address(first)), ('tcp1', address(second))))
        return self.running('--config', file, *arguments, name=name)

    def path(self, *arguments):
        code, out, err = self.near.ctl('debug', 'path', *arguments)
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def meet(self):
        """Has a user's message go to the peer, which is discovered before."""
        done = subprocess.run([ULST, 'run', '--from', f'{address(1)}@tcp', '--to', f'{address(2)}@tcp', '--ping', '--time', '200ms'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=daemon_rig.DEADLINE_S, check=False,
                              env={**os.environ, 'ULNET_CONTROL': str(self.near.socket)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_before_and_after_the_peer_is_discovered(self):
        to = f'{address(2)}@tcp'
        said = self.path('--to', to)
        self.assertIn('Nothing is known of this peer yet.\n', said)
        self.assertIn('The first message waits until the peer is discovered', said)
        self.meet()
        said = self.path('--to', to)
        self.assertIn('Rule: multi-rail peer: any of its NIDs by any NI\n', said)
        self.assertNotIn('discovered', said)
        self.assertEqual(said.count('\n  * '), 3, said)
        for step in ('Step A, the net:', "Step B, the interface of this node:", "Step C, the peer's NID:"):
            self.assertIn(step, said)
        self.assertEqual(said, self.path('--to', to), "nobody's turn passes")

    def test_of_two_rails_the_one_that_a_policy_prefers(self):
        to = f'{address(2)}@tcp'
        self.meet()
        self.assertEqual(self.near.ctl('udsp', 'add', '--src', 'tcp1', '--priority', 0)[0], 0)
        said = self.path('--to', to)
        self.assertIn(f'Result: to {address(4)}@tcp1 by {address(3)}@tcp1\n', said)
        self.assertIn("not this one: this node's net is less preferred by a policy\n", said)
        tree = json.loads(self.path('--to', to, '--json'))['path']
        self.assertEqual(tree['hop'], f'{address(4)}@tcp1')
        self.assertEqual([net['chosen'] for net in tree['nets']], [False, True])

    def test_what_cannot_be(self):
        self.assertIn('Result: no path: no route (errno -113)\n', self.path('--to', '10.0.0.1@tcp9'))
        said = self.path('--to', f'{address(2)}@tcp', '--from', f'{address(3)}@tcp1')
        self.assertIn('Result: no path: no route', said)
        self.assertEqual(self.near.ctl('debug', 'path', '--to', f'{address(2)}@tcp', '--cpt', 64)[0], 234)


class Failing(unittest.TestCase):
    """One of two rails goes in the middle of a transfer."""
    MBIT = 100

    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def node(self, rails, host, *arguments):
        file = self.folder.file(f'{host}.yaml', yaml_of(('tcp', *(rails.address(host, rail) for rail in (1, 2)))))
        made = Daemon(self.folder, '--set', 'accept=trust', '--config', file, *arguments, name=host, inside=rails.inside(host))
        self.addCleanup(made.stop)
        made.ready()
        # So that the driver gives an operation up after (10 - 1) / (2 + 1) = 3 s.
        self.assertEqual(made.ctl('set', 'transaction_timeout', 10)[0], 0)
        return made

    def moved(self, node):
        """Bytes that it has received."""
        return node.get('/v1/stats')['statistics']['recv_length']

    def begin(self, console, kind, seconds):
        words = ['run', '--from', '10.77.1.1@tcp', '--to', '10.78.1.1@tcp', f'--{kind}', '--sizes', '256k', '--concurrency', '16',
                 '--time', f'{seconds}s', '--json']
        started = subprocess.Popen([ULST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, 'ULNET_CONTROL': str(console.socket)})
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def test_an_interface_goes_down_while_its_node_writes(self):
        with rails_rig.Rails(2, self.MBIT) as rails:
            client = self.node(rails, 'a')
            server = self.node(rails, 'b', '--selftest')
            run = self.begin(client, 'write', 20)
            one_rail = self.MBIT * 1e6 / 8
            wait_until(lambda: self.moved(server) > 2 * one_rail, 'data move')
            rails.cut('a', 2)
            # What was with the driver ends within 3 s, and all else takes the other rail.
            wait_until(lambda: self.rate(server) > 0.7 * one_rail, 'the other rail carries the traffic', 12)
            # A small message that had left for the rail is not missed before its RPC times out, after a minute.
            out, err = run.communicate(timeout=300)
            said = json.loads(out)
            self.assertFalse(said['interrupted'], err)
            for test in said['tests']:
                self.assertEqual([node['lost'] for node in test['clients'] + test['servers']], [None, None], said)
                self.assertEqual(test['wrong_data'], 0)
                self.assertGreater(test['bytes_per_s'], 0.5 * one_rail)
            for node in (client, server):
                self.assertFalse(self.busy(node), f'{node.name} has operations that never ended')

    @staticmethod
    def busy(node):
        """Messages that wait for a credit or are with the driver: fewer credits than there are."""
        peers = node.get('/v1/peer')['peer']
        return [ni['nid'] for peer in peers for ni in peer['peer ni'] if ni['available_tx_credits'] != ni['max_ni_tx_credits']]

    def rate(self, node):
        """Bytes that it receives in a second."""
        before, begun = self.moved(node), time.monotonic()
        time.sleep(1)
        return (self.moved(node) - before) / (time.monotonic() - begun)


if __name__ == '__main__':
    daemon_rig.take_program_from_arguments()
    unittest.main()
