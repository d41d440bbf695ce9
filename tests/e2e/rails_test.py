#!/usr/bin/env python3
"""Tests several rails between real nodes. spec/multirail.md 3."""
import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import daemon_rig
from daemon_rig import E2e, address, yaml_of

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


if __name__ == '__main__':
    daemon_rig.take_program_from_arguments()
    unittest.main()
