"""What ulnetctl prints on stdout when it fails: scripts read it with PyYAML. docs/spec/cli-lnetctl.md 2."""

from tests.rigs.daemon_rig import E2e, address

try:
    import yaml
except ImportError:
    yaml = None

NOBODY, NO_NET = f'{address(99)}@tcp', '10.99.1.2@tcp9'
# A command that fails in part prints its results and its errors on stdout; the others print nothing
# there.
IN_PART = (('ping', NO_NET), ('ping', '--timeout', '1', NOBODY, NO_NET), ('ping', f'{address(1)}@tcp', NO_NET), ('discover', NO_NET),
           ('discover', '--force', NOBODY, NO_NET))
ON_STDERR = (('ping', 'x'), ('net', 'add', '--net', 'tcp9', '--if', 'nosuch0'), ('net', 'del', '--net', 'tcp7'),
             ('route', 'add', '--net', 'tcp5', '--gateway', '1.2.3.4@tcp3'), ('peer', 'del', '--prim_nid', '9.9.9.9@tcp'),
             ('peer', 'add', '--prim_nid', 'bad'), ('set', 'routing', '7'), ('set', 'transaction_timeout', '1'), ('udsp', 'del', '--idx', '9'),
             ('import', '/nosuch'), ('debug', 'path', '--to', 'x'), ('net', 'show', '--net', 'tcp99'))


class Yaml(E2e):
    def test_failures_are_yaml(self):
        if yaml is None:
            self.skipTest('PyYAML (python3-yaml) is missing')
        daemon = self.running('--if', address(1), name='a')
        for words in IN_PART + ON_STDERR:
            code, out, err = daemon.ctl(*words)
            self.assertNotEqual(code, 0, words)
            self.assertEqual(bool(out), words in IN_PART, (words, out, err))
            if out:
                failed = [answer for answers in yaml.safe_load(out).values() for answer in answers if 'errno' in answer]
                self.assertTrue(failed, out)
