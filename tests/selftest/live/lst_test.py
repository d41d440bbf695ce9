"""Tests ulst from outside: commands, consoles in daemons and in the command itself, nodes on loopback."""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import unittest

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import Daemon, Folder, address, free_port, wait_until
from tests.rigs.programs import program

ULST = program('ulst')


class Lst(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.port = free_port()
        self.daemons = []

    def start(self, last, *arguments, **popen):
        made = Daemon(self.folder, '--accept-port', self.port, '--set', 'accept=trust', '--if', address(last), *arguments,
                      name=f'n{last}', **popen)
        self.addCleanup(made.stop)
        self.daemons.append(made)
        return made

    def node(self, last, *arguments):
        return self.start(last, *arguments).ready()

    @staticmethod
    def environment(console, key='4711'):
        return {**os.environ, 'LST_SESSION': key, 'ULNET_CONTROL': str(console.socket) if console else '/none'}

    def lst(self, console, line, key='4711', code=0, stdin=None):
        """Runs one command and returns its standard output and standard error in one text."""
        done = subprocess.run([ULST, *line.split()], env=self.environment(console, key), input=stdin or '', stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=daemon_rig.DEADLINE_S, check=False)
        self.assertEqual(done.returncode, code, f'{line}\n{done.stdout}')
        return done.stdout

    def counters(self, console, *nodes):
        """The counters of the nodes with these addresses."""
        status, answer = console.ask('POST', '/v1/lst/stat', {'key': 4711, 'nodes': [self.nid(last) for last in nodes]})
        assert status == 200, answer
        return [node['counters'] for node in answer['nodes']]

    @staticmethod
    def nid(last):
        return f'{address(last)}@tcp'


class Session(Lst):
    def test_a_script_from_beginning_to_end(self):  # spec/cli-lst.md 3.9, 8
        console = self.node(1)  # its selftest starts with the first request to its console
        self.node(2, '--selftest')

        def lst(line, **more):
            return self.lst(console, line, **more)
        self.assertEqual(lst('new_session --timeout 60 rw'), 'SESSION: rw FEATURES: 1 TIMEOUT: 60 FORCE: No\n')
        lst(f'add_group c {self.nid(1)}')
        lst(f'add_group s {self.nid(2)}')
        for test in ('brw write size=64K check=full', 'brw read size=1M check=simple', 'ping'):
            lst(f'add_test --concurrency 4 --from c --to s {test}')
        lst('add_batch few')
        lst('add_test --batch few --loop 50 --concurrency 2 --from c --to s brw read size=8 check=full')
        self.assertEqual(lst('run'), 'batch is running now\n')
        self.assertEqual(lst('query'), 'batch [0] is running\n')

        def both_ways():
            said = lst('stat --count 1 --delay 1 --bw c')
            return re.search(r'\[LNet Bandwidth of c\]\n\[R\] Avg: [1-9]', said) and re.search(r'\[W\] Avg: [1-9]', said)
        wait_until(both_ways, 'in one second data move both ways')
        lst('run few')
        wait_until(lambda: lst('query few') == 'few [0] is stopped\n', 'fifty reads are over')
        self.assertEqual(lst('show_error c s'), 'c:\nTotal 0 error nodes in c\ns:\nTotal 0 error nodes in s\n')
        self.assertTrue(lst('stop').endswith('Batch is stopped\n'))
        self.assertEqual(lst('query'), 'batch [0] is stopped\n')
        self.assertIn('NODES: 2', lst('show_session'))
        self.assertEqual(lst('list_group', key='1', code=255), 'Unmatched session key or not root\n')
        self.assertEqual(lst('end_session'), 'session is ended\n')
        self.assertEqual(lst('list_group', code=255), 'No session exists\n')
        self.assertEqual(console.end(), 0)

    def test_two_consoles_want_one_node(self):
        first, second = self.node(1), self.node(2)
        node = self.nid(self.node(3, '--selftest') and 3)
        self.lst(first, 'new_session first')
        self.lst(first, f'add_group g {node}')
        self.lst(second, 'new_session second')
        self.assertIn('Device or resource busy', self.lst(second, f'add_group g {node}'))
        self.assertIn('Busy', self.lst(second, 'list_group --all g'))
        self.assertIn('FORCE: Yes', self.lst(second, 'new_session --force second'))
        self.lst(second, f'add_group g {node}')
        self.assertIn(': Active [session: second', self.lst(second, 'ping --group g --timeout 20'))
        self.assertIn(': Busy [session: second', self.lst(first, 'ping --group g --timeout 20'))

    def test_missing_things_are_reported(self):
        self.assertIn('/none', self.lst(None, 'show_session', code=255))
        console = self.node(1)
        self.assertEqual(self.lst(console, 'show_session', key='0', code=255),
                         "Can't find env LST_SESSION or value is not valid\n")
        self.assertEqual(self.lst(console, 'show_session', code=255), 'No session exists\n')
        status, answer = console.ask('POST', '/v1/lst/frob', {'key': 1})
        self.assertEqual((status, answer['errno']), (501, -38))
        self.assertEqual(console.ask('POST', '/v1/lst/add_batch', {'key': 1, 'nme': 'b'})[0], 400)
        self.lst(console, 'new_session x')
        self.assertIn('Invalid nid: frob', self.lst(console, 'add_group g frob', code=255))
        console.ask('POST', '/v1/lnet', {'op': 'unconfigure'})
        self.assertEqual(self.lst(console, 'show_session', code=255), 'Unspecific failure\n')
        self.assertEqual(console.ask('POST', '/v1/lnet', {'op': 'configure'}), (200, {}))
        self.assertEqual(self.lst(console, 'show_session', code=255), 'No session exists\n')
        self.assertEqual(console.end(), 0)


class Run(Lst):
    def setUp(self):
        super().setUp()
        self.console = self.node(1)
        self.server = self.node(2, '--selftest')

    def line(self, *options):
        return ['run', '--from', self.nid(1), '--to', self.nid(2), *options]

    def begin(self, *options, **more):
        """Starts a run and waits until its data move."""
        before = self.moved()
        started = subprocess.Popen([ULST, *self.line(*options)], stdin=subprocess.DEVNULL, text=True,
                                   env=self.environment(self.console, key=''), **more)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        wait_until(lambda: self.moved() > before + (1 << 20), 'data move')
        return started

    def moved(self):
        """Bytes that the server has sent."""
        return self.server.get('/v1/stats')['statistics']['send_length']

    def expect_nobody_left(self):
        """Checks that no session exists, neither at this console nor at the other node."""
        self.assertEqual(self.lst(self.console, 'show_session', code=255), 'No session exists\n')
        other = self.node(3)
        self.lst(other, 'new_session other')
        self.lst(other, f'add_group g {self.nid(1)},{self.nid(2)}')
        self.assertNotIn('Busy', self.lst(other, 'list_group --all g'))

    def test_results_for_programs(self):
        said = json.loads(self.lst(self.console, ' '.join(
            self.line('--ping', '--read', '--write', '--sizes', '4k,1m', '--check', 'full', '--time', '500ms', '--json'))))
        self.assertTrue(said['ok'], said)
        self.assertEqual([(test['test'], test['size']) for test in said['tests']],
                         [('ping', 0), ('read', 4096), ('read', 1 << 20), ('write', 4096), ('write', 1 << 20)])
        for test in said['tests']:
            self.assertGreater(test['rpcs'], 0)
            self.assertEqual((test['errors'], test['wrong_data']), (0, 0))
            self.assertAlmostEqual(test['bytes_per_s'], test['rpcs_per_s'] * test['size'], delta=0.01 * (1 + test['bytes_per_s']))
            latency = test['latency_us']
            self.assertLessEqual(latency['p50'], latency['p99'])
            self.assertLessEqual(latency['p99'], latency['p99.9'])
        self.expect_nobody_left()

    def test_a_remote_client_reports_its_latencies(self):
        said = json.loads(self.lst(self.console, f'run --from {self.nid(2)} --to {self.nid(1)} --ping --time 500ms --json'))
        latency = said['tests'][0]['clients'][0]['latency_us']
        self.assertGreater(latency['p50'], 0)
        self.assertIsNone(latency['no_percentiles'])
        self.assertEqual(latency['p99'], said['tests'][0]['latency_us']['p99'])

    def test_lines_without_a_terminal_and_both_ends_on_the_console(self):
        said = self.lst(self.console, f'run --from {self.nid(1)} --to {self.nid(1)} --time 500ms --interval 100ms')
        # After a stall the line reports the stall too.
        self.assertRegex(said, r'^read 1M  [\d.]+ of 0\.5 s  \d+ RPC/s  [\d.]+ MiB/s  0 errors(  \S+ (average over|silent for) [\d.]+ s)?\n')
        self.assertRegex(said, rf'\n +{self.nid(1)} +client +[1-9]')
        self.assertRegex(said, rf'\n +{self.nid(1)} +server +[1-9]')

    def test_a_table_in_its_place_on_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        started = self.begin('--time', '600ms', '--interval', '100ms', stdout=theirs)
        os.close(theirs)
        shown = b''
        try:
            while True:
                shown += os.read(ours, 65536)
        except OSError:  # the other end of the terminal was closed
            pass
        self.assertEqual(started.wait(daemon_rig.DEADLINE_S), 0)
        self.assertIn(b'\x1b[4A', shown, 'back over a head, a title and two nodes')
        self.assertIn(b'TEST', shown[shown.rindex(b'\x1b'):], 'the summary comes last')

    def test_ctrl_c_ends_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            started = self.begin('--time', '1h', stdout=subprocess.PIPE)
            started.send_signal(number)
            said = started.communicate(timeout=daemon_rig.DEADLINE_S)[0]
            self.assertEqual(started.returncode, 130)
            self.assertIn('Interrupted', said)
        self.expect_nobody_left()

    def test_the_second_ctrl_c_ends_it_at_once(self):
        started = self.begin('--time', '1h', '--timeout', '60', stdout=subprocess.DEVNULL)
        self.server.pause()  # so that ending the run would take a while

        def over():
            started.send_signal(signal.SIGINT)
            return started.poll()
        self.assertEqual(wait_until(over, 'the run ends'), -signal.SIGINT)

    def test_a_node_that_dies_is_reported(self):
        started = self.begin('--time', '1h', '--timeout', '8', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.server.stop()
        said = started.communicate(timeout=daemon_rig.DEADLINE_S)[1]
        self.assertEqual(started.returncode, 1, said)
        self.assertIn(f'{self.nid(2)}: lost', said)
        self.assertEqual(self.lst(self.console, 'show_session', code=255), 'No session exists\n')

    def test_an_unreachable_node_is_reported_when_all_rpcs_have_failed_before(self):
        started = self.begin('--time', '1h', '--timeout', '8', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # The client's messages to the server fail at once, so all RPCs have failed before the console counts the server as lost.
        rule = {'rule_type': 'drop', 'fa_src': '*', 'fa_dst': self.nid(2), 'da_rate': 1, 'da_health_error_mask': 4}
        self.assertEqual(self.console.ask('POST', '/v1/fault', rule)[0], 200)
        said = started.communicate(timeout=daemon_rig.DEADLINE_S)[1]
        self.assertEqual(started.returncode, 1, said)
        self.assertIn(f'{self.nid(2)}: lost', said)
        self.assertRegex(said, r'RPCs? failed')

    def test_a_console_that_dies_is_reported(self):
        started = self.begin('--time', '1h', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.console.stop()
        said = started.communicate(timeout=daemon_rig.DEADLINE_S)[1]
        self.assertEqual(started.returncode, 255, said)
        self.assertNotEqual(said, '')


class Waiting(Lst):
    def test_a_terminal_shows_what_is_waited_for(self):
        console, silent = self.node(1), self.node(2, '--selftest')
        self.lst(console, 'new_session patient')
        silent.pause()
        mine, its = pty.openpty()
        # The time-out is long: the command itself may stall and still has something to report.
        with subprocess.Popen([ULST, 'ping', '--nodes', self.nid(2), '--timeout', '60'], env=self.environment(console),
                              stdout=subprocess.PIPE, stderr=its, text=True) as command:
            os.close(its)
            with os.fdopen(mine, errors='replace') as terminal:
                self.assertEqual(terminal.readline().strip(),
                                 'ulst: waiting for nodes that have not answered, 60 s at most for each')
            silent.signal(signal.SIGCONT)
            self.assertIn('Unknown', command.stdout.read())
        silent.pause()
        # A command without a terminal does not print the progress.
        said = self.lst(console, f'ping --nodes {self.nid(2)} --timeout 3')
        self.assertIn('Down', said)
        self.assertNotIn('waiting', said)


class Parameters(Lst):
    def test_given_at_the_start_and_later(self):
        console = self.node(1)
        client = self.node(2, '--selftest', '--set', 'brw_srv_workitems=2', '--set', 'session_timeout=77')
        self.node(3, '--selftest', '--set', 'brw_srv_workitems=2', '--set', 'ping_srv_workitems=1', '--set', 'rpc_timeout=9')
        self.assertEqual(client.get('/v1/param')['param']['session_timeout']['value'], '77')
        self.assertEqual(client.get('/v1/param')['param']['rpc_timeout']['value'], '64')
        self.assertEqual(client.ctl('param', 'set', 'brw_inject_errors=3')[0], 0)
        self.lst(console, 'new_session wrong')
        for name, last in (('c', 2), ('s', 3)):
            self.lst(console, f'add_group {name} {self.nid(last)}')
        for test in ('brw write check=simple', 'ping'):
            self.lst(console, f'add_test --loop 20 --concurrency 8 --from c --to s {test}')
        self.lst(console, 'run')
        wait_until(lambda: 'is stopped' in self.lst(console, 'query'), 'the test is over')
        self.assertIn('[Session 3 brw errors, 0 ping errors]', self.lst(console, 'show_error --session c'))
        status, answer = console.ask('POST', '/v1/lst/ping', {'key': 4711, 'nodes': [self.nid(2)]})
        self.assertEqual(status, 200, answer)

    def test_refused(self):
        for wrong in ('rpc_timeout=soon', 'session_timeout=-1', 'brw_srv_workitems=0', 'ping_srv_workitems=99999999',
                      'brw_inject_errors=x'):
            name, value = wrong.split('=')
            code, _, said = daemon_rig.run('--check', '--set', wrong)
            self.assertNotEqual(code, 0)
            self.assertIn(f"{name}: '{value}' is not", said)
            said = self.lst(None, f'--standalone --nets tcp({address(1)}) --set {wrong}', code=255)
            self.assertIn(f"{name}: '{value}' is not", said)


class Loss(Lst):
    def test_nodes_of_a_console_that_is_killed_clean_up(self):  # spec/cli-lst.md 4
        first, second = self.node(1), self.node(2)
        nodes = (3, 4)
        daemons = [self.node(last, '--selftest') for last in nodes]
        both = f'{address(0)[:-1]}[3,4]@tcp'
        self.lst(first, 'new_session first')
        self.lst(first, f'add_group g {both}')
        self.lst(first, 'add_test --concurrency 4 --from g --to g brw write size=64K check=full')
        self.lst(second, 'new_session second')
        self.lst(first, 'run')
        self.assertIn('Busy', self.lst(second, f'ping --nodes {both} --timeout 20'))
        # The timeout counts from the next request. If it were short from the beginning, a stall would end the session too early.
        for daemon in daemons:
            self.assertEqual(daemon.ctl('param', 'set', 'session_timeout=4')[0], 0)
        self.lst(first, f'ping --nodes {both}')
        first.stop()

        def silent():
            """Whether the tests seem to have ended. It reads the daemons' LNet counters, because a selftest request would keep the session
            alive."""
            before = seen[0]
            seen[0] = [daemon.get('/v1/stats') for daemon in daemons]
            seen[1] = seen[1] + 1 if seen[0] == before else 0
            return seen[1] == 10

        def taken():
            seen[:] = [None, 0]
            wait_until(silent, 'the nodes let their session go')
            self.lst(second, f'add_group g {both}')
            return self.lst(second, 'list_group --active g').count('Active') == len(nodes)
        seen = []
        wait_until(taken, 'the nodes are free')
        for counted in self.counters(second, *nodes):
            self.assertEqual(counted['active_batches'], 0)
        self.assertEqual(self.lst(second, 'end_session'), 'session is ended\n')

    def test_a_node_that_is_lost_is_reported_and_the_others_go_on(self):
        for how in (Daemon.stop, Daemon.pause):
            with self.subTest(how=how.__name__):
                console = self.node(1)
                self.node(2, '--selftest', '--set', 'rpc_timeout=8')
                self.node(3, '--selftest')
                lost = self.node(4, '--selftest')
                self.lst(console, 'new_session lossy')
                self.lst(console, f'add_group c {self.nid(2)}')
                self.lst(console, f'add_group s {self.nid(3)} {self.nid(4)}')
                self.lst(console, 'add_test --concurrency 2 --distribute 1:2 --from c --to s ping')
                self.lst(console, 'run')
                how(lost)
                counted = wait_until(lambda: next((all for all in self.counters(console, 2)
                                                   if all['ping_errors'] == 2), None), 'both units are reported')
                wait_until(lambda: self.counters(console, 2)[0]['rpc_sent'] > counted['rpc_sent'], 'the others go on')
                self.assertIn('[Session 0 brw errors, 2 ping errors]', self.lst(console, 'show_error --session c'))
                self.assertTrue(self.lst(console, 'stop').endswith('Batch is stopped\n'))
                self.assertIn('Down', self.lst(console, 'ping --group s --timeout 3'))
                for last in (1, 2, 3, 4):
                    self.daemons.pop().stop()


class Sixteen(Lst):
    LOOP, CONCURRENCY = 40, 2

    def test_in_one_session(self):
        nodes = range(1, 17)
        console = self.node(1)
        for last in nodes[1:]:
            self.start(last, '--selftest')
        for daemon in self.daemons:
            daemon.ready()
        net = address(0)[:-1]
        self.lst(console, 'new_session wide')
        self.lst(console, f'add_group c {net}[1-8]@tcp')
        self.lst(console, f'add_group s {net}[9-16]@tcp')
        tests = ('brw write size=64K check=full', 'brw read size=4K check=full', 'ping')
        for test in tests:
            said = self.lst(console, f'add_test --loop {self.LOOP} --concurrency {self.CONCURRENCY} --distribute 1:8 '
                                     f'--from c --to s {test}')
            self.assertEqual(said, 'Test was added successfully\n')
        self.lst(console, 'run')
        wait_until(lambda: self.lst(console, 'query') == 'batch [0] is stopped\n', 'every RPC is over')
        self.assertEqual(self.lst(console, 'show_error c s'),
                         'c:\nTotal 0 error nodes in c\ns:\nTotal 0 error nodes in s\n')
        counted = self.counters(console, *nodes)
        per_client = self.LOOP * self.CONCURRENCY * 8 * len(tests)
        for client in counted[1:8]:  # the first node also sends the console's requests
            self.assertEqual(client['rpc_sent'], per_client)
        self.assertGreater(counted[0]['rpc_sent'], per_client)
        for server in counted[8:]:
            self.assertGreaterEqual(server['rpc_received'], per_client)
            self.assertEqual(server['bulk_get_bytes'], self.LOOP * self.CONCURRENCY * 8 * 65536)
        said = self.lst(console, 'stat --count 1 --delay 1 --timeout 20 c s')
        self.assertIn('[LNet Rates of c]', said)
        self.assertIn('[LNet Bandwidth of s]', said)
        self.assertNotIn('Failed', said)
        self.assertEqual(self.lst(console, 'end_session'), 'session is ended\n')
        self.lst(console, 'new_session after')
        self.assertEqual(self.lst(console, f'ping --nodes {net}[1-16]@tcp --timeout 20').count('Unknown'), 16)


class Standalone(Lst):
    def setUp(self):
        super().setUp()
        self.arguments = f'--standalone --nets tcp({address(1)}) --set accept=trust --set accept_port={self.port}'

    def standalone(self, script, code=0):
        return self.lst(None, self.arguments, stdin=script, code=code)

    def prompt(self, script):
        """Starts a prompt, writes the script to it, and leaves it open."""
        made = subprocess.Popen([ULST, *self.arguments.split()], env=self.environment(None), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def remove():
            made.kill()
            made.communicate()
        self.addCleanup(remove)
        made.stdin.write(script)
        made.stdin.flush()
        return made

    def read_until(self, prompt, last):
        for line in prompt.stdout:
            if last in line:
                return
        self.fail(f'{last} was not printed')

    def test_interrupts_end_the_session_everywhere(self):
        self.node(2, '--selftest')
        other = self.node(3)
        for number in (signal.SIGINT, signal.SIGTERM):
            prompt = self.prompt(f'new_session alone\nadd_group s {self.nid(2)}\nadd_group c {self.nid(1)}\n'
                                 'add_test --from s --to c brw write check=full\nrun\n')
            self.read_until(prompt, 'batch is running now')
            prompt.send_signal(number)
            self.assertEqual(prompt.wait(daemon_rig.DEADLINE_S), 128 + number)
            self.lst(other, 'new_session other')
            self.lst(other, f'add_group g {self.nid(2)}')
            self.assertIn('Active', self.lst(other, 'list_group --all g'))
            self.lst(other, 'end_session')

    def test_an_interrupt_ends_what_waits_and_a_second_one_everything(self):
        silent = self.node(2, '--selftest')
        silent.pause()
        # The current command would wait 30 s. Twenty are enough for the interrupt.
        prompt = self.prompt(f'new_session alone\nadd_group s {self.nid(2)}\n')
        self.read_until(prompt, 'SESSION')
        prompt.send_signal(signal.SIGINT)
        self.assertEqual(prompt.wait(20), 128 + signal.SIGINT)
        silent.signal(signal.SIGCONT)
        # Ending the session takes as long as the node is silent, up to 5 s.
        prompt = self.prompt(f'new_session alone\nadd_group s {self.nid(2)}\nshow_session\n')
        self.read_until(prompt, 'NODES: 1')
        silent.pause()
        status = pathlib.Path(f'/proc/{prompt.pid}/status')

        def catches():
            line = next(row for row in status.read_text().splitlines() if row.startswith('SigCgt'))
            return int(line.split()[1], 16) & 1 << signal.SIGINT - 1
        self.assertTrue(catches())
        prompt.send_signal(signal.SIGINT)
        wait_until(lambda: not catches(), 'the first is taken')
        prompt.send_signal(signal.SIGINT)
        self.assertEqual(prompt.wait(daemon_rig.DEADLINE_S), -signal.SIGINT)

    def test_a_session_without_a_daemon(self):
        self.node(2, '--selftest')
        said = self.standalone(f'new_session alone\nadd_group s {self.nid(2)}\nadd_group c {self.nid(1)}\n'
                               'add_test --loop 100 --from c --to s brw write check=full\nrun\n'
                               'stat --count 1 --delay 1 s\nshow_error c s\n')
        self.assertIn('SESSION: alone', said)
        self.assertIn('batch is running now', said)
        self.assertIn('[LNet Rates of s]', said)
        self.assertIn('Total 0 error nodes in s', said)
        # The prompt ended with its standard input, and ended its session at the node.
        other = self.node(3)
        self.lst(other, 'new_session other')
        self.lst(other, f'add_group g {self.nid(2)}')
        self.assertIn('Active', self.lst(other, 'list_group --all g'))

    def test_a_run_in_one_line(self):
        self.node(2, '--selftest')
        said = self.lst(None, f'{self.arguments} run --from {self.nid(1)} --to {self.nid(2)} --ping --time 300ms --csv', key='')
        rows = [line.split(',') for line in said.splitlines() if not line.startswith('ulst: ')]
        self.assertEqual(rows[0][:5], ['test', 'size', 'check', 'role', 'node'])
        self.assertEqual([(row[0], row[3]) for row in rows[1:]], [('ping', 'all'), ('ping', 'client'), ('ping', 'server')])
        self.assertGreater(int(rows[1][7]), 0)

    def test_parameters_of_selftest_are_its_own_too(self):
        self.node(2, '--selftest')
        said = self.lst(None, f'{self.arguments} --set brw_inject_errors=1 run --from {self.nid(1)} --to {self.nid(2)} '
                        '--write --sizes 4k --check full --time 300ms --csv', key='', code=1)
        self.assertIn(f'{self.nid(1)}: write 4k: the data of 1 RPC were wrong', said)

    def test_its_requirements_are_reported(self):
        self.assertIn('--nets', self.lst(None, '--standalone', code=255))
        self.assertIn('standard input', self.lst(None, '--standalone --nets tcp(127.0.0.1) show_session', code=255))
        self.assertIn('frob', self.lst(None, '--standalone --nets frob(x)', code=255))
        self.assertIn('--nets has no value', self.lst(None, '--standalone --nets', code=255))
        self.assertIn('NAME=VALUE', self.lst(None, '--standalone --set accept', code=255))
        self.assertIn('--standalone makes', self.lst(None, '--nets tcp(lo) show_session', code=255))
