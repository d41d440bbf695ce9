"""--user: a daemon that root starts changes to another user and keeps one right. docs/SECURITY.md."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import unittest

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import E2e, address, run, wait_until

NET_BIND_SERVICE = f'{1 << 10:016x}'
NONE = f'{0:016x}'
OF_NOBODY = ('Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs')


def nobody():
    try:
        return pwd.getpwnam('nobody')
    except KeyError:
        return None


@unittest.skipUnless(os.geteuid() == 0, 'needs root, to become somebody else')
@unittest.skipUnless(nobody(), 'needs the user nobody')
class Root(E2e):
    def setUp(self):
        super().setUp()
        self.own = self.folder.path / 'own'
        self.own.mkdir()
        os.chown(self.own, nobody().pw_uid, nobody().pw_gid)

    def node(self, last, *arguments, name, **more):
        """A daemon with accept=secure that changes to the user nobody, with its socket in nobody's
        folder."""
        control = self.own / f'{name}.sock'
        interface = ['--if', address(last)] if last else []
        made = daemon_rig.Daemon(self.folder, '--name', name, '--control', control, '--user', 'nobody', *interface, *arguments,
                                 name=name, named=False, **more)
        made.socket = control
        self.addCleanup(made.stop)
        return made

    def states(self, daemon):
        """For each thread, the lines of its status that say which user it has."""
        found = []
        for status in daemon.threads():
            lines = dict(line.split(':', 1) for line in status.splitlines() if ':' in line)
            found.append({key: lines[key].split() for key in OF_NOBODY})
        return found

    def sources(self, port):
        """The source ports of connections to `port` at this test's addresses."""
        found = []
        for line in pathlib.Path('/proc/net/tcp').read_text().splitlines()[1:]:
            (near, source), (_, dest) = (end.split(':') for end in line.split()[1:3])
            ours = socket.inet_ntoa(struct.pack('=I', int(near, 16))).startswith(address(''))
            if ours and int(dest, 16) == port:
                found.append(int(source, 16))
        return found

    def expect_nobody(self, daemon):
        entry = nobody()
        groups = sorted({str(group) for group in os.getgrouplist('nobody', entry.pw_gid)})
        states = self.states(daemon)
        self.assertGreater(len(states), 1)
        for state in states:
            self.assertEqual(state['Uid'], [str(entry.pw_uid)] * 4)
            self.assertEqual(state['Gid'], [str(entry.pw_gid)] * 4)
            self.assertEqual(sorted(state['Groups']), groups)
            for kind in ('CapPrm', 'CapEff', 'CapBnd'):
                self.assertEqual(state[kind], [NET_BIND_SERVICE], kind)
            for kind in ('CapInh', 'CapAmb'):
                self.assertEqual(state[kind], [NONE], kind)
            self.assertEqual(state['NoNewPrivs'], ['1'])


class User(Root):
    def test_it_keeps_one_right_and_talks_with_secure_nodes(self):
        one, other = (self.node(last, name=name).ready() for last, name in ((1, 'a'), (2, 'b')))
        self.expect_nobody(one)
        one.says('a: running as user nobody, which may use ports below 1024$')
        self.assertNotIn('running as root', one.said())
        self.assertNotIn('may not use ports', one.said())
        for here, there in ((one, 2), (other, 1)):
            self.assertEqual(here.ping(f'{address(there)}@tcp')['failed'], [])
        sources = [port for port in self.sources(988) if port != 988]
        self.assertTrue(sources)
        self.assertTrue(all(port < 1024 for port in sources), sources)
        # The control socket belongs to nobody and root.
        self.assertEqual(one.socket.stat().st_uid, nobody().pw_uid)
        self.assertEqual(one.socket.stat().st_mode & 0o777, 0o660)
        self.assertEqual(one.ctl('set', 'retry_count', '3')[0], 0)
        # A net that is added while the daemon runs listens on a port below 1024 as well.
        self.assertEqual(one.ctl('net', 'add', '--net', 'tcp1', '--if', address(3))[0], 0)
        self.assertEqual(other.ctl('net', 'add', '--net', 'tcp1', '--if', address(4))[0], 0)
        self.assertEqual(other.ping(f'{address(3)}@tcp1')['failed'], [])
        self.expect_nobody(one)
        self.assertEqual(one.end(), 0)
        self.assertEqual(sorted(path.name for path in self.own.iterdir()), ['b.sock', 'b.sock.lock'], 'its files are gone')

    def test_its_log_file_is_reopened(self):
        log, old = self.own / 'own.log', self.own / 'own.log.1'
        daemon = self.node(1, '--log-file', log, name='a').ready()
        log.rename(old)
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: log.exists() and 'configuration read again' in log.read_text(), 'there is a new file')
        self.assertEqual([path.stat().st_uid for path in (log, old)], [nobody().pw_uid] * 2)

    def test_a_pipe_that_root_has_opened_is_written_to(self):
        daemon = self.node(1, '--log-file', '/dev/stdout', name='a', stdout=subprocess.PIPE, text=True).ready()
        self.addCleanup(daemon.process.stdout.close)
        self.assertIn('running as user nobody', daemon.process.stdout.readline() + daemon.process.stdout.readline())

    def test_what_it_may_not_read_or_make_is_reported(self):
        file = self.folder.file('secret.yaml', 'global:\n    retry_count: 3\n')
        file.chmod(0o600)
        daemon = self.node(1, '--config', file, name='a').ready()
        daemon.says(r'warning: .*secret\.yaml cannot be read by user nobody: no reload will work')
        self.assertEqual(daemon.end(), 0)
        for option, path in (('--control', self.folder.path / 'b.sock'), ('--log-file', self.folder.path / 'b.log')):
            code, _, err = run('--name', 'b', '--control', self.own / 'b.sock', '--user', 'nobody', option, path)
            self.assertEqual(code, 1)
            self.assertIn(f'{path}', err)
            self.assertIn('Permission denied; user nobody needs a folder of its own', err)

    def test_numbers_will_do(self):
        os.chown(self.own, 4711, 4712)
        daemon = self.node(1, '--user', '4711:4712', name='a').ready()
        state = self.states(daemon)[0]
        self.assertEqual([state[key] for key in ('Uid', 'Gid', 'Groups')], [['4711'] * 4, ['4712'] * 4, ['4712']])

    def test_impossible_users_are_refused(self):
        for user, why in (('no-such-user', "there is no user 'no-such-user'"), ('nobody:no-such-group', "there is no group 'no-such-group'"),
                          ('root', "'root' is root"), ('', "there is no user ''")):
            code, _, err = run('--name', 'a', '--control', self.own / 'a.sock', '--user', user)
            self.assertEqual((code, err), (1, f'ulnetd: --user: {why}\n'))
        self.assertEqual(list(self.own.iterdir()), [])
        program = shutil.copy(daemon_rig.ULNETD, self.folder.path / 'ulnetd')
        done = subprocess.run([program, '--control', self.own / 'a.sock', '--user', 'nobody'], user=4711, group=4711, extra_groups=[],
                              capture_output=True, text=True, check=False, timeout=daemon_rig.DEADLINE_S)
        self.assertEqual(done.returncode, 1)
        self.assertIn('only root may become another user, and this is the one with the uid 4711', done.stderr)

    def test_root_without_the_right_to_become_somebody_is_reported(self):
        if not shutil.which('setpriv'):
            self.skipTest('needs setpriv')
        done = subprocess.run(['setpriv', '--bounding-set=-setuid,-setgid', daemon_rig.ULNETD, '--control', self.own / 'a.sock',
                               '--user', 'nobody'], capture_output=True, text=True, check=False, timeout=daemon_rig.DEADLINE_S)
        self.assertEqual(done.returncode, 1)
        self.assertIn('Operation not permitted (CAP_SETUID and CAP_SETGID are needed)', done.stderr)

    def test_root_that_stays_is_warned_of(self):
        daemon = daemon_rig.Daemon(self.folder, name='r')
        self.addCleanup(daemon.stop)
        daemon.ready()
        self.assertEqual(len(re.findall('warning: running as root and keeping it: start ulnetd with --user NAME', daemon.said())), 1)

    def test_the_folder_of_control_sockets_is_made_and_given(self):
        inside = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /run && exec "$@"', 'sh']
        if subprocess.run([*inside, 'true'], capture_output=True, check=False).returncode != 0:
            self.skipTest('needs a mount namespace of its own')
        name = f'u{os.getpid()}'
        daemon = daemon_rig.Daemon(self.folder, '--name', name, '--user', 'nobody', name=name, named=False, inside=inside)
        self.addCleanup(daemon.stop)
        folder = pathlib.Path(f'/proc/{daemon.process.pid}') / 'root' / 'run/ulnet'
        daemon.socket = folder / f'{name}.sock'
        daemon.ready()
        self.assertEqual((folder.stat().st_uid, folder.stat().st_mode & 0o777), (nobody().pw_uid, 0o755))
        self.assertEqual(sorted(path.name for path in folder.iterdir()), [f'{name}.sock', f'{name}.sock.lock'])


class Links(E2e):
    def test_the_log_is_not_written_through_a_link(self):
        kept = self.folder.file('kept', 'kept')
        link = self.folder.path / 'a.log'
        link.symlink_to(kept)
        code, _, err = run('--name', 'a', '--control', self.folder.path / 'a.sock', '--log-file', link)
        self.assertEqual((code, err), (1, f'ulnetd: log file: {link} is a symbolic link: name the file that it leads to\n'))
        self.assertEqual(kept.read_text(), 'kept')

    def test_a_link_put_there_later_is_not_followed_either(self):
        kept, log = self.folder.file('kept', 'kept'), self.folder.path / 'own.log'
        daemon = self.running('--log-file', log)
        moved = log.rename(self.folder.path / 'own.log.1')
        log.symlink_to(kept)
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: 'error: log file: ' in moved.read_text(), 'the old log reports it')
        self.assertEqual(daemon.end(), 0)
        self.assertEqual(kept.read_text(), 'kept')
