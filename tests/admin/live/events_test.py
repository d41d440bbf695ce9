"""GET /v1/events reports what happens in real nodes, as it happens. docs/CONTROL-API.md."""
import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time

from tests.rigs import daemon_rig, rails_rig
from tests.rigs.daemon_rig import DEADLINE_S, UnixConnection, address, wait_until
from tests.rigs.routers_rig import Routers
from tests.rigs.upstream_rig import Upstream


@contextlib.contextmanager
def ended_in_time(process):
    """Kills the process when it is late or when the block raises an error, so that nobody waits for
    it."""
    late = threading.Timer(DEADLINE_S, process.kill)
    late.start()
    try:
        yield
    except BaseException:
        process.kill()
        raise
    finally:
        late.cancel()


class Watcher:
    """A stream of a node's events that begins now."""

    def __init__(self, test, node, query=''):
        self.name = node.name
        self.connection, self.response = UnixConnection(node.socket), None
        test.addCleanup(self.close)
        self.connection.request('GET', f'/v1/events{query}')
        self.response = self.connection.getresponse()
        self.heard = []
        test.assertEqual((self.response.status, self.response.headers.get_content_type()), (200, 'text/event-stream'))

    def close(self):
        self.connection.close()
        if self.response is not None:  # the response has the socket too
            self.response.close()

    def next(self):
        """The kind and the data of the next event; None at the end of the stream."""
        kind, data, end = None, '', time.monotonic() + DEADLINE_S
        while line := self.response.readline().decode():
            if time.monotonic() > end:  # a quiet stream sends signs of life, so no single read takes too long
                raise AssertionError(f'{self.name} reports no more than {self.heard}')
            if not line.strip():
                if data:
                    self.heard.append((kind, data))
                    return kind, json.loads(data)
                continue
            field, _, value = line.rstrip('\n').partition(': ')
            kind, data = (value, data) if field == 'event' else (kind, value) if field == 'data' else (kind, data)
        return None

    def until(self, kind, pattern):
        """Waits for an event of this kind whose text matches, and returns its data."""
        while event := self.next():
            if event[0] == kind and re.search(pattern, event[1].get('text', '')):
                return event[1]
        raise AssertionError(f'{self.name} reports no {kind!r} {pattern!r}, only {self.heard}')


class Nodes(Routers):
    def test_a_peer_is_discovered_and_goes(self):
        node, peer = self.node('a', ('tcp', 1)), self.node('b', ('tcp', 2, 3))
        watcher, changes = Watcher(self, node, '?types=peer'), Watcher(self, node, '?level=info')
        nids = [f'{address(last)}@tcp' for last in (2, 3)]
        self.said(node, 'discover', nids[0])
        found = watcher.until('peer', '^discovered')
        self.assertEqual((found['nid'], sorted(found['nids']), found['detail'], found['level']), (nids[0], sorted(nids), 2, 'debug'))
        peer.stop()
        gone = watcher.until('peer', 'is disconnected')
        changes.until('peer', 'is disconnected')
        self.assertEqual([heard for heard in changes.heard if heard[0] == 'discovery' or 'discovered' in heard[1]], [], 'routine is left out')
        self.assertGreater(gone['number'], found['number'])
        self.assertGreater(gone['unix_ns'], found['unix_ns'])
        self.said(node, 'peer', 'del', '--prim_nid', nids[0])
        self.assertIn(watcher.until('peer', 'is forgotten')['nid'], nids)

    def test_a_router_that_dies_and_comes_back(self):
        near, router, _ = self.joined()
        watcher = Watcher(self, near)
        router.stop()
        down = watcher.until('route', '^the gateway does not answer|^all its')
        self.assertEqual((down['nid'], down['level']), (f'{address(2)}@tcp', 'warning'))
        again = self.node('router', ('tcp', 2), ('tcp1', 3), more=('--set', 'forwarding=enabled'))
        self.assertEqual(watcher.until('route', 'the gateway can be used')['nid'], f'{address(2)}@tcp')
        self.assertEqual(again.ask('GET', '/v1/version')[0], 200)

    def test_an_interface_that_fails_and_messages_that_go_another_way(self):
        node, _ = self.node('a', ('tcp', 1, 2)), self.node('b', ('tcp', 3))
        watcher = Watcher(self, node, '?types=ni,resend')
        failing, peer = f'{address(1)}@tcp', f'{address(3)}@tcp'
        rule = {'rule_type': 'drop', 'fa_src': failing, 'fa_dst': '*', 'da_rate': 1, 'da_health_error_mask': 4}
        self.assertEqual(node.ask('POST', '/v1/fault', rule)[0], 200)
        wait_until(lambda: [node.ping(peer) for _ in range(4)] and node.get('/v1/stats')['statistics']['resend_count'], 'a message is sent again')
        events = {'ni': watcher.until('ni', 'its health is not full')}
        events['resend'] = watcher.until('resend', 'is sent again')
        self.assertEqual((events['ni']['nid'], events['resend']['nid']), (failing, peer))
        self.assertLess(events['ni']['detail'], 1000)
        self.assertEqual(node.ask('DELETE', '/v1/fault', {'rule_type': 'drop'})[0], 200)
        self.said(node, 'net', 'set', '--nid', failing, '--health', 1000)
        self.assertEqual(watcher.until('ni', 'its health is full again')['nid'], failing)

    def test_changes_and_the_end(self):
        node = self.node('a', ('tcp', 1))
        watcher = Watcher(self, node)
        self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(4))
        self.assertEqual(watcher.until('ni', '^Added LNI')['nid'], f'{address(4)}@tcp1')
        self.assertIn(': done, asked by ulnetctl', watcher.until('config', '^net add')['text'])
        node.signal(signal.SIGTERM)
        watcher.until('node', 'the node is stopping')
        events = []
        while event := watcher.next():
            events.append(event[0])
        self.assertEqual(events[-1], 'end')
        self.assertEqual(node.wait(), 0)

    def test_a_reader_goes_on_where_it_was(self):
        node = self.node('a', ('tcp', 1))
        past = node.get('/v1/events?wait=0')
        self.assertEqual((past['lost'], past['restarted']), (0, False))
        self.assertEqual([event['number'] for event in past['events']], list(range(1, len(past['events']) + 1)))
        self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(4))
        watcher = Watcher(self, node, f'?after={past["last"]}')
        self.assertEqual(watcher.next()[1]['number'], len(past['events']) + 1)
        # A node that starts in its place knows none of these events.
        node.end()
        again = self.node('a', ('tcp', 1))
        self.assertTrue(again.get(f'/v1/events?wait=0&after={past["last"]}')['restarted'])

    def test_ulnetctl_follows(self):
        node = self.node('a', ('tcp', 1))
        with subprocess.Popen([daemon_rig.ULNETCTL, 'events', '--follow', '--types', 'ni'], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, 'ULNET_CONTROL': str(node.socket)}) as follower:
            with ended_in_time(follower):
                self.assertEqual(follower.stdout.readline(), 'events:\n')
                # The events that the test looks for come after the stream has begun.
                wait_until(lambda: 'ulnet_door_streams_total 1' in node.get('/metrics'), 'the stream has begun')
                self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(4))
                line = follower.stdout.readline()
                self.assertRegex(line, rf'^    - \{{ number: \d+, time: \S+Z, type: ni, nid: {address(4)}@tcp1, what: "Added LNI .*" \}}$')
                node.end()
                self.assertIn('the node has stopped', follower.communicate(timeout=DEADLINE_S)[0])
                self.assertEqual(follower.returncode, 0)
        said = self.node('a', ('tcp', 1)).ctl('events')
        self.assertEqual(said[0], 0)
        self.assertIn('what: "Added LNI', said[1])

    def test_readers_that_do_not_read_hold_nothing_up(self):
        """The node serves as many streams as it may have and refuses further ones, and goes on."""
        node, _ = self.node('a', ('tcp', 1)), self.node('b', ('tcp', 2))
        watchers = [Watcher(self, node) for _ in range(8)]
        status, answer = node.ask('GET', '/v1/events')
        self.assertEqual((status, answer['errno']), (503, -16))
        for _ in range(200):
            self.assertEqual(node.ping(f'{address(2)}@tcp')['failed'], [])
        self.assertEqual(node.get('/v1/events?wait=0')['lost'], 0)
        watchers[0].close()
        wait_until(lambda: self.is_taken(node), 'a place is free again')

    def is_taken(self, node):
        """Whether the node accepts one more stream."""
        try:
            Watcher(self, node)
        except AssertionError:
            return False
        return True

    def test_a_stream_keeps_no_thread_of_the_control_api(self):
        node = self.node('a', ('tcp', 1))
        before = len(os.listdir(f'/proc/{node.process.pid}/task'))
        watchers = [Watcher(self, node) for _ in range(8)]
        # One thread serves all streams; the threads that accepted the requests end or serve others.
        wait_until(lambda: len(os.listdir(f'/proc/{node.process.pid}/task')) <= before + 2, 'threads end')
        self.assertEqual(len(watchers), 8)


class Links(Upstream):
    def test_an_interface_that_loses_its_address(self):
        if why := rails_rig.missing():
            self.skipTest(why)
        rails = self.enterContext(rails_rig.Rails(2, 100))
        node = self.with_nets(('tcp', 'r1', 'r2'), inside=rails.inside('a'))
        watcher = Watcher(self, node, '?types=ni')
        nid = f'{rails.address("a", 2)}@tcp'
        for verb, text in (('del', 'is down: its address is gone'), ('add', 'is up again')):
            rails_rig.command('ip', '-n', rails.space('a'), 'addr', verb, f'{rails.address("a", 2)}/30', 'dev', 'r2')
            self.assertEqual(watcher.until('ni', text)['nid'], nid)
