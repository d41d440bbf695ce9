"""Two hosts with several rails between them, each shaped to one rate: network namespaces of our own, joined by one that routes, so that
every interface of one host reaches every interface of the other. It needs root; why it cannot be built is said by missing()."""
import atexit
import os
import re
import shutil
import signal
import subprocess
import sys

PREFIX = 'ulnet-rails'
HOSTS = {'a': 77, 'b': 78}
MTU = 9000
BURST = '128kb'   # a token bucket passes nothing larger: TCP hands down segments of up to 64 KiB
QUEUE_MS = 30


def missing():
    """Why this machine cannot have such hosts; empty: it can."""
    if os.geteuid() != 0:
        return 'network namespaces need root'
    for program in ('ip', 'tc'):
        if shutil.which(program) is None:
            return f'{program} is not installed'
    try:
        with Rails(1, 100):
            return ''
    except subprocess.CalledProcessError as refused:
        return f'{" ".join(refused.cmd)}: {refused.stderr.strip()}'


def command(*words):
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True).stdout


def sweep():
    """Deletes namespaces of processes that ended without doing so."""
    for name, maker in re.findall(rf'^({PREFIX}-(\d+)-\d+-\w)\b', command('ip', 'netns', 'list'), re.M):
        if not os.path.exists(f'/proc/{maker}'):
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)


class Rails:
    """Host a has the addresses 10.77.N.1, host b 10.78.N.1, for N from 1 to `count`, on the interfaces rN."""
    made = 0

    def __init__(self, count, mbit):
        self.count, self.mbit = count, mbit
        Rails.made += 1
        self.number = Rails.made

    def space(self, host):
        return f'{PREFIX}-{os.getpid()}-{self.number}-{host}'

    @staticmethod
    def address(host, rail):
        return f'10.{HOSTS[host]}.{rail}.1'

    def inside(self, host):
        """Words to put before a command that runs at that host."""
        return ['ip', 'netns', 'exec', self.space(host)]

    def __enter__(self):
        # A test that is ended from outside must delete its namespaces too.
        self.previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        atexit.register(self.delete)
        try:
            sweep()
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
        for host in (*HOSTS, 's'):
            subprocess.run(['ip', 'netns', 'del', self.space(host)], check=False, capture_output=True)

    def build(self):
        for host in (*HOSTS, 's'):
            command('ip', 'netns', 'add', self.space(host))
            command('ip', '-n', self.space(host), 'link', 'set', 'lo', 'up')
        command('ip', 'netns', 'exec', self.space('s'), 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
        for rail in range(1, self.count + 1):
            for host in HOSTS:
                self.build_rail(host, rail)
        for host in HOSTS:  # for what has no source yet
            command('ip', '-n', self.space(host), 'route', 'add', 'default', 'via', self.router(host, 1))

    @staticmethod
    def router(host, rail):
        return f'10.{HOSTS[host]}.{rail}.2'

    def build_rail(self, host, rail):
        here, router = self.space(host), self.space('s')
        near, far, table = f'r{rail}', f'{host}{rail}', 100 + rail
        command('ip', 'link', 'add', near, 'mtu', MTU, 'netns', here, 'type', 'veth', 'peer', 'name', far, 'mtu', MTU, 'netns', router)
        command('ip', '-n', here, 'addr', 'add', f'{self.address(host, rail)}/30', 'dev', near)
        command('ip', '-n', router, 'addr', 'add', f'{self.router(host, rail)}/30', 'dev', far)
        command('ip', '-n', here, 'link', 'set', near, 'up')
        command('ip', '-n', router, 'link', 'set', far, 'up')
        # What has this source leaves by this interface.
        command('ip', '-n', here, 'rule', 'add', 'from', self.address(host, rail), 'table', table)
        command('ip', '-n', here, 'route', 'add', 'default', 'via', self.router(host, rail), 'dev', near, 'table', table)
        for space, device in ((here, near), (router, far)):
            command('tc', '-n', space, 'qdisc', 'add', 'dev', device, 'root', 'tbf', 'rate', f'{self.mbit}mbit', 'burst', BURST,
                    'latency', f'{QUEUE_MS}ms')

    def cut(self, host, rail):
        """The host's interface goes down."""
        command('ip', '-n', self.space(host), 'link', 'set', f'r{rail}', 'down')

    def break_cable(self, host, rail):
        """What goes to or comes from the host's interface is lost on its way, and nobody is told."""
        command('ip', '-n', self.space('s'), 'route', 'add', 'blackhole', f'{self.address(host, rail)}/32')
        command('ip', '-n', self.space('s'), 'rule', 'add', 'from', self.address(host, rail), 'blackhole')

    def mend(self, host, rail):
        command('ip', '-n', self.space(host), 'link', 'set', f'r{rail}', 'up')
        command('ip', '-n', self.space(host), 'route', 'replace', 'default', 'via', self.router(host, rail), 'dev', f'r{rail}', 'table',
                100 + rail)
