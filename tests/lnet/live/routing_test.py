"""Routes and routers of real daemons: the commands, YAML and module parameters, and their effect
between nodes of different nets. spec/multirail.md 9, spec/cli-lnetctl.md 3.6, 3.7,
spec/upstream-tests.md B."""
import concurrent.futures
import errno
import select
import signal
import socket
import subprocess
import sys
import time

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.daemon_rig import address, wait_until, yaml_of
from tests.rigs.routers_rig import QUICK, ROUTES, SHORT, Routers
from tests.rigs.upstream_rig import Upstream, patient


class Routing(Routers):
    CTEST = {'COST': '30'}

    # spec/cli-lnetctl.md 3.7; spec/multirail.md 9.1
    def test_routing_off_takes_the_routes_down(self):
        near, router, _ = self.joined()
        self.said(router, 'set', 'routing', 0)
        self.assertEqual(self.state(router), 2)
        self.assertIn('errno: -16', self.refused(router, 'set', 'routing', 1))
        self.wait_for_routes(near, 'down')
        self.assertIn('why: the gateway advertises that it does not route', self.said(near, 'route', 'show', '-v'))
        self.assertNotEqual(near.ctl('ping', f'{address(4)}@tcp1')[0], 0)
        wait_until(lambda: self.state(router) == 0, 'routing is off')
        self.assertIn('buffers:\n    tiny: 0\n    small: 0\n    large: 0\n', self.said(router, 'routing', 'show'))
        self.said(router, 'set', 'routing', 1)
        self.wait_for_routes(near, 'up')
        self.said(near, 'ping', f'{address(4)}@tcp1')

    def test_a_router_that_died_is_reported(self):
        near, router, _ = self.joined()
        router.stop()
        self.wait_for_routes(near, 'down')
        self.assertRegex(self.said(near, 'route', 'show', '-v'), 'why: (the gateway does not answer|all NIDs of the gateway)')

    def test_a_peer_behind_a_router_recovers(self):
        near, _, far = self.joined()
        self.said(near, 'discover', self.FAR)

        def health_was_full_again():
            return self.FAR in self.said(near, 'events', '--types', 'peer-ni')

        self.assertFalse(health_was_full_again())
        # The node advertises that its NI is down, and advertises it as up after it has pinged the
        # NI itself.
        self.said(far, 'net', 'set', '--nid', self.FAR, '--health', 0)
        wait_until(health_was_full_again, 'its pings make it well')

    # spec/cli-lnetctl.md 5.2; spec/upstream-tests.md 50
    def test_050_routing_and_buffers_by_file(self):
        router = self.node('a', ('tcp', 1), more=(*SHORT, '--set', 'tiny_router_buffers=16', '--set', 'small_router_buffers=8',
                                                  '--set', 'large_router_buffers=4'))
        self.imported(router, 'routing:\n    enable: 1\n')
        wait_until(lambda: '- enable: 1\n' in self.said(router, 'routing', 'show'), 'routing is on')
        cpts = len(self.said(router, 'file', 'cpu_partition_table').splitlines())
        self.imported(router, 'routing:\n    enable: 0\n')
        wait_until(lambda: '- enable: 0\n' in self.said(router, 'routing', 'show'), 'routing is off')
        counts = {'tiny': 16 * cpts, 'small': 8 * cpts, 'large': 4 * cpts}
        self.imported(router, 'routing:\n    enable: 1\nbuffers:\n' + ''.join(f'    {k}: {v}\n' for k, v in counts.items()))
        section = 'routing:\n    enable: 1\nbuffers:\n' + ''.join(f'    {k}: {v}\n' for k, v in counts.items())
        wait_until(lambda: section in self.backup(router), f'the export has {section}, not {self.backup(router)}')

    # spec/upstream-tests.md 100, 101, 102, 103, 111
    def test_100_101_102_103_111_routes_come_and_go(self):
        node = self.node('a', ('tcp', 1))
        before = self.backup(node)
        gateway = f'{address(9)}@tcp'
        self.said(node, 'route', 'add', '--net', 'tcp1', '--gateway', gateway)
        self.assertIn(f'route:\n-     net: tcp1\n      gateway: {gateway}\n      hop: -1\n      priority: 0\n', self.backup(node))
        peers = {peer['primary nid']: peer for peer in node.get('/v1/peer')['peer']}
        self.assertFalse(peers[gateway]['Multi-Rail'])
        self.said(node, 'route', 'del', '--net', 'tcp1', '--gateway', gateway)
        self.assertEqual(self.backup(node), before)

        pattern = f'{address("[20-28/2]")}@tcp'
        self.said(node, 'route', 'add', '--net', 'tcp1', '--gateway', pattern)
        self.assertEqual(len(self.routes(node)), 5)
        self.assertEqual(len(set(self.peers(node)) - {gateway}), 5)
        self.said(node, 'route', 'del', '--net', 'tcp1', '--gateway', pattern)
        self.assertEqual(self.backup(node), before)

        self.said(node, 'route', 'add', '--net', 'tcp[2-500]', '--gateway', gateway)
        self.assertEqual(self.said(node, 'route', 'show').count('net: tcp'), 499)
        self.assertEqual(len(self.said(node, 'file', 'routes').splitlines()), 2 + 499)

    # spec/multirail.md 2.2; spec/upstream-tests.md 105, 106
    def test_105_106_a_gateway_is_no_peer_to_configure(self):
        node = self.node('a', ('tcp', 1))
        gateway = f'{address(9)}@tcp'
        self.said(node, 'route', 'add', '--net', 'tcp1', '--gateway', gateway)
        for verb in ('add', 'del'):
            self.assertIn('errno: -16', self.refused(node, 'peer', verb, '--prim_nid', gateway))
        self.assertEqual(list(self.peers(node)), [gateway])

    # spec/cli-lnetctl.md 3.6; spec/multirail.md 2.1; spec/upstream-tests.md 99a
    def test_impossible_routes_are_refused(self):
        node = self.node('a', ('tcp', 1))
        gateway = f'{address(9)}@tcp'
        for net, by, code in (('tcp1', '10.0.0.1@tcp9', -113), ('tcp', gateway, -22), ('tcp', '10.0.0.1@tcp9', -17), ('lo', gateway, -13)):
            self.assertIn(f'errno: {code}\n', self.refused(node, 'route', 'add', '--net', net, '--gateway', by), (net, by))
        self.said(node, 'route', 'add', '--net', 'tcp1', '--gateway', gateway)
        self.assertIn('errno: -17\n', self.refused(node, 'route', 'add', '--net', 'tcp1', '--gateway', gateway, '--hop', 2))
        self.assertIn('errno: -87\n', self.refused(node, 'net', 'add', '--net', 'tcp1', '--if', address(1)))
        self.assertEqual(self.routes(node)[0]['gateway'], gateway)
        self.said(node, 'net', 'del', '--net', 'tcp')
        self.assertEqual(self.routes(node), [], 'the route went with the net of its gateway')

    def test_a_pattern_of_gateways_adds_all_or_none_and_deletes_what_there_is(self):
        node = self.node('a', ('tcp', 1))

        def by():
            return sorted(route['gateway'] for route in self.routes(node))
        first, second, third = (f'{address(last)}@tcp' for last in (7, 8, 9))
        self.route(node, 'tcp1', f'{address("[8-9]")}@tcp')
        self.assertIn('errno: -17\n', self.refused(node, 'route', 'add', '--net', 'tcp1', '--gateway', f'{address("[7-8]")}@tcp'))
        self.assertEqual(by(), [second, third])
        # The node ignores the second gateway, which it never knew.
        self.said(node, 'route', 'del', '--net', 'tcp1', '--gateway', f'{third},{address(40)}@tcp')
        self.assertEqual(by(), [second])
        self.route(node, 'tcp1', first)
        refusal = self.refused(node, 'route', 'del', '--net', 'tcp1', '--gateway', f'{address("[7-9]")}@tcp')
        self.assertIn('errno: -2\n', refusal)
        self.assertIn(f'no route to tcp1 through {third}; the routes that existed are deleted', refusal)
        self.assertEqual(by(), [])

    def test_an_export_comes_back(self):  # spec/cli-lnetctl.md 5.2
        node = self.node('a', ('tcp', 1), more=SHORT)
        self.said(node, 'peer', 'add', '--prim_nid', f'{address(30)}@tcp')
        for net, gateway, more in (('tcp1', 30, ()), ('tcp1', 31, ('--hop', 3)), ('o2ib', 30, ('--priority', 2))):
            self.said(node, 'route', 'add', '--net', net, '--gateway', f'{address(gateway)}@tcp', *more)
        self.said(node, 'set', 'large_buffers', 12)
        self.said(node, 'set', 'routing', 1)
        wait_until(lambda: self.state(node) == 1, 'routing is on')
        backup = self.backup(node)
        whole = self.said(node, 'export')
        for text in (backup, whole):
            self.said(node, 'lnet', 'unconfigure')
            self.said(node, 'lnet', 'configure')
            self.imported(node, text)
            wait_until(lambda: self.state(node) == 1, 'routing is on')
            # Routes to one net are in random order.
            self.assertEqual(sorted(self.backup(node).splitlines()), sorted(backup.splitlines()))

    def test_ten_thousand_routes_are_imported_in_two_seconds(self):
        node = self.node('a', ('tcp', 1))
        text = 'route:\n' + ''.join(f'    - net: tcp{net}\n      gateway: 10.{net % 7}.{host // 250}.{host % 250 + 1}@tcp\n'
                                    for net in range(1, 21) for host in range(500))
        file = self.folder.file('routes.yaml', text)
        begun = time.monotonic()
        self.said(node, 'import', file)
        took = time.monotonic() - begun
        self.assertEqual(len(self.routes(node)), 10_000)
        print(f'import of 10,000 routes: {took:.2f} s', file=sys.stderr)


class Values(Upstream):
    """The cases of part B about nets and settings."""

    def setting(self, node, name):
        return node.get('/v1/global')['global'][name]

    def test_051_numa_range_by_file(self):  # spec/upstream-tests.md 51
        node = self.running()
        wanted = self.setting(node, 'numa_range') + 1
        self.imported(node, f'numa:\n    range: {wanted}\n')
        self.assertEqual(self.setting(node, 'numa_range'), wanted)

    def test_104_response_tracking(self):  # spec/upstream-tests.md 104
        node = self.running()
        self.assertEqual(self.setting(node, 'response_tracking'), 3)
        for wrong in (-1, 4):
            self.refused(node, 'set', 'response_tracking', wrong)
        for wrong in (-10, 10):
            self.refused(node, 'import', self.folder.file('wrong.yaml', f'global:\n    response_tracking: {wrong}\n'))
        self.assertEqual(self.setting(node, 'response_tracking'), 3)
        for right in (0, 1, 2, 3):
            self.said(node, 'set', 'response_tracking', right)
            self.assertEqual(self.setting(node, 'response_tracking'), right)
            self.imported(node, f'global:\n    response_tracking: {3 - right}\n')
            self.assertIn(f'response_tracking: {3 - right}\n', self.said(node, 'global', 'show'))

    def test_107_108_a_second_interface_comes_and_goes(self):  # spec/upstream-tests.md 107, 108
        node = self.with_nets(('tcp', address(1)))
        self.said(node, 'net', 'add', '--net', 'tcp', '--if', address(2))
        shown = node.get('/v1/net?net=tcp')['net']
        self.assertEqual(len(shown), 1)
        self.assertEqual([ni['nid'] for ni in shown[0]['local NI(s)']], [f'{address(1)}@tcp', f'{address(2)}@tcp'])
        for ni in shown[0]['local NI(s)']:
            self.assertEqual((ni['status'], list(ni['interfaces'])), ('up', ['0']))
        self.said(node, 'net', 'del', '--net', 'tcp', '--if', address(2))
        self.assertEqual(node.nids(), ['0@lo', f'{address(1)}@tcp'])
        self.said(node, 'ping', f'{address(1)}@tcp')

    def test_110_112_by_its_nid(self):  # spec/upstream-tests.md 110, 112
        node = self.with_nets(('tcp', address(1)))
        nid = f'{address(1)}@tcp'
        self.said(node, 'net', 'del', '--net', 'tcp')
        self.assertEqual(node.nids(), ['0@lo'])
        self.said(node, 'net', 'add', '--nid', nid)
        self.assertEqual(node.nids(), ['0@lo', nid])
        self.said(node, 'net', 'del', '--nid', nid)
        self.assertEqual(node.nids(), ['0@lo'])
        self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(2))
        self.said(node, 'net', 'add', '--nid', f'{address(3)}@tcp2')
        self.assertEqual(self.said(node, 'net', 'show', '-v').count('lnd tunables:'), 2)


class Trace(Routers):
    """What `ulnetctl trace` and `debug path` say about a path by routers."""
    CTEST = {'COST': '31'}

    def traced(self, node, nid, *more):
        # Shorter than the time until a silent node is held against the router before it.
        code, out, err = node.ctl(*patient('trace', *more, nid, patience_s=6))
        self.assertEqual(err, '')
        return code, out

    def test_a_way_by_a_router_and_what_is_wrong_with_it(self):
        near, _, far = self.joined()
        target = f'{address(4)}@tcp1'
        self.said(near, 'route', 'add', '--net', 'tcp1', '--gateway', f'{address(60)}@tcp', '--priority', 5)
        shown = self.said(near, 'debug', 'path', '--to', target)
        self.assertIn('Rule: its net is behind routers', shown)
        self.assertIn(f'* {address(2)}@tcp: priority 0', shown)
        code, out = self.traced(near, target)
        self.assertEqual(code, 0, out)
        self.assertRegex(out, rf' 1  {address(2)}@tcp, a router: \d+\.\d+ ms')
        self.assertRegex(out, rf'\n      not through {address(60)}@tcp: ')
        self.assertRegex(out, rf'\n 2  {target}: \d+\.\d+ ms')
        far.stop()
        code, out = self.traced(near, target)
        self.assertEqual(code, 255, out)
        self.assertIn('one-sided', out)

    def test_a_second_router_that_died_is_named(self):
        near = self.node('near', ('tcp', 1))
        first, second = self.node('first', ('tcp', 2), ('tcp1', 3), more=ROUTES), self.node('second', ('tcp1', 4), ('tcp2', 5), more=ROUTES)
        far = self.node('far', ('tcp2', 6))
        for node, net, last, of in ((near, 'tcp1', 2, 'tcp'), (near, 'tcp2', 2, 'tcp'), (first, 'tcp2', 4, 'tcp1'), (second, 'tcp', 3, 'tcp1'),
                                    (far, 'tcp', 5, 'tcp2'), (far, 'tcp1', 5, 'tcp2')):
            self.route(node, net, f'{address(last)}@{of}')
        for node in (near, first, second, far):
            self.wait_for_routes(node, 'up')
        target, router = f'{address(6)}@tcp2', f'{address(4)}@tcp1'
        self.pings(near, target)
        wait_until(lambda: near.ctl('discover', router)[0] == 0, 'the second router is known')
        code, out = self.traced(near, target)
        self.assertEqual(code, 0, out)
        self.assertIn(f' 2  {router}, perhaps a router on this path', out)
        second.stop()
        code, out = self.traced(near, target)
        self.assertEqual(code, 255, out)
        self.assertIn(f'Found: the router {router} behind {address(2)}@tcp does not answer\n', out)
        self.assertIn(f'Found: the router {router} behind', self.traced(near, target, '--via', router)[1])


class LargeNids(Routers):
    """A chain of two routers between nodes that have IPv6 addresses only: all of it in a namespace,
    for the addresses' sake."""

    def nid(self, last, net):
        return f'fd00:77::{last}@{net}'

    def large(self, rails, name, *nets, more=()):
        file = self.folder.file(f'{name}.yaml', yaml_of(*((net, f'fd00:77::{last}') for net, last in nets)))
        return self.running('--config', file, *QUICK, *more, name=name, inside=rails.inside('a'))

    def test_a_chain_of_routers_is_used_and_traced(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        with rails_rig.Rails(1, 100) as rails:
            try:
                for last in range(1, 7):
                    rails_rig.command('ip', '-n', rails.space('a'), '-6', 'addr', 'add', f'fd00:77::{last}/128', 'dev', 'lo', 'nodad')
            except subprocess.CalledProcessError as refused:
                self.skipTest(f'no IPv6 here: {refused.stderr.strip()}')
            near = self.large(rails, 'near', ('tcp', 1))
            first = self.large(rails, 'first', ('tcp', 2), ('tcp1', 3), more=ROUTES)
            second = self.large(rails, 'second', ('tcp1', 4), ('tcp2', 5), more=ROUTES)
            far = self.large(rails, 'far', ('tcp2', 6))
            for node, net, last, of in ((near, 'tcp1', 2, 'tcp'), (near, 'tcp2', 2, 'tcp'), (first, 'tcp2', 4, 'tcp1'),
                                        (second, 'tcp', 3, 'tcp1'), (far, 'tcp', 5, 'tcp2'), (far, 'tcp1', 5, 'tcp2')):
                self.route(node, net, self.nid(last, of))
            for node in (near, first, second, far):
                self.wait_for_routes(node, 'up')
            target, gateway, behind = self.nid(6, 'tcp2'), self.nid(2, 'tcp'), self.nid(4, 'tcp1')
            self.pings(near, target)
            self.said(near, 'discover', behind)
            out = self.said(near, 'trace', target)
            self.assertRegex(out, rf'\n 1  {gateway}, a router: [\d.]+ ms.*\n 2  {behind}, perhaps a router .*\n 3  {target}: [\d.]+ ms')
            self.assertIn(f'* {gateway}: priority 0', self.said(near, 'debug', 'path', '--to', target))
            self.assertRegex(self.said(near, 'file', 'routes'), rf'\ntcp2 +-1 +0 +up {gateway}\n')
            self.assertRegex(self.said(near, 'file', 'routers'), rf'\n\d+ +2 +up {gateway}\n')
            backup = self.backup(near)
            self.said(near, 'route', 'del', '--net', 'tcp2', '--gateway', gateway)
            self.imported(near, f'route:\n    - net: tcp2\n      gateway: {gateway}\n')
            self.assertEqual(self.backup(near), backup)
            second.stop()
            for more in ((), ('--via', behind)):
                code, out, _ = near.ctl(*patient('trace', *more, target, patience_s=6))
                self.assertEqual(code, 255, out)
                self.assertIn(f'Found: the router {behind} behind {gateway} does not answer\n', out)


class Parameters(Upstream):
    def test_routes_of_module_parameters_are_for_all_nodes_of_a_site(self):  # spec/multirail.md 9.1
        """One text for all nodes: the gateway routes, the other nodes have the route, and no node
        has a route to its own net."""
        text = f'options lnet routes="tcp1 {address(2)}@tcp; tcp {address(3)}@tcp1" alive_router_check_interval=1 router_ping_timeout=1\n'
        file = self.folder.file('lustre.conf', text)

        def node(name, *nets):
            config = self.folder.file(f'{name}.yaml', yaml_of(*((net, address(last)) for net, last in nets)))
            return self.running('--config', config, '--modparams', file, name=name)
        router = node('router', ('tcp', 2), ('tcp1', 3))
        self.assertTrue(self.said(router, 'file', 'routes').startswith('Routing enabled\n'))
        self.assertEqual(router.get('/v1/route')['route'], [])
        near, far = node('near', ('tcp', 1)), node('far', ('tcp1', 4))
        self.assertEqual([route['net'] for route in near.get('/v1/route')['route']], ['tcp1'])
        self.assertEqual([route['net'] for route in far.get('/v1/route')['route']], ['tcp'])
        self.assertTrue(self.said(near, 'file', 'routes').startswith('Routing disabled\n'))
        wait_until(lambda: near.ctl('ping', f'{address(4)}@tcp1')[0] == 0, 'a ping passes')

    def test_routes_and_routing_of_a_file_follow_it(self):
        text = yaml_of(('tcp', address(1))) + 'routing:\n    enable: 1\nbuffers:\n    tiny: 600\nroute:\n'
        first = f'    - net: tcp1\n      gateway: {address(9)}@tcp\n'
        file = self.folder.file('a.yaml', text + first)
        node = self.running('--config', file, *QUICK)
        self.assertEqual(len(node.get('/v1/route')['route']), 1)
        self.assertIn('tiny: 600\n', self.said(node, 'routing', 'show'))
        file.write_text(text.replace('tiny: 600', 'tiny: 700') + first.replace('tcp1', 'tcp2'))
        self.said(node, 'reload')
        self.assertEqual([route['net'] for route in node.get('/v1/route')['route']], ['tcp2'])
        self.assertIn('tiny: 700\n', self.said(node, 'routing', 'show'))
        self.assertEqual(node.ask('POST', '/v1/reload', {})[1]['changes'], 0, 'nothing differs any more')


class BeforeUse(Upstream):
    """check_routers_before_use with a missing gateway: a socket at its address accepts connections
    and never sends anything."""
    LONG_S = 1000  # a node that ends within DEADLINE_S has not waited for what takes this long
    OPTIONS = ('--set', 'check_routers_before_use=1', '--set', f'router_ping_timeout={LONG_S}', '--set', f'sock_timeout={LONG_S}')

    def setUp(self):
        super().setUp()
        self.gateway = socket.create_server((address(99), self.port))
        self.gateway.settimeout(daemon_rig.DEADLINE_S)
        self.addCleanup(self.gateway.close)
        path = str(self.folder.path / 'notify')
        self.supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.supervisor.close)
        self.supervisor.bind(path)
        self.supervisor.settimeout(daemon_rig.DEADLINE_S)
        self.environment = {'NOTIFY_SOCKET': path}

    def asked(self):
        """Waits until a node checks the gateway."""
        connection, _ = self.gateway.accept()
        self.addCleanup(connection.close)

    def forget_who_asked(self):
        """Closes the connections that have come until now, so that asked() waits for another one.
        Meanwhile no node may make any."""
        while select.select([self.gateway], [], [], 0)[0]:
            self.gateway.accept()[0].close()

    def next_notification(self):
        """The next message of the node to the supervisor."""
        return self.supervisor.recv(4096).decode()

    def waiting(self, *options):
        """A node that has its nets and its route, and waits for the gateway."""
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1))) + f'route:\n    - net: tcp1\n      gateway: {address(99)}@tcp\n')
        node = self.running('--config', file, *self.OPTIONS, '--drain', self.LONG_S, *options, environment=self.environment)
        self.asked()
        return node

    def ends_at_once(self, node, number):
        node.signal(number)
        self.assertEqual(node.wait(), 0)
        self.assertFalse(node.socket.exists())

    def test_a_waiting_node_answers_and_ends_on_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            node = self.waiting()
            self.assertIn('STATUS=waiting for the first answers of gateways; control socket ', self.next_notification())
            self.assertIn('why: the gateway has not answered yet', self.said(node, 'route', 'show', '-v'))
            self.said(node, 'net', 'add', '--net', 'tcp2', '--if', address(2))
            self.said(node, 'reload')
            node.signal(signal.SIGHUP)
            node.says('reading the configuration again: SIGHUP')
            self.ends_at_once(node, number)
            self.assertNotIn(' ready: ', node.said())
            self.assertIn('STOPPING=1', self.next_notification(), 'the node sent neither READY nor RELOADING before')
            node.log.unlink()

    def test_it_is_ready_when_the_check_has_failed(self):
        node = self.waiting('--set', 'router_ping_timeout=1')
        self.assertIn('STATUS=waiting', self.next_notification())
        self.assertIn('READY=1\nSTATUS=ready: ', self.next_notification())
        self.assertNotIn('has not answered yet', self.said(node, 'route', 'show', '-v'))
        self.assertEqual(self.routes_of(node), ['down'])

    def routes_of(self, node):
        return [route['state'] for route in node.get('/v1/route')['route']]

    def test_configure_waits_and_delays_no_others(self):
        values = {'networks': f'tcp({address(1)})', 'routes': f'tcp1 {address(99)}@tcp'}
        params = [word for name, value in values.items() for word in ('--set', f'{name}={value}')]
        node = self.running(*self.OPTIONS, *params, '--drain', 1, environment=self.environment)
        for ending in ('unconfigure', 'the end'):
            self.assertEqual(node.ask('POST', '/v1/lnet', {'op': 'unconfigure'})[0], 200)
            self.forget_who_asked()
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                answer = pool.submit(node.ask, 'POST', '/v1/lnet', {'op': 'configure', 'all': True})
                self.asked()
                wait_until(lambda: node.ask('GET', '/v1/net')[0] == 200, 'the node is there')
                self.assertIn(f'{address(1)}@tcp', node.nids())
                self.assertEqual(self.routes_of(node), ['down'])
                self.assertFalse(answer.done())
                if ending == 'unconfigure':
                    self.said(node, 'lnet', 'unconfigure')
                    self.assertEqual(answer.result()[0], 200)
                else:
                    self.ends_at_once(node, signal.SIGTERM)
                    self.assertEqual(answer.result()[1]['errno'], -errno.ESHUTDOWN)
