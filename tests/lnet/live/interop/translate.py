"""Translates recorded addresses and NIDs to those of a replay.

With the right to make a network namespace nothing is translated: recorded addresses, port 988,
privileged ports. Without it the recorded IPv4 addresses become loopback addresses in the same order
(the race rule compares them), on a port of our own.
"""
import ipaddress
import os
import socket
import struct

from tests.rigs import pdu


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
    """10.99.x.y becomes 127.n.x.y, with an n per process, so that tests can run at the same time."""
    privileged = False

    def __init__(self):
        self.octet = 16 + os.getpid() % 200
        self.port = self._free_port()

    def _free_port(self):
        for port in range(20000 + os.getpid() % 10000, 32000):
            with socket.socket() as probe:
                try:
                    probe.bind((f'127.{self.octet}.0.1', port))
                    return port
                except OSError:
                    continue
        raise OSError('no free port')

    def address(self, recorded):
        address = ipaddress.ip_address(recorded)
        if address.version != 4:
            raise ValueError('IPv6 captures need a network namespace: loopback has one IPv6 address only')
        if address.packed[:2] != bytes([10, 99]):
            return recorded
        return str(ipaddress.IPv4Address(bytes([127, self.octet]) + address.packed[2:]))

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
