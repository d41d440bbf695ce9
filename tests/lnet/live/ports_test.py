"""Tests the daemon's errors about a port on which it cannot listen."""
import os
import pathlib
import socket
import unittest

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import NOBODY, E2e, address


class Ports(E2e):
    def test_only_the_holder_of_a_taken_port_is_named(self):
        holder = self.running('--if', address(1), name='holder')
        beside = self.running('--if', address(2), name='beside')
        daemon = self.daemon('--if', address(1))
        self.assertEqual(daemon.wait(), 1)
        found = [line for line in daemon.said().splitlines() if f'tcp({address(1)})' in line or f'port {self.port}' in line]
        self.assertEqual(len(found), 1, daemon.said())
        self.assertIn(f'port {self.port} is taken by process {holder.process.pid} (ulnetd): ', found[0])
        self.assertNotIn(f'{beside.process.pid}', found[0].split('taken by')[1])

    def test_a_taken_port_is_explained(self):
        with socket.create_server((address(1), self.port)):
            daemon = self.daemon('--if', address(1))
            self.assertEqual(daemon.wait(), 1)
        self.assertIn(f'port {self.port} is taken by process {os.getpid()} (', daemon.said())
        self.assertIn('--accept-port', daemon.said())

    def test_the_taken_one_of_two_ports_is_named(self):
        with socket.create_server((address(1), 0)) as holder:
            bulk = holder.getsockname()[1]
            daemon = self.daemon('--if', address(1), '--set', f'accept_port_bulk={bulk}')
            self.assertEqual(daemon.wait(), 1)
        self.assertIn(f'port {bulk} is taken by process {os.getpid()} (', daemon.said())
        self.assertNotIn(f'port {self.port} is', daemon.said())

    def test_a_port_in_time_wait_is_waited_for(self):
        place = (address(1), self.port)
        with socket.socket() as listener:  # without SO_REUSEADDR, as the kernel's LNet
            listener.bind(place)
            listener.listen()
            with socket.create_connection(place) as peer:
                listener.accept()[0].close()
                self.assertEqual(peer.recv(1), b'')
        daemon = self.daemon('--if', address(1))
        daemon.says(f'port {self.port} is in TIME-WAIT: nobody listens on it')
        self.assertEqual(daemon.end(), 0)
        self.assertIn('the daemon ends before its node has started: SIGTERM', daemon.said())

    @unittest.skipUnless(os.geteuid() == 0, 'needs root, to become somebody without rights')
    def test_a_port_without_the_right_to_it_is_explained(self):
        if int(pathlib.Path('/proc/sys/net/ipv4/ip_unprivileged_port_start').read_text(encoding='ascii')) <= 988:
            self.skipTest('this system lets everybody bind port 988')
        program, environment = self.for_nobody()
        done = daemon_rig.subprocess.run(
            [program, '--control', environment['XDG_RUNTIME_DIR'] + '/x.sock', '--if', address(1)], user=NOBODY, group=NOBODY,
            extra_groups=[], env=environment, stderr=daemon_rig.subprocess.PIPE, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('setcap cap_net_bind_service=+ep', done.stderr)
        self.assertIn('may not use ports below 1024', done.stderr)
