"""Hostile peers against a running ulnetd: whatever they send, the node stays up, refuses as
specified, counts it, and the traffic of another peer continues. Each class ends its node at the
end, so that ASan also finds leaks."""
import random
import resource
import socket
import struct
import time
import unittest

from tests.rigs import daemon_rig, pdu, peer
from tests.rigs.attacker import resident
from tests.rigs.daemon_rig import OwnDaemon, address, free_port, wait_until, yaml_of
from tests.rigs.peer import Line

SEED = random.randrange(1 << 32)


def swapped_hello(line):
    """A hello as a big-endian node of version 2.12 sends it: the NIDs are swapped too."""
    return struct.pack('>IIQQIIQQII', pdu.HELLO_MAGIC, 3, line.us, line.them, 12345, 0, 0x5eed, 0, pdu.CONTROL, 0)


class Hostile(unittest.TestCase):
    """Two daemons: the victim, and a peer whose pings must continue."""
    PARAMS = {}
    # Longer than all other waits, and longer than a busy machine stops the attacker between its
    # connection and its hello.
    ACCEPT_S = 12

    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.victim_address, cls.other_address = address(1), address(2)
        cls.next_source = 10
        params = {'accept': 'trust', 'accept_port': cls.port, 'accept_port_bulk': cls.port, 'conns_per_peer': 1,
                  'unprivileged_connect': 1}
        cls.victim = cls.enterClassContext(
            OwnDaemon({**params, 'accept_timeout': cls.ACCEPT_S, **cls.PARAMS}, yaml_of(('tcp', cls.victim_address))))
        cls.other = cls.enterClassContext(OwnDaemon(params, yaml_of(('tcp', cls.other_address))))

    def tearDown(self):
        self.assertTrue(self.victim.alive(), self.victim.said())
        self.others_traffic_goes_on()

    def others_traffic_goes_on(self):
        code, out, err = self.other.ctl('ping', '--timeout', '10', f'{self.victim_address}@tcp')
        self.assertEqual(code, 0, f'{out}{err}\n{self.victim.said()}')

    def line(self):
        """A new connection from an address that was not used before."""
        cls = type(self)
        cls.next_source += 1
        made = Line(self.victim_address, self.port, address(cls.next_source % 250, cls.next_source // 250))
        self.addCleanup(made.sock.close)
        return made

    def stat(self, name):
        return self.victim.get('/v1/stats')['statistics'][name]

    def greeted(self, **more):
        line = self.line()
        line.greet(**more)
        return line


class Stages(Hostile):
    """Wrong bytes at every stage of a connection."""

    def test_garbage_instead_of_a_request(self):
        for junk in (b'\0' * 64, b'\xff' * 64, b'GET / HTTP/1.1\r\n\r\n' * 4):
            line = self.line()
            line.send(junk)
            self.assertTrue(line.is_closed(), junk)

    def test_a_generic_or_future_request_is_answered_with_a_request_of_version_1_and_nid_0(self):
        for first in (struct.pack('<II', pdu.HELLO_MAGIC, 3), struct.pack('>II', pdu.HELLO_MAGIC, 3),
                      struct.pack('<II', pdu.REQUEST_MAGIC, 9), struct.pack('<II', pdu.REQUEST_MAGIC, 0)):
            line = self.line()
            line.send(first + b'\0' * 20)
            self.assertEqual(line.read().data, peer.build_request(0), first.hex())
            self.assertTrue(line.is_closed())

    def test_a_request_for_another_nid_is_closed_silently(self):
        line = self.line()
        for nid in (peer.nid4(address(77)), 9 << 48, pdu.ANY_NID4, line.them | 1 << 32):
            line = self.line()
            line.send(peer.build_request(nid) + line.hello())
            with self.assertRaises((EOFError, ConnectionResetError)):
                line.read()

    def test_a_hello_of_an_unknown_version_is_answered_with_ours_of_type_none(self):
        line = self.line()
        line.send(line.request() + line.hello(version=99))
        answer = line.read()
        self.assertEqual((answer.kind, answer.version, answer.ctype), ('hello', 3, pdu.NONE))
        self.assertEqual(answer.src_nid + answer.dst_nid, struct.pack('<QQ', line.them, line.them))
        self.assertTrue(line.is_closed())

    def test_hellos_that_are_refused_by_closing(self):
        line = self.line()
        whole = bytearray(line.hello())

        def changed(offset, form, value):
            copy = bytearray(whole)
            struct.pack_into(form, copy, offset, value)
            return bytes(copy)
        for name, hello in (('magic', changed(0, '<I', 0x12345678)), ('any NID', changed(8, '<Q', pdu.ANY_NID4)),
                            ('type 4', changed(48, '<I', 4)), ('type NONE', changed(48, '<I', pdu.NONE)),
                            ('17 addresses', changed(52, '<I', 17)), ('2^32-1 addresses', changed(52, '<I', 0xffffffff)),
                            ('an address of 0', changed(52, '<I', 2) + b'\x01\0\0\x7f' + b'\0' * 4)):
            with self.subTest(name):
                line = self.line()
                line.send(line.request() + hello)
                with self.assertRaises((EOFError, ConnectionResetError)):
                    line.read()

    def test_a_bonded_peers_addresses_are_read_and_ignored(self):
        line = self.line()
        hello = bytearray(line.hello())
        struct.pack_into('<I', hello, 52, 16)
        line.send(line.request() + bytes(hello) + struct.pack('<I', 0x0a000001) * 16)
        line.read()
        self.assertTrue(line.answers_ping())

    def test_a_byte_swapped_peer_is_answered_in_little_endian(self):
        line = self.line()
        request = struct.pack('>IIQ', pdu.REQUEST_MAGIC, 1, line.them)
        line.send(request + swapped_hello(line))
        answer = line.read()
        self.assertEqual((answer.kind, answer.version, answer.ctype), ('hello', 3, pdu.CONTROL))
        # The framing headers of this node are swapped; LNet headers have one byte order.
        line.send(struct.pack('>IIQQ', pdu.LNET, 0, 0, 0) + line.ping()[24:])

    def test_silence_is_ended_by_the_accept_time_out(self):
        lines = [self.line() for _ in range(3)]
        for line, said in zip(lines, (b'', b'\0', lines[2].request())):
            line.send(said)
        for line in lines:
            self.assertTrue(line.is_closed(3 * self.ACCEPT_S))

    def test_every_truncation_of_a_first_contact(self):
        line = self.line()
        length = len(line.request() + line.hello() + line.ping())
        for cut in range(0, length, 3):
            line = self.line()
            line.send((line.request() + line.hello() + line.ping())[:cut])
            line.sock.close()

    def test_one_byte_at_a_time_is_accepted(self):
        line = self.line()
        for byte in line.request() + line.hello():
            line.send(bytes([byte]))
        line.read()
        for byte in line.ping():
            line.send(bytes([byte]))
        self.assertEqual(line.read_message().type, pdu.REPLY)


class Messages(Hostile):
    """Wrong messages on a valid connection."""

    def test_framing_that_closes(self):
        line = self.line()
        for name, bytes_ in (('unknown type', struct.pack('<IIQQ', 0xc2, 0, 0, 0)), ('garbage', b'\xa5' * 200),
                             ('an unknown zero-copy cookie', peer.build_noop(0, 77)),
                             ('a range of unknown cookies', peer.build_noop(2, 1 << 60)),
                             ('a bad NOOP checksum', struct.pack('<IIQQ', pdu.NOOP, 1, 0, 1)),
                             ('a keepalive with another cookie', peer.build_noop(5, 1))):
            with self.subTest(name):
                line = self.greeted()
                line.send(bytes_)
                self.assertTrue(line.is_closed())

    def test_framing_that_is_ignored(self):
        line = self.greeted()
        line.send(peer.build_noop(0, 1) + peer.build_noop(0, 0) + peer.build_noop(9, 0) + peer.build_noop(1, 1))
        self.assertTrue(line.answers_ping())

    def test_headers_that_close(self):
        def with_field(message, offset, value):
            return message[:offset] + struct.pack('<I', value) + message[offset + 4:]
        line = self.line()
        for name, message in (
                ('type 5', lambda l: with_field(l.ping(), 48, 5)), ('type HELLO', lambda l: with_field(l.ping(), 48, 4)),
                ('a GET with payload', lambda l: with_field(l.ping(), 52, 1) + b'x'),
                ('an ACK with payload', lambda l: with_field(l.message(pdu.ACK, b''), 52, 4) + b'xxxx'),
                ('a PUT above the MTU', lambda l: with_field(l.put(50, 1, b''), 52, (1 << 20) + 1)),
                ('a PUT of 2^32-1', lambda l: with_field(l.put(50, 1, b''), 52, 0xffffffff)),
                ('another NID on our net', lambda l: peer.build_ping(peer.nid4(address(78)), l.us, b'h' * 16))):
            with self.subTest(name):
                line = self.greeted()
                line.send(message(line))
                self.assertTrue(line.is_closed())

    def test_messages_that_are_dropped_counted_and_keep_the_connection(self):
        for name, message in (
                ('a PUT nobody waits for', lambda l: l.put(50, 1, b'x' * 3000)),
                ('a GET nobody answers', lambda l: l.get(50, 1)),
                ('a GET with other bits on the ping portal', lambda l: l.get(0, 42)),
                ('portal 64', lambda l: l.put(64, 1, b'x')), ('portal 2^32-1', lambda l: l.get(0xffffffff, 1)),
                ('an ACK for nothing of ours', lambda l: l.message(pdu.ACK, b'\x07' * 28)),
                ('a REPLY for nothing of ours', lambda l: l.message(pdu.REPLY, b'\x07' * 16, b'x' * 100)),
                ('a message to be routed', lambda l: peer.build_ping(peer.nid4('10.1.1.1', 2 << 16 | 7), l.us, b'h' * 16))):
            with self.subTest(name):
                dropped = self.stat('drop_count')
                line = self.greeted()
                line.send(message(line))
                self.assertTrue(line.answers_ping())
                wait_until(lambda: self.stat('drop_count') != dropped, 'the message is dropped')
                self.assertEqual(self.stat('drop_count'), dropped + 1)

    def test_a_ping_beyond_the_end_of_the_info(self):
        line = self.greeted()
        line.send(line.get(0, pdu.PING_BITS, offset=1 << 31) + line.ping(b'the ping behind.'))
        answer = line.read_message()
        if answer.dst_wmd != b'the ping behind.':  # the node may answer the first GET with an empty REPLY, or not at all
            self.assertEqual(answer.payload, b'')
            answer = line.read_message()
        self.assertEqual(answer.payload[:4], struct.pack('<I', pdu.PING_MAGIC))

    def test_a_payload_longer_than_announced(self):
        line = self.greeted()
        line.send(line.put(50, 1, b'x' * 100) + b'y' * 100)
        self.assertTrue(line.is_closed())

    def test_an_unmatched_put_on_the_lazy_portal_stalls_its_own_connection_only(self):
        stalled = self.greeted()
        stalled.send(stalled.put(0, 42, b'x' * 200000) + stalled.ping())
        line = self.greeted()
        self.assertTrue(line.answers_ping())

    def test_every_zero_copy_request_is_acked_once(self):
        line = self.greeted()
        line.send(line.put(50, 1, b'x' * 20, cookie0=7))
        self.assertEqual(line.read().data, peer.build_noop(0, 7))


class Endings(Hostile):
    """Peers that fall silent, stop reading, or die in the middle of a message."""
    SOCK_S = 12  # longer than a busy machine stops the attacker in the middle of a message
    PARAMS = {'sock_timeout': SOCK_S}

    def test_death_in_mid_payload(self):
        for how in ('fin', 'rst'):
            for sent in (0, 1, 40000):
                line = self.greeted()
                line.send(line.put(50, 1, b'x' * 65536)[:96 + sent])
                if how == 'rst':
                    line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                line.sock.close()

    def test_silence_in_mid_message_is_ended_by_the_driver_time_out(self):
        lines = {cut: self.greeted() for cut in (3, 24, 50, 96 + 10)}
        for cut, line in lines.items():
            line.send(line.put(50, 1, b'x' * 1000)[:cut])
        for cut, line in lines.items():
            self.assertTrue(line.is_closed(3 * self.SOCK_S), cut)

    def answers_dropped(self):
        return self.victim.get('/v1/counters')['drops']['too many answers wait for its sender already']

    def test_a_peer_that_stops_reading(self):
        line = self.greeted()
        line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        before = resident(self.victim.process.pid, 'VmRSS')
        line.sock.settimeout(0.5)
        pings, sent = line.ping() * 1000, 0
        deadline = time.monotonic() + 60
        try:
            while time.monotonic() < deadline and (sent % len(pings) or not self.answers_dropped()):
                try:
                    sent += line.sock.send(pings[sent % len(pings):])
                except TimeoutError:
                    if self.answers_dropped():
                        break  # the node has stopped reading
        except OSError:
            pass  # the node has closed the connection
        self.others_traffic_goes_on()
        if not daemon_rig.SANITIZED:
            self.assertLess(resident(self.victim.process.pid, 'VmRSS') - before, 64 << 20)
        wait_until(lambda: self.victim.get('/v1/counters')['driver']['closed_no_progress'], 'the connection is closed',
                   self.SOCK_S + daemon_rig.DEADLINE_S)
        if not daemon_rig.SANITIZED:
            self.assertGreater(self.answers_dropped(), 0)

    def test_another_incarnation_replaces_the_old_connections(self):
        first = self.greeted(incarnation=100)
        second = Line(self.victim_address, self.port, first.source)
        self.addCleanup(second.sock.close)
        second.send(second.request() + second.hello(incarnation=101))
        self.assertTrue(first.is_closed())
        self.assertEqual(second.read().ctype, pdu.NONE)
        third = Line(self.victim_address, self.port, first.source)
        self.addCleanup(third.sock.close)
        third.greet(incarnation=101)
        self.assertTrue(third.answers_ping())

    def second_control_is_refused(self, first):
        second = Line(self.victim_address, self.port, first.source)
        self.addCleanup(second.sock.close)
        self.assertEqual(second.greet().ctype, pdu.NONE)
        self.assertTrue(second.is_closed())
        self.assertTrue(first.answers_ping())

    def test_a_second_control_connection_is_refused_and_the_first_goes_on(self):
        first = self.greeted()
        self.assertTrue(first.answers_ping())
        self.second_control_is_refused(first)

    def test_a_second_control_connection_is_refused_also_from_a_peer_that_was_dialled_in_vain(self):
        first = self.line()
        self.assertNotEqual(self.victim.ctl('ping', '--timeout', '1', f'{first.source}@tcp')[0], 0)
        first.greet()
        self.assertTrue(first.answers_ping())
        self.second_control_is_refused(first)


class Crowd(Hostile):
    def test_two_thousand_silent_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 2000
        if hard < wanted + 100:
            self.skipTest(f'only {hard} descriptors may be open here')
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        crowd = []
        try:
            for i in range(wanted):
                sock = socket.create_connection((self.victim_address, self.port), 10)
                crowd.append(sock)
            self.others_traffic_goes_on()
            line = self.greeted()
            self.assertTrue(line.answers_ping())
            end = time.monotonic() + self.ACCEPT_S + daemon_rig.DEADLINE_S
            for sock in crowd:
                sock.settimeout(max(0.1, end - time.monotonic()))
                try:
                    self.assertEqual(sock.recv(1), b'')
                except ConnectionResetError:
                    pass
        finally:
            for sock in crowd:
                sock.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Mutations(Hostile):
    """A valid session with a few bytes changed, many times."""

    def test_mutated_sessions(self):
        dice = random.Random(SEED)
        for turn in range(300):
            line = self.line()
            data = bytearray(line.request() + line.hello(ctype=dice.choice((1, 2, 3))) + line.ping() +
                             line.put(dice.randrange(70), dice.getrandbits(64), dice.randbytes(dice.randrange(2000)),
                                      dice.randbytes(16)) + peer.build_noop(0, 1) + line.get(0, pdu.PING_BITS))
            for _ in range(dice.choice((1, 1, 2, 8))):
                data[dice.randrange(len(data))] = dice.randrange(256)
            line.send(bytes(data))
            if dice.random() < 0.5:
                line.sock.settimeout(0.02)
                try:
                    line.sock.recv(4096)
                except (TimeoutError, ConnectionResetError):
                    pass
            line.sock.close()
            if not self.victim.alive():
                self.fail(f'turn {turn} of seed {SEED}\n{self.victim.said()}')
