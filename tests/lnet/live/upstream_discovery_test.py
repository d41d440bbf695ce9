"""The upstream suite's cases of discovery and pings, on real nodes: spec/upstream-tests.md F. Each
test is named by its case number. tests/lnet/scenarios/upstream_discovery_test.cc has more of them in
virtual time."""
import re

from tests.rigs import rails_rig
from tests.rigs.daemon_rig import address
from tests.rigs.upstream_rig import Upstream


class Discovery(Upstream):
    """Nodes that know themselves or each other."""

    def test_217_the_loopback_nid_is_discovered(self):  # spec/upstream-tests.md 217
        node = self.running()
        self.said(node, 'discover', '0@lo')

    def test_exchanges_are_shown_as_they_happen(self):
        far, near = f'{address(2)}@tcp', self.running('--if', address(1), name='near')
        self.running('--if', address(2), name='far')
        code, out, err = near.ctl('discover', '--trace', far)
        self.assertEqual(code, 0)
        self.assertIn(f'primary nid: {far}', out)
        steps = [line.split(f'{far}: ')[1] for line in err.splitlines() if far in line]
        for step in ('ping sent', 'ping answered, NIDs 1', "push sent, of this node's info number", 'push acknowledged', 'discovered, NIDs 1'):
            self.assertTrue(any(line.startswith(step) for line in steps), (step, err))
        self.assertLess(steps.index('ping sent'), steps.index('discovered, NIDs 1'))

    def test_302_a_peer_is_debugged(self):  # spec/upstream-tests.md 302
        node = self.running('--if', address(1))
        nid = f'{address(1)}@tcp'
        self.said(node, 'ping', nid)
        self.said(node, 'debug', 'peer', '--nid', nid)
        node.says(re.escape(f'peer {nid}'))

    def test_305_a_host_is_pinged_by_its_name(self):  # spec/upstream-tests.md 305
        node = self.running('--if', '127.0.0.1')
        self.said(node, 'ping', 'localhost@tcp')

    def test_475_latencies_are_measured_and_reset(self):  # spec/upstream-tests.md 475
        far = self.running('--if', address(2), name='far')
        node = self.running('--if', address(1), name='near')
        nid = f'{address(2)}@tcp'
        self.said(node, 'stats', 'reset')
        for _ in range(10):
            self.said(node, 'ping', nid)

        def samples():
            peer_ni = node.get(f'/v1/peer?nid={nid}')['peer'][0]['peer ni'][0]
            ni = node.get('/v1/net?net=tcp')['net'][0]['local NI(s)'][0]
            return peer_ni['statistics'], ni['statistics']
        peer_ni, ni = samples()
        self.assertGreaterEqual(peer_ni['get_rtt_samples'], 10)
        self.assertGreater(peer_ni['get_rtt_max_nsec'], 0)
        self.assertGreaterEqual(ni['get_rtt_samples'], 10)
        self.said(node, 'stats', 'reset')
        self.assertEqual([one['get_rtt_samples'] for one in samples()], [0, 0])
        self.assertFalse(far.ping(f'{address(1)}@tcp')['failed'])

    def test_unreachable_nodes_are_reported_with_the_reason(self):  # spec/cli-lnetctl.md 3.11
        node = self.running('--if', address(1))
        nobody = f'{address(77)}@tcp'
        code, out, _ = node.ctl('discover', nobody)
        self.assertEqual(code, 255)
        self.assertIn(f"descr: ! 'failed to discover {nobody}: Connection refused'", out)
        shown = self.said(node, 'peer', 'show', '--nid', nobody, '-v')
        self.assertIn('why: ', shown)
        self.assertIn('its discovery has failed: Connection refused (-111)', shown)
        self.assertEqual(node.get(f'/v1/peer?nid={nobody}')['peer'][0]['peer state'], 8224)
        self.assertIn('ulnet_peers_by_discovery{discovery="failed"} 1', node.get('/metrics'))

    def on_two_nets(self):
        """A node with tcp and tcp1 on one interface that knows itself. Returns the node and its
        NIDs."""
        node = self.with_nets(('tcp', address(1)), ('tcp1', address(1)))
        first, second = nids = (f'{address(1)}@tcp', f'{address(1)}@tcp1')
        self.said(node, 'discover', first)
        self.assertEqual(self.peers(node), {first: [first, second]})
        return node, nids

    def failure_output(self, node, *arguments):
        """The output of a command that must fail."""
        code, out, _ = node.ctl(*arguments)
        self.assertNotEqual(code, 0, arguments)
        return out

    def sent(self, node):
        return {nid: ni['statistics']['send_count'] for nid, ni in self.nis(node).items()}

    # spec/upstream-tests.md 215
    def test_215_pings_to_this_node_take_the_nis_in_turn_or_the_named_one(self):
        node, nids = self.on_two_nets()
        before = self.sent(node)
        for _ in range(4):
            self.said(node, 'ping', nids[0])
        after = self.sent(node)
        for nid in nids:
            self.assertGreater(after[nid], before[nid])
        for nid, other in (nids, nids[::-1]):
            before = self.sent(node)
            for _ in range(4):
                self.said(node, 'ping', '--source', nid, nid)
            after = self.sent(node)
            self.assertGreaterEqual(after[nid], before[nid] + 4)
            self.assertEqual(after[other], before[other])
            self.assertIn('No route to host', self.failure_output(node, 'ping', '--source', nid, other))

    def test_219_two_peers_turn_out_to_be_one(self):  # spec/upstream-tests.md 219
        node = self.with_nets(('tcp', address(1)), ('tcp1', address(1)))
        first, second = (f'{address(1)}@{net}' for net in ('tcp', 'tcp1'))
        for nid in (first, second):
            self.said(node, 'ping', nid)
        self.assertEqual(self.peers(node), {first: [first], second: [second]})
        self.said(node, 'discover', second)
        self.assertEqual(self.peers(node), {first: [first, second]})

    def test_500_a_link_goes_and_comes_while_messages_fail(self):  # spec/upstream-tests.md 500
        if why := rails_rig.missing():
            self.skipTest(why)
        with rails_rig.Rails(2, 100) as rails:
            first, second = (f'{rails.address("a", rail)}@tcp' for rail in (1, 2))
            node = self.with_nets(('tcp', *(rails.address('a', rail) for rail in (1, 2))), inside=rails.inside('a'))
            self.said(node, 'discover', first)
            self.said(node, 'fault', 'delay', 'add', '-s', '*@tcp', '-d', '*@tcp', '-m', 'PUT', '-r', 1, '-l', 2)
            self.said(node, 'fault', 'drop', 'add', '-s', '*@tcp', '-d', '*@tcp', '-m', 'PUT', '-r', 1, '-e', 'local_timeout')
            rails.cut('a', 2)
            self.comes_up(node, second, False)
            self.said(node, 'discover', first)
            rails.mend('a', 2)
            self.comes_up(node, second)
            self.said(node, 'discover', first)
            self.assertEqual(node.end(), 0)

    def test_525_an_own_net_is_removed(self):  # spec/upstream-tests.md 525
        node, (first, second) = self.on_two_nets()
        self.said(node, 'net', 'del', '--net', 'tcp')
        self.said(node, 'ping', second)
        self.assertEqual(self.peers(node), {second: [second]})
