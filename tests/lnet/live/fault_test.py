"""Tests fault rules from outside, on real nodes. spec/cli-lnetctl.md 3.15, spec/multirail.md 11, spec/observed.md 6."""
import re
import time

from tests.rigs.daemon_rig import E2e, address, wait_until


class Faults(E2e):
    def pair(self, *arguments):
        self.running('--if', address(2), name='far')
        near = self.running('--if', address(1), *arguments, name='near')
        self.peer = f'{address(2)}@tcp'
        self.assertEqual(near.ping(self.peer)['failed'], [])
        return near

    def said(self, daemon, *arguments):
        """Exit code and the output."""
        code, out, err = daemon.ctl('fault', *arguments)
        return code, out + err

    def number(self, daemon, kind, name):
        text = self.said(daemon, kind, 'show')[1]
        return int(re.search(rf'{name}: (\d+)', text).group(1))

    def fails(self, daemon, **options):
        return daemon.ping(self.peer, **options)['failed']

    # spec/cli-lnetctl.md 3.15; spec/multirail.md 11.4
    def test_dropped_replies_fail_pings_until_the_rule_goes(self):
        # A ping without an answer costs the peer health, and the rule would count the recovery
        # pings that follow.
        near = self.pair('--set', 'lnet_health_sensitivity=0')
        rule = ('--source', '*@tcp', '--dest', '*@tcp')
        self.assertEqual(self.said(near, 'drop', 'add', *rule, '--rate', 1, '--message', 'REPLY'), (0, ''))
        for _ in range(2):
            self.assertEqual(self.fails(near, timeout_ms=300)[0]['errno'], -110)
        # The REPLY may come after its ping has ended.
        wait_until(lambda: self.number(near, 'drop', 'ds_dropped') == 2, 'two REPLYs are dropped')
        self.assertEqual(self.number(near, 'drop', 'fs_reply'), 2)
        self.assertGreater(self.number(near, 'drop', 'seed'), 0)
        self.assertEqual(near.get('/v1/counters')['drops']['fault rule'], 2)
        self.assertEqual(self.said(near, 'drop', 'reset'), (0, ''))
        self.assertEqual(self.number(near, 'drop', 'fs_count'), 0)
        self.assertEqual(self.said(near, 'drop', 'del', *rule), (0, ''))
        self.assertEqual(self.fails(near), [])
        code, text = self.said(near, 'drop', 'del', *rule)
        self.assertEqual(code, 254)
        self.assertIn('failed to delete drop rule: Object not found', text)

    def test_an_error_fails_a_ping_at_once(self):
        near = self.pair()
        self.said(near, 'drop', 'add', '-s', '*@tcp', '-d', self.peer, '-r', 1, '-e', 'network_timeout')
        before = near.get('/v1/stats')['statistics']
        self.assertEqual(self.fails(near)[0]['errno'], -5)
        after = near.get('/v1/stats')['statistics']
        self.assertEqual(after['network_timeout_count'] - before['network_timeout_count'], 1)
        self.assertEqual(after['resend_count'], before['resend_count'])
        self.assertEqual(self.said(near, 'drop', 'del', '--all'), (0, ''))
        self.assertEqual(self.fails(near), [])

    def test_a_delayed_ping_takes_longer_or_as_long_as_its_rule_exists(self):
        near = self.pair()
        self.said(near, 'delay', 'add', '-s', '*@tcp', '-d', '*@tcp', '-r', 1, '-l', 1, '-m', 'GET')
        begun = time.monotonic()
        self.assertEqual(self.fails(near), [])
        self.assertGreaterEqual(time.monotonic() - begun, 1)
        self.assertEqual(self.number(near, 'delay', 'ls_delayed'), 1)
        self.assertEqual(self.said(near, 'delay', 'del', '--all'), (0, ''))

    def test_a_rule_the_node_cannot_have(self):  # spec/upstream-tests.md 410
        near = self.running('--if', address(1))
        code, text = self.said(near, 'drop', 'add', '-s', '*', '-d', '*', '-r', 1, '-p', 0, '-m', 'ACK')
        self.assertEqual(code, 234)
        self.assertIn('failed to add drop rule: Invalid input data or parameter', text)
        self.assertEqual(self.said(near, 'reset', '')[0], 255)  # upstream 410
