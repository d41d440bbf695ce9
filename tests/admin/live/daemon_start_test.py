"""How a daemon starts: its command line, the shell's completion of it, in the background, and with
clients that come early."""
import os
import re
import signal
import socket
import subprocess

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import DEADLINE_S, E2e, address, run, wait_until
from tests.rigs.programs import ROOT

COMPLETION = ROOT / 'packaging/completion/ulnetd.bash'


class CommandLine(E2e):
    def test_its_mistakes_and_its_help(self):
        for arguments in (['--nonsense'], ['--set', 'accept'], ['--set', 'nosuch=1'], ['--set', 'accept=x'], ['--name', 'a/b'],
                          ['--accept-port', '0'], ['--accept-port', '70000'], ['--net', 'nonet'], ['--log-format', 'xml'],
                          ['--metrics', '-1'], ['--drain', '-1'], ['positional']):
            with self.subTest(arguments=arguments):
                self.assertEqual(run('--check', *arguments)[0], 2)
        self.assertEqual(run('--help')[0], 0)
        self.assertEqual(run('help'), run('--help'))
        self.assertEqual(run('--accpt-port', '988')[2], "ulnetd: there is no option '--accpt-port'. See 'ulnetd --help'.\n"
                                                        "Did you mean '--accept-port'?\n")
        self.assertRegex(run('--version')[1], r'^ulnetd \d+\.\d+\.\d+\n$')


    def test_the_shell_completes_options_and_their_words(self):
        def completed(*words):
            line = ' '.join(f"'{word}'" for word in (daemon_rig.ULNETD, *words))
            return subprocess.run(['bash', '-c', f'. {COMPLETION}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ulnetd; '
                                                 'printf "%s\\n" "${COMPREPLY[@]}"'],
                                  cwd=self.folder.path, capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(completed('--log-l'), ['--log-level'])
        self.assertEqual(completed('--log-level', ''), ['debug', 'info', 'warning', 'error'])
        self.assertEqual(completed('--mode', 'd'), ['dedicated'])
        self.assertIn('lo', completed('--if', ''))
        self.folder.file('new.conf', '')
        self.assertEqual(completed('--config', 'new'), ['new.conf'])
        self.assertEqual(completed('he'), ['help'])


class Background(E2e):
    def start(self, *arguments, name='a'):
        """Runs `ulnetd --background` until it returns: exit code, standard output, standard error."""
        self.socket = self.folder.path / f'{name}.sock'
        done = run('--background', '--name', name, '--control', self.socket, '--accept-port', self.port, '--set', 'accept=trust', *arguments)
        if pid := re.match(r'ulnetd \(pid (\d+)\): ready: ', done[1]):
            self.addCleanup(self.kill, int(pid.group(1)))
        return done

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def asks(self, *words):
        return subprocess.run([daemon_rig.ULNETCTL, '--control', self.socket, *words], capture_output=True, text=True,
                              timeout=DEADLINE_S, check=False)

    def test_it_returns_when_the_node_is_ready(self):
        code, out, err = self.start('--if', address(1))  # start() reads both streams to their ends: the daemon has closed them
        self.assertEqual((code, err), (0, ''))
        log = self.folder.path / 'a.log'
        pid = re.fullmatch(rf'ulnetd \(pid (\d+)\): ready: 1 net .*; control socket {self.socket}; log {log}\n', out).group(1)
        self.assertIn(f'{address(1)}@tcp', self.asks('list_nids').stdout)
        self.assertIn(f'process {pid}, ', log.read_text())
        self.assertEqual(os.getsid(int(pid)), int(pid))
        os.kill(int(pid), signal.SIGTERM)
        wait_until(lambda: log.read_text().endswith(': ended\n'), 'the daemon ends')  # the control socket goes first
        self.assertFalse(self.socket.exists())

    def test_it_returns_with_the_code_and_the_words_of_a_start_that_failed(self):
        (self.folder.path / 'a.log').write_text('of an earlier one\n')
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind((address(1), self.port))
            taken.listen()
            code, out, err = self.start('--if', address(1))
        self.assertEqual((code, out), (1, ''))
        self.assertRegex(err, rf'port {self.port}')
        self.assertNotIn('an earlier one', err)
        self.assertFalse(self.socket.exists())
        self.assertEqual(self.start('--config', '/nonexistent.yaml')[0], 3)
        self.assertEqual(self.start()[0], 0)
        code, out, err = self.start()
        self.assertEqual((code, out), (4, ''))
        self.assertIn('already running: process', err)

    def test_a_reload_knows_its_log(self):
        self.start('--config', self.folder.file('a.yaml', 'global:\n    retry_count: 1\n'))
        done = self.asks('reload')
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_a_signal_ends_the_daemon_that_is_waited_for(self):
        gateway = 'route:\n    - net: tcp1\n      gateway: ' + address(9) + '@tcp\n'
        file = self.folder.file('a.yaml', daemon_rig.yaml_of(('tcp', address(1)), check_routers_before_use=1) + gateway)
        silent = socket.create_server((address(9), self.port))  # it accepts and sends nothing, so the first check takes long
        self.addCleanup(silent.close)
        path = self.folder.path / 'a.sock'
        with subprocess.Popen([daemon_rig.ULNETD, '--background', '--control', path, '--accept-port', str(self.port), '--set', 'accept=trust',
                               '--config', file], stdout=subprocess.PIPE, text=True) as starting:
            self.assertIn('waiting for the first answers of gateways', starting.stdout.readline())
            starting.send_signal(signal.SIGINT)
            self.assertEqual(starting.wait(DEADLINE_S), 128 + signal.SIGINT)
            self.assertNotIn('ready', starting.stdout.read())
        self.assertFalse(path.exists())


class Early(E2e):
    def test_a_client_waits_for_a_daemon_that_is_starting(self):
        for number in range(5):
            daemon = self.daemon('--if', address(number + 1), name=f'n{number}')
            wait_until(daemon.socket.with_suffix('.sock.lock').exists, 'the daemon starts')
            code, out, err = daemon.ctl('list_nids')
            self.assertEqual(code, 0, err)
            self.assertIn(address(number + 1), out)

    def test_a_missing_interface_does_not_end_the_node(self):
        text = daemon_rig.yaml_of(('tcp', address(1)), ('tcp1', 'nosuch0')) + 'route:\n    - net: tcp2\n      gateway: 10.0.0.1@tcp1\n'
        file = self.folder.file('a.yaml', text)
        code, out, err = run('--check', '--config', file)
        self.assertEqual((code, out), (0, f'{file}: ok: 2 nets with 2 interfaces, 0 global settings, 0 parameters, 1 route\n'))
        self.assertIn("no interface 'nosuch0'", err)
        daemon = self.running('--config', file)
        self.assertEqual(daemon.ctl('list_nids')[1].split()[-1], f'{address(1)}@tcp')
        self.assertIn('running without what failed', daemon.said())

    def test_a_node_with_no_interface_at_all_does_not_start(self):
        daemon = self.daemon('--config', self.folder.file('a.yaml', daemon_rig.yaml_of(('tcp', 'nosuch0'))))
        self.assertEqual(daemon.wait(), 1)

    def test_a_daemon_that_does_not_answer_is_named(self):
        daemon = self.running()
        daemon.pause()
        self.addCleanup(daemon.signal, signal.SIGCONT)
        code, _, err = daemon.ctl('status')
        self.assertEqual(code, 234)
        self.assertIn(f'(pid {daemon.process.pid}) has not answered for 5 s', err)
