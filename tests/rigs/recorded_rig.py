"""Plays recorded command lines of production nodes on nodes of this test: each command runs on the
node that plays the recorded one, and has to print what was printed there.

A recording (tests/data/text) has `g3$ COMMAND`, the output (standard output, `[stderr]`, standard
error) and `[exit N]` for each command. 10.99.0.N of the recording is address(N) here, 10.99.1.N is
address(100 + N)."""
import dataclasses
import os
import re
import subprocess
import time

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import address
from tests.rigs.programs import ROOT

TEXTS = ROOT / 'tests' / 'data' / 'text'
# A command that only shows state: the test runs it again until it prints what was recorded, for
# DEADLINE_S at most.
LOOKS = re.compile(r'lnetctl (\w+ )?(show|list|ping|discover|export)\b|ulnetctl file\b')
# Lines that are no output of the command before them: comments, the kernel's log, counters and
# messages of the recorder.
NO_OUTPUT = re.compile(r'\[stderr\]|#|sh: /usr/sbin/ksocklnd-config|g\d+ stats file|LNet|uml-vector|libcfs|Number of packets'
                       r'|Capture duration|up=')


@dataclasses.dataclass
class Recorded:
    node: str
    command: str
    output: str
    code: int
    part: str  # the last comment before it


def recorded_commands(name):
    """The commands of a recording, in their order. Without `[exit N]` the code is that of success,
    or 255 after an error."""
    found, part = [], ''
    for line in (TEXTS / name).read_text().splitlines():
        prompt = re.match(r'(g\d+)\$ (.*)', line)
        if prompt:
            found.append(Recorded(prompt[1], prompt[2], '', 0, part))
        elif line.startswith('[exit ') and found:
            found[-1].code = int(line[6:-1])
        elif line.startswith('#'):
            part = line.lstrip('# ')
        elif found and not NO_OUTPUT.match(line):
            found[-1].output += line + '\n'
    return found


def recorded_text(name):
    return (TEXTS / name).read_text()


def nid(recorded):
    """The NID, address or pattern that replaces a recorded one here."""
    return re.sub(r'10\.99\.([0159])\.(\[[^]]*\]|\d+)', _here, recorded)


def _here(match):
    net, last = int(match[1]), match[2]
    if last.startswith('['):
        assert net == 0, 'patterns are of the first net only'
        return address(last)
    return address(int(last) + {0: 0, 1: 100, 5: 200, 9: 240}[net])


def as_recorded(text):
    """An output of this test with the recorded addresses."""
    def there(match):
        last = int(match[1])
        for begin, net in ((240, 9), (200, 5), (100, 1), (0, 0)):
            if last >= begin:
                return f'10.99.{net}.{last - begin}'
    return re.sub(re.escape(address('')) + r'(\d+)', there, text)


class Shell:
    """Runs commands as they were typed at a node."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = folder.path / 'bin'
        self.bin.mkdir(exist_ok=True)
        for name in ('lnetctl', 'ulnetctl'):
            if not (self.bin / name).exists():
                (self.bin / name).symlink_to(daemon_rig.ULNETCTL)

    @staticmethod
    def adapted(node, command):
        """Replaces kernel files and module parameters by files and parameters of ulnet's node, and
        interfaces by addresses; removes commands that print the time."""
        command = re.sub(r'^(date \+%T|cut [^;]*/proc/uptime); ', '', command)
        command = command.replace('cat /sys/kernel/debug/lnet/', 'ulnetctl file ')
        command = re.sub(r'--if eth1', f'--if {address(100 + int(node.name[1:]))}', command)
        return re.sub(r'echo (\S+) > /sys/module/lnet/parameters/(\w+)', r'ulnetctl param set \2=\1 >/dev/null', command)

    def run(self, node, command):
        """The exit code, and standard output followed by standard error, without hints."""
        done = subprocess.run(['/bin/sh', '-c', nid(self.adapted(node, command))], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder.path, timeout=daemon_rig.DEADLINE_S, check=False,
                              env={**os.environ, 'ULNET_CONTROL': str(node.socket), 'PATH': f'{self.bin}:{os.environ["PATH"]}'})
        hints = re.sub(r'^(# |\S+@\w+: ).*\n', '', done.stderr, flags=re.MULTILINE)
        return done.returncode, as_recorded(done.stdout + hints)


def same_shape(text, values=()):
    """The part of an output that is compared. `values`: patterns of keys, or names of a table's
    columns, whose values differ here. Columns are separated by one space. The routes of a list and
    the lines of a table are sorted, because a new route goes to a random place."""
    for key in values:
        text = re.sub(rf'^(\s*(?:- )?(?:{key}):).*$', r'\1 *', text, flags=re.MULTILINE)
    lines = [line.split() for line in text.splitlines()]
    header = next((line for line in lines if line and line[0] in ('nid', 'ref', 'pages', 'net')), None)
    if header and ':' not in text.splitlines()[0]:
        for at, name in enumerate(header):
            for line in lines:
                if name in values and len(line) == len(header):
                    line[at] = '*'
        return '\n'.join(sorted(' '.join(line) for line in lines))
    if re.match(r'route:|peer:|-     primary nid:', text):
        head, *items = re.split(r'^(?=- )', text, flags=re.MULTILINE)
        return head + ''.join(sorted(items))
    return text


class Player:
    """Plays recordings on `nodes`, by their recorded names. `skipped`: (pattern of commands, why
    they are not run). `values`: (pattern of commands, the `values` for same_shape(), which belong
    to another node or moment). `cut`: (pattern of commands, pattern of text to remove from both outputs,
    why). `changed`: (pattern of commands, a function that turns the recorded output into the output
    that this node has to print, why)."""

    def __init__(self, test, nodes, skipped=(), values=(), cut=(), changed=()):
        self.test, self.nodes = test, nodes
        self.skipped, self.values, self.cut, self.changed = skipped, values, cut, changed
        self.shell = Shell(test.folder)
        self.compared = 0

    @staticmethod
    def recorded(node, command, output, code):
        """A command of a recording without prompts."""
        return Recorded(node, command, output, code, '')

    def play(self, commands):
        for recorded in commands:
            if any(re.search(pattern, recorded.command) for pattern, _ in self.skipped):
                continue
            self.expect(recorded)
            self.compared += 1

    def expect(self, recorded):
        values = [key for pattern, keys in self.values if re.search(pattern, recorded.command) for key in keys]
        output = recorded.output
        for pattern, change, _ in self.changed:
            if re.search(pattern, recorded.command):
                output = change(output)
        cuts = [text for pattern, text, _ in self.cut if re.search(pattern, recorded.command)]

        def compared(text):
            for each in cuts:
                text = re.sub(each, '', text, flags=re.MULTILINE | re.DOTALL)
            return same_shape(text, values)
        wanted = recorded.code, compared(output)
        looks = LOOKS.search(self.shell.adapted(self.nodes[recorded.node], recorded.command))
        end = time.monotonic() + (daemon_rig.DEADLINE_S if looks else 0)
        while True:
            code, text = self.shell.run(self.nodes[recorded.node], recorded.command)
            got = code, compared(text)
            if got == wanted or time.monotonic() > end:
                break
            time.sleep(0.05)
        self.test.maxDiff = None
        self.test.assertEqual(got[1], wanted[1], f'{recorded.node}$ {recorded.command}')
        self.test.assertEqual(got[0], wanted[0], f'{recorded.node}$ {recorded.command}')
