"""A daemon's interfaces lose their addresses, also while the kernel sends more messages than its
queue holds. docs/spec/multirail.md 5.2. An address is one node."""
import pathlib
import signal
import subprocess

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.upstream_rig import Upstream

MANY = 4000  # changes; the kernel's queue holds some hundreds of messages


class OneNode(daemon_rig.E2e):
    # spec/wire-socklnd.md 2.1
    def test_an_address_that_is_used_without_a_listener_is_refused(self):
        for first, second in (('none', 'none'), ('none', 'trust'), ('trust', 'none')):
            with self.subTest(first=first, second=second):
                holder = self.running('--if', daemon_rig.address(1), '--set', f'accept={first}', name='holder')
                daemon = self.daemon('--if', daemon_rig.address(1), '--set', f'accept={second}')
                self.assertEqual(daemon.wait(), 1)
                self.assertRegex(daemon.said(), rf' by process {holder.process.pid}\b')
                holder.end()


class Addresses(Upstream):
    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        super().setUp()
        self.rails = self.enterContext(rails_rig.Rails(2, 100))
        self.node = self.with_nets(('tcp', 'r1', 'r2'), inside=self.rails.inside('a'))
        self.first, self.second = (f'{self.rails.address("a", rail)}@tcp' for rail in (1, 2))

    def ip(self, *words):
        rails_rig.command('ip', '-n', self.rails.space('a'), *words)

    def address(self, verb, rail):
        self.ip('addr', verb, f'{self.rails.address("a", rail)}/30', 'dev', f'r{rail}')

    def is_up(self, nid):
        return self.nis(self.node)[nid]['status'] == 'up'

    def dropped(self):
        """How many of the kernel's messages the daemon has lost."""
        lines = pathlib.Path(f'/proc/{self.node.process.pid}/net/netlink').read_text(encoding='ascii').splitlines()
        columns = lines[0].split()
        return sum(int(line.split()[columns.index('Drops')]) for line in lines[1:])

    def test_an_ni_whose_interface_loses_its_address_is_down_until_it_has_it_again(self):
        for _ in range(2):
            self.address('del', 2)
            self.comes_up(self.node, self.second, False)
            self.assertTrue(self.is_up(self.first))
            self.address('add', 2)
            self.comes_up(self.node, self.second)
        self.node.says(rf'warning: {self.second} is down: its address is gone')
        self.node.says(rf'warning: {self.second} is up again')

    def test_after_an_overrun_all_is_read_again(self):
        """The kernel dropped the message about the change that matters."""
        self.node.pause()
        changes = [f'addr {verb} 10.99.{k // 250}.{k % 250 + 1}/32 dev lo' for k in range(MANY // 2) for verb in ('add', 'del')]
        changes += [f'addr del {self.rails.address("a", 2)}/30 dev r2', 'link set r1 down']
        subprocess.run(['ip', '-n', self.rails.space('a'), '-batch', '-'], input='\n'.join(changes), text=True, check=True,
                       capture_output=True, timeout=daemon_rig.DEADLINE_S)
        self.assertGreater(self.dropped(), 0)
        self.node.signal(signal.SIGCONT)
        self.comes_up(self.node, self.second, False)
        self.comes_up(self.node, self.first, False)
        self.node.says(rf'{self.second} is down: its address is gone')
        self.node.says(rf'{self.first} is down: link r1 is down')
        before = self.dropped()
        self.address('add', 2)
        self.comes_up(self.node, self.second)
        self.assertEqual(self.dropped(), before, 'the daemon loses no later message')
