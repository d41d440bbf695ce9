"""The node under test: a ulnetd with ulnetctl, or the actor. Both are context managers and stop at
the end of the block."""
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import tempfile
import time

from tests.rigs.programs import program

WAIT_S = 60  # the wait for what happens at once on a machine that is not busy


class Gone(Exception):
    """The node died, or did not start."""


class Actor:
    """The interop_actor process. Its output lines are collected in `lines`."""

    def __init__(self, networks, params):
        words = [f'{key}={value}' for key, value in params.items()]
        self.process = subprocess.Popen([program('interop_actor'), networks, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.partial, self.lines = b'', []
        ready = self.wait(lambda line: 'ready' in line)
        if not ready or not ready['ready']:
            raise Gone(f'the actor did not start: {ready}')
        self.nids = ready['nids']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def fileno(self):
        return self.process.stdout.fileno()

    def pump(self):
        """Reads the available output; False when the process has ended."""
        while True:
            try:
                data = os.read(self.fileno(), 65536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.partial += data
            *whole, self.partial = self.partial.split(b'\n')
            self.lines += [json.loads(line) for line in whole]

    def send_command(self, /, **command):
        self.process.stdin.write(json.dumps(command).encode() + b'\n')

    def wait(self, condition, seconds=WAIT_S):
        """Waits for the first line for which `condition` holds; None after the time-out."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno(), selectors.EVENT_READ)
            while True:
                alive = self.pump()
                for line in self.lines:
                    if condition(line):
                        return line
                if not alive or time.monotonic() > end:
                    return None
                selector.select(0.05)

    def stop(self):
        if self.process.poll() is None:
            try:
                self.send_command(op='quit')
            except BrokenPipeError:
                pass
        try:
            self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Gone('the actor did not stop')
        finally:
            self.process.stdin.close()
            self.process.stdout.close()
        if self.process.returncode != 0:
            raise Gone(f'the actor ended with {self.process.returncode}')


class Daemon:
    """A ulnetd on its own control socket, in a folder of its own."""

    def __init__(self, params=None, config=None, arguments=()):
        self.folder = tempfile.TemporaryDirectory(prefix='ulnet-test-')
        self.socket = os.path.join(self.folder.name, 'control.sock')
        self.environment = dict(os.environ, ULNET_CONTROL=self.socket, XDG_RUNTIME_DIR=self.folder.name,
                                XDG_CONFIG_HOME=self.folder.name)
        words = [program('ulnetd'), *arguments]
        path = os.path.join(self.folder.name, 'ulnet.conf')
        with open(path, 'w') as file:
            file.write(config or '')
        words += ['--config', path]
        for key, value in (params or {}).items():
            words += ['--set', f'{key}={value}']
        self.log = open(os.path.join(self.folder.name, 'log'), 'w+')
        self.process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)
        self._wait_ready()

    def _wait_ready(self):
        end = time.monotonic() + WAIT_S
        while self.ctl('global', 'show').returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                said = self.log_text()
                self._tidy()
                raise Gone(f'ulnetd did not start:\n{said}')
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self._tidy()

    def _tidy(self):
        self.log.close()
        self.folder.cleanup()

    def log_text(self):
        with open(self.log.name) as file:
            return file.read()

    def ctl(self, *words, stdin='', timeout=60):
        """Runs ulnetctl; the CompletedProcess with text output."""
        return subprocess.run([program('ulnetctl'), *map(str, words)], env=self.environment, input=stdin,
                              capture_output=True, text=True, timeout=timeout)

    def start_ctl(self, *words):
        return subprocess.Popen([program('ulnetctl'), *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def counters(self):
        """Drops by reason and the counters of the tcp driver: {'drops': {...}, 'driver': {...}}."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.socket)
            line.sendall(b'GET /v1/counters HTTP/1.0\r\n\r\n')
            answer = b''.join(iter(lambda: line.recv(65536), b''))
        return json.loads(answer.partition(b'\r\n\r\n')[2])

    def alive(self):
        return self.process.poll() is None

    def rss_bytes(self):
        with open(f'/proc/{self.process.pid}/statm') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')

    def is_sanitized(self):
        """Whether ulnetd was built with a sanitizer: then its memory use is not the node's."""
        with open(f'/proc/{self.process.pid}/exe', 'rb') as program:
            return re.search(rb'__[at]san_init', program.read()) is not None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def stop(self):
        """Sends SIGTERM; the process has to end in time and with exit code 0."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Gone(f'ulnetd did not end after SIGTERM:\n{self.log_text()}')
        if code != 0:
            raise Gone(f'ulnetd ended with {code}:\n{self.log_text()}')


def net_yaml(nids_by_net):
    """A configuration file: {'tcp': ['127.0.0.1', ...]}, without conns_per_peer and other values,
    which parameters set."""
    lines = ['net:']
    for net, interfaces in nids_by_net.items():
        lines += [f'    - net type: {net}', '      local NI(s):']
        for interface in interfaces:
            lines += ['        - interfaces:', f'              0: "{interface}"']
    return '\n'.join(lines) + '\n'
