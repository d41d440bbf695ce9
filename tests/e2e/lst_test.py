#!/usr/bin/env python3
"""ulst as its users meet it: commands, consoles in daemons and in the command itself, real nodes on loopback."""
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import daemon_rig
from daemon_rig import Daemon, Folder, address, free_port, wait_until

ULST = ''


class Lst(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.port = free_port()

    def node(self, last, *arguments):
        made = Daemon(self.folder, '--accept-port', self.port, '--set', 'accept=trust', '--if', address(last), *arguments,
                      name=f'n{last}')
        self.addCleanup(made.stop)
        return made.ready()

    def lst(self, console, line, key='4711', code=0, stdin=None):
        """What one command says, on both outputs."""
        environment = {**os.environ, 'LST_SESSION': key, 'ULNET_CONTROL': str(console.socket) if console else '/none'}
        done = subprocess.run([ULST, *line.split()], env=environment, input=stdin or '', stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=daemon_rig.DEADLINE_S, check=False)
        self.assertEqual(done.returncode, code, f'{line}\n{done.stdout}')
        return done.stdout

    @staticmethod
    def nid(last):
        return f'{address(last)}@tcp'


class Session(Lst):
    def test_a_script_from_beginning_to_end(self):
        console = self.node(1)  # begins to serve when it is asked for its console
        self.node(2, '--selftest')

        def lst(line, **more):
            return self.lst(console, line, **more)
        self.assertEqual(lst('new_session --timeout 60 rw'), 'SESSION: rw FEATURES: 1 TIMEOUT: 60 FORCE: No\n')
        lst(f'add_group c {self.nid(1)}')
        lst(f'add_group s {self.nid(2)}')
        for test in ('brw write size=64K check=full', 'brw read size=1M check=simple', 'ping'):
            lst(f'add_test --concurrency 4 --from c --to s {test}')
        lst('add_batch few')
        lst('add_test --batch few --loop 50 --concurrency 2 --from c --to s brw read size=8 check=full')
        self.assertEqual(lst('run'), 'batch is running now\n')
        self.assertEqual(lst('query'), 'batch [0] is running\n')
        said = lst('stat --count 1 --delay 1 --bw c')
        self.assertRegex(said, r'\[LNet Bandwidth of c\]\n\[R\] Avg: [1-9]')
        self.assertRegex(said, r'\[W\] Avg: [1-9]')
        lst('run few')
        wait_until(lambda: lst('query few') == 'few [0] is stopped\n', 'fifty reads are over')
        self.assertEqual(lst('show_error c s'), 'c:\nTotal 0 error nodes in c\ns:\nTotal 0 error nodes in s\n')
        self.assertTrue(lst('stop').endswith('Batch is stopped\n'))
        self.assertEqual(lst('query'), 'batch [0] is stopped\n')
        self.assertIn('NODES: 2', lst('show_session'))
        self.assertEqual(lst('list_group', key='1', code=255), 'Unmatched session key or not root\n')
        self.assertEqual(lst('end_session'), 'session is ended\n')
        self.assertEqual(lst('list_group', code=255), 'No session exists\n')
        self.assertEqual(console.end(), 0)

    def test_two_consoles_want_one_node(self):
        first, second = self.node(1), self.node(2)
        node = self.nid(self.node(3, '--selftest') and 3)
        self.lst(first, 'new_session first')
        self.lst(first, f'add_group g {node}')
        self.lst(second, 'new_session second')
        self.assertIn('Device or resource busy', self.lst(second, f'add_group g {node}'))
        self.assertIn('Busy', self.lst(second, 'list_group --all g'))
        self.assertIn('FORCE: Yes', self.lst(second, 'new_session --force second'))
        self.lst(second, f'add_group g {node}')
        self.assertIn(': Active [session: second', self.lst(second, 'ping --group g'))
        self.assertIn(': Busy [session: second', self.lst(first, 'ping --group g'))

    def test_what_is_not_there(self):
        self.assertIn('/none', self.lst(None, 'show_session', code=255))
        console = self.node(1)
        self.assertEqual(self.lst(console, 'show_session', key='0', code=255),
                         "Can't find env LST_SESSION or value is not valid\n")
        self.assertEqual(self.lst(console, 'show_session', code=255), 'No session exists\n')
        status, answer = console.ask('POST', '/v1/lst/frob', {'key': 1})
        self.assertEqual((status, answer['errno']), (501, -38))
        self.assertEqual(console.ask('POST', '/v1/lst/add_batch', {'key': 1, 'nme': 'b'})[0], 400)
        self.lst(console, 'new_session x')
        self.assertIn('Invalid nid: frob', self.lst(console, 'add_group g frob', code=255))
        console.ask('POST', '/v1/lnet', {'op': 'unconfigure'})
        self.assertEqual(self.lst(console, 'show_session', code=255), 'Unspecific failure\n')
        self.assertEqual(console.ask('POST', '/v1/lnet', {'op': 'configure'}), (200, {}))
        self.assertEqual(self.lst(console, 'show_session', code=255), 'No session exists\n')
        self.assertEqual(console.end(), 0)


class Standalone(Lst):
    def standalone(self, script, code=0):
        return self.lst(None, f'--standalone --nets tcp({address(1)}) --set accept=trust --set accept_port={self.port}',
                        stdin=script, code=code)

    def test_a_session_without_a_daemon(self):
        self.node(2, '--selftest')
        said = self.standalone(f'new_session alone\nadd_group s {self.nid(2)}\nadd_group c {self.nid(1)}\n'
                               'add_test --loop 100 --from c --to s brw write check=full\nrun\n'
                               'stat --count 1 --delay 1 s\nshow_error c s\n')
        self.assertIn('SESSION: alone', said)
        self.assertIn('batch is running now', said)
        self.assertIn('[LNet Rates of s]', said)
        self.assertIn('Total 0 error nodes in s', said)
        # It ended with its standard input, and let its node go.
        other = self.node(3)
        self.lst(other, 'new_session other')
        self.lst(other, f'add_group g {self.nid(2)}')
        self.assertIn('Active', self.lst(other, 'list_group --all g'))

    def test_what_it_needs_is_said(self):
        self.assertIn('--nets', self.lst(None, '--standalone', code=255))
        self.assertIn('standard input', self.lst(None, '--standalone --nets tcp(127.0.0.1) show_session', code=255))
        self.assertIn('frob', self.lst(None, '--standalone --nets frob(x)', code=255))


if __name__ == '__main__':
    ULST = os.path.abspath(sys.argv.pop(2))
    daemon_rig.take_program_from_arguments()
    unittest.main()
