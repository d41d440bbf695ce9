"""Cases of the upstream suite about routers, on real nodes: spec/upstream-tests.md G. In addition
case 109, and the part of case 99a about routes. Each test is named by its case number. The cases
that depend on time run in virtual time: tests/lnet/scenarios/upstream_routing_test.cc."""
import json
import os
import subprocess

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.daemon_rig import address, wait_until, yaml_of
from tests.rigs.routers_rig import NO_DISCOVERY, ROUTES, Routers
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
