"""The upstream suite's cases of routers in operation, on real nodes: spec/upstream-tests.md G. In
addition case 109, and the part of case 99a about routes. Each test is named by its case number. The
cases that depend on time are in virtual time too: tests/lnet/scenarios/upstream_routing_test.cc."""
import json
import os
import re
import subprocess

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.daemon_rig import address, wait_until, yaml_of
from tests.rigs.routers_rig import NO_DISCOVERY, ROUTES, SHORT, Routers
from tests.rigs.programs import program

ULST = program('ulst')
SELFTEST = ('--selftest',)


class Selftest:
    """An `ulst run` at a node, with RPCs from it to another one."""

    def __init__(self, test, node, to, *words):
        arguments = ['run', '--from', node.nids()[1], '--to', to, '--json', *words]
        self.test = test
        self.process = subprocess.Popen([ULST, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, 'ULNET_CONTROL': str(node.socket)})
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)

    def passes(self):
        """Waits for its end. No RPC failed, and each test did some."""
        out, err = self.process.communicate(timeout=2 * daemon_rig.DEADLINE_S)
        self.test.assertEqual(self.process.returncode, 0, out + err)
        tests = json.loads(out)['tests']
        self.test.assertTrue(tests)
        for each in tests:
            self.test.assertGreater(each['rpcs'], 0, each)


class Operation(Routers):
    """Routers that work as configured."""
    CTEST = {'COST': '90'}

    # spec/core-semantics.md 16; spec/upstream-tests.md 220
    def test_220_messages_cross_a_router(self):
        near, router, far = self.joined(SELFTEST)
        self.cross(near, router, far)
        self.said(near, 'discover', self.FAR)
        self.assertTrue(self.said(router, 'file', 'routes').startswith('Routing enabled\n'))
        self.assertRegex(self.said(near, 'file', 'routes'), rf'\ntcp1 +-1 +0 +up {address(2)}@tcp\n')
        self.assertRegex(self.said(near, 'file', 'routers'), rf'\n\d+ +1 +up {address(2)}@tcp\n')
        self.assertEqual(len(self.said(router, 'file', 'buffers').splitlines()) % 3, 1)
        self.assertIn('type: single-hop', self.said(near, 'route', 'show', '-v'))

    def test_221_with_discovery_off(self):  # spec/upstream-tests.md 221
        self.cross(*self.joined((*SELFTEST, *NO_DISCOVERY)))

    def cross(self, near, router, far):
        """Pings pass both ways, and reads and writes of 4 KiB and of 1 MiB."""
        self.pings(near, self.FAR)
        self.pings(far, self.NEAR)
        self.assertGreaterEqual(self.routed(router), 4)
        for node, to in ((near, self.FAR), (far, self.NEAR)):
            Selftest(self, node, to, '--read', '--write', '--sizes', '4k,1m', '--time', '300ms').passes()

    def test_222_routes_follow_what_the_router_advertises(self):  # spec/upstream-tests.md 222
        self.follow(())

    def test_223_also_without_discovery(self):  # spec/upstream-tests.md 223
        self.follow(NO_DISCOVERY)

    def follow(self, more):
        near, router, far = self.world((*SHORT, *more))
        self.said(router, 'set', 'routing', 1)
        wait_until(lambda: self.state(router) == 1, 'routing is on')
        ways = {near: ('tcp1', f'{address(2)}@tcp'), far: ('tcp', f'{address(3)}@tcp1')}
        self.refused(near, 'ping', self.FAR)
        self.route(near, *ways[near])
        self.refused(near, 'ping', self.FAR)  # no route leads back
        self.route(far, *ways[far])
        for node in (near, far):
            self.wait_for_routes(node, 'up')
        self.both_ways(near, far)
        for gone, left, there in ((near, far, self.NEAR), (far, near, self.FAR)):
            self.said(gone, 'lnet', 'unconfigure')
            self.wait_for_routes(left, 'down')
            # The other NI is down too for a moment, if its node is late.
            wanted = {nid: 'down' if nid.split('@')[1] == there.split('@')[1] else 'up' for nid in router.nids()[1:]}
            wait_until(lambda: {nid: ni['status'] for nid, ni in self.nis(router).items()} == wanted, f'the router shows {wanted}')
            self.refused(left, 'ping', there)
            self.said(gone, 'lnet', 'configure')
            self.imported(gone, (self.folder.path / f'{gone.name}.yaml').read_text())
            self.route(gone, *ways[gone])
            self.wait_for_routes(left, 'up')
            self.both_ways(near, far)

    def both_ways(self, near, far):
        self.pings(near, self.FAR)
        self.pings(far, self.NEAR)

    def test_224_without_the_far_side_a_route_may_be_up(self):  # spec/upstream-tests.md 224
        self.stays_up(())

    def test_225_also_without_discovery(self):  # spec/upstream-tests.md 225
        self.stays_up(NO_DISCOVERY)

    def stays_up(self, more):
        near, router, far = self.world((*SHORT, '--set', 'avoid_asym_router_failure=0', *more))
        self.said(router, 'set', 'routing', 1)
        self.route(near, 'tcp1', f'{address(2)}@tcp')
        self.wait_for_routes(near, 'up')  # though no node of tcp1 has sent anything to the router
        self.route(far, 'tcp', f'{address(3)}@tcp1')
        self.wait_for_routes(far, 'up')
        self.both_ways(near, far)
        self.said(near, 'lnet', 'unconfigure')
        wait_until(lambda: self.nis(router)[f'{address(2)}@tcp']['status'] == 'down', 'the router is down on tcp')
        asked = self.peer_nis(router)[self.FAR]['received_stats']['get']
        wait_until(lambda: self.peer_nis(router)[self.FAR]['received_stats']['get'] >= asked + 2, 'far has asked it since')
        self.wait_for_routes(far, 'up')
        self.refused(far, 'ping', self.NEAR)
        self.assertEqual(self.state(router), 1)

    def test_226_a_lost_way_back_ends_no_node(self):  # spec/upstream-tests.md 226
        near, far, routers = self.beside()
        for _ in range(4):
            self.said(near, 'ping', self.FAR)
        self.said(far, 'route', 'del', '--net', 'tcp', '--gateway', f'{address(11)}@tcp1')
        for _ in range(4):
            near.ctl('ping', self.FAR)
        for node in (near, far, *routers):
            self.said(node, 'lnet', 'unconfigure')
            self.assertEqual(node.end(), 0)

    # spec/upstream-tests.md 227
    def test_227_a_router_counts_what_it_drops_for_a_node_that_is_gone(self):
        more = (*NO_DISCOVERY, '--set', 'lnet_health_sensitivity=0', '--set', 'lnet_transaction_timeout=10')
        near, router, far = self.joined(more)
        other, gone = self.node('other', ('tcp1', 5), more=more), f'{address(5)}@tcp1'
        self.route(other, 'tcp', f'{address(3)}@tcp1')
        self.pings(near, self.FAR)
        self.pings(near, gone)
        self.assertEqual(self.peer_nis(router)[gone]['dropped_stats']['get'], 0)
        self.said(other, 'lnet', 'unconfigure')
        for _ in range(2):
            self.refused(near, 'ping', gone)
        wait_until(lambda: self.peer_nis(router)[gone]['dropped_stats']['get'] > 0, 'the router counts dropped GETs')
        self.assertEqual(self.peer_nis(router)[self.FAR]['dropped_stats']['get'], 0)
        self.pings(near, self.FAR)
        self.said(far, 'lnet', 'unconfigure')

    def test_228_health_that_is_set_costs_a_selftest_nothing(self):  # spec/upstream-tests.md 228
        near, far, routers = self.beside(*SELFTEST)
        for node in (near, far):
            self.assertNotIn('no route', node.said())
        begun = [self.routed(router) for router in routers]
        run = Selftest(self, near, self.FAR, '--read', '--write', '--sizes', '4k', '--time', '2s')
        wait_until(lambda: all(self.routed(router) > was + 100 for router, was in zip(routers, begun)), 'both routers carry traffic')
        for node in (near, far, *routers):
            self.said(node, 'peer', 'set', '--health', 500, '--all')
        run.passes()
        for node in (near, far, *routers):
            self.assertNotIn('no route', node.said().lower())

    def test_236_a_router_sees_which_nid_of_a_client_is_down(self):  # spec/upstream-tests.md 236
        near = self.node('near', ('tcp', 1), ('tcp2', 6))
        router = self.node('router', ('tcp', 2), ('tcp1', 3), ('tcp2', 7), more=ROUTES)
        self.route(near, 'tcp1', f'{address(2)}@tcp')
        first, second = self.NEAR, f'{address(6)}@tcp2'
        wait_until(lambda: self.peers(router).get(first) == [first, second], 'the router knows both NIDs')

        def seen():
            return {nid: ni['state'] for nid, ni in self.peer_nis(router).items() if nid in (first, second)}
        wait_until(lambda: seen() == {first: 'up', second: 'up'}, 'both NIDs are up')
        # The NI would recover by itself: this rule keeps it down.
        self.said(near, 'fault', 'drop', 'add', '-s', first, '-d', '*', '-m', 'GET', '-r', 1, '-e', 'local_error')
        self.said(near, 'net', 'set', '--nid', first, '--health', 0)
        wait_until(lambda: seen() == {first: 'down', second: 'up'}, f'the router sees the first NID down, not {seen()}')
        self.said(near, 'fault', 'drop', 'del', '--all')
        self.said(near, 'net', 'set', '--nid', first, '--health', 1000)
        wait_until(lambda: seen() == {first: 'up', second: 'up'}, 'both NIDs are up again')

    def redirected(self, *more):
        """Pings the first NID of a node 50 times while this NID has lost health; returns how many
        of the pings the router sent to the second NID."""
        near = self.node('near', ('tcp', 1), more=more)
        router = self.node('router', ('tcp', 2), ('tcp1', 3), more=ROUTES)
        # The node checks the router only once: whatever comes from a NID restores its full health
        # at a router (multirail.md 5.2).
        far = self.node('far', ('tcp1', 4, 5), more=('--set', 'alive_router_check_interval=1000'))
        self.route(near, 'tcp1', f'{address(2)}@tcp')
        self.route(far, 'tcp', f'{address(3)}@tcp1')
        for node in (near, far):
            self.wait_for_routes(node, 'up')
        second = f'{address(5)}@tcp1'
        self.pings(near, self.FAR)
        wait_until(lambda: self.peers(router).get(self.FAR) == [self.FAR, second], 'the router knows both NIDs')
        # Recovery pings of the router would restore it too.
        self.said(router, 'fault', 'drop', 'add', '-s', f'{address(3)}@tcp1', '-d', self.FAR, '-m', 'GET', '-r', 1, '-e', 'remote_error')
        self.said(router, 'peer', 'set', '--nid', self.FAR, '--health', 0)
        before = self.peer_nis(router)[second]['statistics']['send_count']
        for _ in range(50):
            self.said(near, 'ping', self.FAR)
        return self.peer_nis(router)[second]['statistics']['send_count'] - before

    def test_237_a_router_sends_to_the_nid_that_is_well(self):  # spec/upstream-tests.md 237
        self.assertGreaterEqual(self.redirected(), 50)

    def test_238_not_for_a_sender_without_multi_rail(self):  # spec/upstream-tests.md 238
        self.assertLess(self.redirected(*NO_DISCOVERY), 50)

    def test_256_a_router_that_is_slow_drops_nothing(self):  # spec/upstream-tests.md 256
        """More pings at once than the router has credits, each held up there for longer than the
        router's own messages may take."""
        near, router, far = self.joined()
        self.said(router, 'set', 'retry_count', 0)
        self.said(router, 'set', 'transaction_timeout', 1)
        self.pings(near, self.FAR)
        self.said(router, 'fault', 'delay', 'add', '-s', self.NEAR, '-d', self.FAR, '-m', 'GET', '-r', 1, '-l', 3)
        credits = self.peer_nis(router)[self.FAR]['max_ni_tx_credits']
        pings = [subprocess.Popen([daemon_rig.ULNETCTL, 'ping', '--timeout', '30', self.FAR], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, 'ULNET_CONTROL': str(near.socket)})
                 for _ in range(credits + 1)]
        for ping in pings:
            _, err = ping.communicate(timeout=daemon_rig.DEADLINE_S)
            self.assertEqual(ping.returncode, 0, err)
        delayed = re.search(r'ls_delayed: (\d+)', self.said(router, 'fault', 'delay', 'show'))
        self.assertGreater(int(delayed.group(1)), credits)
        for nid, ni in self.peer_nis(router).items():
            self.assertEqual(ni['dropped_stats']['get'], 0, nid)
        for nid, ni in self.nis(router).items():
            self.assertEqual(ni['dropped_stats']['get'], 0, nid)
        self.assertEqual(len(self.routes(far)), 1)

    def test_257_routing_goes_off_and_on_under_load(self):  # spec/upstream-tests.md 257
        near, far, (one, two) = self.beside(*SELFTEST)
        # Stopping and starting take 9 s each. The two tests of the run take 32 s: some seconds are
        # left.
        run = Selftest(self, near, self.FAR, '--read', '--write', '--sizes', '4k', '--time', '16s')
        carries = self.routed(one)
        wait_until(lambda: self.routed(one) > carries + 100, 'router one carries traffic')
        self.said(one, 'set', 'routing', 0)
        wait_until(lambda: self.state(one) == 0, 'routing is off')
        self.lost_nothing(one)
        self.said(one, 'set', 'routing', 1)
        wait_until(lambda: self.state(one) == 1, 'routing is on')
        carries = self.routed(one)
        wait_until(lambda: self.routed(one) > carries + 100, 'router one carries traffic again')
        self.lost_nothing(one)
        run.passes()
        for node in (near, far, one, two):
            self.lost_nothing(node)

    def lost_nothing(self, node):
        for shown in (self.nis(node), self.peer_nis(node)):
            for nid, ni in shown.items():
                self.assertEqual(ni['statistics']['drop_count'], 0, (node.name, nid))
                self.assertEqual({*ni['dropped_stats'].values()}, {0}, (node.name, nid))


class Refused(Routers):
    """The part of case 99a about routes, gateways, routing and buffers: all of these must fail, and
    change nothing."""
    GATEWAY = f'{address(9)}@tcp'
    NO_NIDS = ('foobar', '1.1.1.1@foo', '1.1.1@tcp', '1.1.1.1.1@tcp', '1.1.1.[1@tcp', '1.1.1.1]@tcp', '1.1.1.[[1]]@tcp', '[1.1.1.1]@tcp',
               '1.1.1.[1-5/a]@tcp', '1.1.1.[5-1]@tcp', '1.1.1.300@tcp', '1.1.1.1@tcp1x', '1.1.1.1', '*@tcp', '@tcp', '0@lo', '')
    NO_NETS = ('foo', 'tcp-1', 'tcp99999', 'tcp1x', 'tcp[1', 'tcp[5-1]', 'lo', '*', '')

    def setUp(self):
        super().setUp()
        self.under_test = self.node('a', ('tcp', 1))
        self.said(self.under_test, 'route', 'add', '--net', 'tcp1', '--gateway', self.GATEWAY)
        self.said(self.under_test, 'set', 'tiny_buffers', 600)
        self.before = self.backup(self.under_test)

    def fails(self, *arguments):
        refusal = self.refused(self.under_test, *arguments)
        self.assertEqual(self.backup(self.under_test), self.before, arguments)
        return refusal

    def test_099a_gateways_and_nets(self):  # spec/upstream-tests.md 99a
        for verb in ('add', 'del'):
            for bad in self.NO_NIDS:
                self.fails('route', verb, '--net', 'tcp2', '--gateway', bad)
                self.fails('route', verb, '--net', 'tcp1', '--gateway', f'{self.GATEWAY},{bad}')
            for bad in self.NO_NETS:
                self.fails('route', verb, '--net', bad, '--gateway', self.GATEWAY)
            for missing in ((), ('--net', 'tcp2'), ('--gateway', self.GATEWAY), ('--net', 'tcp2', '--gateway', self.GATEWAY, 'more')):
                self.fails('route', verb, *missing)

    def test_099a_gateways_that_cannot_be_reached(self):  # spec/upstream-tests.md 99a
        for gateway in ('1.1.1.1@o2ib', f'{address(9)}@tcp9', f'{address("[9-12]")}@tcp9'):
            self.assertIn('errno: -113\n', self.fails('route', 'add', '--net', 'tcp2', '--gateway', gateway))
            self.fails('route', 'add', '--net', 'tcp2', '--gateway', f'{address(10)}@tcp,{gateway}')
        self.assertIn('errno: -17\n', self.fails('route', 'add', '--net', 'tcp1', '--gateway', f'{address("[8-10]")}@tcp'))
        self.assertIn('errno: -22\n', self.fails('route', 'add', '--net', 'tcp2', '--gateway', f'{address(9)}@tcp2'))

    def test_099a_hops_and_priorities(self):  # spec/upstream-tests.md 99a
        for option, values in (('--hop', (0, 256, -2, 'foo', '1x', '', 10**20)), ('--priority', (-2, 'foo', '1x', '', 2**32, 10**20))):
            for value in values:
                self.fails('route', 'add', '--net', 'tcp2', '--gateway', self.GATEWAY, option, value)

    def test_099a_routing_and_buffers(self):  # spec/upstream-tests.md 99a
        for value in (-1, 2, 'foo', '1x', ''):
            self.fails('set', 'routing', value)
        for pool in ('tiny', 'small', 'large'):
            for value in ('foo', '1x', '', 2**40):
                self.fails('set', f'{pool}_buffers', value)
        for name in ('routing', 'tiny_buffers', 'small_buffers', 'large_buffers', 'drop_asym_route'):
            self.fails('set', name)
            self.fails('set', name, 1, 1)
            self.fails('set', name, 'foo')

    def test_099a_files(self):  # spec/upstream-tests.md 99a
        route = f'route:\n    - net: tcp2\n      gateway: {self.GATEWAY}\n'
        texts = [f'route:\n    - net: tcp2\n      gateway: "{bad}"\n' for bad in self.NO_NIDS if bad != '1.1.1.1']
        texts += [f'route:\n    - net: "{bad}"\n      gateway: {self.GATEWAY}\n' for bad in self.NO_NETS]
        texts += [f'{route}      hop: {bad}\n' for bad in (0, 256, -2, 'foo', '1x')]
        texts += [f'{route}      priority: {bad}\n' for bad in (-2, 'foo', 2**32)]
        texts += ['route:\n    - net: tcp2\n', f'route:\n    - gateway: {self.GATEWAY}\n', 'route: foo\n', 'routing: foo\n',
                  'buffers: foo\n', 'routing:\n    enable: foo\n', 'routing:\n    foo: 1\n', 'buffers:\n    huge: 1\n']
        texts += [f'buffers:\n    {pool}: {bad}\n' for pool in ('tiny', 'small', 'large') for bad in (-1, 'foo', 2**40)]
        for text in texts:
            self.assertRegex(self.fails('import', self.folder.file('bad.yaml', text)), r'line \d+, column \d+: ', text)
        # As with lnetctl, the other items of the file take effect.
        for bad in ('1.1.1.1@o2ib', 'foobar', '1.1.1.[5-1]@tcp'):
            text = f'{route}    - net: tcp3\n      gateway: {bad}\n'
            self.assertIn('line 4, column 7: ', self.refused(self.under_test, 'import', self.folder.file('bad.yaml', text)))
            self.assertEqual({each['net'] for each in self.routes(self.under_test)}, {'tcp1', 'tcp2'})
            self.said(self.under_test, 'route', 'del', '--net', 'tcp2', '--gateway', self.GATEWAY)


class Interfaces(Routers):
    """Cases that need interfaces of their own, in network namespaces."""

    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        super().setUp()

    def test_109_an_alias_of_an_interface(self):  # spec/upstream-tests.md 109
        with rails_rig.Rails(1, 100) as rails:
            base, alias = ('r1', f'{rails.address("a", 1)}@tcp'), ('r1:0', '10.77.99.1@tcp')
            rails_rig.command('ip', '-n', rails.space('a'), 'addr', 'add', '10.77.99.1/24', 'dev', 'r1', 'label', 'r1:0')
            node = self.running(inside=rails.inside('a'))
            for added in ((alias, base), (base, alias)):
                for deleted in ((alias, base), (base, alias)):
                    for interface, nid in added:
                        self.said(node, 'net', 'add', '--net', 'tcp', '--if', interface)
                        self.assertIn(nid, node.nids())
                        self.said(node, 'ping', nid)
                    for interface, nid in deleted:
                        self.said(node, 'net', 'del', '--net', 'tcp', '--if', interface)
                        self.assertNotIn(nid, node.nids())
                    self.assertEqual(node.nids(), ['0@lo'])

    def test_550_one_of_two_ways_to_a_gateway_is_lost(self):  # spec/upstream-tests.md 550
        """The second NI of near loses its connection to the router without notice; the first has a
        connection of its own."""
        with rails_rig.Rails(2, 100) as rails:
            first, second, router_at = rails.address('a', 1), rails.address('a', 2), rails.address('b', 1)
            # A check on the first way overtakes a check that is lost on the second way. A router
            # that is stopped for seconds loses no connection.
            settings = (*NO_DISCOVERY, *(word for name, value in (('alive_router_check_interval', 1), ('router_ping_timeout', 16),
                                                                 ('sock_timeout', 8), ('lnet_health_sensitivity', 0))
                                         for word in ('--set', f'{name}={value}')))
            nets = {'near': (('tcp', first, second),), 'router': (('tcp', router_at), ('tcp1', '127.0.0.3')), 'far': (('tcp1', '127.0.0.4'),)}
            near, router, far = (
                self.running('--config', self.folder.file(f'{name}.yaml', yaml_of(*of)), *settings, *(ROUTES if name == 'router' else ()),
                             name=name, inside=rails.inside('a' if name == 'near' else 'b'))
                for name, of in nets.items())
            gateway, target = f'{router_at}@tcp', '127.0.0.4@tcp1'
            self.route(near, 'tcp1', gateway)
            self.route(far, 'tcp', '127.0.0.3@tcp1')
            self.wait_for_routes(near, 'up')
            self.pings(near, target)
            self.said(near, 'ping', '--source', f'{second}@tcp', gateway)
            downs = near.get('/v1/counters')['driver']['peers_down']
            rails.break_cable('a', 2)
            self.refused(near, 'ping', '--source', f'{second}@tcp', gateway)
            wait_until(lambda: near.get('/v1/counters')['driver']['peers_down'] > downs, 'the second NI has lost the router')
            self.wait_for_routes(near, 'up')
            self.assertNotIn('the gateway', near.said())
            router.stop()
            self.wait_for_routes(near, 'down')
