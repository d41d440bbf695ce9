"""A node of its own with a load that accounts for each operation: the program rails_load."""
import json
import subprocess

from tests.rigs import daemon_rig
from tests.rigs.programs import program

RAILS_LOAD = program('rails_load')


class Load:
    """One `rails_load`, which answers each line with its counts. `inside`: words before the
    command, which then runs in another namespace."""

    def __init__(self, test, networks, *words, inside=()):
        self.process = subprocess.Popen([*inside, RAILS_LOAD, networks, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        test.addCleanup(self.end)
        test.assertEqual(self.process.stdout.readline(), 'ready\n')

    def ask(self, line):
        self.process.stdin.write(f'{line}\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        if self.process.stdin.closed:
            return
        self.process.stdin.close()
        try:
            self.process.wait(daemon_rig.DEADLINE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
