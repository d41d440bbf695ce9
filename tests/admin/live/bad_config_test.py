"""Tests malformed YAML, unknown keys, bad NIDs and names that are not UTF-8: each gives a clear
error and a non-zero exit code, and changes nothing."""
import subprocess
import unittest

from tests.rigs.daemon_rig import ULNETCTL, OwnDaemon, address, free_port, run, yaml_of


class BadConfiguration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        params = {'accept': 'trust', 'accept_port': cls.port, 'accept_port_bulk': cls.port}
        cls.node = cls.enterClassContext(OwnDaemon(params, yaml_of(('tcp', address(1)))))

    def setUp(self):
        self.before = self.node.ctl('export', '--backup')
        self.assertIn('tcp', self.before[1])

    def tearDown(self):
        self.assertTrue(self.node.alive(), self.node.said())
        self.assertEqual(self.node.ctl('export', '--backup'), self.before)

    def refused(self, text, *said):
        path = self.node.folder.file('bad.yaml', text)
        done = subprocess.run([ULNETCTL, 'import', path], env=self.node.client_environment, capture_output=True, timeout=60)
        self.assertNotEqual(done.returncode, 0, text)
        output = (done.stdout + done.stderr).decode(errors='replace')
        self.assertTrue(output.strip(), 'refused without an error text')
        for word in said:
            self.assertIn(word, output)

    def test_malformed_yaml(self):
        for text in ('net: [', 'net:\n  - net type: tcp\n bad', '\t- x', '{{{', '- - - -\n: :', '"', '&a [*a, *a]: *b'):
            with self.subTest(text):
                self.refused(text)

    def test_deep_nesting_and_bombs_are_bounded(self):
        self.refused('net: ' + '[' * 100000)
        bomb = 'a: &a [x,x,x,x,x,x,x,x,x]\n' + ''.join(
            f'{b}: &{b} [{",".join(["*" + a] * 9)}]\n' for a, b in zip('abcdefgh', 'bcdefghi'))
        self.refused(bomb)

    def test_unknown_keys(self):
        self.refused('nonsense:\n    - x: 1\n', 'invalid key')

    def test_bad_values(self):
        for text in ('net:\n    - net type: foo\n      local NI(s):\n        - interfaces:\n              0: lo\n',
                     'net:\n    - net type: tcp9\n      local NI(s):\n        - interfaces:\n              0: nosuch0\n',
                     'net:\n    - net type: tcp9\n      local NI(s):\n        - nid: 300.1.1.1@tcp9\n',
                     'net:\n    - net type: tcp9\n      local NI(s):\n        - nid: 1.1.1@tcp9\n',
                     'global:\n    retry_count: many\n', 'global:\n    retry_count:\n'):
            with self.subTest(text):
                self.refused(text, 'errno')

    def test_names_that_are_not_utf8(self):
        self.refused(b'net:\n    - net type: "t\xff\xfep"\n      local NI(s):\n        - interfaces:\n              0: lo\n')
        self.refused(b'net:\n    - net type: tcp9\n      local NI(s):\n        - interfaces:\n              0: "\xc3\x28"\n')
        done = subprocess.run([ULNETCTL, 'net', 'add', '--net', 'tcp9', '--if', b'\xff\xfe\xfd'], env=self.node.client_environment,
                              capture_output=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b'errno', done.stdout + done.stderr)

    def test_bad_nids_on_the_command_line(self):
        for nid in ('256.1.1.1@tcp', '1.1.1@tcp', '@tcp', '1.1.1.1@', '1.1.1.1@foo', '1.1.1.1@tcp1x', '<?>', 'x' * 5000):
            with self.subTest(nid[:40]):
                self.assertNotEqual(self.node.ctl('ping', '--timeout', '1', nid)[0], 0)

    def test_a_daemon_refuses_a_bad_file_at_start(self):
        folder = self.node.folder
        code, _, err = run('--control', folder.path / 'bad.sock', '--config', folder.file('bad.conf', 'net: ['))
        self.assertNotEqual(code, 0)
        self.assertIn('bad.conf', err)
