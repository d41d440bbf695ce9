"""A peer that speaks LNet over TCP: the messages that it sends, well-formed or with any change, and its end of a connection.

Written from spec/wire-socklnd.md and spec/wire-lnet.md alone; pdu.py decodes what the node answers."""
import ipaddress
import socket
import struct
import time

from tests.rigs import pdu

PID = 12345  # of every node


def nid4(address, net=2 << 16):
    return net << 32 | int(ipaddress.IPv4Address(address))


def build_request(target_nid4):
    return struct.pack('<IIQ', pdu.REQUEST_MAGIC, 1, target_nid4)


def build_hello(src, dst, ctype=pdu.CONTROL, incarnation=0x5eed, version=3):
    return struct.pack('<IIQQIIQQII', pdu.HELLO_MAGIC, version, src, dst, PID, 0, incarnation, 0, ctype, 0)


def build_noop(cookie0=0, cookie1=1):
    return struct.pack('<IIQQ', pdu.NOOP, 0, cookie0, cookie1)


def build_message(dst, src, kind, part, payload=b'', cookie0=0):
    return (struct.pack('<IIQQ', pdu.LNET, 0, cookie0, 0) + struct.pack('<QQIIII', dst, src, PID, PID, kind, len(payload)) +
            part.ljust(40, b'\0') + payload)


def build_ping(dst, src, handle, sink_length=3960):
    return build_message(dst, src, pdu.GET, handle + struct.pack('<QIII', pdu.PING_BITS, 0, 0, sink_length))


def build_ack(put):
    """The ACK of a PUT that arrived completely."""
    return _answer(put, pdu.ACK, put.ack_wmd + struct.pack('<QI', put.match_bits, put.payload_length))


def build_ping_reply(ping):
    """The REPLY of a node without discovery to a ping: a node that gets it does not push."""
    return _answer(ping, pdu.REPLY, ping.return_wmd, struct.pack('<IIIIQII', pdu.PING_MAGIC, 0x0e, PID, 1, 9 << 48, 1, 0))


def _answer(one, kind, part, payload=b''):
    """An answer to the sender of the message `one`, in its version."""
    head = one.data[:len(one.data) - one.payload_length - 40]
    nids = len(one.dst_nid) + len(one.src_nid)
    before = len(head) - nids - 16
    return (head[:before] + one.src_nid + one.dst_nid + head[before + nids:-8] + struct.pack('<II', kind, len(payload)) +
            part.ljust(40, b'\0') + payload)


class Line:
    """One TCP connection to a node at `node`:`port`, from `source`."""

    def __init__(self, node, port, source):
        self.node, self.source = node, source
        self.us, self.them = nid4(source), nid4(node)
        self.splitter, self.arrived = pdu.Splitter(), []
        self.sock = socket.socket()
        self.sock.settimeout(10)
        self.sock.bind((source, 0))
        self.sock.connect((node, port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the node has closed the connection; the next read shows it

    def request(self):
        return build_request(self.them)

    def hello(self, **more):
        return build_hello(self.us, self.them, **more)

    def ping(self, handle=b'hostile handle..', **more):
        return build_ping(self.them, self.us, handle, **more)

    def message(self, kind, part, payload=b'', **more):
        return build_message(self.them, self.us, kind, part, payload, **more)

    def put(self, portal, bits, payload, handle=pdu.NO_HANDLE, **more):
        return self.message(pdu.PUT, handle + struct.pack('<QQII', bits, 0, portal, 0), payload, **more)

    def get(self, portal, bits, offset=0, length=272):
        return self.message(pdu.GET, b'hostile handle..' + struct.pack('<QIII', bits, portal, offset, length))

    def greet(self, **more):
        """Sends request and hello; returns the node's hello."""
        self.send(self.request() + self.hello(**more))
        return self.read()

    def read(self):
        """The next PDU of the node; EOFError when it closes the connection instead."""
        while not self.arrived:
            more = self.sock.recv(1 << 16)
            if not more:
                rest = self.splitter.buffers[False]
                raise AssertionError(f'closed after a part of a PDU: {rest.hex()}') if rest else EOFError('closed')
            self.arrived += self.splitter.feed(False, more)
        return self.arrived.pop(0)

    def read_message(self):
        """The next LNet message of the node."""
        while (one := self.read()).kind != 'lnet':
            pass
        return one

    def answers_ping(self):
        self.send(self.ping())
        one = self.read_message()
        return one.type == pdu.REPLY and one.payload[:4] == struct.pack('<I', pdu.PING_MAGIC)

    def is_closed(self, seconds=10):
        """Whether the node closes this connection within `seconds`; ignores what it sends before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.sock.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.sock.recv(65536):
                    return True
            except TimeoutError:
                return False
            except ConnectionResetError:
                return True
        return False
