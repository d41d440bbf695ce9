"""Network namespaces for tests and benchmarks that need several hosts; they need root. Their user
deletes them, also when it is ended from outside; sweep() deletes those of processes that could not."""
import atexit
import os
import re
import signal
import subprocess
import sys
import time

PREFIX = 'ulnet-host'


def command(*words):
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True).stdout


def sweep():
    """Deletes namespaces of processes that ended without deleting them."""
    for name, maker in re.findall(rf'^({PREFIX}-(\d+)-\d+-\w+)\b', command('ip', 'netns', 'list'), re.M):
        if not os.path.exists(f'/proc/{maker}'):
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)


class Spaces:
    """A namespace for each of `hosts`; a subclass joins them in build()."""
    made = 0

    def __init__(self, hosts):
        self.hosts = tuple(hosts)
        Spaces.made += 1
        self.number = Spaces.made

    def space(self, host):
        return f'{PREFIX}-{os.getpid()}-{self.number}-{host}'

    def inside(self, host):
        """Words to put before a command that runs at that host."""
        return ['ip', 'netns', 'exec', self.space(host)]

    def __enter__(self):
        # A test that is ended from outside must delete its namespaces too.
        self.previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        atexit.register(self.delete)
        try:
            sweep()
            for host in self.hosts:
                command('ip', 'netns', 'add', self.space(host))
                command('ip', '-n', self.space(host), 'link', 'set', 'lo', 'up')
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.delete()
        atexit.unregister(self.delete)
        signal.signal(signal.SIGTERM, self.previous)

    def delete(self):
        for host in self.hosts:
            subprocess.run(['ip', 'netns', 'del', self.space(host)], check=False, capture_output=True)

    def join(self, one, address, other, other_address, mtu):
        """A cable between two hosts; each address with its prefix length, and the name of its
        device: ('10.1.1.1/24', 'e0')."""
        command('ip', 'link', 'add', address[1], 'mtu', mtu, 'netns', self.space(one), 'type', 'veth', 'peer', 'name', other_address[1], 'mtu',
                mtu, 'netns', self.space(other))
        for host, (where, device) in ((one, address), (other, other_address)):
            command('ip', '-n', self.space(host), 'addr', 'add', where, 'dev', device)
            command('ip', '-n', self.space(host), 'link', 'set', device, 'up')
        for host, (_, device) in ((one, address), (other, other_address)):
            self.wait_until_up(host, device)

    def wait_until_up(self, host, device):
        """The system reports a new link with a delay; a node that starts earlier would advertise
        its NI as down."""
        end = time.monotonic() + 20
        while 'state UP' not in command('ip', '-n', self.space(host), 'link', 'show', device):
            if time.monotonic() > end:
                raise RuntimeError(f'{device} of host {host} does not come up')
            time.sleep(0.02)


def missing(spaces):
    """Why this machine cannot have such hosts; empty when it can."""
    if os.geteuid() != 0:
        return 'network namespaces need root'
    try:
        with spaces:
            return ''
    except FileNotFoundError as absent:
        return f'{absent.filename} is not installed'
    except subprocess.CalledProcessError as refused:
        return f'{" ".join(refused.cmd)}: {refused.stderr.strip()}'
