"""Fixtures for upstream's cases: a node on loopback addresses, or on interfaces of a network namespace."""
import os
import subprocess
import sys
import unittest

import yaml

from tests.rigs.daemon_rig import OwnDaemon, address, free_port, wait_until

SKIPPED = 77
INSIDE = 'ULNET_TEST_INSIDE'


class Loopback(unittest.TestCase):
    """Upstream's `dlc`: a node with 0@lo only, on a port of its own. Interfaces are given by their addresses."""
    PARAMS = {}

    def setUp(self):
        self.port, self.first, self.second = free_port(), address(1), address(2)
        self.node = self.enterContext(
            OwnDaemon({'accept': 'trust', 'accept_port': self.port, 'accept_port_bulk': self.port, 'conns_per_peer': 1, **self.PARAMS}))

    # ---- what upstream's helpers do ----

    def do(self, *words, **more):
        code, out, err = self.node.ctl(*words, **more)
        self.assertEqual(code, 0, f'{words}: {out}{err}')
        return out

    def fail_to(self, *words, **more):
        code, out, err = self.node.ctl(*words, **more)
        self.assertNotEqual(code, 0, f'{words}: {out}')
        return out + err

    def import_text(self, text, *options):
        return self.do('import', *options, stdin=text)

    def fail_to_import(self, text, *options):
        return self.fail_to('import', *options, stdin=text)

    def export(self):
        return self.do('export', '--backup')

    def base(self):
        return yaml.safe_load(self.export())

    def nis(self, net, verbose=1):
        """The NIs of a net as `net show` prints them."""
        shown = yaml.safe_load(self.do('net', 'show', '--net', net, '-v', str(verbose)))
        return shown['net'][0]['local NI(s)']

    def nids(self):
        return [line.split('nid:')[-1].strip() for line in self.do('net', 'show').splitlines() if 'nid:' in line]

    def reset(self):
        self.do('lnet', 'unconfigure')
        self.do('lnet', 'configure')

    def wait_for(self, read, wanted):
        """Waits until read() returns the wanted value."""
        wait_until(lambda: read() == wanted, f'the value is {wanted}')

    def tcp_connections(self, port):
        """(local port, remote port) of every established TCP connection end on `port`, except those
        of other tests."""
        ends = ((port_of(local), port_of(remote)) for local, remote in tcp_table(ESTABLISHED))
        return [both for both in ends if port in both]

    def listeners(self, port):
        """The addresses with a listener on `port`, in the kernel's format and sorted, except those
        of other tests."""
        return sorted(local.split(':')[0] for local, _ in tcp_table(LISTEN) if port_of(local) == port)


class Interfaces(Loopback):
    """Like Loopback, on veth devices of a namespace that main() has entered: eth0 and eth1 have
    both families, eth2 and eth3 IPv6 only."""
    ETH0, ETH1 = '10.1.2.35', '10.1.3.40'
    ETH0_6, ETH1_6 = '2001:db8:1:2::35', '2001:db8:1:3::40'
    ETH2_6, ETH3_6 = '2001:db8:1:4::45', '2001:db8:1:5::50'


ESTABLISHED, LISTEN = '01', '0A'


def tcp_table(state):
    """Both ends of every TCP socket in this state, except those of other tests. A set, because the
    kernel writes rows twice when the table changes while it is read; it may also leave rows out, so
    wait_for() reads the table again."""
    with open('/proc/net/tcp') as file:
        rows = [line.split() for line in list(file)[1:]]
    return {(row[1], row[2]) for row in rows if row[3] == state and may_be_ours(row[1])}


def port_of(end):
    return int(end.split(':')[1], 16)


def may_be_ours(end):
    """Whether the end is not on a loopback address of another test, which may have found the same
    port free."""
    net = slice(2, 8)  # the kernel writes the last octet first
    host = end.split(':')[0]
    return not host.endswith('7F') or host[net] == hexadecimal(address(0))[net]


def hexadecimal(dotted):
    """An IPv4 address in the format of /proc/net/tcp."""
    return ''.join(f'{int(octet):02X}' for octet in reversed(dotted.split('.')))


def _make_interfaces():
    def ip(*words):
        subprocess.run(['ip', *words], check=True)
    ip('link', 'set', 'lo', 'up')
    addresses = {'eth0': (f'{Interfaces.ETH0}/24', f'{Interfaces.ETH0_6}/64'),
                 'eth1': (f'{Interfaces.ETH1}/24', f'{Interfaces.ETH1_6}/64'),
                 'eth2': (f'{Interfaces.ETH2_6}/64',), 'eth3': (f'{Interfaces.ETH3_6}/64',)}
    for name, given in addresses.items():
        ip('link', 'add', name, 'type', 'veth', 'peer', 'name', f'{name}-peer')
        for address_ in given:
            ip('address', 'add', address_, 'dev', name, *(['nodad'] if ':' in address_ else []))
        ip('link', 'set', name, 'up')
        ip('link', 'set', f'{name}-peer', 'up')


def main(interfaces=False):
    """Runs the caller's cases; with `interfaces` in a namespace with veth devices, or skips them with a reason."""
    if not interfaces:
        unittest.main()
    if os.environ.get(INSIDE):
        _make_interfaces()
        unittest.main()
    unshare = ['unshare', '--net'] if os.geteuid() == 0 else ['unshare', '--map-root-user', '--net']
    probe = subprocess.run([*unshare, 'ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'other0'],
                           capture_output=True, text=True)
    if probe.returncode != 0:
        print(f'skipped: no network namespace with veth devices may be made here: {probe.stderr.strip()}')
        sys.exit(SKIPPED)
    sys.exit(subprocess.call([*unshare, *sys.orig_argv], env=dict(os.environ, **{INSIDE: '1'})))
