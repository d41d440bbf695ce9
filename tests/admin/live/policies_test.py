"""Tests selection policies from outside, on real nodes: the cases of the upstream suite.
spec/upstream-tests.md I."""
import re

from tests.rigs.daemon_rig import E2e, address


class Policies(E2e):
    def said(self, daemon, *arguments):
        code, out, err = daemon.ctl(*arguments)
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def priorities(self, daemon, *show):
        """For each NI that is shown: its NID, the priority of its net, its own priority."""
        text = self.said(daemon, *show, 'show', '-v', 4)
        return re.findall(r'nid: (\S+@tcp1?)\n.*?net priority: (-?\d+)\n *nid priority: (-?\d+)\n', text, re.S)

    def test_a_net_without_a_number(self):  # spec/upstream-tests.md 400
        daemon = self.running()
        self.said(daemon, 'udsp', 'add', '--src', 'tcp', '--priority', 0)
        self.said(daemon, 'udsp', 'del', '--idx', 0)
        self.assertEqual(self.said(daemon, 'udsp', 'show'), '')

    def test_a_net_of_no_driver(self):  # spec/upstream-tests.md 402
        daemon = self.running('--if', address(1))
        self.said(daemon, 'udsp', 'add', '--dst', 'kfi', '--priority', 0)
        self.said(daemon, 'peer', 'add', '--prim_nid', '1@kfi')
        self.assertFalse(daemon.ping(f'{address(1)}@tcp')['failed'])

    # spec/multirail.md 10.2; spec/upstream-tests.md 401, 404
    def test_rules_apply_to_present_and_later_nets(self):
        far = self.running('--if', address(2), name='far')
        near = self.running('--if', address(1), name='near')
        one, two = f'{address(1)}@tcp', f'{address(1)}@tcp1'
        peer = f'{address(2)}@tcp'
        self.said(near, 'udsp', 'add', '--src', 'tcp[0-1]', '--priority', 1)
        self.said(near, 'udsp', 'add', '--dst', 'tcp', '--prio', 1)
        self.said(near, 'udsp', 'add', '--dst', peer, '--priority', 7)
        self.assertEqual(self.priorities(near, 'net'), [(one, '1', '-1')])
        self.said(near, 'net', 'add', '--net', 'tcp1', '--if', address(1))
        self.assertEqual(self.priorities(near, 'net'), [(one, '1', '-1'), (two, '1', '-1')])
        self.assertFalse(near.ping(peer)['failed'])
        self.assertEqual(self.priorities(near, 'peer'), [(peer, '1', '7')])
        self.assertFalse(far.ping(one)['failed'])
        # After an export, and an import into a new node, the priorities are the same.
        file = self.folder.file('state.yaml', self.said(near, 'export', '--backup'))
        backup = self.said(near, 'export', '--backup')
        self.assertEqual(near.end(), 0)
        again = self.running(name='again')
        self.said(again, 'import', file)
        self.assertEqual(self.said(again, 'export', '--backup'), backup)
        self.assertEqual(self.priorities(again, 'net'), [(one, '1', '-1'), (two, '1', '-1')])
        self.said(again, 'udsp', 'del', '--all')
        self.assertEqual(self.priorities(again, 'net'), [(one, '-1', '-1'), (two, '-1', '-1')])

    def test_the_start_file_has_policies(self):
        file = self.folder.file('node.yaml', 'udsp:\n  - src: tcp\n    action: {priority: 2}\n'
                                'selection:\n  - {type: nid, nid: "*@tcp", priority: 3}\n')
        daemon = self.running('--config', file, '--if', address(1))
        self.assertEqual(self.priorities(daemon, 'net'), [(f'{address(1)}@tcp', '2', '3')])
        self.assertIn('type: nid\n', self.said(daemon, 'selection', 'nid', 'show'))
