#!/usr/bin/env python3
"""Upstream cases 290, 291 and 310: listeners, the bulk port, the driver's time-out. spec/upstream-tests.md D."""
from tests.admin.live.upstream import scene


class Listener(scene.Loopback):
    def test_290_the_listener_is_bound_to_the_nis_address(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.wait_for(self.addresses, [scene.hexadecimal(self.first)])
        self.do('net', 'add', '--net', 'tcp1', '--if', self.second)
        self.wait_for(self.addresses, sorted([scene.hexadecimal(self.first), scene.hexadecimal(self.second)]))
        self.do('net', 'del', '--net', 'tcp1')
        self.wait_for(self.addresses, [scene.hexadecimal(self.first)])

    def addresses(self):
        return self.listeners(self.port)


class BulkPort(scene.Loopback):
    def setUp(self):
        self.bulk = scene.free_port()
        self.PARAMS = {'accept_port_bulk': self.bulk}
        super().setUp()

    def test_291_bulk_connections_use_their_own_port(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.do('ping', f'{self.first}@tcp')
        self.wait_for(lambda: len(self.dialled()), 1)

    def dialled(self):
        return [ends for ends in self.tcp_connections(self.bulk) if ends[1] == self.bulk]


class TimeOut(scene.Loopback):
    PARAMS = {'sock_timeout': 17}

    def test_310_the_drivers_time_out_is_shown(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.assertEqual([ni['lnd tunables']['timeout'] for ni in self.nis('tcp')], [17])


if __name__ == '__main__':
    scene.main()
