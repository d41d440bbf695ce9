"""The upstream suite's cases of health, on real nodes: spec/upstream-tests.md E. Each test is named
by its case number. These cases are also played live; all are in virtual time:
tests/lnet/scenarios/upstream_health_test.cc, and src/lnet/core/flow/fault_health_test.cc."""
import time

from tests.rigs import rails_rig
from tests.rigs.daemon_rig import address, wait_until
from tests.rigs.upstream_rig import Upstream


class Health(Upstream):
    def pair(self, *nets):
        """Two nodes that know each other, near and far, with an NI on each of these nets. Returns
        near and the NIDs of far."""
        self.with_nets(*((net, address(2)) for net in nets), name='far')
        near = self.with_nets(*((net, address(1)) for net in nets), name='near')
        nids = [f'{address(2)}@{net}' for net in nets]
        self.said(near, 'discover', nids[0])
        self.assertEqual(self.peers(near), {nids[0]: nids})
        return near, nids

    def test_218_a_recovery_ping_takes_the_way_that_is_left(self):  # spec/upstream-tests.md 218
        node = self.with_nets(('tcp', address(1), address(2)))
        first, second = (f'{address(n)}@tcp' for n in (1, 2))
        self.said(node, 'discover', first)
        self.gets_fail(node, 'local_error', first, first)
        self.refused(node, 'ping', '--source', first, first)
        wait_until(lambda: self.health(self.nis(node)) == {first: 1000, second: 1000}, 'both NIs are well')

    def test_234_without_health_an_administrator_still_sets_it(self):  # spec/upstream-tests.md 234
        node = self.running('--if', address(1))
        nid = f'{address(1)}@tcp'
        self.said(node, 'set', 'health_sensitivity', 0)
        self.said(node, 'net', 'set', '--nid', nid, '--health', 0)
        self.assertEqual(self.nis(node)[nid]['status'], 'down')
        self.assertEqual(self.health(self.nis(node)), {nid: 0})
        self.said(node, 'net', 'set', '--nid', nid, '--health', 1000)
        self.assertEqual(self.nis(node)[nid]['status'], 'up')

    def test_235_an_ni_at_the_bottom_is_down_and_comes_up_again(self):  # spec/upstream-tests.md 235
        node = self.with_nets(('tcp', address(1)), ('tcp1', address(1)))
        first, second = (f'{address(1)}@{net}' for net in ('tcp', 'tcp1'))
        self.said(node, 'discover', first)
        self.gets_fail(node, 'local_timeout', first, first)
        self.said(node, 'net', 'set', '--nid', first, '--health', 100)
        self.comes_up(node, first, False)
        self.assertEqual(self.nis(node)[second]['status'], 'up')
        self.said(node, 'fault', 'drop', 'del', '--all')
        self.said(node, 'net', 'set', '--nid', first, '--health', 900)
        self.comes_up(node, first)

    def test_252_a_ping_of_a_node_that_has_stopped_ends(self):  # spec/upstream-tests.md 252
        far = self.running('--if', address(2), name='far')
        near = self.running('--if', address(1), name='near')
        nid = f'{address(2)}@tcp'
        self.said(near, 'discover', nid)
        self.said(far, 'lnet', 'unconfigure')
        begun = time.monotonic()
        self.refused(near, 'ping', '--timeout', 15, nid)
        self.assertLess(time.monotonic() - begun, 15)

    def test_501_health_of_a_peer_with_one_nid_is_set(self):  # spec/upstream-tests.md 501
        self.set_health(*self.pair('tcp'))

    def test_502_health_of_a_peer_with_two_nids_is_set(self):  # spec/upstream-tests.md 502
        self.set_health(*self.pair('tcp', 'tcp1'))

    def set_health(self, near, nids):
        for value in (0, 500):
            for which in (('--nid', nids[0]), ('--all',)):
                self.said(near, 'peer', 'set', *which, '--health', value)
                self.assertLess(sum(self.health(self.peer_nis(near)).values()), 1000 * len(nids))
                self.said(near, 'peer', 'set', *which, '--health', 1000)
                self.assertEqual(self.health(self.peer_nis(near)), {nid: 1000 for nid in nids})


class Links(Upstream):
    """Interfaces that go down, in network namespaces."""

    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        super().setUp()

    def test_214_a_link_that_is_down_makes_its_ni_down(self):  # spec/upstream-tests.md 214
        with rails_rig.Rails(2, 100) as rails:
            first, second = nids = [f'{rails.address("a", rail)}@tcp' for rail in (1, 2)]
            node = self.with_nets(('tcp', *(rails.address('a', rail) for rail in (1, 2))), inside=rails.inside('a'))
            for source in nids:
                for dest in nids:
                    self.said(node, 'ping', '--source', source, dest)
            rails.cut('a', 2)
            self.comes_up(node, second, False)
            self.assertEqual(self.nis(node)[first]['status'], 'up')

    def test_303_a_link_that_goes_down_costs_the_peer_ni_health(self):  # spec/upstream-tests.md 303
        with rails_rig.Rails(3, 100) as rails:
            nets = [('tcp', 1), ('tcp1', 2), ('tcp2', 3)]
            near, far = (self.with_nets(*((net, rails.address(host, rail)) for net, rail in nets[:count]), name=host,
                                        inside=rails.inside(host)) for host, count in (('a', 3), ('b', 2)))
            nids = [f'{rails.address("a", rail)}@{net}' for net, rail in nets]
            self.said(far, 'discover', nids[0])
            self.assertEqual(self.peers(far), {nids[0]: nids})
            rails.cut('a', 3)
            wait_until(lambda: self.health(self.peer_nis(far))[nids[2]] < 1000, 'the peer NI has lost health')
            self.assertEqual(self.peers(far), {nids[0]: nids})
            self.comes_up(near, nids[2], False)
