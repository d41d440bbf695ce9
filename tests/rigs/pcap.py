"""Reads captured TCP connections as lists of events, and writes a pcap file of a live session.

Reading: `connections(path)` reassembles every TCP connection to the LNet port. Writing: `Writer`
makes up the Ethernet, IP and TCP headers, so that any pcap tool can read a session that was
recorded at a socket, without the right to capture.
"""
import ipaddress
import struct
from dataclasses import dataclass, field

LNET_PORT = 988


@dataclass
class Happening:
    """An event of one side: 'open', 'bytes' (in order, each byte once), 'fin' or 'rst'."""
    time: float
    by_active: bool
    kind: str
    data: bytes = b''


@dataclass
class Connection:
    active: tuple   # (address, port)
    passive: tuple
    happenings: list = field(default_factory=list)

    @property
    def opened(self):
        """Whether the capture has the connection's SYN, and not only later traffic."""
        return any(h.kind == 'open' for h in self.happenings)


def _packets(path):
    with open(path, 'rb') as file:
        blob = file.read()
    if blob[:4] not in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1'):
        raise ValueError(f'{path}: not a little-endian pcap file')
    per_second = 1e9 if blob[:4] == b'\x4d\x3c\xb2\xa1' else 1e6
    at, first = 24, None
    while at + 16 <= len(blob):
        seconds, fraction, kept, _ = struct.unpack_from('<IIII', blob, at)
        time = seconds + fraction / per_second
        first = time if first is None else first
        yield time - first, blob[at + 16:at + 16 + kept]
        at += 16 + kept


def _segment(frame):
    """(source, destination, TCP bytes) of an Ethernet frame that carries TCP, else None."""
    if frame[12:14] == b'\x08\x00' and frame[23] == 6:
        header = (frame[14] & 15) * 4
        total = struct.unpack_from('>H', frame, 16)[0]
        return (str(ipaddress.ip_address(frame[26:30])), str(ipaddress.ip_address(frame[30:34])),
                frame[14 + header:14 + total])
    if frame[12:14] == b'\x86\xdd' and frame[20] == 6:
        total = struct.unpack_from('>H', frame, 18)[0]
        return (str(ipaddress.ip_address(frame[22:38])), str(ipaddress.ip_address(frame[38:54])),
                frame[54:54 + total])
    return None


class _Direction:
    """Puts the bytes of one direction in order by their sequence numbers, and drops the bytes that
    were sent twice."""

    def __init__(self):
        self.next = None
        self.early = {}

    def take(self, sequence, data):
        if self.next is None:
            self.next = sequence
        self.early[sequence] = data
        out = b''
        progress = True
        while progress:
            progress = False
            for start in sorted(self.early):
                behind = (self.next - start) & 0xffffffff
                if behind >= 0x80000000:
                    continue  # bytes before it are still missing
                piece = self.early.pop(start)[behind:]
                out += piece
                self.next = (self.next + len(piece)) & 0xffffffff
                progress = True
                break
        return out


def connections(path, port=LNET_PORT):
    """Every connection to `port`, in the order in which they were first seen."""
    found, live = [], {}
    for time, frame in _packets(path):
        segment = _segment(frame)
        if segment is None:
            continue
        source, destination, tcp = segment
        sport, dport, sequence, _ = struct.unpack_from('>HHII', tcp)
        flags, data = tcp[13], tcp[(tcp[12] >> 4) * 4:]
        if port not in (sport, dport):
            continue
        by_active = dport == port
        ends = ((source, sport), (destination, dport))
        key = ends if by_active else ends[::-1]
        syn = flags & 2
        if key not in live or (syn and by_active and not flags & 16):
            connection = Connection(*key)
            live[key] = (connection, {True: _Direction(), False: _Direction()}, set())
            found.append(connection)
        connection, directions, ended = live[key]
        if syn:
            directions[by_active].next = (sequence + 1) & 0xffffffff
            if by_active:
                connection.happenings.append(Happening(time, True, 'open'))
            continue
        new = directions[by_active].take(sequence, data) if data else b''
        if new:
            connection.happenings.append(Happening(time, by_active, 'bytes', new))
        for bit, kind in ((1, 'fin'), (4, 'rst')):
            if flags & bit and (by_active, kind) not in ended:
                ended.add((by_active, kind))
                connection.happenings.append(Happening(time, by_active, kind))
    return found


class Writer:
    """Writes a pcap file of a session recorded at sockets. Time stamps are a counter, because only
    the order matters."""

    def __init__(self, path):
        self.file = open(path, 'wb')
        self.file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        self.ticks = 0
        self.sequences = {}

    def open(self, active, passive):
        self.sequences[active, passive] = 1000
        self.sequences[passive, active] = 5000
        self._packet(active, passive, 0x02, b'')
        self._packet(passive, active, 0x12, b'')

    def data(self, source, destination, data):
        for at in range(0, len(data), 1400):
            self._packet(source, destination, 0x18, data[at:at + 1400])

    def end(self, source, destination, kind='fin'):
        self._packet(source, destination, 0x11 if kind == 'fin' else 0x14, b'')

    def close(self):
        self.file.close()

    def _packet(self, source, destination, flags, data):
        sequence = self.sequences[source, destination]
        answer = self.sequences[destination, source]
        self.sequences[source, destination] += len(data) + (1 if flags & 3 else 0)
        tcp = struct.pack('>HHIIBBHHH', source[1], destination[1], sequence, answer if flags & 16 else 0,
                          5 << 4, flags, 65535, 0, 0) + data
        a, b = ipaddress.ip_address(source[0]), ipaddress.ip_address(destination[0])
        if a.version == 4:
            ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + a.packed + b.packed
            frame = b'\x02' * 12 + b'\x08\x00' + ip + tcp
        else:
            ip = struct.pack('>IHBB', 0x60000000, len(tcp), 6, 64) + a.packed + b.packed
            frame = b'\x02' * 12 + b'\x86\xdd' + ip + tcp
        self.ticks += 1
        self.file.write(struct.pack('<IIII', self.ticks // 1000000, self.ticks % 1000000, len(frame), len(frame)))
        self.file.write(frame)
