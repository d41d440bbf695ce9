"""Compares what nodes with routes and routers print with what production nodes printed in the same
states (tests/data/text). Each test says what differs, and why. spec/cli-lnetctl.md 3.6, 3.7, 4.3,
4.4, spec/observed.md 4, spec/observed-routing.md."""
import re

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import wait_until, yaml_of
from tests.rigs.recorded_rig import Player, nid, recorded_commands, recorded_text
from tests.rigs.upstream_rig import Upstream, patient

# A busy machine stops a node for seconds: no node considers it dead because of that.
SLOWER = max(1, daemon_rig.TIME_FACTOR)
SILENT_S = round(8 * SLOWER)
QUICK = {'alive_router_check_interval': 1, 'router_ping_timeout': SILENT_S, 'cpu_npartitions': 1}
# The interval of checks for tests of starting and stopping routing, which takes the sum of this and
# SILENT_S.
WHILE_S = round(3 * SLOWER)
# The routers of the recordings were loaded with these numbers of buffers.
POOLS = {'tiny_router_buffers': 128, 'small_router_buffers': 256, 'large_router_buffers': 32}
# These values are of another moment, or count messages that other nodes have sent.
SEVERAL = [('lnet/peers', ('refs', 'last', 'min')),
           ('lnet/routers', ('ref',)),
           ('lnet/nis', ('alive', 'refs', 'min')),
           ('lnet/buffers', ('min',)),
           ('routing show|export', ('mincredits',)),
           ('peer show', (r'\w+_count', r'\w+_samples', r'\w+_nsec', 'put', 'get', 'reply', 'ack', 'refcount', r'min_\w+_credits', 'next_ping')),
           # ulnet has its own words for which item is wrong, and why.
           ('import', ('descr',))]
# ulnet reports a ping without answer as a time-out.
TIMEOUT = ('ping', lambda text: text.replace('errno: -5', 'errno: -110').replace('Input/output error', 'Connection timed out'), 'a clearer word')
# A section that only ulnet has, and the discovered peers, which a backup does not have here.
OWN = [('export', r'^param:.*', ''), ('export', r'^peer:.*?(?=^global:|\Z)', '')]


class Recorded(Upstream):
    def node(self, name, *nets, **more):
        """A node; nets as (name, recorded address); more parameters."""
        file = self.folder.file(f'{name}.yaml', yaml_of(*((net, nid(text)) for net, text in nets)))
        settings = [word for key, value in {**QUICK, **more}.items() for word in ('--set', f'{key}={value}')]
        return self.running('--config', file, *settings, name=name)

    def routes(self, node):
        return node.get('/v1/route')['route']

    def route(self, node, net, gateway, *more):
        self.said(node, 'route', 'add', '--net', net, '--gateway', nid(gateway), *more)

    def come_up(self, *nodes):
        for node in nodes:
            wait_until(lambda node=node: all(route['state'] == 'up' for route in self.routes(node)), f'the routes of {node.name} are up')

    def one_router(self, **more):
        """Nodes 3 on tcp and 5 on tcp1, router 4 between them."""
        three = self.node('g3', ('tcp', '10.99.0.3'), **more)
        four = self.node('g4', ('tcp', '10.99.0.4'), ('tcp1', '10.99.1.4'), forwarding='enabled', **POOLS)
        five = self.node('g5', ('tcp1', '10.99.1.5'), **more)
        return {'g3': three, 'g4': four, 'g5': five}

    def without_five(self):
        """The only node on the far side of the router has died, and the router advertises that."""
        nodes = self.one_router()
        self.said(nodes['g3'], 'set', 'transaction_timeout', 10)
        self.route(nodes['g5'], 'tcp', '10.99.1.4@tcp1')
        self.come_up(nodes['g5'])
        self.said(nodes['g4'], 'discover', nid('10.99.1.5@tcp1'))
        nodes['g5'].stop()
        return nodes

    def two_routers(self, **more):
        """Two routers, 4 and 6, between the same nodes, with routes both ways."""
        nodes = self.one_router(**more)
        nodes['g6'] = self.node('g6', ('tcp', '10.99.0.6'), ('tcp1', '10.99.1.6'), forwarding='enabled', **POOLS)
        for last in (4, 6):
            self.route(nodes['g3'], 'tcp1', f'10.99.0.{last}@tcp')
            self.route(nodes['g5'], 'tcp', f'10.99.1.{last}@tcp1')
        self.come_up(nodes['g3'], nodes['g5'])
        return nodes

    def play(self, nodes, commands, at_least, **rules):
        rules['values'] = [*SEVERAL, *rules.get('values', ())]
        rules['cut'] = [*OWN, *rules.get('cut', ())]
        rules['changed'] = [TIMEOUT, *rules.get('changed', ())]
        player = Player(self, nodes, **rules)
        player.play(commands)
        self.assertGreaterEqual(player.compared, at_least)


def without(pattern):
    return lambda text: re.sub(pattern, '', text, flags=re.MULTILINE | re.DOTALL)


class Routes(Recorded):
    def test_route_add_show(self):  # spec/cli-lnetctl.md 3.6, 4.3; spec/multirail.md 9.2
        self.play(self.without_five(), recorded_commands('route_add_show.txt'), 51, skipped=[
            (r'--net tcp\[11-12\]', 'production crashed; ulnet accepts a range of nets'),
            (r'add --foo', 'the help of ulnet has other words'),
        ], changed=[
            ('--priority abc', lambda text: re.sub(r'-17\n.*', '-22\n      descr: ! "cannot parse priority \'abc\'"', text),
             'production took it for 0'),
            ('--gateway 0@lo', lambda text: re.sub(r'! .*', '! "gateway \'0@lo\' is this node itself"', text), 'the reason is printed'),
            ('peer del', lambda text: text + '---\ndel:\n-     peer:\n      errno: -16\n      descr: ! "the peer is the gateway of a route"\n...\n',
             'production printed no error, a known fault'),
            ('export', lambda text: text.replace('0: eth0', '0: 10.99.0.3'), 'an interface is an address here'),
        ], cut=[('export', r'^route:.*?(?=^global:)', 'routes to one net are in random order')])

    def test_avoid_asym_param(self):  # spec/multirail.md 9.3.3
        nodes = self.without_five()
        self.route(nodes['g3'], 'tcp1', '10.99.0.4@tcp')
        self.play(nodes, recorded_commands('avoid_asym_param.txt'), 9, skipped=[('dmesg', "the kernel's log")],
                  changed=[('uptime', without(r'\A\d+\n'), 'the time')])

    def test_route_yaml(self):
        nodes = self.one_router()
        self.route(nodes['g5'], 'tcp', '10.99.1.4@tcp1')
        self.route(nodes['g3'], 'tcp1', '10.99.0.4@tcp')
        self.come_up(nodes['g3'], nodes['g5'])
        self.said(nodes['g3'], 'discover', nid('10.99.1.5@tcp1'))
        commands = recorded_commands('route_yaml.txt')
        for each in commands:
            # The third file was refused, so its routes cannot be deleted.
            if each.command.endswith('; lnetctl import --del r3.yaml'):
                each.command = each.command.removesuffix('; lnetctl import --del r3.yaml')
                each.output, each.code = '', 0
        self.play(nodes, commands, 24, skipped=[
            (r'\br\.yaml', 'production refused patterns of gateways in YAML; ulnet accepts them'), (r'r3\.yaml', 'the same'),
            ('lst ', 'a load: tests/selftest/scenarios'),
        ], cut=[('export', r'^(peer|buffers|global|param):.*', 'what the recorded pipe cuts off with the peers')])


class Routing(Recorded):
    CTEST = {'COST': '44'}

    def test_routing_router_setup(self):  # spec/cli-lnetctl.md 3.7
        commands = recorded_commands('routing_router_setup.txt')
        first = [each for each in commands if not each.part.startswith('restarted')]
        self.play({'g4': self.node('g4', ('tcp', '10.99.0.4'))}, first, 14,
                  skipped=[('set routing 1', 'production had no memory for its buffers, which ulnet makes on demand')])

    def test_routing_router_setup_after_a_restart(self):  # spec/cli-lnetctl.md 4.4
        """ulnet frees surplus buffers at once; production waits until they are used. A fresh router
        considers its nets up (multirail.md 9.5)."""
        commands = recorded_commands('routing_router_setup.txt')
        node = self.node('g4', ('tcp', '10.99.0.4'), **{**POOLS, 'alive_router_check_interval': WHILE_S})
        commands = [each for each in commands if each.part.startswith('restarted')]
        fewer = next(at for at, each in enumerate(commands) if each.command.startswith('lnetctl set tiny_buffers'))
        self.play({'g4': node}, commands[:fewer], 11, skipped=[('lnet configure', 'the node runs')],
                  changed=[('date', without(r'\A[\d:]+\n'), 'the time')])
        self.play({'g4': node}, commands[fewer:], 8, values=[('lnet/nis', ('status',))], changed=[
            ('date', without(r'\A[\d:]+\n'), 'the time'),
            ('routing show', lambda text: text.replace('128', '64').replace('40', '32'), 'the later numbers'),
        ])

    def world(self, **more):
        nodes = self.one_router(**more)
        self.said(nodes['g4'], 'set', 'transaction_timeout', 10)
        self.route(nodes['g5'], 'tcp', '10.99.1.4@tcp1')
        self.route(nodes['g3'], 'tcp1', '10.99.0.4@tcp')
        self.come_up(nodes['g3'], nodes['g5'])
        return nodes

    def test_routing_router_state(self):  # spec/cli-lnetctl.md 4.4
        nodes = self.world()
        self.said(nodes['g4'], 'set', 'tiny_buffers', 126)
        self.said(nodes['g4'], 'set', 'large_buffers', 40)
        for _ in range(2):
            self.said(nodes['g3'], 'ping', nid('10.99.1.5@tcp1'))
        commands = recorded_commands('routing_router_state.txt')
        counts = lambda text: re.sub(r'^0 \d+ 0 \d+ \d+ (\d+) 0 \d+ \d+ (\d+) 0$', r'\1 routed, \2 bytes', text)
        self.assertEqual(counts(self.said(nodes['g4'], 'file', 'stats')), '4 routed, 96 bytes\n')
        self.play(nodes, [each for each in commands if not each.part.startswith('after lst')], 8,
                  skipped=[('lnet/stats', 'above')],
                  values=[('stats show', ('send_count', 'recv_count', 'send_length', 'recv_length'))],
                  cut=[('export', r'^global:.*', 'the pipe of the recording cuts it off somewhere')])
        stats = next(each.output for each in commands if each.command.endswith('lnet/stats'))
        self.assertEqual(counts(stats), '4 routed, 96 bytes\n')

    def test_routing_router_state_after_traffic(self):
        """ulnet frees surplus buffers at once; production waits until they are used."""
        nodes = self.world()
        self.said(nodes['g4'], 'param', 'set', f'alive_router_check_interval={WHILE_S}')
        commands = recorded_commands('routing_router_state.txt')
        self.play(nodes, [each for each in commands if each.part.startswith('after lst')], 15,
                  values=[('stats show', (r'\w+_count', r'\w+_length'))],
                  changed=[('head -8', lambda text: text.replace('128', '100'), 'the later number'),
                           ('routing show(?!.*head)', lambda text: text.replace('128', '100') if 'enable: 2' in text else text, 'the same')])

    def test_routing_two_clients(self):
        nodes = self.one_router()
        self.route(nodes['g3'], 'tcp1', '10.99.0.4@tcp')
        commands = recorded_commands('routing_two_clients.txt')
        # The recorded gateway was marked as a deleted peer, a known fault.
        self.play(nodes, [each for each in commands if each.node == 'g5'], 6, values=[('peer show', ('peer state',))])

    def test_routing_two_clients_without_the_far_one(self):
        nodes = self.without_five()
        self.said(nodes['g3'], 'discover', nid('10.99.0.4@tcp'))
        for net, last in (('tcp1', 4), ('tcp9', 5), ('tcp14', 5), ('tcp14', 4)):
            self.route(nodes['g3'], net, f'10.99.0.{last}@tcp')
        commands = recorded_commands('routing_two_clients.txt')
        self.play(nodes, [each for each in commands if each.node == 'g3'], 15, skipped=[
            ('^(cat|echo) .*/parameters/', 'the checks are more frequent here')],
            cut=[('lnet/peers', r'^10\.99\.(0\.[36]|1\.77)@[^\n]*\n', 'peers that earlier commands had made, or that were never reached')])

    def test_router_setup_and_files(self):  # spec/core-semantics.md 16
        """router_setup.txt and router_debugfs.txt have no prompts: the test finds the documents by
        their first lines."""
        nodes = {'g1': self.node('g1', ('tcp', '10.99.0.1'))}
        router = self.node('g3', ('tcp', '10.99.0.3'), ('tcp1', '10.99.1.3'), **{**POOLS, 'alive_router_check_interval': WHILE_S})
        nodes.update(g3=router, g2=self.node('g2', ('tcp1', '10.99.1.2')))
        text = recorded_text('router_setup.txt')
        # Documents of several lines, by their first lines: net, routing with buffers, route, ping,
        # peer, ...
        found = re.findall(r'^(?:net|routing|route|manage|ping|discover|peer|statistics):\n(?:(?! *$)[ -].*\n|buffers:\n)+', text, re.MULTILINE)
        self.assertEqual(len(found), 17)
        at = {'nets': 0, 'starting': 1, 'down': 4, 'no way': 5, 'no way to discover': 6, 'up': 10, 'ping': 11, 'discover': 13, 'enabled': 16}
        player = Player(self, nodes, values=SEVERAL)

        def expect(node, command, what, change=lambda document: document):
            player.expect(player.recorded(node, command, change(found[at[what]]), 255 if what.startswith('no way') else 0))
        devices = lambda document: document.replace('eth0', '10.99.0.3').replace('eth1', '10.99.1.3')
        expect('g3', 'lnetctl net show', 'nets', devices)
        self.said(router, 'set', 'routing', 1)
        expect('g3', 'lnetctl routing show', 'starting')
        self.route(nodes['g1'], 'tcp1', '10.99.0.3@tcp')
        self.route(nodes['g2'], 'tcp', '10.99.1.3@tcp1')
        # Here the route is a multi-hop one only until the gateway has advertised its NIDs.
        expect('g1', 'lnetctl route show -v', 'down', lambda document: document.replace('multi-hop', 'single-hop'))
        expect('g1', 'lnetctl ping 10.99.1.2@tcp1', 'no way')
        expect('g1', 'lnetctl discover 10.99.1.2@tcp1', 'no way to discover')
        expect('g1', 'lnetctl route show -v', 'up')
        self.come_up(nodes['g2'])
        expect('g1', 'lnetctl ping 10.99.1.2@tcp1', 'ping')
        expect('g1', 'lnetctl discover 10.99.1.2@tcp1', 'discover')
        expect('g3', 'lnetctl routing show', 'enabled')
        files = dict(re.findall(r'^== (\w+)\n(.*?)(?=^==|^peer:)', recorded_text('router_debugfs.txt'), re.MULTILINE | re.DOTALL))
        for name in ('routes', 'routers', 'buffers', 'peers', 'nis'):
            player.expect(player.recorded('g3', f'cat /sys/kernel/debug/lnet/{name}', files[name], 0))


class SeveralRouters(Recorded):
    CTEST = {'COST': '39'}

    def test_two_routers_show(self):  # spec/cli-lnetctl.md 4.3
        self.play(self.two_routers(), recorded_commands('two_routers_show.txt'), 5)

    def test_multihop(self):  # spec/multirail.md 9.7
        a = self.node('g13', ('tcp', '10.99.0.13'))
        one = self.node('g14', ('tcp', '10.99.0.14'), ('tcp1', '10.99.1.14'), forwarding='enabled', **POOLS)
        two = self.node('g16', ('tcp1', '10.99.1.16'), ('tcp2', '10.99.0.16'), forwarding='enabled', **POOLS)
        c = self.node('g15', ('tcp2', '10.99.0.15'))
        nodes = {'g13': a, 'g14': one, 'g16': two, 'g15': c}
        setup = recorded_commands('multihop_setup.txt')
        # A fresh router considers its nets up here (multirail.md 9.5), so the first route by it is up.
        self.play(nodes, setup, 16, changed=[('route show', lambda text: text.replace('state: down', 'state: up'), 'a fresh router')])
        seen = recorded_commands('multihop_ping_brw.txt')
        before = next(at for at, each in enumerate(seen) if 'one.sh' in each.command)
        seen = seen[:before]
        self.play(nodes, [each for each in seen if each.node in ('g13', 'g15')], 5)
        self.play(nodes, [each for each in seen if each.node in ('g14', 'g16')], 2, cut=[
            ('lnet/peers', r'^\S+ +\d+ +NA [^\n]*\n', 'routers here do not discover nodes behind other routers')])

    def sent(self, node, *gateways):
        """The GETs that the node has sent to each gateway: pings, if it does not check them."""
        nis = self.peer_nis(node)
        return [nis[nid(gateway)]['sent_stats']['get'] for gateway in gateways]

    GATEWAYS = ('10.99.0.4@tcp', '10.99.0.6@tcp')

    def split(self, node, pings):
        before = self.sent(node, *self.GATEWAYS)
        for _ in range(pings):
            self.said(node, 'ping', nid('10.99.1.5@tcp1'))
        return [after - was for was, after in zip(before, self.sent(node, *self.GATEWAYS))]

    def test_two_routers_counts(self):
        """The routers take turns among 12 single pings, and carry half of many each. The recorded
        counts include some checks."""
        lines = re.findall(r'^10\.99\.0\.4@tcp sent (\d+) .*10\.99\.0\.6@tcp sent (\d+)', recorded_text('two_routers_counts.txt'), re.MULTILINE)
        recorded = [sum(map(int, after)) - sum(map(int, before)) for before, after in zip(lines, lines[1:])]
        self.assertEqual(len(recorded), 12)
        turns = [[int(one) - int(other) for one, other in zip(after, before)] for before, after in zip(lines, lines[1:])]
        alone = [turn for turn in turns if sum(turn) == 1]
        self.assertGreaterEqual(len(alone), 8)
        for one, next_one, turn, next_turn in zip(turns, turns[1:], recorded, recorded[1:]):
            if turn == next_turn == 1:
                self.assertNotEqual(one, next_one, 'the recorded pings took turns')
        nodes = self.two_routers()
        self.said(nodes['g3'], 'param', 'set', 'alive_router_check_interval=0')
        self.said(nodes['g3'], 'discover', nid('10.99.1.5@tcp1'))
        seen = [self.split(nodes['g3'], 1) for _ in range(12)]
        self.assertEqual({tuple(turn) for turn in seen}, {(0, 1), (1, 0)})
        for one, next_one in zip(seen, seen[1:]):
            self.assertNotEqual(one, next_one)
        self.assertEqual(self.split(nodes['g3'], 200), [100, 100])

    def test_two_routers_preferences(self):  # spec/core-semantics.md 16
        """Each router gets as many of 20 pings as in the recording, whose counts include some
        checks."""
        parts = re.findall(r'^## R1:(.*?)  +R2:(.*)\n(Routing .*\n(?:net|tcp1).*\n(?:tcp1.*\n)+)before.* sent (\d+) .* sent (\d+) .*\n'
                           r'after .* sent (\d+) .* sent (\d+) ', recorded_text('two_routers_preferences.txt'), re.MULTILINE)
        self.assertEqual(len(parts), 7)
        nodes = self.two_routers()
        near = nodes['g3']
        self.said(near, 'param', 'set', 'alive_router_check_interval=0')
        self.said(near, 'discover', nid('10.99.1.5@tcp1'))
        player = Player(self, nodes, values=SEVERAL)
        for one, two, table, *counts in parts:
            for gateway, options in zip(self.GATEWAYS, (one, two)):
                self.said(near, 'route', 'del', '--net', 'tcp1', '--gateway', nid(gateway))
                self.route(near, 'tcp1', gateway, *options.split())
            self.come_up(near)
            player.expect(player.recorded('g3', 'cat /sys/kernel/debug/lnet/routes', table, 0))
            before, after = map(int, counts[:2]), map(int, counts[2:])
            recorded = [round((then - was) / 10) * 10 for was, then in zip(before, after)]
            self.assertEqual(self.split(near, 20), recorded, (one, two))

    def test_drop_asym_route(self):  # spec/multirail.md 9.6
        """ulnet holds a ping without answer against the gateway that carried it, unlike production:
        so the comparison leaves out health."""
        nodes = self.two_routers()
        near, far = nodes['g3'], nodes['g5']
        self.said(near, 'discover', nid('10.99.1.5@tcp1'))
        self.said(near, 'route', 'del', '--net', 'tcp1', '--gateway', nid('10.99.0.4@tcp'))
        text, commands = recorded_text('drop_asym_route.txt'), recorded_commands('drop_asym_route.txt')
        self.play(nodes, commands[:2], 2)
        self.said(far, 'set', 'health_sensitivity', 0)
        ping = lambda: far.ctl(*patient('ping', nid('10.99.0.3@tcp'), patience_s=6))[0]
        self.assertEqual([ping() for _ in range(6)], [0] * 6)
        self.said(near, 'set', 'drop_asym_route', 1)
        ends = re.findall(r'^up=.*: (ok|-5)$', text, re.MULTILINE)[6:]
        self.assertEqual((ends.count('ok'), ends.count('-5')), (4, 4))
        seen = [ping() for _ in range(8)]
        self.assertEqual(seen.count(0), 4, seen)
        counted = ('send_count', 'recv_count', r'(send|recv)_length', 'msgs_max', r'response_timeout_count', r'local_error_count', r'network_timeout_count')
        self.play(nodes, commands[3:6], 3, values=[('stats show|net show', counted)], cut=[
            ('net show', r'(?<=ping_count: 0\n)(## A|ping:).*', 'the output of pings that come next'),
            ('peer show', r'(?<=0\n)## .*', 'the same')])
        for _ in range(4):
            self.said(near, 'ping', nid('10.99.1.5@tcp1'))
        drops = self.nis(near)[nid('10.99.0.3@tcp')]['statistics']['drop_count']
        self.assertGreaterEqual(drops, 4)
