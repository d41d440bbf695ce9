"""Compares what our node sends with the recording, field by field; and adapts the recorded bytes of
the other side to this session.

Only these may differ: our own incarnations (one per NI and session), the cookies of our own handles
(one interface cookie per session, object cookies all different), our zero-copy cookies (0 except
under the test switch), the sequence number of our ping info.
"""
from tests.rigs import pdu


class Differences(Exception):
    pass


class Session:
    """What is known of our node in this session, and the tables that translate recorded values."""

    def __init__(self, script, place, zero_copy=False, selftest=False, free_data=False):
        self.place = place
        self.zero_copy = zero_copy
        self.selftest = selftest
        self.free_data = free_data
        self.ids = {}            # a recorded id of our selftest -> the id in this session
        self.our_ids = {s.pdu.data[offset:offset + length] for s in script.lnet(ours=True, kind=pdu.PUT)
                        for name, offset, length, what in s.pdu.fields if what == 'id' and name != 'match_bits'}
        self.incarnations = {}   # by NID: an NI has one incarnation from its start to its end
        self.interface_cookie = None
        self.handles = {}        # our recorded handle -> ours now
        self.sequence = 0
        self.info = None         # the ping info of our node that was accepted last, without its sequence number
        self.our_handles = {self._handle(s.pdu) for s in script.lnet(ours=True)
                            if s.pdu.type in (pdu.PUT, pdu.GET)} - {pdu.NO_HANDLE}

    @staticmethod
    def _handle(one):
        return one.ack_wmd if one.type == pdu.PUT else one.return_wmd

    def theirs(self, recorded):
        """The bytes to send in this session for a recorded PDU of the other side."""
        out = bytearray(recorded.data)
        for name, offset, length, what in recorded.fields:
            raw = recorded.data[offset:offset + length]
            if what == 'nid4':
                raw = self.place.nid4(raw)
            elif what == 'nid16':
                raw = raw[:0] + self.place.nid16(raw.ljust(20, b'\0'))[:length]
            elif what == 'wmd' and name == 'dst_wmd' and raw in self.our_handles:
                raw = self.handles[raw]
            elif what == 'id':
                raw = self.ids.get(raw, raw)
            out[offset:offset + length] = raw
        return bytes(out)

    def differences(self, recorded, live):
        """The reasons why `live` does not equal `recorded`; empty when it does. Does not learn from
        `live`."""
        if recorded.kind != live.kind:
            return [f'kind {live.kind}, recorded {recorded.kind}']
        if len(recorded.data) != len(live.data):
            return [f'{len(live.data)} bytes, recorded {len(recorded.data)}']
        out = []
        for name, offset, length, what in recorded.fields:
            was, now = recorded.data[offset:offset + length], live.data[offset:offset + length]
            if what == 'incarnation':
                reason = self._own('incarnation', now, self.incarnations.get(live.bytes_of('src_nid')))
            else:
                reason = self._field(name, what, was, now)
            if reason:
                out.append(f'{name}: {reason}')
        return out

    def _field(self, name, what, was, now):
        if what == 'nid4':
            was = self.place.nid4(was)
        elif what == 'nid16':
            was = self.place.nid16(was.ljust(20, b'\0'))[:len(was)]
        elif what == 'wmd' and was in self.our_handles:
            return self._own_handle(was, now)
        elif what == 'sequence':
            number = int.from_bytes(now, 'little')
            return None if number >= max(1, self.sequence) else f'{number} is older than {self.sequence}'
        elif name == 'cookie0' and not self.zero_copy:
            was = bytes(8)  # production asked for a zero-copy ACK; our node does so only under a test switch
        elif (self.selftest and what == 'free') or (self.free_data and name == 'rest'):
            return None
        elif self.selftest and what == 'id' and was in self.our_ids:
            return self._own_id(was, now)
        return None if was == now else f'{now.hex()}, recorded {was.hex()}'

    @staticmethod
    def _own(name, now, known):
        if now == bytes(len(now)):
            return f'{name} is zero'
        if known is not None and now != known:
            return f'{name} {now.hex()} changed from {known.hex()}'
        return None

    def _own_handle(self, was, now):
        if now == pdu.NO_HANDLE:
            return 'no handle where production asks for an answer'
        if was in self.handles and self.handles[was] != now:
            return 'another handle than before'
        if now[8:] in {h[8:] for w, h in self.handles.items() if w != was}:
            return 'an object cookie used before'
        return self._own('interface cookie', now[:8], self.interface_cookie)

    def _own_id(self, was, now):
        if was in self.ids:
            return None if self.ids[was] == now else f'id {now.hex()} was {self.ids[was].hex()}'
        return f'id {now.hex()} used before' if any(now == i for w, i in self.ids.items() if w != was) else None

    def learn(self, recorded, live):
        """`live` was accepted as `recorded`: stores the values of our node that it has."""
        for name, offset, length, what in recorded.fields:
            was, now = recorded.data[offset:offset + length], live.data[offset:offset + length]
            if what == 'incarnation':
                self.incarnations[live.bytes_of('src_nid')] = now
            elif what == 'wmd' and was in self.our_handles:
                self.handles[was] = now
                self.interface_cookie = now[:8]
            elif self.selftest and what == 'id' and was in self.our_ids:
                self.ids[was] = now
            elif what == 'sequence':
                self.sequence = int.from_bytes(now, 'little')
                self.info = self.without_sequence(live)

    @staticmethod
    def without_sequence(one):
        """The ping info of a message with its sequence number set to 0."""
        return one.payload[:24] + bytes(4) + one.payload[28:]
