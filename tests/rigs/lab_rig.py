"""What tests of ulnet-lab share: laboratories for this test alone, commands, and a view of the
processes, namespaces and files that the laboratories have on the machine."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from tests.rigs.daemon_rig import DEADLINE_S, Folder, wait_until
from tests.rigs.programs import ROOT, program

LAB = program('ulnet-lab')
EXAMPLES = ROOT / 'examples' / 'lab'
LABS = pathlib.Path('/run/ulnet-lab') if os.geteuid() == 0 else None
# Routers are lost and found sooner than by default. A dead router is noticed because its port
# refuses connections. router_ping_timeout is longer than a busy machine holds up the answer of a
# living router.
QUICK = 'settings: {alive_router_check_interval: 1, router_ping_timeout: 10, lnet_transaction_timeout: 20}\n'
SPACES = pathlib.Path('/run/netns')


def why_no_spaces():
    """Why this machine cannot have namespaces; empty when it can."""
    if os.geteuid() != 0:
        return 'network namespaces need root'
    name = f'ulnet-lab-try-{os.getpid()}'
    try:
        for verb in ('add', 'del'):
            done = subprocess.run(['ip', 'netns', verb, name], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f'ip netns {verb}: {done.stderr.strip()}'
    except FileNotFoundError:
        return 'ip is not installed'
    return ''


def daemons(word):
    """The processes of laboratories whose folder has the word in its name."""
    found = []
    for folder in pathlib.Path('/proc').iterdir():
        try:
            if folder.name.isdigit() and re.search(rf'\0ULNET_LAB_DAEMON=[^\0]*{word}'.encode(), (folder / 'environ').read_bytes()):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class LabTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith('ULNET_')}
        self.environment['XDG_RUNTIME_DIR'] = str(self.folder.path)
        self.labs = LABS or self.folder.path / 'ulnet-lab'
        self.mark = f'test{os.getpid()}'
        self.addCleanup(self.clean)

    def clean(self):
        for name in {self.lab_of(space) for space in self.spaces()} | {path.name for path in self.folders()}:
            self.run_lab('clean', name)

    @staticmethod
    def lab_of(space):
        return space.removeprefix('ulnet-lab.').rpartition('.')[0]

    def name(self, what):
        """A laboratory's name that no other test on this machine uses."""
        return f'{self.mark}-{what}'

    def start_lab(self, *words, stdin=subprocess.DEVNULL, **popen):
        return subprocess.Popen([LAB, *map(str, words)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment, **popen)

    def run_lab(self, *words, **popen):
        """Runs `ulnet-lab` and returns exit code, standard output and standard error."""
        process = self.start_lab(*words, **popen)
        out, err = process.communicate(timeout=3 * DEADLINE_S)
        return process.returncode, out, err

    def done(self, *words, **popen):
        code, out, err = self.run_lab(*words, **popen)
        self.assertEqual(code, 0, (words, out, err))
        return out

    def refused(self, *words, code=1, **popen):
        got, out, err = self.run_lab(*words, **popen)
        self.assertEqual(got, code, (words, out, err))
        return err

    def topology(self, name, text):
        return self.folder.file(f'{name}.yaml', text)

    def example(self, name):
        """The topology of the example, with short intervals unless it has settings of its own."""
        text = (EXAMPLES / f'{name}.yaml').read_text()
        return self.topology(name, text if '\nsettings:' in text else text + QUICK)

    # What this test's laboratories have on the machine.

    def spaces(self):
        return sorted(path.name for path in SPACES.iterdir() if f'.{self.mark}-' in path.name) if SPACES.is_dir() else []

    def folders(self):
        return sorted(path for path in self.beside() if path.is_dir())

    def locks(self):
        """For a moment these may be the locks of another test, which cleans up after any
        laboratory."""
        return sorted(path for path in self.beside() if path.suffix == '.lock')

    def beside(self):
        return [path for path in self.labs.iterdir() if f'{self.mark}-' in path.name] if self.labs.is_dir() else []

    def traces(self):
        sockets = [line for line in pathlib.Path('/proc/net/unix').read_text().splitlines() if f'/ulnet-lab/{self.mark}-' in line]
        links = subprocess.run(['ip', '-o', 'link'], capture_output=True, text=True, check=False).stdout if why_no_spaces() == '' else ''
        devices = {line.split(': ')[1] for line in links.splitlines()}
        return {'spaces': self.spaces(), 'folders': self.folders(), 'locks': self.locks(), 'sockets': sockets, 'devices': devices,
                'processes': daemons(f'{self.mark}-')}


class Lab:
    """A laboratory that is up during the `with` block."""

    def __init__(self, test, file, *options, what=None):
        self.test, self.file, self.options = test, file, options
        self.name = test.name(what or pathlib.Path(file).stem)

    def __enter__(self):
        self.said = self.test.done('up', self.file, '--name', self.name, *self.options)
        return self

    def __exit__(self, *_):
        self.test.done('down', self.name)

    def do(self, command, *words):
        return self.test.done(*command.split(), '--lab', self.name, *words)

    def status(self):
        return json.loads(self.test.done('status', self.name, '--json'))

    def node(self, name):
        return next(node for node in self.status()['nodes'] if node['node'] == name)

    def nid(self, name, number=0):
        return wait_until(lambda: self.node(name)['nis'], f'{name} shows its NIs')[number]['nid']

    def inside(self, node, *words):
        return self.test.run_lab('exec', '--lab', self.name, node, '--', *words)

    def pings(self, node, nid):
        return self.inside(node, 'ulnetctl', 'ping', '--timeout', '1', nid)[0] == 0

    def reaches(self, node, nid):
        wait_until(lambda: self.pings(node, nid), f'{node} reaches {nid}')

    def loses(self, node, nid):
        wait_until(lambda: not self.pings(node, nid), f'{node} does not reach {nid}')

    def measure(self, source, target, *options, at_once=1):
        """RPCs that take longer than 1.5 s are given up at the end: a wire of a busy machine carries few MiB in that time."""
        return self.do('measure', '--from', source, '--to', target, *(options or ('--ping',)), '--time', '300ms', '--concurrency', str(at_once))

    def routes(self, node):
        routes = self.node(node)['routes']
        return routes['up'], routes['down']

    def has_routes(self, node, up, down):
        wait_until(lambda: self.routes(node) == (up, down), f'{node}: {up} routes up, {down} down, not {self.routes(node)}')

    def ni(self, node, number, status):
        wait_until(lambda: [ni['status'] for ni in self.node(node)['nis']][number:number + 1] == [status], f'NI {number} of {node} is {status}')
