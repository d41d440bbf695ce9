"""What tests of routing share: real nodes on loopback addresses, routers between them, and what
they show of routes."""
from tests.rigs.daemon_rig import address, wait_until, yaml_of
from tests.rigs.upstream_rig import Upstream

# Nodes check gateways each second. A busy machine stops a node for seconds: no node considers
# it dead because of that. SHORT is for tests that wait for everything that they assert, on a router:
# starting and stopping of its routing takes the sum of the two values.
QUICK = ('--set', 'alive_router_check_interval=1', '--set', 'router_ping_timeout=8')
SHORT = ('--set', 'router_ping_timeout=1')
ROUTES = ('--set', 'forwarding=enabled')  # routing is on from the start
NO_DISCOVERY = ('--set', 'lnet_peer_discovery_disabled=1')


class Routers(Upstream):
    """Nodes and routers between them. `near` is on tcp with the address 1, `far` on tcp1 with the
    address 4."""
    NEAR, FAR = f'{address(1)}@tcp', f'{address(4)}@tcp1'

    def node(self, name, *nets, more=(), **popen):
        """A node that checks gateways often; nets as (name, last part of its address...)."""
        file = self.folder.file(f'{name}.yaml', yaml_of(*((net, *map(address, lasts)) for net, *lasts in nets)))
        return self.running('--config', file, *QUICK, *more, name=name, **popen)

    def routes(self, node):
        return node.get('/v1/route')['route']

    def state(self, node):
        """The value of `enable` in `routing show`; None when the node has never routed."""
        found = [item['enable'] for item in node.get('/v1/routing')['routing'] if 'enable' in item]
        return found[0] if found else None

    def route(self, node, net, gateway):
        self.said(node, 'route', 'add', '--net', net, '--gateway', gateway)

    def world(self, more=(), to_router=()):
        """A node on tcp, a router that does not route yet, a node on tcp1. `to_router`: more
        arguments of the router."""
        near = self.node('near', ('tcp', 1), more=more)
        router = self.node('router', ('tcp', 2), ('tcp1', 3), more=(*more, *to_router))
        far = self.node('far', ('tcp1', 4), more=more)
        return near, router, far

    def joined(self, more=()):
        """The same with a router that routes, and with routes both ways, once they are up."""
        near, router, far = self.world(more, ROUTES)
        self.route(near, 'tcp1', f'{address(2)}@tcp')
        self.route(far, 'tcp', f'{address(3)}@tcp1')
        for node in (near, far):
            self.wait_for_routes(node, 'up')
        return near, router, far

    def beside(self, *arguments):
        """A node on tcp, one on tcp1, and two parallel routers, once all routes are up. Returns
        near, far, the routers. `arguments` are those of near and far."""
        near, far = self.node('near', ('tcp', 1), more=arguments), self.node('far', ('tcp1', 4), more=arguments)
        routers = [self.begin_router(name) for name in ('one', 'two')]
        for last in (10, 20):
            self.route(near, 'tcp1', f'{address(last)}@tcp')
            self.route(far, 'tcp', f'{address(last + 1)}@tcp1')
        for node in (near, far):
            self.wait_for_routes(node, 'up')
        return near, far, routers

    def begin_router(self, name):
        """One of the routers of beside(): it routes from the start."""
        last = {'one': 10, 'two': 20}[name]
        return self.node(name, ('tcp', last), ('tcp1', last + 1), more=ROUTES)

    def wait_for_routes(self, node, state):
        """Waits until all three ways to show routes say that each route of the node is up, or down."""
        def all_say_so():
            shown = [route['state'] for route in self.routes(node)]
            in_words = [line.split()[1] for line in self.said(node, 'route', 'show', '-v').splitlines() if 'state:' in line]
            in_file = [line.split()[3] for line in self.said(node, 'file', 'routes').splitlines()[2:]]
            return shown and {*shown} == {state} and in_words == in_file == shown
        wait_until(all_say_so, f'the routes of {node.name} are {state}, not {self.routes(node)}')

    def pings(self, node, nid):
        """Waits until a ping passes: a message that is on its way during a change may be lost."""
        wait_until(lambda: node.ctl('ping', nid)[0] == 0, f'a ping from {node.name} to {nid} passes')

    def routed(self, router):
        """The number of messages that the router has forwarded."""
        return router.get('/v1/stats')['statistics']['route_count']
