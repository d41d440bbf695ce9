"""A C program with the DLC library (examples/configuring/shape.c) configures a real daemon; and a
long import."""
import os
import re
import subprocess

from tests.rigs.daemon_rig import DEADLINE_S, E2e, address, yaml_of
from tests.rigs.programs import program

SHAPE = program('shape')


class Dlc(E2e):
    def shape(self, daemon, *arguments):
        """Runs the example on this node and returns exit code, standard output and standard error."""
        done = subprocess.run([SHAPE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S,
                              check=False, env={**os.environ, 'ULNET_CONTROL': str(daemon.socket)})
        return done.returncode, done.stdout, done.stderr

    def test_a_net_comes_is_used_and_goes(self):  # spec/cli-lnetctl.md 13
        daemon = self.daemon('--if', address(1)).ready()
        before = daemon.get('/v1/net')['net'][1:]
        code, out, err = self.shape(daemon, 'tcp1', address(2))
        self.assertEqual((code, err), (0, ''))
        self.assertIn('net type: tcp1', out)
        self.assertIn(f'0: {address(2)}', out)
        self.assertIn('credits: 64', out)
        self.assertIn('global:\n    numa_range: 0\n    discovery: 1\n', out)
        self.assertEqual([net['net type'] for net in daemon.get('/v1/net')['net'][1:]], [net['net type'] for net in before])
        self.assertIn('net add', daemon.said())
        # The program printed a YAML document: importing it gives the node the configuration that it
        # had meanwhile.
        backup = self.folder.file('backup.yaml', out)
        self.assertEqual(daemon.ctl('net', 'del', '--net', 'tcp')[0], 0)
        self.assertEqual(daemon.ctl('import', backup), (0, '', ''))
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp', f'{address(2)}@tcp1'])

    def test_an_import_is_taken_into_use_at_once(self):  # spec/cli-lnetctl.md 5.1
        daemon = self.daemon('--if', address(1)).ready()
        policies = ''.join(f'  - src: tcp{n}\n    action: {{priority: {n}}}\n' for n in range(1, 40))
        backup = self.folder.file('import.yaml', yaml_of(*((f'tcp{n}', address(n)) for n in range(1, 40)), ('tcp99', 'nosuch0'))
                                  + 'udsp:\n' + policies + 'selection:\n  - {type: nid, nid: "*@tcp30", priority: 5}\n')

        def snapshots():
            return int(re.search(r'^ulnet_configurations_total (\d+)$', daemon.get('/metrics'), re.MULTILINE).group(1))
        before = snapshots()
        code, _, err = daemon.ctl('import', backup)
        self.assertEqual(code, 234)
        self.assertIn('cannot add LNet NI', err)
        self.assertEqual(snapshots(), before + 1)
        self.assertEqual(len(daemon.nids()), 2 + 39)
        self.assertEqual(daemon.ping(f'{address(30)}@tcp30')['failed'], [])
        self.assertEqual(len(daemon.get('/v1/udsp')['udsp']), 39 + 2)
        ni = daemon.get('/v1/net?net=tcp30')['net'][0]['local NI(s)'][0]
        self.assertEqual(ni['udsp info'], {'net priority': 30, 'nid priority': 5})
        self.assertEqual(daemon.ctl('import', '--del', backup)[0], 234)
        self.assertEqual(snapshots(), before + 2)
        self.assertEqual(daemon.nids(), ['0@lo', f'{address(1)}@tcp'])

    def test_errors_are_the_nodes(self):  # spec/cli-lnetctl.md 13
        daemon = self.daemon('--if', address(1)).ready()
        code, out, err = self.shape(daemon, 'tcp1', 'nosuch0')
        self.assertEqual((code, out), (1, ''))
        self.assertIn('add:\n    - net:\n          errno: -100\n          descr: "cannot add LNet NI"\n# ', err)
        code, out, err = self.shape(daemon, 'tcp', address(1))
        self.assertEqual((code, out), (1, ''))
        self.assertIn('errno: -17', err)
        daemon.end()
        code, out, err = self.shape(daemon, 'tcp1', address(2))
        self.assertEqual((code, out), (1, ''))
        self.assertIn('no node', err)
