#!/usr/bin/env python3
"""Tests the parts of the replay peer without a node: what it reads from captures, and that its
comparison notices differences."""
import collections
import dataclasses
import os
import re
import tempfile
import threading
import unittest

from tests.lnet.live.interop import cases
from tests.rigs import pcap, pdu
from tests.lnet.live.interop import run
from tests.lnet.live.interop import translate
from tests.lnet.live.interop.compare import Session
from tests.lnet.live.interop.replay import Mismatch, Replay
from tests.rigs.programs import ROOT


class Captures(unittest.TestCase):
    def test_every_byte_of_every_capture_belongs_to_a_field(self):
        for name in {n for case in cases.CASES for n, _ in case.captures}:
            for connection in pcap.connections(os.path.join(run.captures_folder(), name + '.pcap')):
                rest = sum(len(happening.data) for happening in connection.happenings)
                for one in pdu.of_connection(connection):
                    rest -= len(one.data)
                    covered = sum(length for _, _, length, _ in one.fields)
                    self.assertTrue(covered == len(one.data) or one.kind == 'junk', f'{name}: {one}')
                self.assertEqual(rest, 0, name)

    def test_ulnets_decoder_finds_as_many(self):
        """It shares no code with pdu.py; captures_test.cc has the numbers that it has to find."""
        table = (ROOT / 'tests/lnet/recorded/captures/captures_test.cc').read_text()
        for name, *numbers in re.findall(r'{"(\w+)", (\d+), (\d+), (\d+), (\d+), ', table):
            found = collections.Counter(one.kind for connection in pcap.connections(os.path.join(run.captures_folder(), name + '.pcap'))
                                        for one in pdu.of_connection(connection))
            self.assertEqual([found[kind] for kind in ('request', 'hello', 'noop', 'lnet')], [int(n) for n in numbers], name)


class Comparison(unittest.TestCase):
    def setUp(self):
        self.script = run.build(cases.find('01-active'))
        self.session = Session(self.script, translate.Identity())

    def ours(self, kind):
        return next(s.pdu for s in self.script.steps if s.kind == 'pdu' and s.ours and s.pdu.kind == kind)

    def changed(self, one, name):
        """The PDU with the first byte of one field flipped."""
        offset = next(o for n, o, _, _ in one.fields if n == name)
        data = bytearray(one.data)
        data[offset] ^= 0xff
        return pdu.Pdu(one.kind, bytes(data), one.fields, one.values)

    def test_the_recording_equals_itself(self):
        for kind in ('request', 'hello', 'lnet'):
            self.assertEqual(self.session.differences(self.ours(kind), self.ours(kind)), [])

    def test_a_changed_field_is_noticed(self):
        for kind, names in (('request', ('magic', 'version', 'target')),
                            ('hello', ('magic', 'version', 'src_nid', 'dst_nid', 'src_pid', 'dst_pid', 'dst_incarnation',
                                       'ctype', 'nips')),
                            ('lnet', ('frame', 'csum', 'cookie0', 'cookie1', 'dst_nid', 'src_nid', 'dst_pid', 'src_pid',
                                      'type', 'payload_length', 'match_bits', 'portal', 'src_offset', 'sink_length',
                                      'part filler'))):
            for name in names:
                one = self.ours(kind)
                self.assertNotEqual(self.session.differences(one, self.changed(one, name)), [], f'{kind} {name}')

    def test_our_cookies_and_incarnation_may_differ_but_not_within_a_session(self):
        hello, get = self.ours('hello'), self.ours('lnet')
        for one, name in ((hello, 'src_incarnation'), (get, 'return_wmd')):
            other = self.changed(one, name)
            self.assertEqual(self.session.differences(one, other), [])
            self.session.learn(one, other)
            self.assertNotEqual(self.session.differences(one, one), [], name)

    def test_their_answer_carries_our_live_handle(self):
        get = self.ours('lnet')
        reply = self.script.lnet(ours=False, kind=pdu.REPLY)[0].pdu
        self.session.learn(get, self.changed(get, 'return_wmd'))
        self.assertIn(self.changed(get, 'return_wmd').bytes_of('return_wmd'), self.session.theirs(reply))


class Nobody:
    """An upper layer that does nothing, because the other side is a replay too."""

    def take(self, step):
        pass

    def reach(self, recorded):
        pass

    def fileno(self):
        return None

    def pump(self):
        return True


class PlayedAgainstItself(unittest.TestCase):
    """Replay peers play both sides of a capture: each side expects what the other one plays."""

    def both(self, name, us, them, zero_copy=True):
        case = cases.find(name)
        place = translate.Loopback()
        sides = [Replay(run.build(dataclasses.replace(case, us=part, zero_copy=zero_copy)), place, zero_copy=zero_copy)
                 for part in (us, them)]
        failures = []

        def play(side):
            try:
                side.run(Nobody(), 20)
            except Exception as reason:  # the test prints it
                failures.append(str(reason))
        threads = [threading.Thread(target=play, args=(side,)) for side in sides]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for side in sides:
            side.close()
        self.assertEqual(failures, [])

    def test_captures(self):
        for name, us, them in (('01b-active', cases.CLIENT, cases.SERVER), ('02-active', cases.CLIENT_RAILS, cases.SERVER_RAILS),
                               ('03a-active', cases.CLIENT, cases.SERVER), ('08-active', cases.CLIENT, cases.SERVER),
                               ('09-active', cases.CLIENT, cases.SERVER),
                               ('13-refused-twice', cases.FAKE_US, ('10.99.0.254',)),
                               ('13-race-lower', cases.FAKE_US, ('10.99.0.50',)),
                               ('13-answers-v1', cases.FAKE_US, ('10.99.0.254',))):
            with self.subTest(name):
                self.both(name, us, them)

    def test_a_wrong_byte_is_found(self):
        case = cases.find('01-active')
        place = translate.Loopback()
        ours, theirs = run.build(case), run.build(cases.find('01-passive'))
        hello = next(s for s in theirs.steps if s.kind == 'pdu' and not s.ours and s.pdu.kind == 'hello')
        hello.pdu.data = hello.pdu.data[:28] + b'\x01' + hello.pdu.data[29:]  # the destination PID
        judge, player = Replay(ours, place), Replay(theirs, place)
        thread = threading.Thread(target=lambda: self.assertRaises(Exception, player.run, Nobody(), 3))
        thread.start()
        with self.assertRaisesRegex(Mismatch, 'dst_pid'):
            judge.run(Nobody(), 20)
        judge.close()
        thread.join()
        player.close()


class Recording(unittest.TestCase):
    def test_written_text_is_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'x.pcap')
            writer = pcap.Writer(path)
            a, b = ('10.99.0.1', 1023), ('10.99.0.2', 988)
            writer.open(a, b)
            writer.data(a, b, b'x' * 5000)
            writer.data(b, a, b'y')
            writer.end(b, a)
            writer.close()
            connection, = pcap.connections(path)
            self.assertEqual(b''.join(h.data for h in connection.happenings if h.by_active), b'x' * 5000)
            self.assertEqual([h.kind for h in connection.happenings if not h.by_active], ['bytes', 'fin'])


if __name__ == '__main__':
    unittest.main()
