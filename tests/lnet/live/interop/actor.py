"""The actor: a node under test that carries out commands (actor.cc). It is a context manager and stops at the end of the block."""
import json
import os
import selectors
import subprocess
import time

from tests.rigs.daemon_rig import DEADLINE_S
from tests.rigs.programs import program


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
            raise AssertionError(f'the actor did not start: {ready}')
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

    def wait(self, condition, seconds=DEADLINE_S):
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
            self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError('the actor did not stop')
        finally:
            self.process.stdin.close()
            self.process.stdout.close()
        if self.process.returncode != 0:
            raise AssertionError(f'the actor ended with {self.process.returncode}')
