"""Two hosts with several rails between them, each shaped to one rate: network namespaces for this
test, joined by one that routes. Every interface of one host reaches every interface of the other.
It needs root; missing() returns why it cannot be built."""
from tests.rigs.spaces import Spaces, command
from tests.rigs import spaces

HOSTS = {'a': 77, 'b': 78}
MTU = 9000
BURST = '128kb'   # the most that a token bucket passes at once: TCP sends segments of up to 64 KiB
QUEUE_MS = 30

# A setting of the nodes. BBR, the default of some machines, shares such a wire so unevenly that one
# of several working connections may transfer nothing within the driver's 3 s; LNet then rightly
# gives the connection up, and its operations fail.
CONGESTION = 'congestion=reno'


def missing():
    """Why this machine cannot have such hosts; empty when it can."""
    return spaces.missing(Rails(1, 100))


class Rails(Spaces):
    """Host a has the addresses 10.77.N.1, host b 10.78.N.1, for N from 1 to `count`, on the interfaces rN."""

    def __init__(self, count, mbit):
        super().__init__((*HOSTS, 's'))
        self.count, self.mbit = count, mbit

    @staticmethod
    def address(host, rail):
        return f'10.{HOSTS[host]}.{rail}.1'

    def build(self):
        command('ip', 'netns', 'exec', self.space('s'), 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
        for rail in range(1, self.count + 1):
            for host in HOSTS:
                self.build_rail(host, rail)
        for host in HOSTS:  # for packets without a source address yet
            command('ip', '-n', self.space(host), 'route', 'add', 'default', 'via', self.router(host, 1))

    @staticmethod
    def router(host, rail):
        return f'10.{HOSTS[host]}.{rail}.2'

    def build_rail(self, host, rail):
        here, router = self.space(host), self.space('s')
        near, far, table = f'r{rail}', f'{host}{rail}', 100 + rail
        self.join(host, (f'{self.address(host, rail)}/30', near), 's', (f'{self.router(host, rail)}/30', far), MTU)
        # Packets with this source address leave by this interface.
        command('ip', '-n', here, 'rule', 'add', 'from', self.address(host, rail), 'table', table)
        command('ip', '-n', here, 'route', 'add', 'default', 'via', self.router(host, rail), 'dev', near, 'table', table)
        for space, device in ((here, near), (router, far)):
            command('tc', '-n', space, 'qdisc', 'add', 'dev', device, 'root', 'tbf', 'rate', f'{self.mbit}mbit', 'burst', BURST,
                    'latency', f'{QUEUE_MS}ms')

    def cut(self, host, rail):
        """The host's interface goes down."""
        command('ip', '-n', self.space(host), 'link', 'set', f'r{rail}', 'down')

    def break_cable(self, host, rail):
        """The packets to and from the host's interface are lost on their way, and no host is
        notified."""
        command('ip', '-n', self.space('s'), 'route', 'add', 'blackhole', f'{self.address(host, rail)}/32')
        command('ip', '-n', self.space('s'), 'rule', 'add', 'from', self.address(host, rail), 'blackhole')

    def mend(self, host, rail):
        command('ip', '-n', self.space(host), 'link', 'set', f'r{rail}', 'up')
        command('ip', '-n', self.space(host), 'route', 'replace', 'default', 'via', self.router(host, rail), 'dev', f'r{rail}', 'table',
                100 + rail)
