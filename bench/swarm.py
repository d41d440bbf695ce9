"""Many small peers in one process, to measure the memory of the node that they connect to. They
implement only the part of the protocol that a connected node needs. Layouts: spec/wire-socklnd.md
3.1, 4.1, 6, spec/wire-lnet.md 2, 4.1."""
import ipaddress
import socket
import struct

CONTROL, BULK_IN, BULK_OUT = 1, 2, 3
TCP_NET = 2 << 16


def nid(address):
    return TCP_NET << 32 | int(ipaddress.IPv4Address(address))


class Swarm:
    def __init__(self, node, port):
        self.node, self.port, self.sockets, self.next = node, port, [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for sock in self.sockets:
            sock.close()

    def add(self, count):
        """Adds `count` peers. Each opens a control and two bulk connections, and pings once."""
        for _ in range(count):
            address = str(ipaddress.IPv4Address('127.64.0.1') + self.next)
            self.next += 1
            control = self._connect(address, CONTROL)
            self._connect(address, BULK_IN)
            self._connect(address, BULK_OUT)
            self._ping(control, address)

    def _connect(self, address, kind):
        sock = socket.socket()
        sock.settimeout(20)
        sock.bind((address, 0))
        sock.connect((self.node, self.port))
        request = struct.pack('<IIQ', 0xacce7100, 1, nid(self.node))
        hello = struct.pack('<IIQQIIQQII', 0x45726963, 3, nid(address), nid(self.node), 12345, 0, 0x5eed, 0, kind, 0)
        sock.sendall(request + hello)
        answer = self._read(sock, 56)
        if struct.unpack_from('<I', answer, 48)[0] == 0xffffffff:
            raise RuntimeError(f'{address} was refused')
        self.sockets.append(sock)
        return sock

    def _ping(self, sock, address):
        handle = struct.pack('<QQ', 1, self.next)
        sock.sendall(struct.pack('<IIQQ', 0xc1, 0, 0, 0) +
                     struct.pack('<QQIIII', nid(self.node), nid(address), 12345, 12345, 2, 0) +
                     (handle + struct.pack('<QIII', 1 << 63, 0, 0, 272)).ljust(40, b'\0'))
        head = self._read(sock, 96)
        self._read(sock, struct.unpack_from('<I', head, 52)[0])

    @staticmethod
    def _read(sock, size):
        data = b''
        while len(data) < size:
            more = sock.recv(size - len(data))
            if not more:
                raise RuntimeError('the node closed a connection')
            data += more
        return data
