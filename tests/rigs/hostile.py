"""The attacker's end of a connection, which can send any bytes, and the well-formed parts that attacks are made of."""
import os
import socket
import struct
import time

from tests.rigs import pdu

OCTET = 16 + os.getpid() % 200


def address(last, third=0):
    """A loopback address that only this process uses."""
    return f'127.{OCTET}.{third}.{last}'


def free_port():
    for port in range(20000 + os.getpid() % 10000, 32000):
        with socket.socket() as probe:
            try:
                probe.bind(('0.0.0.0', port))
                return port
            except OSError:
                continue
    raise OSError('no free port')


class Line:
    """One TCP connection to a node at `node`:`port`, from `source`."""

    def __init__(self, node, port, source):
        self.node, self.source = node, source
        self.us, self.them = pdu.nid4(source), pdu.nid4(node)
        self.sock = socket.socket()
        self.sock.settimeout(10)
        self.sock.bind((source, 0))
        self.sock.connect((node, port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the node has closed the connection; the next read shows it

    def request(self):
        return pdu.build_request(self.them)

    def hello(self, ctype=pdu.CONTROL, incarnation=None, **more):
        return pdu.build_hello(self.us, self.them, ctype, incarnation or 0x5eed, **more)

    def ping(self, handle=b'hostile handle..', **more):
        return pdu.build_ping(self.them, self.us, handle, **more)

    def message(self, kind, part, payload=b'', **more):
        return pdu.build_message(self.them, self.us, kind, part, payload, **more)

    def put(self, portal, bits, payload, handle=pdu.NO_HANDLE):
        return self.message(pdu.PUT, handle + struct.pack('<QQII', bits, 0, portal, 0), payload)

    def get(self, portal, bits, offset=0, length=272):
        return self.message(pdu.GET, b'hostile handle..' + struct.pack('<QIII', bits, portal, offset, length))

    def greet(self, **more):
        """Sends request and hello; returns the node's hello."""
        self.send(self.request() + self.hello(**more))
        return self.read(56)

    def read(self, size):
        data = b''
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise EOFError(f'closed after {len(data)} of {size} bytes: {data.hex()}')
            data += more
        return data

    def read_message(self):
        """(frame and header, payload) of the next LNet message, version 3."""
        while True:
            frame = self.read(24)
            if struct.unpack_from('<I', frame)[0] == pdu.LNET:
                break
        header = self.read(72)
        return frame + header, self.read(struct.unpack_from('<I', header, 28)[0])

    def answers_ping(self):
        self.send(self.ping())
        header, payload = self.read_message()
        return struct.unpack_from('<I', header, 48)[0] == pdu.REPLY and payload[:4] == struct.pack('<I', pdu.PING_MAGIC)

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
