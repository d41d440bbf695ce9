"""The commands of README.md and of four pages, pasted into a shell block by block, from the top, as
a newcomer does. The shell is in a network namespace that has the interfaces which the pages name. A
block with <!-- not pasted: REASON --> above it builds everything or is for other hosts: the test
checks only the options of its commands."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from tests.rigs import daemon_rig
from tests.rigs.programs import ROOT

PAGES = {'Readme': 'README.md', 'Routing': 'docs/ROUTING.md', 'Lab': 'docs/LAB.md', 'Selftest': 'docs/SELFTEST.md', 'Fgr': 'docs/FGR.md'}
LANGUAGES = {'sh', 'yaml', 'cpp', 'text'}
NOT_PASTED = [  # page, the first line of the block, why
    ('README.md', 'make demo', 'builds everything'),
    ('docs/ROUTING.md', 'client# ulnetctl route add', 'on other hosts'),  # routing_page_test.py runs it
    ('docs/LAB.md', 'ulnet-lab view --door', 'on other hosts'),
    ('docs/SELFTEST.md', 'ulst run --from', 'on other hosts'),
    ('docs/SELFTEST.md', 'ulst --standalone', 'on other hosts'),
    ('docs/FGR.md', 'ulnet-fgr check site.yaml /etc/modprobe.d', 'on other hosts'),
    ('docs/FGR.md', 'ulnet-fgr hints', 'on other hosts'),
    ('docs/FGR.md', 'journalctl -k', 'on other hosts'),
    ('docs/FGR.md', 'ulnet-fgr measure', 'on other hosts'),
    ('docs/FGR.md', 'ulnet-fgr verify', 'on other hosts'),
    ('docs/FGR.md', 'ulnet-fgr lab examples/fgr/three', '80 nodes'),
    ('docs/FGR.md', 'ulnet-fgr check examples/fgr/three', 'on other hosts'),
]
PROGRAMS = {'ulnetd', 'ulnetctl', 'ulst', 'ulnet-lab', 'ulnet-fgr'}
INTERFACES = {'eth0': '10.0.0.9/24', 'eth1': '10.0.1.9/24'}
# Its daemons and laboratories end with it; their sockets are in a /run of its own.
NAMESPACE = ['unshare', *([] if os.geteuid() == 0 else ['--map-root-user']), '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
DEADLINE_S = 1200 * daemon_rig.TIME_FACTOR


class Block:
    def __init__(self, reason, language, text):
        self.reason, self.language, self.text = reason, language, text


def blocks(page):
    found = re.findall(r'(?:^<!-- not pasted: (.*?) -->\n)?^```(\w*)\n(.*?)^```$', (ROOT / page).read_text(), re.M | re.S)
    return [Block(*one) for one in found]


def programs_folder():
    return pathlib.Path(daemon_rig.ULNETD).parent


def said(*words):
    """What a program prints, whatever its exit code: some programs print help with an exit code
    other than 0."""
    return subprocess.run([programs_folder() / words[0], *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False).stdout


class Marked(unittest.TestCase):
    def test_each_block_says_what_it_is(self):
        for page in PAGES.values():
            self.assertEqual({block.language for block in blocks(page)} - LANGUAGES, set(), page)

    def test_the_blocks_that_are_not_pasted_are_listed(self):
        marked = [(page, block) for page in PAGES.values() for block in blocks(page) if block.reason]
        self.assertEqual(len(marked), len(NOT_PASTED), [block.text for _, block in marked])
        for (page, block), (listed, begin, why) in zip(marked, NOT_PASTED):
            self.assertEqual((page, block.reason), (listed, why))
            self.assertTrue(block.text.startswith(begin), block.text)

    def test_their_commands_and_options_exist(self):
        for page in PAGES.values():
            for block in blocks(page):
                for line in block.text.splitlines() if block.reason else ():
                    with self.subTest(page=page, line=line):
                        self.known(shlex.split(re.sub(r'^\w+# ', '', line), comments=True))

    def known(self, words):
        words = words[words.index('|') + 1:] if '|' in words else words
        program = words[0]
        if program == 'make':
            return self.assertRegex((ROOT / 'Makefile').read_text(), rf'(?m)^{words[1]}:')
        self.assertIn(program, PROGRAMS)
        names = said(program, '--list-commands').split()
        command = next(i for i, word in enumerate(words) if word in names)
        group = words[command:command + 2] if program == 'ulnetctl' else words[command:command + 1]
        self.assertNotEqual(said(program, 'help', *group), '')
        helps = said(program, '--help') + said(program, 'help', *group)
        for word in words:
            if word.startswith('--'):
                self.assertRegex(helps, rf'{word.split("=")[0]}\b')


class Pasted:
    PAGE = ''
    # How blocks that measure begin, and the command that takes away what they leave. When the machine stands still during a measurement,
    # the programs rightly say so: then the test pastes the block again.
    MEASURES, END = (), 'true'

    def setUp(self):
        if subprocess.run([*NAMESPACE, 'mount', '-t', 'tmpfs', 'none', '/run'], check=False, capture_output=True).returncode != 0:
            self.skipTest('this user may not make namespaces')
        folder = tempfile.TemporaryDirectory(prefix='ulnet-page-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.here = self.folder / 'here'  # like a clone in which everything is built
        (self.here / 'build/release').mkdir(parents=True)
        (self.here / 'build/release/bin').symlink_to(programs_folder())
        (self.here / 'examples').symlink_to(ROOT / 'examples')

    def script(self, pasted):
        lines = ['set -e', 'mount -t tmpfs none /run', 'ip link set lo up']
        for name, address in INTERFACES.items():
            lines += [f'ip link add {name} type veth peer name {name}-far', f'ip addr add {address} dev {name}', f'ip link set {name} up',
                      f'ip link set {name}-far up']
        lines.append(f'cd {self.here}')
        for number, block in enumerate(pasted):
            (self.folder / f'{number}.sh').write_text(block.text)
            attempts = '1 2 3' if block.text.startswith(self.MEASURES) else '1'
            # Each command of the block has to succeed, also in front of a pipe.
            lines.append(f'for attempt in {attempts}; do bash -e -o pipefail {self.folder}/{number}.sh >{self.folder}/{number}.said 2>&1 </dev/null '
                         f'&& code=0 || code=$?; [ $code -ne 0 ] || break; {self.END} >/dev/null 2>&1 || true; done; '
                         f'echo $code >{self.folder}/{number}.code')
        return '\n'.join(lines)

    def test_each_block_ends_well(self):
        pasted = [block for block in blocks(self.PAGE) if block.language == 'sh' and not block.reason]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(('ULNET', 'LST_', 'XDG_'))}
        environment.update(PATH=f'{programs_folder()}:{os.environ["PATH"]}', XDG_RUNTIME_DIR=str(self.folder), HOME=str(self.folder))
        done = subprocess.run([*NAMESPACE, 'bash', '-c', self.script(pasted)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE_S, check=False, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        for number, block in enumerate(pasted):
            code = (self.folder / f'{number}.code').read_text().strip()
            self.assertEqual(code, '0', f'{block.text}\n{(self.folder / f"{number}.said").read_text()}')


class Readme(Pasted, unittest.TestCase):
    PAGE = PAGES['Readme']


class Routing(Pasted, unittest.TestCase):
    PAGE = PAGES['Routing']


class Lab(Pasted, unittest.TestCase):
    PAGE = PAGES['Lab']


class Selftest(Pasted, unittest.TestCase):
    PAGE = PAGES['Selftest']


class Fgr(Pasted, unittest.TestCase):
    CTEST = {'SANITIZED': '0', 'TIMEOUT': '1500'}
    PAGE = PAGES['Fgr']
    MEASURES, END = 'ulnet-fgr lab', 'ulnet-lab down trial'
