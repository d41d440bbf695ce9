"""docs/ROUTING.md read by somebody who does what it says: each command of the page, with the
interfaces and addresses that it names, and each result that it promises."""
import re

from tests.rigs import rails_rig
from tests.rigs.daemon_rig import wait_until, yaml_of
from tests.rigs.routers_rig import QUICK, Routers
from tests.rigs.programs import ROOT

PAGE = (ROOT / 'docs' / 'ROUTING.md').read_text()
CLIENT, SERVER, GATEWAY = '10.0.0.1@tcp', '10.0.1.2@tcp1', '10.0.0.9@tcp'


def blocks(language='sh'):
    """The fenced blocks of the page."""
    return re.findall(rf'^```{language}\n(.*?)^```$', PAGE, re.M | re.S)


class Page(Routers):
    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        super().setUp()
        self.rails = rails_rig.Rails(1, 100)
        self.rails.__enter__()
        self.addCleanup(self.rails.__exit__)
        self.link('eth0', '10.0.0.9/24')
        self.link('eth1', '10.0.1.9/24')
        for other in ('10.0.0.1/24', '10.0.1.2/24'):
            self.ip('addr', 'add', other, 'dev', 'lo')

    def ip(self, *words):
        rails_rig.command('ip', '-n', self.rails.space('a'), *words)

    def link(self, name, address):
        self.ip('link', 'add', name, 'type', 'veth', 'peer', 'name', f'{name}-far')
        self.ip('addr', 'add', address, 'dev', name)
        self.ip('link', 'set', name, 'up')
        self.ip('link', 'set', f'{name}-far', 'up')
        self.rails.wait_until_up('a', name)

    def page_node(self, name, config=None, options=()):
        file = ('--config', self.folder.file(f'{name}.yaml', config)) if config else ()
        return self.running(*file, *QUICK, *options, name=name, inside=self.rails.inside('a'))

    def does(self, nodes):
        """Runs the commands of the blocks, each at the node that it names: at the router, if it
        names none."""
        done = 0
        for line in '\n'.join(blocks()).splitlines():
            if match := re.fullmatch(r'(?:(\w+)# )?ulnetctl (.*)', line):
                self.said(nodes[match.group(1) or 'router'], *match.group(2).split())
                done += 1
        self.assertEqual(done, line_count('ulnetctl'), 'the test runs all commands')

    def test_a_router_between_two_nets_and_what_the_page_says_of_it(self):
        options = re.search(r'^ulnetd --background (.*)$', '\n'.join(blocks()), re.M).group(1).split()
        nodes = {'router': self.page_node('router', options=options), 'client': self.page_node('client', yaml_of(('tcp', '10.0.0.1'))),
                 'server': self.page_node('server', yaml_of(('tcp1', '10.0.1.2')))}
        client, router, server = nodes['client'], nodes['router'], nodes['server']
        self.does(nodes)
        self.assertIn('Routing enabled\n', self.said(router, 'file', 'routes'), 'the router forwards at once')
        for node in (client, server):
            self.wait_for_routes(node, 'up')
        self.pings(client, SERVER)
        self.pings(server, CLIENT)

        def imports():
            self.said(client, 'route', 'del', '--net', 'tcp1', '--gateway', GATEWAY)
            self.imported(client, blocks('yaml')[0])
            self.wait_for_routes(client, 'up')
            self.assertIn(self.state(client), (1, 3))

        def buffers(*names):
            for name in names:
                self.said(router, 'set', name, 600)
                pool = name.split('_')[0]
                self.assertIn(f'    {pool}: 600\n', self.said(router, 'routing', 'show'))

        def off():
            self.said(router, 'set', 'routing', 0)
            self.assertIn('Routing stopping\n', self.said(router, 'file', 'routes'))
            self.wait_for_routes(client, 'down')
            self.assertIn('why: ', self.said(client, 'route', 'show', '-v'))

        def on():
            wait_until(lambda: router.ctl('set', 'routing', 1)[0] == 0, 'the change that 0 began is complete')
            self.assertIn('Routing starting\n', self.said(router, 'file', 'routes'))
            wait_until(lambda: 'Routing enabled\n' in self.said(router, 'file', 'routes'), 'its peers are notified')
            self.wait_for_routes(client, 'up')

        promised = {
            'import': imports,
            'route show -v': lambda: self.assertIn('state: up\n', self.said(client, 'route', 'show', '-v')),
            'trace NID': lambda: self.assertIn('so a path back exists too', self.said(client, 'trace', SERVER)),
            'debug path --to NID': lambda: self.assertIn(f'* {GATEWAY}: priority 0', self.said(client, 'debug', 'path', '--to', SERVER)),
            'set tiny_buffers|small_buffers|large_buffers': lambda: buffers('tiny_buffers', 'small_buffers', 'large_buffers'),
            'routing show': lambda: self.assertIn('mincredits:', self.said(router, 'routing', 'show')),
            'set routing 0': off,
            'set routing 1': on,
        }
        named = re.findall(r'`ulnetctl ([^`]*)`', PAGE)
        self.assertEqual({*named}, {*promised}, 'the test tries everything that the page names')
        for check in promised.values():
            check()

    def test_its_yaml_is_a_configuration_too(self):
        net = yaml_of(('tcp', '10.0.0.1'))
        node = self.page_node('client', net + blocks('yaml')[0])
        self.assertEqual([(route['net'], route['gateway']) for route in self.routes(node)], [('tcp1', GATEWAY)])
        wait_until(lambda: self.state(node) == 1, 'the node routes')

    def test_the_defaults_that_it_names(self):
        node = self.page_node('client', yaml_of(('tcp', '10.0.0.1')))
        self.said(node, 'set', 'routing', 1)
        shown = self.said(node, 'routing', 'show')
        pools = re.search(r'`tiny_router_buffers`[^|]*\| (\d+), (\d+), (\d+) \|', PAGE).groups()
        for name, number in zip(('tiny', 'small', 'large'), pools):
            self.assertIn(f'    {name}: {number}\n', shown)
        for name, value in re.findall(r'`(alive_router_check_interval|router_ping_timeout)` seconds \((\d+)\)', PAGE):
            self.assertRegex(self.said(node, 'param', 'show', '-v', name), rf'\b{value}\b')


def line_count(word):
    """The number of lines in the blocks that contain this word."""
    return sum(word in line for line in '\n'.join(blocks()).splitlines())
