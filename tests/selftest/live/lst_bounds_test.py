"""How much a console can make a daemon's selftest keep, and which consoles may use it:
docs/SELFTEST.md."""
import json
import pathlib
import re
import resource
import unittest

from tests.rigs import cgroup, daemon_rig
from tests.selftest.live import lst_test
from tests.rigs.attacker import Attacker, Innocents
from tests.rigs.daemon_rig import address, wait_until


def resident_kib(daemon):
    status = pathlib.Path(f'/proc/{daemon.process.pid}/status').read_text()
    return int(re.search(r'VmRSS:\s*(\d+) kB', status)[1])


class Bounds(lst_test.Lst):
    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer needs the address space')
    def test_a_node_with_little_memory_serves_in_turn_and_refuses(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (300_000 << 10, 300_000 << 10))
        console = self.node(1)
        self.node(2, '--selftest')
        small = self.start(3, '--selftest', '--set', 'memory_budget=64', preexec_fn=little).ready()
        before = resident_kib(small)
        self.lst(console, 'new_session little')
        for name, last in (('big', 2), ('small', 3)):
            self.lst(console, f'add_group {name} {self.nid(last)}')
        self.lst(console, 'add_test --loop 16 --concurrency 64 --from big --to small brw write check=full size=1M')
        self.lst(console, 'run')
        wait_until(lambda: 'is stopped' in self.lst(console, 'query'), 'the test is over')
        for group in ('big', 'small'):
            self.assertIn(f'Total 0 error nodes in {group}', self.lst(console, f'show_error --session {group}'))
        memory = small.get('/v1/counters')['memory']['selftest']
        self.assertLessEqual(memory['peak'], 16 << 20)
        said = self.lst(console, 'add_test --concurrency 64 --from small --to big brw write size=1M', code=255)
        self.assertIn('Cannot allocate memory', said)
        small.says(r'selftest: .* no memory for the data of a batch: 65536 KiB; of the 16384 KiB')
        self.lst(console, 'end_session')
        small.says(r"selftest: session 'little' of .* begins")
        wait_until(lambda: small.get('/v1/counters')['memory']['selftest']['used'] == 0, 'the selftest uses no memory')
        wait_until(lambda: resident_kib(small) < 1.5 * before, f'the node has {resident_kib(small)} KiB, and had {before}')

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer needs more memory')
    def test_a_node_in_a_small_control_group_lives_and_answers(self):
        if missing := cgroup.missing():
            self.skipTest(missing)
        group = self.enterContext(cgroup.Memory(64 << 20))
        console = self.node(1)
        client = self.node(2, '--selftest')
        small = self.start(3, '--selftest', preexec_fn=group.enter).ready()
        innocents = Innocents(client, self.nid(2), small, self.nid(3))
        self.addCleanup(innocents.end)
        self.assertEqual(small.get('/v1/counters')['memory']['selftest']['share'], 4 << 20)
        self.lst(console, 'new_session little')
        for name, last in (('big', 2), ('small', 3)):
            self.lst(console, f'add_group {name} {self.nid(last)}')
        self.lst(console, 'add_test --loop 16 --concurrency 64 --from big --to small brw write check=full size=1M')
        self.lst(console, 'run')
        wait_until(lambda: 'is stopped' in self.lst(console, 'query'), 'the test is over')
        for name in ('big', 'small'):
            self.assertIn(f'Total 0 error nodes in {name}', self.lst(console, f'show_error --session {name}'))
        self.lst(console, 'end_session')
        innocents.end()
        self.assertGreater(innocents.pings, 0)
        self.assertEqual(innocents.failed, [])
        self.assertEqual(group.kills(), 0)

    def test_a_pair_tests_itself_while_others_fill_a_lazy_portal(self):
        console = self.node(1)
        victim = self.node(2, '--selftest', '--set', 'memory_budget=64')
        attacker = Attacker(address(2), self.port)
        self.addCleanup(attacker.leave)
        attacker.payload(60, [address(last) for last in range(10, 18)])
        wait_until(lambda: victim.get('/v1/counters')['driver'].get('hold_short', 0) > 0, 'memory is short')
        said = json.loads(self.lst(console, f'run --from {self.nid(1)} --to {self.nid(2)} --ping --read --write --sizes 4k,1m '
                                            '--check full --time 500ms --json'))
        self.assertTrue(said['ok'], said)
        for test in said['tests']:
            self.assertGreater(test['rpcs'], 0)
            self.assertEqual((test['errors'], test['wrong_data']), (0, 0))

    def test_only_those_named_may_lead(self):
        console = self.node(1)
        node = self.node(2, '--selftest', '--set', f'selftest_consoles={self.nid(9)}')
        self.lst(console, 'new_session stranger')
        said = self.lst(console, f'add_group g {self.nid(2)}')
        self.assertIn('Operation not permitted', said)
        node.says(rf'selftest: {re.escape(self.nid(1))} may not lead a session')
        self.assertEqual(node.ctl('param', 'set', f'selftest_consoles={address(1)}@tcp,{self.nid(9)}')[0], 0)
        self.lst(console, f'add_group h {self.nid(2)}')
        node.says(rf"selftest: session 'stranger' of {re.escape(self.nid(1))} begins")
        self.assertNotEqual(node.ctl('param', 'set', 'selftest_consoles=10.0.0.[')[0], 0)
