"""ulnet-fgr live: it plans the 2-SSU system of examples/fgr, every node starts from the plan's
files, and `verify` finds nothing. Then the test plants mistakes in those files, one at a time:
`verify` names each mistake by its cause, and suspects nothing else. The test runs it once for each
mistake, right after the nodes have started, while their routes still change.

With ULNET_TIMES=N in the environment the test does this N times, and at the end prints for each
mistake in how many runs `verify` was right. With ULNET_LOSE=N each node drops one of N messages:
    ULNET_TIMES=50 ULNET_LOSE=50 python3 -m unittest tests.fgr.live.fgr_lab_test.Mistakes"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from tests.rigs.daemon_rig import DEADLINE_S, E2e, address, wait_until
from tests.rigs.programs import ROOT, program

FGR = program('ulnet-fgr')
ULNETCTL = program('ulnetctl')
SITE = ROOT / 'examples' / 'fgr' / 'two-ssu.yaml'
QUICK = ('--set', 'alive_router_check_interval=1', '--set', 'router_ping_timeout=1', '--set', 'tiny_router_buffers=64',
         '--set', 'small_router_buffers=64', '--set', 'large_router_buffers=8',
         '--set', 'max_reconnectms=1000')  # after a repair all routes are in use again within few seconds
CLIENTS = ('client1', 'client2')
VIA_SOCKET = 'door:/nowhere/door.sock'
TIMES = int(os.environ.get('ULNET_TIMES', '1'))
LOSE = int(os.environ.get('ULNET_LOSE', '0'))
# The OSSs: even numbers at the left switch in tcp6002, odd numbers at the right one in tcp6003.
MGS, MDS, OSS0, OSS1, OSS2, OSS3 = (f'snxn{number:03}' for number in range(2, 8))


class Site(E2e):
    """The nodes of the site, on addresses that no other test has: the second number of the site's
    addresses is replaced."""
    RETRIES = 4  # of a query that fails, after 1, 2, 4, 8 s

    def setUp(self):
        super().setUp()
        second, third = (int(part) for part in address(0).split('.')[1:3])
        # The site's four networks become four ranges of the last number in one network: clients,
        # routers on either side, servers.
        text = SITE.read_text()
        for network, base in (('1', 0), ('2', 20), ('3', 40), ('4', 60)):
            text = re.sub(rf'127\.41\.{network}\.(\[?)([\d*-]+)',
                          lambda found, base=base: f'127.{second}.{third}.{found[1]}' + re.sub(
                              r'\d+', lambda number: str(base + int(number[0])), found[2]), text)
        # Clients have the first range only.
        text = text.replace(f'127.{second}.{third}.*', f'127.{second}.{third}.[1-19]')
        self.net = f'127.{second}.{third}'
        self.site = self.folder.file('site.yaml', text)
        self.plan = self.folder.path / 'plan'
        subprocess.run([FGR, 'plan', self.site, '-o', self.plan], check=True, capture_output=True)
        files = sorted((self.plan / 'lnetctl').iterdir())
        self.files = {file.stem: file.read_text() for file in files if not file.stem.startswith('clients-')}
        client = (self.plan / 'lnetctl' / 'clients-compute.yaml').read_text()
        for number, name in enumerate(CLIENTS, 1):
            # All clients share one file, with a pattern, because the site does not say which client
            # has which address.
            self.files[name] = re.sub(r'ip2nets:\n.*?(?=^route)', self.net_text('tcp', f'{self.net}.{number}'), client,
                                      flags=re.DOTALL | re.MULTILINE)
        self.nodes = {}

    @staticmethod
    def net_text(net, where):
        return f'net:\n  - net type: {net}\n    local NI(s):\n      - interfaces:\n            0: {where}\n'

    def start(self, *names, **changed):
        """Starts these hosts, or all without names, from their files, or from the text in
        `changed`."""
        for name in names or self.files:
            if name in self.nodes:
                self.nodes[name].stop()
        for name in names or self.files:
            text = changed.get(name, self.files[name])
            port = ('--accept-port', self.port + 1) if text.startswith('# another port\n') else ()
            self.nodes[name] = self.daemon('--config', self.folder.file(f'{name}.yaml', text), *QUICK, *port, name=name)
        for name in names or self.files:
            self.nodes[name].ready()
            if LOSE:
                done = self.nodes[name].ctl('fault', 'drop', 'add', '-s', '*', '-d', '*', '-r', LOSE)
                self.assertEqual(done[0], 0, done)

    def command(self, *words, vias=None, environment=None):
        """Runs `ulnet-fgr verify` and returns exit code, standard output and standard error.
        Without `vias` it asks all hosts through their control APIs."""
        command = [FGR, 'verify', self.site, '--client', 'client[1-2]', '--retries', str(self.RETRIES), *map(str, words)]
        for via in vias or (f'door:{self.folder.path}/{{host}}.sock',):
            command += ['--via', via]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10 * DEADLINE_S, check=False,
                              env={**os.environ, **(environment or {})})
        return done.returncode, done.stdout, done.stderr

    def verify(self, *words, **more):
        code, out, err = self.command('--format', 'json', *words, **more)
        self.assertIn(code, (0, 1, 3), err)
        said = json.loads(out)
        self.assertEqual(code == 0, said['all right'], said)
        return said

    @staticmethod
    def suspects(said):
        return sorted((one['cause'], one['kind'], *one['hosts']) for one in said['suspects'])

    def names(self, *expected, words=(), **more):
        """`verify` names exactly these."""
        said = self.verify(*words, **more)
        self.assertEqual(self.suspects(said), sorted(expected), json.dumps(said['suspects'], indent=1))
        return said

    # The mistakes to plant in the texts of the files.

    def without_routes(self, name, net=None, gateway=None):
        """The file without the routes to this net, or by this gateway."""
        return re.sub(r'  - net: (\S+)\n    gateway: (\S+)\n    hop: \d+\n',
                      lambda found: '' if net in (None, found[1]) and gateway in (None, found[2].split('@')[0]) else found[0],
                      self.files[name]).replace('route:\nrouting', 'routing').removesuffix('route:\n')


class Mistakes(Site):
    CTEST = {'COST': '32'}

    def test_only_hosts_with_mistakes_are_named(self):
        right = collections.Counter()
        for _ in range(TIMES):
            self.plant_all(right)
        for what, count in right.items():
            print(f'{count:3} of {TIMES}  {what}', file=sys.stderr, flush=True)

    def plant_all(self, right):
        began = time.monotonic()
        self.start()
        with self.subTest('none'):
            right['nothing is wrong, all nodes are new'] += 0
            self.names()
            right['nothing is wrong, all nodes are new'] += 1
        router_side = {f'router{number}': f'{self.net}.{40 + number}' for number in range(1, 5)}
        client_side = {f'router{number}': f'{self.net}.{20 + number}' for number in range(1, 5)}
        server = {name: f'{self.net}.{60 + int(name[-3:])}' for name in (MGS, MDS, OSS0, OSS1, OSS2, OSS3)}
        mistakes = {
            'two servers have exchanged cables': (
                {OSS0: self.files[OSS0].replace(server[OSS0], server[OSS2]), OSS2: self.files[OSS2].replace(server[OSS2], server[OSS0])},
                ('exchanged', 'cable', OSS0, OSS2)),
            'two routers have exchanged cables': (
                {'router1': self.files['router1'].replace(router_side['router1'], router_side['router2']),
                 'router2': self.files['router2'].replace(router_side['router2'], router_side['router1'])},
                ('exchanged', 'cable', 'router1', 'router2')),
            'a router is in the group of the other switch': (
                {'router1': self.files['router1'].replace('tcp6002', 'tcp6x').replace('tcp6003', 'tcp6002').replace('tcp6x', 'tcp6003')
                 .replace(client_side['router3'], client_side['router2'])},
                ('wrong-group', 'file', 'router1')),
            'the servers of a group lack a route': (
                {name: self.without_routes(name, gateway=router_side['router4']) for name in (OSS1, OSS3)},
                ('missing-routes', 'file', OSS1, OSS3)),
            'an address is given twice': (
                {OSS2: '# another port\n' + self.files[OSS2].replace(server[OSS2], server[OSS0])},
                ('duplicate-address', 'host', OSS2, OSS0)),
            'a router is dead': ({'router3': None}, ('dead', 'host', 'router3')),
            'an odd OSS is in an even group': (
                {OSS1: self.files[OSS1].replace('tcp6003', 'tcp6002').replace(router_side['router3'], router_side['router1'])
                 .replace(router_side['router4'], router_side['router2'])},
                ('wrong-parity', 'file', OSS1)),
            'a hop count makes the first choice the second': (
                {name: self.files[name].replace(f'gateway: {client_side["router2"]}@tcp\n    hop: 1', f'gateway: {client_side["router2"]}@tcp\n    hop: 2')
                 for name in CLIENTS},
                ('wrong-hops', 'file', *CLIENTS)),
            'clients have routes and servers none': (
                {name: self.without_routes(name) for name in (OSS0, OSS2)},
                ('one-sided-routes', 'file', OSS0, OSS2)),
            'a server has the net of another group too': (
                {OSS3: self.files[OSS3].replace('route:', self.net_text('tcp6000', server[OSS3]).removeprefix('net:\n') + 'route:')},
                ('other-nets', 'file', OSS3)),
            'a server lacks the net among the servers': (
                {OSS2: self.files[OSS2].replace(self.net_text('tcp6500', server[OSS2]).removeprefix('net:\n'), '')},
                ('missing-nets', 'file', OSS2)),
            'the MGS has another net in its place': (
                {MGS: self.files[MGS].replace('tcp6500', 'tcp6501')},
                ('other-nets', 'file', MGS)),
            'a client has a route that is not planned': (
                {'client2': self.files['client2'] + f'  - net: tcp6003\n    gateway: {client_side["router1"]}@tcp\n    hop: 1\n'},
                ('unplanned-routes', 'file', 'client2')),
            'a client lacks its routes to a group': (
                {'client1': self.without_routes('client1', net='tcp6002')},
                ('missing-routes', 'file', 'client1')),
            'a router does not route': (
                {'router4': self.files['router4'].replace('enable: 1', 'enable: 0')},
                ('not-routing', 'file', 'router4')),
        }
        before = ()
        for what, (files, *expected) in mistakes.items():
            right[what] += 0
            with self.subTest(what):
                now = [name for name, text in files.items() if text is not None]
                self.start(*dict.fromkeys([*before, *now]), **{name: files[name] for name in now})
                for name, text in files.items():
                    if text is None:
                        self.nodes[name].stop()
                said = self.names(*expected)
                right[what] += 1
                print(f'{time.monotonic() - began:5.1f} s  {what}:', *(f'{one["kind"]} {one["name"]}: {one["what"]}' for one in said['suspects']),
                      file=sys.stderr, flush=True)
            before = files
        self.start(*before)
        with self.subTest('none again'):
            right['nothing is wrong any more'] += 0
            self.names()
            right['nothing is wrong any more'] += 1


class Ways(Site):
    """The ways to ask hosts."""
    CTEST = {'COST': '70'}
    RETRIES = 3

    def setUp(self):
        super().setUp()
        # The fake ssh forwards to the host's control socket.
        self.ssh = self.folder.file('ssh', f'''#!/bin/sh
while [ $# -gt 2 ]; do shift; done
[ "$1" = mds ] && {{ echo "Permission denied" >&2; exit 255; }}
ULNET_CONTROL="{self.folder.path}/$1.sock" exec sh -c "$2"
''')
        self.ssh.chmod(0o755)
        self.over_ssh = ('--ssh', self.ssh, '--lnetctl', ULNETCTL)
        self.start()
        self.names()

    def test_lnetctl_and_the_control_api_report_the_same(self):
        over_sockets = self.verify()
        self.assertEqual((over_sockets['asked'], over_sockets['answered']), (len(self.files), over_sockets['pings']))
        over_ssh = self.verify(*self.over_ssh, vias=('ssh:{host}',))
        self.assertEqual({**over_ssh, 'answered again': 0}, {**over_sockets, 'answered again': 0})

        def four(**ways):
            said = self.verify(*self.over_ssh, **ways)
            self.assertEqual((said['asked'], said['pings'], said['answered']), (1, 4, 4))
        # Asked from one host, named or not, it pings only the hosts of its groups.
        here = {'ULNET_CONTROL': str(self.nodes['router1'].socket)}
        for via in ('router1=local', 'local'):
            four(vias=(via,), environment=here)
        # A server pings its two routers, and on the net among the servers the MGS and the MDS.
        four(vias=(f'ssh:{OSS1}',))
        self.nodes[OSS0].stop()
        for via in ('local', f'door:{self.nodes["router1"].socket}', 'ssh:router1'):
            self.names(('dead', 'host', OSS0), words=self.over_ssh, vias=(via,), environment=here)
        said = self.names(('dead', 'host', OSS0), ('not-asked', 'host', MDS), words=self.over_ssh,
                            vias=('ssh:{host}', f'{MDS}=ssh:mds'))
        self.assertEqual(next(one for one in said['suspects'] if one['cause'] == 'not-asked')['seen'], [f'{MDS}: Permission denied'])

    def test_hosts_that_answer_something_else_are_not_accused(self):
        answers = {'welcome': 'echo "Welcome: to this machine"', 'empty': ':', 'noise': 'head -c 4096 /dev/urandom', 'flood': 'yes " a: b"',
                   'silence': 'sleep 1000', 'unconfigured': 'printf "show:\\n- net:\\n  errno: -100\\n  descr: Unspecific failure\\n"; exit 234'}
        for name, line in answers.items():
            program = self.folder.file(name, f'#!/bin/sh\n{line}\n')
            program.chmod(0o755)
            with self.subTest(name):
                self.names(('not-asked', 'host', MDS), words=('--ssh', program, '--patience', 2),
                           vias=(f'door:{self.folder.path}/{{host}}.sock', f'{MDS}=ssh:mds'))

    def test_an_interrupt_ends_the_asking_and_its_programs(self):
        started = self.folder.path / 'slow.pid'
        program = self.folder.file('slow', f'#!/bin/sh\necho $$ > {started}\nsleep 1000\n')
        program.chmod(0o755)
        picture = self.folder.path / 'reach.svg'
        process = subprocess.Popen([FGR, 'verify', self.site, '--via', f'door:{self.folder.path}/{{host}}.sock', '--via', f'{MDS}=ssh:mds',
                                    '--ssh', program, '--svg', picture], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.communicate()))
        wait_until(lambda: started.exists() and started.read_text().endswith('\n'), 'the program runs')
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 130, (out, err))
        self.assertRegex(out, 'note: .*not asked, interrupted: ')
        self.assertFalse(pathlib.Path(f'/proc/{started.read_text().strip()}').exists())
        self.assertIn('<svg', picture.read_text(), 'what was seen is drawn')

    def test_a_hanging_host_delays_no_others(self):
        self.nodes[OSS1].pause()
        self.addCleanup(self.nodes[OSS1].signal, signal.SIGCONT)
        self.names(('dead', 'host', OSS1), words=('--patience', 2))
        code, out, _ = self.command('--patience', 2, '--svg', self.folder.path / 'reach.svg')
        self.assertEqual(code, 1)
        self.assertIn(f'1. host {OSS1} [dead]', out)
        self.assertRegex(out, r'(?m)^router3 \+ \+ \. X \. \+$')
        self.assertIn('<svg', (self.folder.path / 'reach.svg').read_text())

    def test_command_errors_are_reported(self):
        for words, vias, expected in (
                ((), ('router9=local',), "no host 'router9'. Did you mean 'router1'?"),
                (('--ibnetdiscover', SITE), (VIA_SOCKET,), 'is it the output of ibnetdiscover?'),
                (('--ibnetdiscover', '/nowhere'), (VIA_SOCKET,), '/nowhere: No such file'),
                (('--lnetctl', SITE), ('local',), 'there is no program'),
                (('--ssh', '/nowhere/ssh'), ('ssh:{host}',), "there is no program '/nowhere/ssh' on this machine"),
                (('--svg', '/nowhere/reach.svg'), (VIA_SOCKET,), 'cannot write /nowhere/reach.svg'),
                (('--format', 'xml'), ('local',), '--format')):
            code, out, err = self.command(*words, vias=vias)
            self.assertEqual((code, out), (2, ''), err)
            self.assertIn(expected, err)
        # The node that answers there is no host of the site.
        stranger = self.running('--net', 'tcp77', '--if', f'{self.net}.200', name='stranger')
        said = self.verify(vias=(f'door:{stranger.socket}',))
        self.assertEqual(said['suspects'], [])
        self.assertIn('its NIDs do not say which host of the site it is', said['notes'][0])
