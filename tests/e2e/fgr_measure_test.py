#!/usr/bin/env python3
"""ulnet-fgr measure, from outside: a planned site as a laboratory on loopback, an OSS that is slow, and command lines that are refused."""
import json
import os
import signal
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True

from daemon_rig import DEADLINE_S, wait_until
from lab_rig import QUICK, Lab, LabTest

FGR = os.environ.get('ULNET_FGR_PROGRAM', '')
# Rates of a busy machine differ much. The slow OSS has a hundredth.
QUICKLY = ('--time', '500ms', '--interval', '100ms', '--size', '64k', '--concurrency', '2', '--below', '10')
MOST_ATTEMPTS = 3


class Measure(LabTest):
    def setUp(self):
        super().setUp()
        code, text, err = self.fgr('new', '--ssu', '2', '--cluster', 'snx', '--net', 'o2ib6000')
        self.assertEqual(code, 0, err)
        self.site = self.folder.file('site.yaml', text)
        self.folder_of_plan = self.folder.path / 'plan'

    def start_fgr(self, *words):
        process = subprocess.Popen([FGR, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.communicate()

    def fgr(self, *words):
        process = self.start_fgr(*words)
        out, err = process.communicate(timeout=3 * DEADLINE_S)
        return process.returncode, out, err

    def laboratory(self):
        code, out, err = self.fgr('plan', self.site, '-o', self.folder_of_plan)
        self.assertEqual(code, 0, (out, err))
        text = (self.folder_of_plan / 'lab.yaml').read_text()
        return Lab(self, self.topology('lab', text + QUICK))

    def measure(self, lab, good, *words):
        """What it said when that was good. A node that the machine holds up while it is measured is out of line, and is rightly named: it is
        measured again."""
        for _ in range(MOST_ATTEMPTS):
            said = self.fgr('measure', self.site, '--lab', lab.name, '--from', 'xe', *QUICKLY, *words)
            if good(*said):
                return said
        raise AssertionError(said)

    def test_a_slow_oss_is_named_and_nobody_else(self):
        with self.laboratory() as lab:
            _, _, err = self.measure(lab, lambda code, out, _: code == 0 and 'all in line' in out, '--each-group', '--all-groups')
            self.assertEqual(len(err.splitlines()), 3, 'a line for each test')

            # Every fourth message that it sends is a second late.
            lab.inside('snxn007', 'ulnetctl', 'fault', 'delay', 'add', '--source', '*@tcp6003', '--dest', '*', '--rate', '4', '--latency', '1')
            bars, curves = self.folder.path / 'bars.svg', self.folder.path / 'curves.svg'

            def names_it_alone(code, out, err):
                self.assertEqual(code, 1, (out, err))
                suspects = [[(each['group'], each['oss']) for each in verdict['suspects']] for verdict in json.loads(out)['verdicts']]
                return suspects == 2 * [[('home 003', 'snxn007')]]
            _, out, err = self.measure(lab, names_it_alone, '--each-oss', '--all-osss', '--json', '--svg', bars, '--svg-curves', curves)
            report = json.loads(out)
            self.assertEqual([each['of'] for each in report['verdicts']], ['each OSS', 'all at once'])
            for verdict in report['verdicts']:
                self.assertEqual(verdict['suspects'][0]['nid'], lab.nid('snxn007'))
            self.assertIn('snxn007 of home 003 is out of line', err)
            for picture in bars, curves:
                self.assertIn('home 003', ''.join(xml.etree.ElementTree.parse(picture).getroot().itertext()))

    def test_an_interrupt_ends_the_session(self):
        with self.laboratory() as lab:
            picture = self.folder.path / 'bars.svg'
            process = self.start_fgr('measure', self.site, '--lab', lab.name, '--from', 'xe', '--time', '60s', '--svg', picture)

            def in_session():
                code, out, _ = lab.inside('xe1', 'env', f'LST_SESSION={process.pid}', 'ulst', 'show_session')
                return code == 0 and 'NODES: 3' in out
            wait_until(in_session, 'the node is in a session')
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=DEADLINE_S)
            self.assertEqual(process.returncode, 130, (out, err))
            self.assertIn('interrupted', out)
            self.assertFalse(picture.exists(), 'nothing was measured')
            self.assertEqual([path.name for path in self.folder.path.iterdir() if 'bars' in path.name], [])
            self.measure(lab, lambda code, *_: code == 0, '--all-osss')

    def test_refused(self):
        def refused(*words, site=self.site):
            code, out, err = self.fgr('measure', site, *words)
            self.assertEqual((code, out), (2, ''), err)
            return err
        client = ('--from', '1@gni1')
        self.assertIn('--from is required', refused())
        self.assertIn('007 is no group with OSSs: those are home 002, home 003', refused(*client, '--group', '007'))
        self.assertIn('000 is no group', refused(*client, '--group', '000'))
        self.assertIn('not a time', refused(*client, '--time', 'soon'))
        self.assertIn('--read', refused(*client, '--read', '--write'))
        self.assertIn('--nets', refused(*client, '--standalone'))
        self.assertIn('laborator', refused(*client, '--lab', self.name('none')))
        self.assertIn('cannot write', refused(*client, '--svg', self.folder.path / 'none' / 'bars.svg'))
        self.assertIn('below', refused(*client, '--below', '0').lower())
        self.assertIn('concurrency', refused(*client, '--concurrency', '1,0').lower())
        self.assertIn('no/such', refused(*client, site='no/such'))
        code, out, err = self.fgr('measure', self.site, *client, '--control', self.folder.path / 'no.sock')
        self.assertEqual(code, 1, 'a console that cannot be reached')
        self.assertIn('stopped: ', out, err)


if __name__ == '__main__':
    unittest.main()
