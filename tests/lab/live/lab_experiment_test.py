"""ulnet-lab run, from outside: experiments with real daemons on loopback and in namespaces, what
they report, and that they leave nothing behind."""
import csv
import json
import signal
import unittest
import xml.etree.ElementTree

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import wait_until
from tests.rigs.lab_rig import EXAMPLES, LabTest, why_no_spaces

# The operations survive all faults here, on a busy machine too: none takes as long as rpc_timeout.
# The fault lowers a rate from 50 Mbit/s to 10. On a machine that is busy with other tests a client
# may send less for a while.
A_FIFTH = (0.1, 0.35)
SAMPLE_S = 0.25
MOST_TRIALS = 3
PAUSED_ROUTER = '''
topology:
    settings: {rpc_timeout: 30}
    nodes:
        client: tcp
        router: {nets: [tcp, tcp1], routing: yes}
        server: tcp1
wires at most: 50mbit
loads:
    - {name: pings, what: ping, from: client, to: server, concurrency: 2}
faults:
    - {at: 1500ms, what: pause, node: router, for: 1s}
lasts: 4s
sample: 250ms
expect:
    operations lost: 0
    rate: {pings: ..0.5}
'''
# Never more is under way than the queue of a wire holds: otherwise TCP would lose the ends of
# messages, and would wait for a while before it sends them again.
SLOW_WIRE = '''
topology:
    settings: {rpc_timeout: 30}
    nodes: {client: tcp, server: tcp}
wires at most: 50mbit
loads:
    - {name: writes, what: write, from: client, to: server, size: 64KiB, concurrency: 2}
faults:
    - {at: 2s, what: link-rate, link: server, rate: 10mbit, for: 3s}
lasts: 6s
sample: 250ms
expect:
    operations lost: 0
    rate: {writes: ..0.4}
'''
CUT_RAIL = '''
topology:
    settings: {rpc_timeout: 30}
    nodes:
        client: {nets: [tcp, tcp]}
        server: {nets: [tcp, tcp]}
wires at most: 50mbit
loads:
    - {name: writes, what: write, from: client, to: server, size: 64KiB, concurrency: 4}
faults:
    - {at: 2s, what: link-down, link: "client:0", for: 3s}
lasts: 12s
sample: 250ms
expect:
    operations lost: 0
    rate: {writes: ..0.7}   # less than a half when all operations wait for the dead rail
'''
# Two loads use one server, one after the other; the first ends while its server is paused.
IN_TURN = '''
topology:
    settings: {rpc_timeout: 30}
    nodes: {client1: tcp, client2: tcp, server: tcp}
wires at most: 50mbit
loads:
    - {name: writes, what: write, from: client1, to: server, size: 64KiB, concurrency: 2, lasts: 2s}
    - {name: reads, what: read, from: client2, to: server, size: 64KiB, concurrency: 2, start: 3500ms}
faults:
    - {at: 1500ms, what: pause, node: server, for: 1s}
lasts: 5500ms
sample: 250ms
expect:
    operations lost: 0
'''


class Experiments(LabTest):
    def run_experiment(self, text, *options, code=0):
        """The report of the experiment as JSON, and what the program printed."""
        file = self.folder.file('trial.yaml', text)
        report = self.folder.path / 'report.json'
        got, out, err = self.run_lab('run', file, '--name', self.name('run'), '--json', report, *options)
        if code is not None:
            self.assertEqual(got, code, (out, err))
        self.nothing_is_left()
        self.exit_code = got
        return json.loads(report.read_text()), out

    def nothing_is_left(self):
        traces = self.traces()
        self.assertEqual({what: traces[what] for what in ('spaces', 'folders', 'sockets', 'processes')},
                         {'spaces': [], 'folders': [], 'sockets': [], 'processes': []})

    def rates_of(self, text, *options, good, always):
        """Runs the experiment until good(report, out) holds for its rates. On a busy machine a node
        may stand still for as long as the fault, so this may take MOST_TRIALS trials;
        always(report, out) has to hold in each of them."""
        for trials_left in reversed(range(MOST_TRIALS)):
            report, out = self.run_experiment(text, *options, code=None)
            self.assertIn(self.exit_code, (0, 1), out)
            always(report, out)
            try:
                self.skip_if_late(report)
                good(report, out)
                return
            except (AssertionError, unittest.SkipTest, KeyError, TypeError, ValueError):  # a number may be missing, or null
                if not trials_left:
                    raise

    def skip_if_late(self, report):
        """A machine that stood still for a while says nothing about rates; the program reports how
        late it was."""
        late = max(trial.get('late_s', 0) for trial in report['trials'])
        if late > 2 * SAMPLE_S:
            self.skipTest(f'this machine is too busy: something came {late:.1f} s late')

    def rates(self, load, first, end):
        return [each['rate'] for each in load['intervals'] if each['from_s'] >= first and each['to_s'] <= end]


class OnLoopback(Experiments):
    def test_a_paused_router_stops_its_load_and_costs_nothing(self):
        def always(report, out):
            trial = report['trials'][0]
            self.assertEqual(trial['where'], 'loopback')
            self.assertEqual(trial['loads'][0]['lost'], 0)
            self.assertEqual([each['met'] for each in trial['expectations']], [True, None])
            self.assertEqual(self.exit_code, 0)
            self.assertIn('not judged', out)
            self.assertTrue(any('rate' in remark for remark in trial['remarks']), trial['remarks'])

        def good(report, _):
            load, fault = report['trials'][0]['loads'][0], report['trials'][0]['faults'][0]
            self.assertGreater(load['operations'], 100)
            self.assertGreater(load['rate_before'], 0)
            # A router that was just paused lets nothing through except what is under way.
            self.assertLess(min(self.rates(load, fault['from_s'], fault['to_s'])), 0.1 * load['rate_before'])
        self.rates_of(PAUSED_ROUTER, good=good, always=always)

    def test_loads_that_share_a_server_are_distinguished(self):
        def always(report, out):
            self.assertEqual(self.exit_code, 0, out)
            self.assertEqual([load['lost'] for load in report['trials'][0]['loads']], [0, 0])

        def good(report, out):
            writes, reads = report['trials'][0]['loads']
            for load, first, end in (writes, 0, 1.5), (reads, 4, 5.5):
                self.assertGreater(load['operations'], 50, out)
                self.assertGreater(sum(self.rates(load, first - 0.01, end + 0.1)), 0, (load['name'], load['intervals']))
            # The traffic of the reads begins with the reads, and the traffic of the writes ends
            # with the writes, except for requests and replies.
            self.assertLess(sum(self.rates(reads, 0, 3)), 0.05 * sum(self.rates(reads, 4, 5.6)), reads['intervals'])
            self.assertLess(sum(self.rates(writes, 4, 5.6)), 0.05 * sum(self.rates(writes, 0, 1.6)), writes['intervals'])
        self.rates_of(IN_TURN, good=good, always=always)

    def test_rates_are_judged_when_the_file_says_so(self):
        report, _ = self.run_experiment(PAUSED_ROUTER.replace('..0.5}', '2..}\n    rates on loopback: yes'), code=None)
        self.skip_if_late(report)
        self.assertEqual(self.exit_code, 1)
        self.assertFalse(report['good'])
        self.assertEqual([each['met'] for each in report['trials'][0]['expectations']], [True, False])

    def test_unsupported_on_loopback_is_refused_with_its_place(self):
        file = self.folder.file('slow.yaml', PAUSED_ROUTER.replace('what: pause, node: router', 'what: link-rate, link: server, rate: 1mbit'))
        said = self.refused('run', file, '--name', self.name('slow'), code=3)
        self.assertRegex(said, r'slow\.yaml:12:\d+: on loopback no wire has a rate: start it with --netns')
        self.nothing_is_left()

    def test_an_interrupt_takes_it_down(self):
        file = self.folder.file('long.yaml', PAUSED_ROUTER.replace('lasts: 4s', 'lasts: 10min'))
        process = self.start_lab('run', file, '--name', self.name('long'))
        wait_until(lambda: 'pause router' in process.stderr.readline(), 'the fault begins')
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130, process.stderr.read())
        process.communicate()
        self.nothing_is_left()

    def test_it_can_be_kept(self):
        file = self.folder.file('kept.yaml', PAUSED_ROUTER)
        self.done('run', file, '--name', self.name('kept'), '--keep')
        self.assertIn('"client"', self.done('status', self.name('kept'), '--json'))
        self.done('down', self.name('kept'))


@unittest.skipIf(daemon_rig.SANITIZED, 'rates under a sanitizer say nothing')
@unittest.skipIf(why_no_spaces(), why_no_spaces())
class InNamespaces(Experiments):
    CTEST = {'RUN_SERIAL': 'TRUE'}

    def test_a_slow_wire_is_as_slow_as_in_the_simulator(self):
        picture, samples = self.folder.path / 'curves.svg', self.folder.path / 'samples.csv'

        def always(report, out):
            self.assertEqual([trial['where'] for trial in report['trials']], ['namespaces', 'simulator'])
            self.assertEqual([trial['loads'][0]['lost'] for trial in report['trials']], [0, 0])
            self.assertIn('side by side', out)

        def good(report, out):
            self.assertEqual(self.exit_code, 0, out)
            for trial in report['trials']:
                share = trial['loads'][0]['faults'][0]['share_during']
                self.assertTrue(A_FIFTH[0] < share < A_FIFTH[1], (trial['where'], share))
            self.assertTrue(0.5 < report['ratios'][0]['share_during'] < 2, report['ratios'])
        self.rates_of(SLOW_WIRE, '--netns', '--both', '--svg', picture, '--csv', samples, good=good, always=always)
        texts = [node.text for node in xml.etree.ElementTree.parse(picture).iter('{http://www.w3.org/2000/svg}text')]
        self.assertIn('writes (live)', texts)
        self.assertIn('link-rate server:0 10mbit', texts)
        rows = list(csv.DictReader(samples.read_text().splitlines()))
        self.assertEqual({row['where'] for row in rows}, {'namespaces', 'simulator'})

    def test_a_cut_rail_costs_rate_for_a_while_and_no_operation(self):
        def always(report, out):
            self.assertEqual(report['trials'][0]['loads'][0]['lost'], 0, out)

        def good(report, out):
            self.assertEqual(self.exit_code, 0, out)
            load = report['trials'][0]['loads'][0]
            self.assertGreater(load['operations'], 100)
            self.assertGreater(load['faults'][0]['share_after'], 0.7)
        self.rates_of(CUT_RAIL, '--netns', good=good, always=always)

    def test_with_fine_grained_routing_a_lost_router_shows_in_its_group_only(self):
        text = (EXAMPLES / 'experiments' / 'lost-router-fgr.yaml').read_text()
        for long, short in ('at: 6s', 'at: 3s'), ('for: 10s', 'for: 4s'), ('lasts: 30s', 'lasts: 8s'):
            self.assertIn(long, text)
            text = text.replace(long, short)

        def always(report, out):
            self.assertEqual(self.exit_code, 0, out)
            self.assertEqual(report['trials'][0]['loads'][0]['lost'], 0, out)

        def good(report, out):
            even, odd = (load['faults'][0]['share_during'] for load in report['trials'][0]['loads'])
            self.assertGreater(even, 0.8, out)
            self.assertTrue(0.35 < odd < 0.7, out)
        self.rates_of(text.partition('expect:')[0], '--netns', good=good, always=always)
