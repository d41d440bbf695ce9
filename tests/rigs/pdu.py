"""Parses the bytes of a socklnd connection into PDUs, each with a map of its fields.

Written from spec/wire-socklnd.md and spec/wire-lnet.md alone; shares no code with src/lnet/wire. A
field is (name, offset, length, what), where `what` says how two values of it compare: 'same',
'nid4', 'nid16', 'incarnation', 'wmd', 'sequence'. 'id' and 'free' are compared like 'same', except
when our selftest plays our part: then the requester chooses an id, and 'free' may have any value.
"""
import struct
from dataclasses import dataclass, field

REQUEST_MAGIC, HELLO_MAGIC, V1_MAGIC, PING_MAGIC = 0xacce7100, 0x45726963, 0xeebc0ded, 0x70696e67
SELFTEST_MAGIC, SELFTEST_BYTES = 0xeeb0f00d, 160
TEST_PORTAL, FRAMEWORK_PORTAL, REPLY_PORTAL = 50, 51, 52  # of the selftest
NOOP, LNET = 0xc0, 0xc1
ACK, PUT, GET, REPLY = 0, 1, 2, 3
TYPE_NAMES = ('ACK', 'PUT', 'GET', 'REPLY')
ANY_NID4 = 0xffffffffffffffff
NO_HANDLE = b'\xff' * 16
PING_BITS = 0x8000000000000000
CONTROL, BULK_IN, BULK_OUT, NONE = 1, 2, 3, 0xffffffff


@dataclass
class Pdu:
    kind: str               # 'request', 'hello', 'noop', 'lnet', 'junk'
    data: bytes
    fields: list = field(default_factory=list)
    values: dict = field(default_factory=dict)

    def __getattr__(self, name):
        values = object.__getattribute__(self, 'values')
        if name in values:
            return values[name]
        raise AttributeError(name)

    def bytes_of(self, name):
        for n, offset, length, _ in self.fields:
            if n == name:
                return self.data[offset:offset + length]
        raise KeyError(name)

    @property
    def payload(self):
        return self.data[len(self.data) - self.payload_length:] if self.payload_length else b''

    def __str__(self):
        shown = {k: (hex(v) if isinstance(v, int) and v > 9999 else v.hex() if isinstance(v, bytes) else v)
                 for k, v in self.values.items()}
        return f'{self.kind} ' + ' '.join(f'{k}={v}' for k, v in shown.items())


class _Fields:
    """Collects the map of fields while it goes through a structure."""

    def __init__(self, data):
        self.data, self.at, self.fields, self.values = data, 0, [], {}

    def number(self, name, form, what='same'):
        length = struct.calcsize(form)
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.raw(name, length, what)
        self.values[name] = value
        return value

    def raw(self, name, length, what='same'):
        self.fields.append((name, self.at, length, what))
        self.at += length

    def nid(self, name, large):
        self.values[name] = self.data[self.at:self.at + (20 if large else 8)]
        self.raw(name, 20 if large else 8, 'nid16' if large else 'nid4')

    def handle(self, name):
        self.values[name] = self.data[self.at:self.at + 16]
        self.raw(name, 16, 'wmd')

    def pdu(self, kind):
        if self.at < len(self.data):
            self.raw('rest', len(self.data) - self.at)
        return Pdu(kind, self.data, self.fields, self.values)


def _request(data, version):
    f = _Fields(data)
    f.number('magic', '<I')
    f.number('version', '<I')
    f.nid('target', version != 1)
    return f.pdu('request')


def _hello(data, version):
    f = _Fields(data)
    if version == 1:  # an LNet header, spec/wire-socklnd.md 4.3
        f.number('magic', '<I')
        f.number('version', '<H')
        f.number('minor', '<H')
        f.nid('src_nid', False)
        f.number('dst_pid', '<I')
        f.number('src_pid', '<I')
        f.number('type', '<I')
        f.number('payload_length', '<I')
        f.number('src_incarnation', '<Q', 'incarnation')
        f.number('ctype', '<I')
        return f.pdu('hello')
    f.number('magic', '<I')
    f.number('version', '<I')
    f.nid('src_nid', version >= 4)
    f.nid('dst_nid', version >= 4)
    f.number('src_pid', '<I')
    f.number('dst_pid', '<I')
    f.number('src_incarnation', '<Q', 'incarnation')
    f.number('dst_incarnation', '<Q')
    f.number('ctype', '<I')
    f.number('nips', '<I')
    return f.pdu('hello')


def _ping_info(f):
    """The fields of a ping info, from f.at to the end."""
    f.raw('info magic', 4)
    f.raw('info features', 4)
    f.raw('info pid', 4)
    count = f.number('nnis', '<I')
    for i in range(count):
        if f.at + 16 > len(f.data):
            return
        f.raw(f'ni{i} nid', 8, 'nid4')
        f.raw(f'ni{i} status', 4, 'sequence' if i == 0 else 'same')
        f.raw(f'ni{i} size', 4)
    while f.at + 24 <= len(f.data):
        f.raw('large status', 4)
        f.raw('large nid', f.data[f.at] + 8, 'nid16')


def _lnet(data, version):
    f = _Fields(data)
    if version >= 2:
        f.number('frame', '<I')
        f.number('csum', '<I')
        f.number('cookie0', '<Q')
        f.number('cookie1', '<Q')
    large = version >= 4
    f.nid('dst_nid', large)
    f.nid('src_nid', large)
    f.number('dst_pid', '<I')
    f.number('src_pid', '<I')
    kind = f.number('type', '<I')
    length = f.number('payload_length', '<I')
    part_end = f.at + 40
    if kind == ACK:
        f.handle('dst_wmd')
        f.number('match_bits', '<Q')
        f.number('mlength', '<I')
    elif kind == PUT:
        f.handle('ack_wmd')
        f.number('match_bits', '<Q', 'id')
        f.number('hdr_data', '<Q')
        f.number('portal', '<I')
        f.number('offset', '<I')
    elif kind == GET:
        f.handle('return_wmd')
        f.number('match_bits', '<Q', 'id')
        f.number('portal', '<I')
        f.number('src_offset', '<I')
        f.number('sink_length', '<I')
    elif kind == REPLY:
        f.handle('dst_wmd')
    if f.at < part_end:
        f.raw('part filler', part_end - f.at)
    if length >= 16 and struct.unpack_from('<I', data, f.at)[0] == PING_MAGIC:
        _ping_info(f)
    if length == SELFTEST_BYTES and struct.unpack_from('<I', data, f.at)[0] == SELFTEST_MAGIC:
        _selftest(f)
    return f.pdu('lnet')


SID = ('session', 16, 'same')
REQUEST, REPLY_HEAD = [('rpyid', 8, 'id'), SID], [('status', 4, 'same'), SID]
# The bodies by type, spec/wire-selftest.md 3 and 4. The name in a reply is valid only with EBUSY;
# counters differ from node to node.
SELFTEST_BODIES = {
    0: [*REQUEST, ('force', 4, 'same'), ('name', 32, 'same')],
    1: [*REPLY_HEAD, ('timeout', 4, 'same'), ('name', 32, 'free')],
    2: REQUEST,
    3: REPLY_HEAD,
    4: [*REQUEST, ('batch', 8, 'same'), ('what', 12, 'same')],
    5: [*REPLY_HEAD, ('active', 8, 'same')],
    6: [*REQUEST, ('kind', 4, 'same')],
    7: [*REPLY_HEAD, ('counters', 116, 'free')],
    8: [('rpyid', 8, 'id'), ('bulkid', 8, 'id'), SID, ('batch', 8, 'same'), ('test', 18, 'same'), ('parameters', 12, 'same')],
    9: REPLY_HEAD,
    10: [*REQUEST, ('flags', 4, 'same')],
    11: [*REPLY_HEAD, ('timeout', 4, 'same'), ('batches', 4, 'free'), ('name', 32, 'same')],
    12: [('rpyid', 8, 'id'), ('bulkid', 8, 'id'), ('brw', 12, 'same')],
    13: [('status', 4, 'same')],
    14: [('rpyid', 8, 'id'), ('magic', 4, 'same'), ('ping number', 4, 'id'), ('time', 16, 'free')],
    15: [('status', 4, 'same'), ('magic', 4, 'same'), ('ping number', 4, 'id')],
}


def _selftest(f):
    """The fields of a selftest message, from f.at to the end. The bytes after them are not set by the sender."""
    kind = struct.unpack_from('<I', f.data, f.at + 8)[0]
    f.raw('selftest head', 24)
    for name, length, what in SELFTEST_BODIES.get(kind, []):
        f.raw(name, length, what)
    if f.at < len(f.data):
        f.raw('stale', len(f.data) - f.at, 'free')


def _noop(data):
    f = _Fields(data)
    f.number('frame', '<I')
    f.number('csum', '<I')
    f.number('cookie0', '<Q')
    f.number('cookie1', '<Q')
    return f.pdu('noop')


class Splitter:
    """Splits both directions of one connection into PDUs. `version` is given only for a capture that begins after the hellos."""

    def __init__(self, version=None):
        self.version = version
        self.buffers = {True: b'', False: b''}
        self.stage = {True: 'messages', False: 'messages'} if version else {True: 'request', False: 'hello'}

    def feed(self, by_active, data):
        """Takes new bytes of one side and yields the PDUs that they complete. Bytes that are no PDU make one 'junk' PDU."""
        self.buffers[by_active] += data
        while True:
            pdu = self._next(by_active)
            if pdu is None:
                return
            self.buffers[by_active] = self.buffers[by_active][len(pdu.data):]
            yield pdu

    def _next(self, side):
        data, stage = self.buffers[side], self.stage[side]
        if len(data) < 8:
            return None
        if stage == 'messages':
            return self._message(data)
        magic, version = struct.unpack_from('<II', data)
        if magic == REQUEST_MAGIC and version in (1, 2):  # a passive side sends a request to refuse
            length = 16 if version == 1 else 28
            if len(data) < length:
                return None
            self.stage[side] = 'hello'
            return _request(data[:length], version)
        if stage == 'request':
            return Pdu('junk', data)
        if stage == 'over':
            return Pdu('junk', data)
        return self._first(side, data, magic, version)

    def _first(self, side, data, magic, version):
        if magic == V1_MAGIC:
            version, fixed = 1, 72
        elif magic == HELLO_MAGIC and version in (2, 3, 4):
            fixed = 80 if version == 4 else 56
        else:  # a hello of an unknown version: parsed like version 3 if it has that size
            self.stage[side] = 'over'
            return Pdu('junk', data, _hello(data, 3).fields) if len(data) == 56 else Pdu('junk', data)
        if len(data) < fixed:
            return None
        words = 0 if version == 4 else struct.unpack_from('<I', data, 28 if version == 1 else 52)[0]
        length = fixed + (words if version == 1 else 4 * words)
        if len(data) < length:
            return None
        self.stage[side] = 'messages'
        if not side or self.version is None:
            self.version = version  # the version in the passive side's answer counts
        return _hello(data[:length], version)

    def _message(self, data):
        if self.version == 1:
            head, at = 72, 28
        elif len(data) < 24:
            return None
        else:
            frame = struct.unpack_from('<I', data)[0]
            if frame == NOOP:
                return _noop(data[:24])
            if frame != LNET:
                return Pdu('junk', data)
            head, at = (120, 76) if self.version >= 4 else (96, 52)
        if len(data) < head:
            return None
        length = head + struct.unpack_from('<I', data, at)[0]
        return _lnet(data[:length], self.version) if len(data) >= length else None


def of_connection(connection):
    """The PDUs of a captured connection (pcap.py). One whose hellos were not captured counts as version 4 between IPv6
    addresses, else as 3."""
    splitter = Splitter(None if connection.opened else 4 if ':' in connection.active[0] else 3)
    for happening in connection.happenings:
        yield from splitter.feed(happening.by_active, happening.data)


def is_push(one):
    """Whether it is a push of a node's ping info (spec/wire-lnet.md 5)."""
    return one.kind == 'lnet' and one.type == PUT and one.portal == 0 and one.match_bits == PING_BITS


def is_discovery_ping(one):
    """Whether it is a ping by which a node discovers another one (spec/multirail.md 4.3)."""
    return one.kind == 'lnet' and one.type == GET and one.match_bits == PING_BITS and one.sink_length == 272
