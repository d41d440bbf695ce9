"""ulnet-fgr measure, from outside: a planned site as a laboratory on loopback, a slow OSS, and
command lines that are refused."""
import json
import signal
import subprocess
import unittest
import xml.etree.ElementTree

from tests.rigs.daemon_rig import DEADLINE_S, wait_until
from tests.rigs.lab_rig import EXAMPLES, QUICK, Lab, LabTest, why_no_spaces
from tests.rigs.programs import program

FGR = program('ulnet-fgr')
# Rates on a busy machine differ much. The slow OSS has a hundredth of the rate.
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
        """The result of `measure` when good(result) holds. A node that the machine holds up during
        the measurement is out of line, and the program rightly names it: then the test measures
        again."""
        for _ in range(MOST_ATTEMPTS):
            said = self.fgr('measure', self.site, '--lab', lab.name, '--from', 'xe', *QUICKLY, *words)
            if good(*said):
                return said
        raise AssertionError(said)

    def test_only_the_slow_oss_is_named(self):
        with self.laboratory() as lab:
            _, _, err = self.measure(lab, lambda code, out, _: code == 0 and 'all in line' in out, '--each-group', '--all-groups')
            self.assertEqual(len(err.splitlines()), 3, 'a line for each test')

            # The server delays every fourth message that it sends by a second.
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

    def test_a_laboratory_is_verified_and_a_dead_router_is_named(self):
        with self.laboratory() as lab:
            site = ('verify', self.site, '--lab', lab.name, '--timeout', 10, '--retries', 2, '--format', 'json')

            def suspects():
                code, out, err = self.fgr(*site)
                self.assertIn(code, (0, 1, 3), err)
                said = json.loads(out)
                return [(one['cause'], one['hosts']) for one in said['suspects']]
            wait_until(lambda: suspects() == [], 'no node is suspected')
            lab.do('kill', 'router00003')
            wait_until(lambda: suspects() == [('dead', ['router00003'])], 'the router is named, alone')

            other = self.folder.file('other.yaml', self.site.read_text().replace('cluster: snx', 'cluster: abc'))
            code, _, err = self.fgr('verify', other, '--lab', lab.name)
            self.assertEqual(code, 2)
            self.assertIn(f'laboratory {lab.name} has no node abcn002: start one with', err)

    def test_the_lab_command_starts_verifies_and_measures(self):
        name = self.name('site')
        code, out, err = self.fgr('lab', self.site, '--name', name, '--clients', 3, '--time', '500ms')
        # On a machine that stands still for a while a ping may be lost, and groups differ.
        self.assertIn(code, (0, 1), (out, err))
        self.assertRegex(out, rf'\Alaboratory {name} is up: 19 nodes on loopback, without rates\n')
        self.assertIn('on loopback rates are not kept', err)
        self.assertRegex(out, r'\d+ of \d+ hosts asked')
        self.assertIn('3 clients', out)
        self.assertIn(f"until 'ulnet-lab down {name}'", out)
        self.done('measure', '--lab', name, '--from', 'xe', '--to', 'snxn[004-005]', '--ping', '--time', '300ms')
        again, _, err = self.fgr('lab', self.site, '--name', name)
        self.assertEqual(again, 1)
        self.assertIn(f'ulnet-lab down {name}', err)
        self.done('down', name)

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
        for words, reported in (((), '--via says how hosts are asked'), (('--lab', self.name('none')), 'there is no laboratory'),
                            (('--lab', 'x', '--via', 'local'), '--via')):
            code, out, err = self.fgr('verify', self.site, *words)
            self.assertEqual((code, out), (2, ''), err)
            self.assertIn(reported, err)
        code, out, err = self.fgr('lab', self.site, '--module-parameters')
        self.assertEqual((code, out), (2, ''), err)
        self.assertIn('--netns', err)
        self.assertIn('007 is no group with OSSs to which xe has routers: those are home 002, home 003', refused(*client, '--group', '007'))
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


@unittest.skipIf(why_no_spaces(), why_no_spaces())
class InNamespaces(LabTest):
    """Nodes of the paper's figure 5 at the site's addresses, started from module parameters:
    clients find their net by ip2nets."""

    def test_nodes_start_from_module_parameters(self):
        site = self.folder.file('site.yaml', (EXAMPLES.parent / 'fgr' / 'figure-5.yaml').read_text())
        name = self.name('figure')

        def fgr(*words):
            done = subprocess.run([FGR, *map(str, words)], capture_output=True, text=True, timeout=3 * DEADLINE_S, env=self.environment, check=False)
            self.assertIn(done.returncode, (0, 1, 3), (done.stdout, done.stderr))
            return done.stdout
        out = fgr('lab', site, '--name', name, '--netns', '--module-parameters', '--time', '500ms')
        self.assertRegex(out, rf"\Alaboratory {name} is up: 12 nodes in network namespaces, .*rates are 1:100 of the site's\n")

        def verified():
            # The test repeats this, without retries of the program, until everything is as planned.
            said = json.loads(fgr('verify', site, '--lab', name, '--timeout', 10, '--retries', 0, '--format', 'json'))
            return (said['suspects'], said['asked'], said['answered']) == ([], 12, said['pings'])
        wait_until(verified, 'all is as planned')
        nodes = {node['node']: node for node in json.loads(self.done('status', name, '--json'))['nodes']}
        self.assertEqual([ni['nid'] for ni in nodes['xe2']['nis']], ['10.128.0.2@tcp'])
        self.assertEqual([ni['nid'] for ni in nodes['snx11001n004']['nis']], ['10.10.100.4@tcp6002'])
        words = self.done('exec', '--lab', name, 'snx11001n004', '--', 'cat', self.labs / name / 'snx11001n004.conf')
        self.assertIn('tcp6003 10.10.100.', words, 'one text for all servers')
        self.assertFalse((self.labs / name / 'snx11001n004.yaml').exists())
        self.done('restart', 'snx11001n004', '--lab', name)
        wait_until(verified, 'all is as planned again')
        # A cable carries all nets of its interface.
        self.done('link', 'down', 'nid00008:2', '--lab', name)
        wait_until(lambda: not verified(), 'a cable is out')
        self.done('link', 'up', 'nid00008:1', '--lab', name)
        wait_until(verified, 'the cable is back')
        self.done('down', name)
