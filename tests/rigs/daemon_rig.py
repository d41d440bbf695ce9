"""Fixture for the tests in this folder: ulnetd processes on loopback addresses that only this test
uses, and clients of their control APIs."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from tests.rigs.programs import program

ULNETD = program('ulnetd')
ULNETCTL = program('ulnetctl')
NOBODY = 65534
# The address sanitizer reserves more address space than tests with a limit on it allow.
SANITIZED = bool(os.environ.get('ULNET_SANITIZED', ''))
TIME_FACTOR = float(os.environ.get('ULNET_TIME_FACTOR', '1'))  # how many times slower a slow machine is
DEADLINE_S = 120 * TIME_FACTOR  # far beyond what a busy machine takes: only a test that fails waits for it


def wait_until(condition, what, deadline_s=DEADLINE_S):
    """Calls `condition` until its result is true, and returns this result."""
    end = time.monotonic() + deadline_s
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f'{what}: not within {deadline_s:.0f} s')
        time.sleep(0.02)


def address(last, third=0):
    """An address that no other test on this machine uses now; `third` is 0 or 1."""
    return f'127.{64 + os.getpid() % 128}.{os.getpid() // 128 % 128 * 2 + third}.{last}'


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__('ulnet', timeout=DEADLINE_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Folder:
    """A folder for this test alone, for sockets, configuration files and logs."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix='ulnetd-'))
        self.path.chmod(0o755)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name, text):
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class Daemon:
    """One ulnetd process; stop() ends it if it still runs. With named=False the arguments or the
    environment name the node. `inside`: words before the command, which then runs in another
    namespace."""

    def __init__(self, folder, *arguments, name='a', named=True, environment=None, program=None, inside=(), **popen):
        self.name = name
        self.socket = folder.path / f'{name}.sock'
        self.log = folder.path / f'{name}.log'
        place = ['--name', name, '--control', str(self.socket)] if named else []
        command = [*inside, program or ULNETD, *place, *map(str, arguments)]
        with self.log.open('ab') as log:
            self.process = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL, **popen,
                                            env={**os.environ, 'XDG_RUNTIME_DIR': str(folder.path), **(environment or {})})

    @property
    def client_environment(self):
        """The environment of a program that talks to this node."""
        return {**os.environ, 'ULNET_CONTROL': str(self.socket)}

    def ready(self):
        def answers():
            if self.process.poll() is not None:
                raise AssertionError(f'{self.name} ended with {self.process.returncode}:\n{self.said()}')
            try:
                return self.get('/v1/version')
            except OSError:
                return None
        wait_until(answers, f'{self.name} answers')
        return self

    def said(self):
        return self.log.read_text(errors='replace')

    def says(self, pattern):
        """Waits for a line of its log that matches."""
        wait_until(lambda: re.search(pattern, self.said(), re.MULTILINE), f'{self.name} says {pattern!r}, not only:\n{self.said()}')

    def ask(self, method, path, body=None):
        """The status and the decoded answer of a request to the control API."""
        connection = UnixConnection(self.socket)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            text = response.read().decode()
            is_json = response.headers.get_content_type() == 'application/json'
            return response.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def get(self, path):
        status, answer = self.ask('GET', path)
        if status != 200:
            raise AssertionError(f'{path}: {status} {answer}')
        return answer

    def ctl(self, *arguments, stdin=''):
        """Runs `ulnetctl` on this node and returns exit code, standard output and standard error."""
        done = subprocess.run([ULNETCTL, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=DEADLINE_S,
                              check=False, env=self.client_environment)
        return done.returncode, done.stdout, done.stderr

    def nids(self):
        return self.get('/v1/nids')['nids']

    def ping(self, *nids, timeout_ms=10000):
        status, answer = self.ask('POST', '/v1/ping', {'nids': list(nids), 'timeout_ms': timeout_ms})
        assert status == 200, answer
        return answer

    def signal(self, number):
        self.process.send_signal(number)

    def pause(self):
        """Sends SIGSTOP; SIGCONT resumes the process. After SIGSTOP the threads go on for a while,
        on a busy machine long enough to answer a request. Therefore this returns only when the last
        of them has stopped."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def threads(self):
        """The text of the status file of each thread. The control API starts and ends threads
        meanwhile."""
        said = []
        for task in pathlib.Path(f'/proc/{self.process.pid}/task').iterdir():
            try:
                said.append((task / 'status').read_text(encoding='ascii', errors='replace'))
            except (FileNotFoundError, ProcessLookupError):
                continue
        return said

    def alive(self):
        return self.process.poll() is None

    def wait(self):
        return self.process.wait(DEADLINE_S)

    def end(self):
        self.signal(signal.SIGTERM)
        return self.wait()

    def stop(self):
        if self.alive():
            self.process.kill()
        self.process.wait()


class OwnDaemon(Daemon):
    """A daemon with parameters and the text of a configuration, in a folder of its own. As a context
    it runs until the end, when it has to stop after SIGTERM with exit code 0: a sanitizer's report
    is an error."""

    def __init__(self, params, config=''):
        self.folder = Folder()
        settings = [word for name, value in params.items() for word in ('--set', f'{name}={value}')]
        super().__init__(self.folder, '--config', self.folder.file('ulnet.conf', config), *settings)

    def __enter__(self):
        try:
            return self.ready()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        try:
            code = self.end()
            if code != 0:
                raise AssertionError(f'ulnetd ended with {code}:\n{self.said()}')
        finally:
            self.remove()

    def remove(self):
        self.stop()
        self.folder.remove()


def run(*arguments, **popen):
    """Runs a ulnetd that is expected to end by itself, and returns exit code, standard output and
    standard error."""
    done = subprocess.run([ULNETD, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors='replace', timeout=DEADLINE_S, check=False, **popen)
    return done.returncode, done.stdout, done.stderr


def yaml_of(*nets, **params):
    """A configuration: nets as (name, address...), then parameters."""
    text = 'net:\n' if nets else ''
    for name, *addresses in nets:
        text += f'    - net type: {name}\n      local NI(s):\n'
        for one in addresses:
            text += f'        - interfaces:\n              0: {one}\n'
    if params:
        text += 'param:\n' + ''.join(f'    {name}: {value}\n' for name, value in params.items())
    return text


class E2e(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.port = free_port()

    def daemon(self, *arguments, **more):
        """Starts a daemon with accept=trust on this test's port, and does not wait for it."""
        made = Daemon(self.folder, '--accept-port', self.port, '--set', 'accept=trust', *arguments, **more)
        self.addCleanup(made.stop)
        return made

    def for_nobody(self):
        """A copy of the program that the user nobody can run, and an environment with a folder that
        belongs to nobody."""
        program = shutil.copy(ULNETD, self.folder.path / 'ulnetd')
        own = self.folder.path / 'nobody'
        own.mkdir()
        os.chown(own, NOBODY, NOBODY)
        return program, {'PATH': os.environ['PATH'], 'XDG_RUNTIME_DIR': str(own)}

    def in_a_folder_of_its_own(self, **environment):
        """Arguments for a daemon that chooses the folder of its control socket itself. Root's would
        be /run/ulnet, where the tests of ulnetctl, which may run at the same time, would find it:
        so it runs as nobody."""
        if os.geteuid() != 0:
            return {'environment': environment}
        program, its_own = self.for_nobody()
        return {'environment': {**its_own, **environment}, 'program': program, 'user': NOBODY, 'group': NOBODY, 'extra_groups': []}

    def running(self, *arguments, **more):
        return self.daemon(*arguments, **more).ready()
