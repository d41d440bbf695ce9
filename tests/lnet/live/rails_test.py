"""Tests several rails between real nodes: what is shown, on loopback addresses; and what happens
when one goes down, between shaped interfaces in network namespaces. spec/multirail.md 3, 5."""
import json
import os
import subprocess
import time
import unittest

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.daemon_rig import Daemon, E2e, Folder, address, wait_until, yaml_of
from tests.rigs.load_rig import Load
from tests.rigs.programs import program

ULST = program('ulst')


class Path(E2e):
    """`ulnetctl debug path` on nodes with two rails."""

    def setUp(self):
        super().setUp()
        self.far = self.with_rails('far', 2, 4, '--selftest')
        self.near = self.with_rails('near', 1, 3)

    def with_rails(self, name, first, second, *arguments):
        file = self.folder.file(f'{name}.yaml', yaml_of(('tcp', address(first)), ('tcp1', address(second))))
        return self.running('--config', file, *arguments, name=name)

    def path(self, *arguments):
        code, out, err = self.near.ctl('debug', 'path', *arguments)
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def meet(self):
        """Sends a user's messages to the peer, which is discovered before."""
        done = subprocess.run([ULST, 'run', '--from', f'{address(1)}@tcp', '--to', f'{address(2)}@tcp', '--ping', '--time', '200ms'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=daemon_rig.DEADLINE_S, check=False,
                              env={**os.environ, 'ULNET_CONTROL': str(self.near.socket)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_before_and_after_the_peer_is_discovered(self):
        to = f'{address(2)}@tcp'
        said = self.path('--to', to)
        self.assertIn('The node does not know this peer yet.\n', said)
        self.assertIn('The first message waits until the peer is discovered', said)
        self.meet()
        said = self.path('--to', to)
        self.assertIn('Rule: multi-rail peer: any of its NIDs by any NI\n', said)
        self.assertNotIn('discovered', said)
        self.assertEqual(said.count('\n  * '), 3, said)
        for step in ('Step A, the net:', "Step B, the interface of this node:", "Step C, the peer's NID:"):
            self.assertIn(step, said)
        # The last messages of the run may advance the rotation between two calls.
        wait_until(lambda: self.path('--to', to) == self.path('--to', to), 'two calls name the same path')

    def test_a_policy_prefers_one_of_two_rails(self):
        to = f'{address(2)}@tcp'
        self.meet()
        self.assertEqual(self.near.ctl('udsp', 'add', '--src', 'tcp1', '--priority', 0)[0], 0)
        said = self.path('--to', to)
        self.assertIn(f'Result: to {address(4)}@tcp1 from {address(3)}@tcp1\n', said)
        self.assertIn("not chosen: this node's net is less preferred by a policy\n", said)
        tree = json.loads(self.path('--to', to, '--json'))['path']
        self.assertEqual(tree['hop'], f'{address(4)}@tcp1')
        self.assertEqual([net['chosen'] for net in tree['nets']], [False, True])

    def test_impossible_paths_are_refused(self):
        self.assertIn('Result: no path: no route (errno -113)\n', self.path('--to', '10.0.0.1@tcp9'))
        said = self.path('--to', f'{address(2)}@tcp', '--from', f'{address(3)}@tcp1')
        self.assertIn('Result: no path: no route', said)
        self.assertEqual(self.near.ctl('debug', 'path', '--to', f'{address(2)}@tcp', '--cpt', 64)[0], 234)


class Failing(unittest.TestCase):
    """One of two rails goes down in the middle of a transfer."""
    CTEST = {'COST': '66'}
    MBIT = 30  # a small rate, which a machine that is busy with other tests can still carry

    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def node(self, rails, host, *arguments):
        file = self.folder.file(f'{host}.yaml', yaml_of(('tcp', *(rails.address(host, rail) for rail in (1, 2)))))
        made = Daemon(self.folder, '--set', 'accept=trust', '--set', rails_rig.CONGESTION, '--config', file, *arguments, name=host,
                      inside=rails.inside(host))
        self.addCleanup(made.stop)
        made.ready()
        # With 25 s the driver gives an operation up after (25 - 1) / (2 + 1) = 8 s, and not because
        # a busy machine has stopped a node for some seconds.
        self.assertEqual(made.ctl('set', 'transaction_timeout', 25)[0], 0)
        return made

    def moved(self, node):
        """Bytes that the node has received."""
        return node.get('/v1/stats')['statistics']['recv_length']

    def begin(self, console, kind, seconds):
        words = ['run', '--from', '10.77.1.1@tcp', '--to', '10.78.1.1@tcp', f'--{kind}', '--sizes', '256k', '--concurrency', '16',
                 '--time', f'{seconds}s', '--json']
        started = subprocess.Popen([ULST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, 'ULNET_CONTROL': str(console.socket)})
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def test_an_interface_goes_down_while_its_node_writes_and_comes_back(self):
        with rails_rig.Rails(2, self.MBIT) as rails:
            client = self.node(rails, 'a')
            server = self.node(rails, 'b', '--selftest')
            run = self.begin(client, 'write', 40)
            one_rail = self.MBIT * 1e6 / 8
            wait_until(lambda: self.moved(server) > 2 * one_rail, 'data move')
            rails.cut('a', 2)
            # The operations that the driver had end, and all others take the other rail.
            wait_until(lambda: self.rate(server) > 0.7 * one_rail, 'the other rail carries the traffic')
            rails.mend('a', 2)
            wait_until(lambda: self.rate(server) > 1.3 * one_rail, 'both carry it again')
            # A small message that had left for the rail is not missed before its RPC times out,
            # after a minute.
            out, err = run.communicate(timeout=300)
            said = json.loads(out)
            self.assertFalse(said['interrupted'], err)
            for test in said['tests']:
                self.assertEqual([node['lost'] for node in test['clients'] + test['servers']], [None, None], said)
                self.assertEqual(test['wrong_data'], 0)
            for node in (client, server):  # a recovery ping of the dead rail may take 8 s
                wait_until(lambda node=node: not self.busy(node), f'all operations of {node.name} have ended')

    @staticmethod
    def busy(node):
        """Peer NIs with messages that wait for a credit or are with the driver: not all their
        credits are available."""
        peers = node.get('/v1/peer')['peer']
        return [ni['nid'] for peer in peers for ni in peer['peer ni'] if ni['available_tx_credits'] != ni['max_ni_tx_credits']]

    def rate(self, node):
        """Bytes that the node receives in a second."""
        before, begun = self.moved(node), time.monotonic()
        time.sleep(1)
        return (self.moved(node) - before) / (time.monotonic() - begun)


class Accounted(unittest.TestCase):
    """One of two rails goes down under a load that accounts for each operation.
    tests/lnet/scenarios/dying_rail_test.cc has every operation, side and way in virtual time, with
    closer checks; here a system's interface goes down, and a cable breaks."""
    CTEST = {'COST': '60'}
    # The driver gives an operation up after 8 s, or a quarter more, and not because a busy machine
    # has stopped a node for some seconds.
    MBIT, SIZE, TRANSACTION_S, DRIVER_S, GIVEN_UP_S = 30, 256 << 10, 25, 8, 10
    AT_ONCE = 48  # operations: more than the credits

    def setUp(self):
        if why := rails_rig.missing():
            self.skipTest(why)

    def load(self, rails, host, *words):
        networks = f'tcp({",".join(rails.address(host, rail) for rail in (1, 2))})'
        return Load(self, networks, *words, rails_rig.CONGESTION, f'sock_timeout={self.DRIVER_S}',
                    f'lnet_transaction_timeout={self.TRANSACTION_S}', inside=rails.inside(host))

    def go(self, operation, side, cut='cut', back_s=0):
        """Traffic continues when the driver has given the dead rail up, or `back_s` later, and on a
        busy machine still later."""
        with rails_rig.Rails(2, self.MBIT) as rails:
            server = self.load(rails, 'b', 'serve')
            client = self.load(rails, 'a', operation, '10.78.1.1@tcp', self.AT_ONCE)
            one_rail = self.MBIT * 1e6 / 8

            def through():
                return client.ask('look')['completed']
            wait_until(lambda: through() * self.SIZE > 2 * one_rail, 'data move')
            getattr(rails, cut)(side, 2)
            # Answers on the dead rail hold credits until the driver gives them up, so earlier rates
            # prove nothing.
            known = time.monotonic() + self.GIVEN_UP_S
            wait_until(lambda: self.rate(through) > 0.7 * one_rail and time.monotonic() > known + 1,
                       'the other rail carries the traffic', self.GIVEN_UP_S + back_s + daemon_rig.DEADLINE_S)
            then = client.ask('look')['begun']
            wait_until(lambda: self.rate(through) > 0.7 * one_rail, 'what begins later goes on')
            client.ask('end')

            def all_ended():
                said = client.ask('look')
                return said if said['begun'] == said['completed'] + said['reported'] + said['unreported'] else None
            said = wait_until(all_ended, 'every operation completes or its initiator is notified', self.TRANSACTION_S + daemon_rig.DEADLINE_S)
            self.assertEqual(said['unreported'], 0, said)
            if cut == 'cut':
                self.assertLessEqual(said['last_reported'], then, said)
            if operation == 'put-ack':
                came = server.ask(0)
                self.assertEqual((came['twice'], came['wrong']), (0, 0), came)
                self.assertGreaterEqual(came['arrived'], said['completed'])

    def rate(self, through):
        """Bytes that get through in a second."""
        before, begun = through(), time.monotonic()
        time.sleep(1)
        return (through() - before) * self.SIZE / (time.monotonic() - begun)

    def test_puts_with_ack_while_an_interface_of_the_server_goes_down(self):
        self.go('put-ack', 'b')

    def test_gets_while_a_cable_breaks_unnoticed(self):
        self.go('get', 'b', 'break_cable', self.TRANSACTION_S)
