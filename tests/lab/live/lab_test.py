"""ulnet-lab from outside: each topology of examples/lab up and down, with traffic and a fault, on loopback and in namespaces; several
laboratories beside each other; commands that are refused; and that a laboratory leaves nothing behind, however it ends."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

from tests.rigs.daemon_rig import DEADLINE_S, NOBODY, free_port, wait_until
from tests.rigs.lab_rig import LAB, Lab, LabTest, daemons, why_no_spaces
from tests.rigs import lab_rig
from tests.rigs.programs import ROOT

MOST_MEMORY = 24 << 20
MOST_ATTEMPTS = 20
SANITIZED = bool(os.environ.get('ULNET_SANITIZED', ''))
PAIR = 'nodes:\n    client: tcp\n    server: tcp\n'
MANY = ('nodes:\n    client[1-28]: tcp\n    router[1-2]: {nets: [tcp, tcp1], routing: yes}\n    server[1-2]: tcp1\n')


class Topologies:
    """The examples; a subclass says where they run."""
    OPTIONS = ()

    def up(self, name):
        return Lab(self, self.example(name), *self.OPTIONS)

    def test_two_nodes_lose_each_other_when_a_rail_is_cut(self):
        with self.up('two-nodes') as lab:
            lab.measure('one', 'two', '--write', '--check', 'full')
            lab.do('link down', 'one')
            lab.ni('one', 0, 'down')
            self.assertEqual(lab.status()['down'], ['one:0'])
            lab.loses('two', lab.nid('one'))
            lab.do('link up', 'one:0')
            lab.ni('one', 0, 'up')
            lab.reaches('two', lab.nid('one'))
            self.assertEqual(lab.status()['down'], [])

    def test_a_rail_that_is_mended_while_its_node_is_paused_is_well_when_the_node_goes_on(self):
        with self.up('two-nodes') as lab:
            lab.do('link down', 'one')
            lab.ni('one', 0, 'down')
            for step in ('pause', 'link up', 'resume'):
                lab.do(step, 'one')
            lab.ni('one', 0, 'up')
            self.assertEqual(lab.node('one')['nis'][0]['health'], 1000)
            lab.reaches('two', lab.nid('one'))

    def test_clients_lose_their_only_router_and_find_it_again(self):
        with self.up('client-router-server') as lab:
            lab.measure('client', 'server')
            lab.has_routes('client1', 1, 0)
            lab.do('kill', 'router')
            lab.has_routes('client1', 0, 1)
            self.assertEqual(lab.node('router')['state'], 'dead')
            lab.do('restart', 'router')
            lab.has_routes('client1', 1, 0)
            lab.reaches('client2', lab.nid('server'))

    def test_traffic_goes_on_without_one_of_four_routers(self):
        with self.up('two-ssu-flat') as lab:
            lab.measure('client', 'oss')
            lab.do('kill', 'router1')
            lab.has_routes('client1', 3, 1)
            lab.has_routes('oss0', 3, 1)
            lab.measure('client', 'oss')

    def test_a_group_of_servers_goes_on_without_one_of_its_routers(self):
        with self.up('two-ssu-fgr') as lab:
            lab.measure('client', 'all', '--write')
            lab.do('kill', 'router[1-2]')  # both routers of the even group: messages go by the second choice
            lab.has_routes('client1', 6, 6)
            lab.has_routes('oss0', 2, 2)
            for server in ('oss0', 'oss1', 'mgs'):
                lab.reaches('client1', lab.nid(server))

    def test_the_middle_of_a_chain_is_lost_and_comes_back(self):
        with self.up('three-hop-chain') as lab:
            lab.measure('client', 'server')
            lab.do('kill', 'second')
            lab.loses('client', lab.nid('server'))
            lab.do('restart', 'second')
            lab.reaches('client', lab.nid('server'))

    def test_a_client_goes_on_with_one_of_two_rails(self):
        with self.up('dual-rail') as lab:
            # Not from client1: when a console's messages to itself went out by the rail that is cut, they continue to do so, because its own
            # NIDs are peers without multi-rail (docs/spec/multirail.md 3.4).
            lab.measure('client2', 'server')
            lab.reaches('client1', lab.nid('server1'))
            lab.do('link down', 'client1:0')
            lab.ni('client1', 0, 'down')
            lab.reaches('client1', lab.nid('server1'))
            lab.measure('client1', 'server')
            lab.do('link up', 'client1:0')
            lab.ni('client1', 0, 'up')

    def test_sixteen_clients_and_one_that_is_paused(self):
        with self.up('sixteen-clients') as lab:
            lab.measure('client', 'server', '--read')
            lab.do('pause', 'client3')
            self.assertEqual(lab.node('client3')['state'], 'paused')
            lab.do('resume', 'client3')
            lab.reaches('server', lab.nid('client3'))
            self.assertEqual({node['state'] for node in lab.status()['nodes']}, {'running'})


class Loopback(Topologies, LabTest):
    def test_a_rule_of_the_administrator_outlives_those_of_the_laboratory(self):
        with Lab(self, self.topology('pair', PAIR)) as lab:
            rule = ('ulnetctl', 'fault', 'drop')
            self.assertEqual(lab.inside('client', *rule, 'add', '-s', '*', '-d', '*', '-r', '1000000')[0], 0)

            def shown():
                """The definition of the rules, without their counters: these may also count a ping of the node's recovery."""
                lines = lab.inside('client', *rule, 'show')[1].splitlines()
                return [line for line in lines if not re.match(r' *[df]s_\w+: \d+$', line)]
            before = shown()
            self.assertEqual(' '.join(before).count('seed:'), 1, before)
            lab.do('link down', 'client')
            self.assertEqual(' '.join(shown()).count('seed:'), 3)
            lab.do('link up', 'client')
            self.assertEqual(shown(), before)

    def test_a_node_that_comes_back_has_the_rules_of_a_cut_rail(self):
        with Lab(self, self.topology('pair', PAIR)) as lab:
            lab.do('link down', 'client')
            lab.do('restart', 'all')
            self.assertFalse(lab.pings('server', lab.nid('client')))
            lab.ni('client', 0, 'down')
            lab.do('kill', 'client')
            lab.do('link up', 'client')
            lab.do('restart', 'client')
            lab.reaches('server', lab.nid('client'))

    def test_loopback_limitations_are_reported(self):
        text = ('switches: [a, b]\nswitch links: [{between: [a, b]}]\nnets: {tcp: {rate: 1mbit, delay: 2ms, loss: 1%}}\n'
                'nodes:\n    one: {nets: {net: tcp, switch: a}}\n    two: {nets: {net: tcp, switch: b}}\n')
        lab = Lab(self, self.topology('shaped', text))
        code, _, err = self.run_lab('up', lab.file, '--name', lab.name)
        self.assertEqual(code, 0, err)
        for word in ('rates are not kept', 'delays of less than', 'LNet\'s fault rules lose messages', 'there are no switches'):
            self.assertIn(word, err)
        rules = lab.inside('one', 'ulnetctl', 'fault', 'drop', 'show')[1]
        self.assertEqual(rules.count('da_rate: 100\n'), 2, rules)
        for words in (('link', 'down', '--lab', lab.name, 'a-b'), ('link', 'rate', '--lab', lab.name, 'one', '2mbit')):
            self.assertIn('--netns', self.refused(*words))
        self.done('down', lab.name)

    def test_commands_at_a_node(self):
        with Lab(self, self.topology('pair', PAIR)) as lab:
            self.assertEqual(lab.inside('client', 'sh', '-c', 'exit 7')[0], 7)
            self.assertEqual(lab.inside('client', 'no-such-program')[0], 127)
            out = lab.inside('server', 'sh', '-c', 'echo $ULNET_LAB $ULNET_LAB_NODE; ulnetctl list_nids')[1]
            self.assertEqual(out.split()[:2], [lab.name, 'server'])
            self.assertIn(lab.nid('server'), out)
            wait_until(lambda: 'ready' in lab.do('logs', 'client'), 'the node says that it is ready')  # the control API answers earlier
            self.assertEqual(len(lab.do('logs', 'client', '-n', '1').splitlines()), 1)
            shell = self.run_lab('shell', '--lab', lab.name, 'client')
            self.assertEqual(shell[0], 0, shell)
            self.assertRegex(lab.do('status'), r'client +\d+ +running .* up +1000')
            self.assertIn(lab.name, self.done('list'))
            watch = self.start_lab('status', lab.name, '--watch', '--json')
            self.assertEqual(json.loads(watch.stdout.readline())['name'], lab.name)
            watch.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(), 0)
            watch.communicate()


    def test_the_shell_completes_commands_options_and_names(self):
        script = ROOT / 'packaging' / 'completion' / 'ulnet-lab.bash'

        def completed(*words):
            line = ' '.join(f"'{word}'" for word in ('ulnet-lab', *words))
            text = f'. {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ulnet_lab; printf "%s\\n" "${{COMPREPLY[@]}}"'
            path = f'{pathlib.Path(LAB).parent}:{os.environ["PATH"]}'
            done = subprocess.run(['bash', '-c', text], env={**self.environment, 'PATH': path}, cwd=self.folder.path,
                                  capture_output=True, text=True, check=True)
            return done.stdout.split()
        with Lab(self, self.topology('pair', PAIR)) as lab:
            self.assertEqual(completed('re'), ['resume', 'restart'])
            self.assertEqual(completed('link', ''), ['down', 'up', 'rate'])
            self.assertEqual(completed('up', '--ne'), ['--netns'])
            self.assertEqual(completed('up', 'two-n'), ['two-nodes'])
            self.assertIn(lab.name, completed('down', self.mark))
            self.assertIn(lab.name, completed('kill', '--lab', self.mark))
            self.assertEqual(completed('kill', '--lab', lab.name, 's'), ['server'])
            self.assertIn('true', completed('exec', 'client', '--', 'tru'))


class Namespaces(Topologies, LabTest):
    OPTIONS = ('--netns',)

    def setUp(self):
        if why := why_no_spaces():
            self.skipTest(why)
        super().setUp()

    def test_rates_are_kept_and_changed(self):
        with Lab(self, self.topology('pair', 'nets: {tcp: {rate: 80mbit}}\n' + PAIR), '--netns') as lab:
            def bytes_per_s():
                test = json.loads(lab.measure('client', 'server', '--write', '--sizes', '64k', '--json', at_once=8))['tests'][0]
                return test['bytes_per_s']
            self.assertLess(bytes_per_s(), 12e6)
            lab.do('link rate', 'client', 'none')
            lab.do('link rate', 'server', 'none')
            wait_until(lambda: bytes_per_s() > 12e6, 'more than the wire let through')  # a busy machine sends less in 0.3 s

    def test_a_link_of_switches_is_cut(self):
        with self.up('two-ssu-fgr') as lab:
            lab.reaches('mds', lab.nid('mgs'))
            lab.do('link down', 'even-odd')
            lab.loses('mds', lab.nid('mgs'))
            lab.do('link up', 'odd-even')
            lab.reaches('mds', lab.nid('mgs'))

    def test_rail_traffic_is_captured(self):
        if not any(map(shutil.which, ('tcpdump', 'dumpcap'))):
            self.skipTest('neither tcpdump nor dumpcap is installed')
        with Lab(self, self.topology('pair', PAIR), '--netns') as lab:
            file = self.folder.path / 'rail.pcap'
            capture = self.start_lab('capture', '--lab', lab.name, 'client', file)

            def captured():
                lab.pings('server', lab.nid('client'))
                return file.exists() and file.stat().st_size > 200
            wait_until(captured, 'packets are in the file')
            capture.send_signal(signal.SIGINT)
            capture.communicate()
            self.assertIn(file.read_bytes()[:4], (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1'))


class Left(LabTest):
    """A laboratory leaves nothing behind, however it ends."""

    def setUp(self):
        super().setUp()
        self.modes = [()] if why_no_spaces() else [(), ('--netns',)]
        self.file = self.topology('many', MANY)
        self.before = self.traces()
        self.assertEqual(self.before['processes'], [])

    def nothing_left(self):
        wait_until(lambda: self.traces() == self.before, f'as before ({self.before}), not {self.traces()}')

    def when_there_are(self, name, what, count):
        """Waits until the journal has `count` entries with this text, while `up` continues."""
        journal = self.labs / name / 'journal'
        wait_until(lambda: journal.exists() and journal.read_text().count(what) >= count, f'{count} times {what!r}')

    def while_it_starts(self, name, mode, what, count, strike):
        """Starts a laboratory, and calls strike(up) when the journal has `count` entries with this text. Returns the exit code of `up` and its
        errors. `up` continues while this process waits for a processor: when everything was up before the strike, the test starts again."""
        for _ in range(MOST_ATTEMPTS):
            up = self.start_lab('up', self.file, '--name', name, *mode)
            self.when_there_are(name, what, count)
            strike(up)
            _, err = up.communicate()
            if self.run_lab('status', name)[0] != 0:
                return up.returncode, err
            self.done('down', name)
        raise AssertionError(f'up ended before the strike, {MOST_ATTEMPTS} times')

    def test_after_down(self):
        for mode in self.modes:
            with self.subTest(mode=mode):
                with Lab(self, self.file, *mode) as lab:
                    there = self.traces()
                    self.assertEqual(len(there['processes']), 32)
                    self.assertEqual(len(there['spaces']), 33 if mode else 0)
                    self.assertEqual(len([*(self.labs / lab.name).glob('*.sock')]), 32)
                    # The list of sockets outside does not show those of a namespace. The kernel's list is read in pieces, while other sockets
                    # come and go.
                    wait_until(lambda mode=mode: len(self.traces()['sockets']) >= (0 if mode else 32), 'all sockets are there')
                    lab.do('pause', 'client1')
                    lab.do('kill', 'client2')
                self.nothing_left()

    def test_after_ctrl_c_twice_in_the_middle_of_up(self):
        def strike(up):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                up.send_signal(number)
        for mode in self.modes:
            for what, count in (('process ', 5), ('process ', 32), ('space ', 33))[:3 if mode else 2]:
                with self.subTest(mode=mode, what=what, count=count):
                    code, err = self.while_it_starts(self.name('stopped'), mode, what, count, strike)
                    self.assertIn(code, (128 + signal.SIGINT, 128 + signal.SIGTERM), err)
                    self.assertIn('Taken down again', err)
                    self.nothing_left()

    def test_after_it_was_killed_in_the_middle_of_up_and_clean(self):
        for mode in self.modes:
            for what, count in (('process ', 1), ('process ', 20), ('space ', 33))[:3 if mode else 2]:
                with self.subTest(mode=mode, what=what, count=count):
                    name = self.name('killed')
                    self.assertEqual(self.while_it_starts(name, mode, what, count, subprocess.Popen.kill)[0], -signal.SIGKILL)
                    self.assertIn('clean', self.refused('status', name))
                    self.assertIn('clean', self.refused('up', self.file, '--name', name, *mode))
                    self.assertRegex(self.done('clean'), f'laboratory {name}: took away')
                    self.nothing_left()

    def test_clean_finds_what_no_file_names(self):
        for mode in self.modes:
            with self.subTest(mode=mode):
                name = self.name('lost')
                self.done('up', self.topology('pair', PAIR), '--name', name, *mode)
                shutil.rmtree(self.labs / name)
                self.assertIn('clean', self.refused('up', self.topology('pair', PAIR), '--name', name, *mode))
                self.assertRegex(self.done('clean', name), '2 processes' + (' and 3 namespaces' if mode else ''))
                self.nothing_left()
                self.assertIn('nothing to clean', self.done('clean', name))

    def test_clean_leaves_alone_what_runs(self):
        with Lab(self, self.topology('pair', PAIR)) as lab:
            self.assertNotIn(lab.name, self.done('clean'))
            self.assertEqual(lab.node('server')['state'], 'running')
            for node in ('client', 'server'):  # as after a power failure: the folder is there, the processes are gone
                lab.do('kill', node)
            self.assertIn('clean', self.refused('up', lab.file, '--name', lab.name))
            self.assertIn(f'laboratory {lab.name}: took away its folder', self.done('clean'))
            self.done('up', lab.file, '--name', lab.name)
        self.nothing_left()


class Beside(LabTest):
    def test_two_laboratories_of_the_same_topology(self):
        file = self.example('client-router-server')
        with Lab(self, file, what='first') as first, Lab(self, file, what='second') as second:
            self.assertNotEqual(first.nid('server'), second.nid('server'))
            for lab in (first, second):
                lab.measure('client', 'server')
            first.do('kill', 'router')
            first.has_routes('client1', 0, 1)
            second.reaches('client1', second.nid('server'))
            self.assertIn('several laboratories', self.refused('status'))

    def test_two_that_start_at_the_same_time(self):
        file = self.topology('pair', PAIR)
        names = [self.name(f'twin{i}') for i in range(4)]
        starts = [self.start_lab('up', file, '--name', name) for name in names]
        for start in starts:
            _, err = start.communicate()
            self.assertEqual(start.returncode, 0, err)
        labs = [Lab(self, file, what=f'twin{i}') for i in range(4)]
        self.assertEqual(len({lab.nid('client') for lab in labs}), 4)
        for lab in labs:
            lab.reaches('client', lab.nid('server'))
            self.done('down', lab.name)

    def test_a_command_waits_for_another_and_says_for_whom(self):
        with Lab(self, self.topology('pair', PAIR)) as lab:
            with open(self.labs / f'.{lab.name}.lock', 'w') as lock:
                fcntl.lockf(lock, fcntl.LOCK_EX)
                lock.write(f'{os.getpid()}\n')
                lock.flush()
                kill = self.start_lab('kill', '--lab', lab.name, 'client')
                self.assertIn(f'being changed by process {os.getpid()}', kill.stderr.readline())
                self.assertEqual(lab.node('client')['state'], 'running')
                fcntl.lockf(lock, fcntl.LOCK_UN)
            _, err = kill.communicate()
            self.assertEqual(kill.returncode, 0, err)
            self.assertEqual(lab.node('client')['state'], 'dead')

    def test_thirty_two_nodes_are_small(self):
        file = self.topology('many', MANY)
        for mode in [()] if why_no_spaces() else [(), ('--netns',)]:
            with Lab(self, file, *mode) as lab:
                nodes = lab.status()['nodes']
                pss = [self.pss(node['pid']) for node in nodes]
                most = max(node['memory_bytes'] for node in nodes)
                print(f'32 nodes {mode}: of a node at most {most >> 10} KiB anonymous, {max(pss) >> 10} KiB PSS')
                lab.has_routes('client1', 2, 0)
                if not SANITIZED:
                    self.assertLessEqual(max(most, *pss), MOST_MEMORY)

    @staticmethod
    def pss(pid):
        text = pathlib.Path(f'/proc/{pid}/smaps_rollup').read_text()
        return int(text.partition('Pss:')[2].split()[0]) << 10


class Refused(LabTest):
    def test_files_with_mistakes(self):
        for text, said in (('nodes:\n    a: {nets: tcp, routng: yes}\n', ':2:'), ('nodes: 7\n', ':1:'), ('', 'bad.yaml')):
            self.assertIn(said, self.refused('up', self.topology('bad', text), code=3))
        self.assertIn('No such file', self.refused('up', self.folder.path / 'none.yaml', code=3))
        self.assertEqual(self.folders(), [])

    def test_a_file_may_be_a_pipe(self):
        name = self.name('piped')
        started = self.start_lab('up', '/dev/stdin', '--name', name, stdin=subprocess.PIPE)
        said = started.communicate('nodes: {only: tcp}\n', timeout=DEADLINE_S)
        self.assertEqual(started.returncode, 0, said)
        self.assertEqual([node['node'] for node in json.loads(self.done('status', name, '--json'))['nodes']], ['only'])
        self.done('down', name)

    def test_names(self):
        file = self.topology('pair', PAIR)
        for name in ('.x', '-x', 'a/b', '../x', 'a b', 'x' * 65, '\u00e4'):
            self.assertIn('a laboratory\'s name has', self.refused('up', file, f'--name={name}'))
            self.assertIn('a laboratory\'s name has', self.refused('clean', '--', name))
        for words in (('down', self.name('none')), ('status', self.name('none')), ('kill', '--lab', self.name('none'), 'a')):
            self.assertIn('there is no laboratory', self.refused(*words))
        for words in ((), ('up',), ('link',), ('link', 'down'), ('exec', 'a'), ('nonsense',), ('clean', 'a', '--all')):
            self.refused(*words, code=2)

    def test_nodes_and_rails_that_are_not_there(self):
        with Lab(self, self.topology('pair', 'nodes:\n    client: [tcp, tcp]\n    server: tcp\n')) as lab:
            for words, said in ((('kill', 'clent'), 'client'), (('link', 'down', 'server:1'), 'server:0'), (('link', 'down', 'client'), 'client:0'),
                                (('exec', 'all', '--', 'true'), 'several'), (('capture', 'x', 'file'), 'no rail'),
                                (('link', 'rate', 'client:0', 'fast'), 'rate'), (('logs', 'x'), 'no node')):
                at = 2 if words[0] == 'link' else 1
                self.assertIn(said, self.refused(*words[:at], '--lab', lab.name, *words[at:]))
            self.assertIn('no node', self.refused('measure', '--lab', lab.name, '--from', 'x', '--to', 'server', code=255))
            # An error in the second word prevents the action on the first.
            self.refused('link', 'down', '--lab', lab.name, 'client:0', 'client:7')
            self.refused('kill', '--lab', lab.name, 'server', 'x')
            self.assertEqual(lab.status()['down'], [])
            self.assertEqual(lab.node('server')['state'], 'running')
            lab.do('kill', 'server')
            self.assertIn('dead', self.refused('kill', '--lab', lab.name, 'server'))
            self.assertIn('restart', self.refused('measure', '--lab', lab.name, '--from', 'server', '--to', 'client', code=255))
            self.assertIn('there is a laboratory', self.refused('up', lab.file, '--name', lab.name))

    def test_more_nodes_than_memory(self):
        available = int(pathlib.Path('/proc/meminfo').read_text().partition('MemAvailable:')[2].split()[0]) >> 10
        if available >= 24 * 4096:
            self.skipTest('this machine has memory for more nodes than a topology may have')
        err = self.refused('up', self.topology('huge', 'nodes:\n    n[1-4096]: tcp\n'), '--name', self.name('huge'))
        self.assertRegex(err, r'4096 nodes need 98304 MiB of memory \(24 MiB each\), and \d+ MiB are available')
        self.assertEqual(self.folders(), [])

    def test_a_node_that_dies_at_its_start(self):
        port, name = free_port(), self.name('dies')
        text = 'nodes:\n    one: {nets: {net: tcp, address: 127.0.98.1}}\n    two: {nets: {net: tcp, address: 127.0.98.2}}\n'
        words = ('up', self.topology('dies', text), '--name', name, '--port', port)
        with socket.socket() as listener:
            listener.bind(('127.0.98.2', port))
            listener.listen()
            err = self.refused(*words)
            self.assertIn('node two died at its start (exit code 1)', err)
            self.assertIn(f'port {port} is taken by process {os.getpid()}', err)
            self.assertEqual((self.folders(), daemons(name)), ([], []))
            self.assertIn('The rest is kept', self.refused(*words, '--keep'))
        lab = Lab(self, words[1], what='dies')
        self.assertEqual([node['state'] for node in lab.status()['nodes']], ['running', 'dead'])
        lab.do('restart', 'two')
        lab.reaches('one', lab.nid('two'))
        self.done('down', name)

    def test_an_ordinary_user(self):
        if os.geteuid() != 0:
            self.skipTest('only root can become another user')
        own = self.folder.path / 'own'
        own.mkdir(mode=0o700)
        os.chown(own, NOBODY, NOBODY)
        for program in ('ulnet-lab', 'ulnetd'):  # where the user nobody can run them
            shutil.copy(pathlib.Path(LAB).with_name(program), self.folder.path)
        self.environment['XDG_RUNTIME_DIR'] = str(own)
        lab_rig.LAB, before = str(self.folder.path / 'ulnet-lab'), lab_rig.LAB
        self.addCleanup(setattr, lab_rig, 'LAB', before)
        nobody = {'user': NOBODY, 'group': NOBODY, 'extra_groups': [], 'cwd': '/'}
        file = self.topology('pair', PAIR)
        self.assertIn('sudo', self.refused('up', file, '--netns', **nobody))
        self.done('up', file, **nobody)
        self.assertEqual((own / 'ulnet-lab' / 'pair').stat().st_mode & 0o777, 0o700)
        self.assertIn('sudo tcpdump -i lo', self.refused('capture', 'client', 'file', **nobody))
        self.done('down', **nobody)
        self.assertFalse((own / 'ulnet-lab').exists())
        # A link that somebody else put in place of the folder.
        (own / 'ulnet-lab').symlink_to(self.folder.path)
        self.assertIn('is not a folder', self.refused('up', file, **nobody))
        (own / 'ulnet-lab').unlink()
        (own / 'ulnet-lab').mkdir()
        self.assertIn('not this user\'s alone', self.refused('up', file, **nobody))
