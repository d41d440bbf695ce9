"""Translates recorded addresses and NIDs to those of a replay.

With the right to make a network namespace nothing is translated: recorded addresses, port 988,
privileged ports. Without it the recorded IPv4 addresses become loopback addresses in the same order
(the race rule compares them), on a port of our own.
"""
import ipaddress
import struct

from tests.rigs import daemon_rig, pdu


class Identity:
    """No translation: for a namespace whose loopback device has the recorded addresses."""
    port = 988
    privileged = True

    def address(self, recorded):
        return recorded

    def nid4(self, raw):
        return raw

    def nid16(self, raw):
        return raw


class Loopback:
    """10.99.x.y, of which x is 0 or 1, becomes an address that no other test uses."""
    privileged = False

    def __init__(self):
        self.port = daemon_rig.free_port()

    def address(self, recorded):
        address = ipaddress.ip_address(recorded)
        if address.version != 4:
            raise ValueError('IPv6 captures need a network namespace: loopback has one IPv6 address only')
        if address.packed[:2] != bytes([10, 99]):
            return recorded
        return daemon_rig.address(address.packed[3], address.packed[2])

    def nid4(self, raw):
        value = struct.unpack('<Q', raw)[0]
        if value == pdu.ANY_NID4 or value >> 48 != 2:
            return raw
        moved = self.address(str(ipaddress.IPv4Address(value & 0xffffffff)))
        return struct.pack('<Q', value & ~0xffffffff | int(ipaddress.IPv4Address(moved)))

    def nid16(self, raw):
        if raw[:1] != b'\0' or raw[1:2] != b'\x02':
            return raw
        moved = self.address(str(ipaddress.IPv4Address(raw[4:8])))
        return raw[:4] + ipaddress.IPv4Address(moved).packed + raw[8:]


def nid_text(raw, place):
    """A recorded nid4 or nid16 as text, with the address used in this replay."""
    if len(raw) == 8:
        value = struct.unpack('<Q', place.nid4(raw))[0]
        number, address = value >> 32 & 0xffff, ipaddress.IPv4Address(value & 0xffffffff)
    else:
        raw = place.nid16(raw)
        number = struct.unpack_from('>H', raw, 2)[0]
        address = ipaddress.ip_address(raw[4:20] if raw[0] == 12 else raw[4:8])
    return f'{address}@tcp{number or ""}'
