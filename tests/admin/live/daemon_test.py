"""Tests the daemon from outside: processes, signals, files and sockets. Tests that need root are skipped without it."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import signal
import socket
import threading
import unittest
import urllib.request

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import NOBODY, E2e, UnixConnection, address, free_port, run, wait_until, yaml_of


class Lifecycle(E2e):
    def test_it_serves_and_ends_on_a_signal(self):
        daemon = self.running('--if', address(1), '--metrics', '0')
        nid = f'{address(1)}@tcp'
        self.assertEqual(daemon.nids(), ['0@lo', nid])
        self.assertEqual(daemon.ping(nid)['ping'][0]['primary nid'], nid)
        self.assertRegex(daemon.get('/v1/file/stats'), r'^(\d+ ){10}\d+\n$')
        self.assertEqual(daemon.get('/healthz'), 'ok\n')
        self.assertEqual(daemon.end(), 0)
        self.assertFalse(daemon.socket.exists())
        self.assertFalse(daemon.socket.with_suffix('.sock.lock').exists())

    def test_trust_is_warned_about_and_shown(self):
        daemon = self.running('--if', address(1))
        self.assertIn('warning: accept=trust', daemon.said())
        ni = daemon.get('/v1/net?net=tcp')['net'][0]['local NI(s)'][0]
        self.assertEqual(ni['lnd tunables']['accept'], 'trust')

    def test_the_read_only_port_only_reads(self):
        daemon = self.running('--metrics', port := free_port(), '--metrics-api')
        connection = daemon_rig.http.client.HTTPConnection('127.0.0.1', port, timeout=20)
        self.addCleanup(connection.close)
        connection.request('GET', '/metrics')
        self.assertIn('ulnet_up 1', connection.getresponse().read().decode())
        connection.request('POST', '/v1/ping', '{"nids": []}')
        refused = connection.getresponse()
        self.assertEqual(refused.status, 403)
        self.assertIn('read-only', refused.read().decode())

    def test_descriptors_are_raised_to_the_hard_limit(self):
        daemon = self.running()
        limits = pathlib.Path(f'/proc/{daemon.process.pid}/limits').read_text(encoding='ascii')
        soft, hard = next(line for line in limits.splitlines() if line.startswith('Max open files')).split()[3:5]
        self.assertEqual(soft, hard)

    def test_lnet_goes_and_comes(self):  # spec/cli-lnetctl.md 3.1
        daemon = self.running('--if', address(1))
        self.assertEqual(daemon.ask('POST', '/v1/lnet', {'op': 'unconfigure'})[0], 200)
        status, answer = daemon.ask('GET', '/v1/net')
        self.assertEqual((status, answer['errno'], answer['descr']), (503, -100, 'Unspecific failure'))
        self.assertIn('LNet is not configured', answer['hint'])
        self.assertEqual(daemon.ask('GET', '/healthz')[0], 503)
        self.assertEqual(daemon.ask('POST', '/v1/lnet', {'op': 'configure'})[0], 200)
        self.assertEqual(daemon.nids(), ['0@lo'])
        # The start-only parameters are still those of the command line: the net listens on the same port again.
        self.assertEqual(daemon.ask('POST', '/v1/net', {'net': 'tcp', 'interface': address(1)})[0], 200)
        self.assertFalse(daemon.ping(f'{address(1)}@tcp')['failed'])
        # A reload adds the nets of the command line again, besides that of the parameters: tcp on the first interface.
        for op in ({'op': 'unconfigure'}, {'op': 'configure', 'all': True}):
            self.assertEqual(daemon.ask('POST', '/v1/lnet', op)[0], 200)
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: f'{address(1)}@tcp' in daemon.nids(), 'the net is back')

    def test_logs_as_json(self):
        daemon = self.running('--if', address(1), '--log-format', 'json')
        self.assertEqual(daemon.end(), 0)
        lines = [json.loads(line) for line in daemon.said().splitlines()]
        self.assertTrue(all(line['node'] == 'a' and line['time'].endswith('Z') for line in lines))
        self.assertIn('ended', [line['message'] for line in lines])

    def test_the_supervisor_is_notified(self):
        path = str(self.folder.path / 'notify')
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.bind(path)
            supervisor.settimeout(daemon_rig.DEADLINE_S)
            daemon = self.daemon(environment={'NOTIFY_SOCKET': path})
            self.assertIn('READY=1', supervisor.recv(4096).decode())
            daemon.signal(signal.SIGHUP)
            self.assertRegex(supervisor.recv(4096).decode(), r'^RELOADING=1\nMONOTONIC_USEC=\d+$')
            self.assertEqual(supervisor.recv(4096).decode(), 'READY=1')
            daemon.signal(signal.SIGTERM)
            self.assertIn('STOPPING=1', supervisor.recv(4096).decode())
            self.assertEqual(daemon.wait(), 0)


class Log(E2e):
    def test_the_start_is_logged(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1)), ('tcp1', address(2))))
        daemon = self.running('--config', file)
        daemon.says(rf'a: ulnetd \d+\.\d+\.\d+: node a, process {daemon.process.pid}, configuration {file}$')
        daemon.says(rf'a: Added LNI {address(1)}@tcp \[8/256/0/180\] on \S+$')
        daemon.says(rf'a: Added LNI {address(2)}@tcp1 \[8/256/0/180\] on \S+$')
        daemon.says(rf'a: Accept trust, port {self.port}$')
        self.assertEqual('warning: running as root' in daemon.said(), os.geteuid() == 0)
        self.assertEqual(daemon.end(), 0)
        daemon.says(rf'a: Removed LNI {address(1)}@tcp$')
        self.assertTrue(daemon.said().endswith(' a: ended\n'), daemon.said())
        daemon.says(rf'a: draining: SIGTERM from .*pid {os.getpid()}, uid {os.geteuid()}')

    def test_every_change_is_logged_with_who_asked(self):
        daemon = self.running('--if', address(1))
        who = rf'asked by ulnetctl \(pid \d+, uid {os.geteuid()}\)$'
        self.assertEqual(daemon.ctl('net', 'add', '--net', 'tcp1', '--if', address(2))[0], 0)
        daemon.says(rf'a: Added LNI {address(2)}@tcp1 ')
        daemon.says(r'a: net add \{"net":"tcp1".*\}: done, ' + who)
        self.assertNotEqual(daemon.ctl('net', 'add', '--net', 'tcp1', '--if', address(2))[0], 0)
        daemon.says(r'a: net add \{"net":"tcp1".*\}: failed: cannot add LNet NI \(-17\), ' + who)
        self.assertEqual(daemon.ctl('lnet', 'unconfigure')[0], 0)
        daemon.says(rf'a: Removed LNI {address(2)}@tcp1$')
        daemon.says(r'a: lnet \{"op":"unconfigure"\}: done, ' + who)
        self.assertNotIn('GET', daemon.said())

    def test_debug_logs_every_request(self):
        daemon = self.running('--log-level', 'debug')
        daemon.nids()
        daemon.says(r'a: debug: GET /v1/nids: 200, asked by .*pid \d+')

    def test_changes_are_logged_in_json_too(self):
        daemon = self.running('--log-format', 'json')
        daemon.ctl('set', 'retry_count', '3')
        daemon.says('set .*retry_count')
        line = next(json.loads(line) for line in daemon.said().splitlines() if 'retry_count' in line)
        self.assertRegex(line['message'], r'^set \{"retry_count":3\}: done, asked by ulnetctl')
        self.assertEqual(line['level'], 'info')

    def test_a_moved_log_is_reopened(self):
        log, old = self.folder.path / 'own.log', self.folder.path / 'own.log.1'
        daemon = self.running('--log-file', log)
        log.rename(old)
        daemon.ctl('set', 'retry_count', '3')
        wait_until(lambda: 'retry_count' in old.read_text(), 'the daemon writes to the file that was moved')
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: log.exists() and 'configuration read again' in log.read_text(), 'there is a new file')
        before = old.read_text()
        daemon.ctl('set', 'retry_count', '2')
        wait_until(lambda: 'retry_count' in log.read_text(), 'the daemon writes to the new file')
        self.assertEqual(old.read_text(), before)
        self.assertRegex(log.read_text(), rf'reading the configuration again: SIGHUP from .*pid {os.getpid()}, ')

    def test_a_log_that_cannot_be_reopened_stays(self):
        folder = self.folder.path / 'logs'
        folder.mkdir()
        daemon = self.running('--log-file', folder / 'own.log')
        moved = folder.rename(self.folder.path / 'moved')
        folder.write_text('in the way')
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'error: log file: ' in (moved / 'own.log').read_text(), 'the old log reports it')
        self.assertEqual(daemon.end(), 0)


class Settings(E2e):
    def test_the_file_says_how_the_daemon_runs(self):
        port = free_port()
        file = self.folder.file('a.yaml', f'daemon:\n    metrics: {port}\n    log-format: json\n    selftest: true\n')
        daemon = self.running('--config', file)
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/healthz') as answer:
            self.assertEqual(answer.read(), b'ok\n')
        messages = [json.loads(line)['message'] for line in daemon.said().splitlines()]
        self.assertIn('serving LNet selftest', messages)

    def test_the_command_line_beats_the_file(self):
        file = self.folder.file('a.yaml', 'daemon:\n    log-format: json\n    log-level: error\n    selftest: true\n')
        daemon = self.running('--config', file, '--log-format', 'text', '--log-level', 'info', '--selftest=false')
        daemon.says('^[0-9-]+T.* a: ready: ')
        self.assertNotIn('serving LNet selftest', daemon.said())

    def test_the_later_option_counts(self):
        daemon = self.running('--log-level', 'error', '--log-level', 'info')
        daemon.says('ready: ')

    def test_a_reload_follows_or_says_that_it_cannot(self):
        file = self.folder.file('a.yaml', 'daemon:\n    log-level: info\n')
        daemon = self.running('--config', file)
        file.write_text('daemon:\n    log-level: debug\n    selftest: true\n')
        daemon.signal(signal.SIGHUP)
        daemon.says('(?s)warning: daemon: selftest changed: the change takes effect when the daemon is restarted.* configuration read again')
        daemon.nids()
        daemon.says('debug: GET /v1/nids: 200')

    def test_an_import_passes_over_it(self):
        daemon = self.running()
        file = self.folder.file('b.yaml', 'daemon:\n    selftest: true\nglobal:\n    retry_count: 3\n')
        code, _, err = daemon.ctl('import', file)
        self.assertEqual(code, 0)
        self.assertIn("Ignoring 'daemon'", err)
        self.assertEqual(daemon.get('/v1/global')['global']['retry_count'], 3)

    def test_the_command_line_beats_the_environment(self):
        other = self.running(name='other')
        name = f'c{os.getpid()}'
        daemon = self.daemon('--name', name, name=name, named=False, **self.in_a_folder_of_its_own(ULNET_CONTROL=str(other.socket)))
        daemon.says(rf'{name}: ready: .*/{name}\.sock')
        self.assertEqual(daemon.end(), 0)
        self.assertEqual(other.get('/healthz'), 'ok\n')

    def test_a_word_in_the_environment_names_the_node(self):
        name = f'd{os.getpid()}'
        daemon = self.daemon(name=name, named=False, **self.in_a_folder_of_its_own(ULNET_CONTROL=name))
        daemon.says(rf'{name}: ready: .*/{name}\.sock')
        self.assertEqual(daemon.end(), 0)


class InFlight(E2e):
    def silent_peer(self):
        """Accepts connections and never answers, so that messages to it stay in flight."""
        listener = socket.create_server((address(99), self.port))
        self.addCleanup(listener.close)
        return f'{address(99)}@tcp'

    def ping_in_flight(self, daemon, nid):
        """Pings on another thread and returns a future of the daemon's answer."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        answer = pool.submit(daemon.ping, nid, timeout_ms=120000)
        wait_until(lambda: nid in daemon.get('/v1/file/peers'), 'the ping is under way')
        return answer


class Peers(InFlight):
    def test_a_deleted_peer_comes_back(self):
        daemon = self.running('--if', address(1), name='a')
        self.running('--if', address(2), name='b')
        nid = f'{address(2)}@tcp'
        for _ in range(2):
            self.assertEqual(daemon.ping(nid)['failed'], [])
            self.assertIn(nid, daemon.ctl('peer', 'list')[1])
            self.assertEqual(daemon.ctl('peer', 'del', '--prim_nid', nid), (0, '', ''))
            self.assertNotIn(nid, daemon.ctl('peer', 'list')[1])
        code, out, err = daemon.ctl('peer', 'del', '--prim_nid', nid)
        self.assertEqual((code, out), (234, ''))
        self.assertIn('errno: -2\n', err)

    def test_a_peer_with_messages_under_way_stays(self):
        daemon = self.running('--if', address(1), '--drain', 1)
        nid = self.silent_peer()
        answer = self.ping_in_flight(daemon, nid)
        code, out, err = daemon.ctl('peer', 'del', '--prim_nid', nid)
        self.assertEqual((code, out), (234, ''))
        self.assertIn('errno: -16\n      descr: ! "messages to or from the peer are under way', err)
        self.assertIn(nid, daemon.ctl('peer', 'list')[1])
        self.assertEqual(daemon.end(), 0)
        answer.exception(daemon_rig.DEADLINE_S)


class Ending(InFlight):
    def test_the_drain_has_a_deadline(self):
        daemon = self.running('--if', address(1), '--drain', 1)
        answer = self.ping_in_flight(daemon, self.silent_peer())
        self.assertEqual(daemon.end(), 0)
        self.assertLess(answer.result()['failed'][0]['errno'], 0)

    def test_a_second_signal_ends_it_at_once(self):
        daemon = self.running('--if', address(1), '--drain', 3600)
        peer = self.silent_peer()
        answer = self.ping_in_flight(daemon, peer)
        daemon.signal(signal.SIGTERM)
        wait_until(lambda: 'draining' in daemon.said(), 'the node drains')
        daemon.signal(signal.SIGTERM)
        code = daemon.wait()
        if code == 0:  # nothing was in flight any more
            self.skipTest('the ping ended before the second signal came')
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertFalse(daemon.socket.exists())
        answer.exception(daemon_rig.DEADLINE_S)

    def test_others_go_on_when_one_ends_under_traffic(self):
        ending = self.running('--if', address(1), name='a')
        staying = self.running('--if', address(2), name='b')
        enough = threading.Event()

        def traffic():
            while not enough.is_set():
                staying.ping(f'{address(1)}@tcp', timeout_ms=1000)

        threads = [threading.Thread(target=traffic) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: int(ending.get('/v1/file/stats').split()[4]) > 20, 'traffic flows')
            self.assertEqual(ending.end(), 0)
        finally:
            enough.set()
            for thread in threads:
                thread.join()
        self.assertFalse(staying.ping(f'{address(2)}@tcp')['failed'])
        self.assertEqual(staying.end(), 0)
        self.assertNotIn(' error: ', ending.said())


class Reload(E2e):
    def test_only_the_difference_is_done(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1)), ('tcp1', address(2)), accept_timeout=6))
        daemon = self.running('--config', file)
        daemon.ping(f'{address(1)}@tcp')
        sent = int(daemon.get('/v1/file/stats').split()[3])
        file.write_text(yaml_of(('tcp', address(1), address(3)), accept_timeout=8) + 'global:\n    retry_count: 1\n')
        daemon.signal(signal.SIGHUP)
        wanted = ['0@lo', f'{address(1)}@tcp', f'{address(3)}@tcp']
        wait_until(lambda: daemon.nids() == wanted, 'the node has the nets of the file')
        wait_until(lambda: daemon.get('/v1/global')['global']['retry_count'] == 1, 'the global is set')
        self.assertEqual(daemon.get('/v1/param')['param']['accept_timeout']['value'], '8')
        self.assertGreaterEqual(int(daemon.get('/v1/file/stats').split()[3]), sent)  # the node is the same
        self.assertFalse(daemon.ping(f'{address(3)}@tcp')['failed'])

    def test_matching_configuration_is_no_failure(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1))))
        daemon = self.running('--config', file)
        for arguments in (['lnet', 'unconfigure'], ['lnet', 'configure'], ['import', file]):
            self.assertEqual(daemon.ctl(*arguments)[0], 0)
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'configuration read again' in daemon.said(), 'the daemon reads the file')
        self.assertIn('configuration read again: 0 changes, 0 failures', daemon.said())
        self.assertNotIn('error', daemon.said())
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp'])
        file.write_text(yaml_of(('tcp', address(1), address(2))))
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'read again: 1 change, 0 failures' in daemon.said(), 'one interface more')

    def test_a_reload_over_the_control_api_returns_its_outcome(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1))))
        daemon = self.running('--config', file)
        file.write_text(yaml_of(('tcp', address(1), address(2)), colour='red'))
        code, out, err = daemon.ctl('reload')
        self.assertEqual((code, out), (234, 'reload:\n    changes: 0\n    failures: 1\n'))
        self.assertRegex(err, rf"{file}:9:\d+: .*'colour'")
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp'])
        file.write_text(yaml_of(('tcp', address(1), address(2))))
        self.assertEqual(daemon.ctl('reload'), (0, 'reload:\n    changes: 1\n    failures: 0\n', ''))
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp', f'{address(2)}@tcp'])
        file.write_text(yaml_of(('tcp', address(1), '192.0.2.77')))
        code, out, err = daemon.ctl('reload')
        self.assertEqual((code, out), (234, 'reload:\n    changes: 1\n    failures: 1\n'))
        self.assertIn('adding tcp(192.0.2.77)', err)
        self.assertEqual(daemon.ctl('lnet', 'unconfigure')[0], 0)
        code, out, err = daemon.ctl('reload')
        self.assertEqual(code, 234)
        self.assertIn('LNet is not configured', err)

    def test_a_default_file_that_is_gone_changes_nothing(self):
        if os.path.exists('/etc/ulnet.conf'):
            self.skipTest('this machine has a configuration of its own')
        file = self.folder.file('ulnet.conf', yaml_of(('tcp', address(1))))
        daemon = self.running(environment={'XDG_CONFIG_HOME': str(self.folder.path)})
        file.unlink()
        code, _, err = daemon.ctl('reload')
        self.assertEqual(code, 234)
        self.assertIn(f'{file}: the file is gone', err)
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp'])

    def test_a_file_with_mistakes_changes_nothing(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1))))
        daemon = self.running('--config', file)
        file.write_text('net: [\n')
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'stays as it was' in daemon.said(), 'the daemon refuses the file')
        self.assertRegex(daemon.said(), rf'{file}:\d+:\d+: ')
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp'])

    def test_start_only_settings_are_named(self):
        file = self.folder.file('a.yaml', yaml_of(accept_backlog=10))
        daemon = self.running('--config', file)
        file.write_text(yaml_of(accept_backlog=20))
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'accept_backlog changed: the change takes effect when' in daemon.said(), 'the daemon reports it')


class Conflicts(E2e):
    def test_a_second_start_is_explained(self):
        first = self.running()
        second = self.daemon()
        self.assertEqual(second.wait(), 4)
        self.assertIn(f'already running: process {first.process.pid} (ulnetd)', second.said())
        self.assertIn(f"'kill {first.process.pid}'", second.said())
        self.assertEqual(first.get('/healthz'), 'ok\n')

    def test_a_node_that_the_environment_names_is_not_to_be_killed(self):
        first = self.running()
        second = self.daemon(name='b', named=False, environment={'ULNET_CONTROL': str(first.socket)})
        self.assertEqual(second.wait(), 4)
        self.assertIn(f'already running: process {first.process.pid} (ulnetd)', second.said())
        self.assertIn('ULNET_CONTROL', second.said())
        self.assertNotIn('kill', second.said())

    def test_files_of_a_killed_daemon_are_replaced(self):
        killed = self.running()
        killed.stop()
        self.assertTrue(killed.socket.exists())
        self.running('--if', address(1))

    def test_a_file_that_is_no_socket_is_kept(self):
        precious = self.folder.file('a.sock', 'precious')
        self.assertEqual(self.daemon().wait(), 1)
        self.assertEqual(precious.read_text(), 'precious')


class Check(E2e):
    def check(self, text, *arguments):
        file = self.folder.file('c.yaml', text)
        code, out, err = run('--check', '--config', file, *arguments)
        return code, out.replace(str(file), 'c.yaml'), err.replace(str(file), 'c.yaml')

    def test_a_good_file(self):
        code, out, err = self.check(yaml_of(('tcp', address(1), address(2)), accept='all'))
        self.assertEqual((code, out, err), (0, 'c.yaml: ok: 1 net with 2 interfaces, 0 global settings, 1 parameter\n', ''))

    def test_the_settings_of_the_daemon_are_shown(self):
        out = self.check('daemon:\n    metrics: 9100\n    log-level: error\n', '--log-level', 'debug', '--selftest')[1]
        self.assertEqual(out, 'c.yaml: ok: 0 nets with 0 interfaces, 0 global settings, 0 parameters; '
                              'daemon: selftest true, metrics 9100, log-level debug\n')

    def test_an_empty_file(self):
        self.assertEqual(self.check('')[0], 0)

    def test_bad_files_are_reported_with_their_places(self):
        for text, place, words in (
                ('net:\n  - net type: tcp\n   bad indent: [\n', r'\d+:\d+', ''),
                ('foo:\n    - bar: 1\n', '1:1', "invalid key 'foo'"),
                ('net:\n    - net type: tcp\n      local NIs:\n        - interfaces: {0: lo}\n', '3:7', "did you mean 'local NI(s)'?"),
                ('global:\n    discovery: 1\n    discovery: 1\n', '3:5', 'twice'),
                ('net:\n\t- net type: tcp\n', '2:1', 'a tab'),
                ('param:\n    accept: perhaps\n', r'\d+:\d+', 'accept'),
                ('param:\n    nosuch: 1\n', r'\d+:\d+', 'nosuch'),
                ('global:\n    retry_count: many\n', r'\d+:\d+', 'many'),
                ('route:\n    - net: tcp1\n      gateway: nobody@tcp\n', r'\d+:\d+', 'gateway'),
                (b'net: \xff\xfe\n', r'(\d+:\d+)?', 'UTF-8'),
                (b'[' * 5000, r'\d+:\d+', 'nested'),
                ('param:\n    cpu_pattern: 0[0] 1[4095]\n', '', "cpu_pattern: '1[4095]': CPU 4095 is not online"),
                ('param:\n    cpu_pattern: 0[0] 1[0]\n', '', "cpu_pattern: '1[0]': CPU 0 is in partition 0 already"),
                ('param:\n    cpu_pattern: 0[0\n', '', "cpu_pattern: '0[0'"),
                (yaml_of(('tcp', address(1))) + '          CPT: "[63]"\n', r'\d+:\d+', 'invalid CPT value 63'),
                ('daemon:\n    log-level: loud\n', r'2:\d+', "invalid value 'loud' for key 'log-level'"),
                ('daemon:\n    metric: 9100\n', r'2:\d+', "invalid key 'metric'"),
                (yaml_of(('tcp', address(1))) + '          CPT: "[256]"\n', r'\d+:\d+', 'CPT'),
                ('net:\n    - net type: o2ib\n      local NI(s):\n        - interfaces:\n              0: ib0\n', '', 'nets whose type is not built in (only tcp is): o2ib'),
        ):
            with self.subTest(text=text[:40]):
                code, out, err = self.check(text)
                self.assertEqual((code, out), (3, ''))
                self.assertRegex(err, rf'^ulnetd: c.yaml:{place}')
                self.assertIn(words, err)

    def test_strict(self):
        odd = yaml_of(('tcp', address(1))) + '          tunables:\n              peer_kredits: 8\n'
        code, out, err = self.check(odd)
        self.assertEqual(code, 0)
        self.assertRegex(err, "^ulnetd: warning: c.yaml:7:15: .*'peer_kredits'.*did you mean 'peer_credits'")
        code, out, err = self.check(odd, '--strict')
        self.assertEqual((code, out), (3, ''))
        self.assertRegex(err, "^ulnetd: c.yaml:7:15: .*'peer_kredits'")

    def test_a_missing_file(self):
        code, _, err = run('--check', '--config', '/nonexistent.yaml')
        self.assertEqual(code, 3)
        self.assertIn('/nonexistent.yaml: cannot open: No such file or directory', err)


class ControlApi(E2e):
    def test_garbage_is_answered_or_closed(self):
        daemon = self.running('--if', address(1))
        for bytes_said in (b'\0' * 5000, b'\xff' * 40000, b'GET\r\n\r\n', b'POST /v1/net HTTP/1.1\r\nContent-Length: 5\r\n\r\n{"ne',
                           b'POST /v1/net HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n', b'\n' * 100,
                           b'GET /' + b'a' * 100000, b'GET / HTTP/1.1\r\n' + b'X: y\r\n' * 10000):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(daemon_rig.DEADLINE_S)
                client.connect(str(daemon.socket))
                try:
                    client.sendall(bytes_said)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(65536):
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    pass
        for body in ('{', '[]', '{"net": "tcp\\ud800"}', '{"nids": [1]}', '"x"', '{"net":' * 100):
            connection = UnixConnection(daemon.socket)
            connection.request('POST', '/v1/net', body)
            self.assertEqual(connection.getresponse().status, 400, body)
            connection.close()
        self.assertFalse(daemon.ping(f'{address(1)}@tcp')['failed'])
        self.assertEqual(daemon.end(), 0)

    def test_two_hundred_clients_at_once(self):
        daemon = self.running('--if', address(1))
        everybody = threading.Barrier(200)

        def client(_):
            connection = UnixConnection(daemon.socket)
            self.addCleanup(connection.close)
            connection.connect()
            everybody.wait()
            # The control API closes a connection that is silent while others wait for a thread; this client then connects again.
            for _ in range(100):
                try:
                    connection.request('GET', '/v1/net')
                    return connection.getresponse().status  # and keeps the connection
                except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
                    connection.close()
                    connection.connect()
            raise AssertionError('closed a hundred times')

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            self.assertEqual(list(pool.map(client, range(200))), [200] * 200)
        self.assertEqual(daemon.get('/healthz'), 'ok\n')

    def test_silent_clients_delay_no_others(self):
        daemon = self.running()
        silent = []
        for _ in range(100):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(daemon.socket))
            client.sendall(b'GET /v1/net HTT')  # and then nothing
            silent.append(client)
        self.assertEqual(daemon.get('/healthz'), 'ok\n')
        for client in silent:
            client.close()

    @unittest.skipUnless(os.geteuid() == 0, 'needs root, to become somebody else')
    def test_access_rights(self):
        daemon = self.running()
        group = os.stat(daemon.socket).st_gid
        ask = ('import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);'
               's.sendall((sys.argv[2]+" HTTP/1.0\\r\\n\\r\\n").encode()); print(s.recv(65536).decode())')

        def as_nobody(request, group):
            done = daemon_rig.subprocess.run(['python3', '-c', ask, str(daemon.socket), request], user=NOBODY, group=group,
                                             extra_groups=[], capture_output=True, text=True, timeout=30, check=False)
            return done.stdout + done.stderr

        self.assertIn('PermissionError', as_nobody('GET /healthz', NOBODY))
        self.assertIn('ok', as_nobody('GET /healthz', group))
        refused = as_nobody('DELETE /v1/stats', group)
        self.assertIn(' 403 ', refused)
        self.assertIn('may look', refused)
