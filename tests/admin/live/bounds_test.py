"""Hostile peers, or just many, cannot make a real daemon keep more than its limits allow, and an
innocent pair of nodes does not notice them. docs/SECURITY.md."""
import itertools
import os
import resource
import signal
import unittest

from tests.rigs import daemon_rig
from tests.rigs.attacker import LAZY, MIB, Attacker, Innocents, resident
from tests.rigs.daemon_rig import E2e, address, wait_until

BEYOND = 32 * MIB  # the memory that a daemon may have besides its budget


def leave_memory(daemon, more):
    """From now on the daemon gets `more` bytes from the system. First it starts the threads of its
    control API: a thread that starts later takes 8 MiB for its stack, and the C library keeps this
    stack for the next thread."""
    lines = [daemon_rig.UnixConnection(daemon.socket) for _ in range(4)]
    for line in lines:
        line.request('GET', '/v1/version')
        line.getresponse().read()
    for line in lines:
        line.close()
    has = resident(daemon.process.pid, 'VmData')
    resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, (has + more, resource.RLIM_INFINITY))


class Bounds(E2e):
    def victim(self, *arguments, **more):
        """Starts the daemon that is attacked, and another one: the two ping each other until the
        test ends."""
        self.node = self.running('--if', address(1), '--selftest', *arguments, name='victim', **more)
        self.innocent = self.running('--if', address(2), name='innocent')
        self.attacker = Attacker(address(1), self.port)
        self.addCleanup(self.attacker.leave)
        self.innocents = Innocents(self.node, f'{address(1)}@tcp', self.innocent, f'{address(2)}@tcp')
        self.addCleanup(self.innocents.end)
        return self.node

    def pings(self):
        """The innocent nodes have noticed nothing and go on."""
        before = self.innocents.pings
        wait_until(lambda: self.innocents.pings > before + 4, 'the innocent ping each other')
        self.assertEqual(self.innocents.failed, [])
        self.assertIsNone(self.node.process.poll())

    def claims(self, nid, source):
        return self.attacker.claims(nid, source)

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.node.process.pid}/fd'))

    def expect_no_more_descriptors_than(self, before):
        # The control API opens and closes some of its own.
        wait_until(lambda: self.descriptors() <= before + 3, f'no descriptors are left, of which there were {before}')

    def tune(self, *parameters):
        """Sets parameters of the victim. They do not affect the connections that the innocent nodes
        have already."""
        for parameter in parameters:
            self.assertEqual(self.node.ctl('param', 'set', parameter), (0, '', ''))

    def counts(self, name):
        return self.node.get('/v1/counters')['driver'].get(name, 0)

    def held(self):
        return self.node.get('/v1/counters')['memory']['held']

    def test_held_payload_stays_within_its_share_of_the_budget(self):
        self.victim('--set', 'memory_budget=64')
        before = resident(self.node.process.pid)
        share = self.held()['share']
        self.assertEqual(share, 16 * MIB)
        sources = [address(last) for last in range(10, 16)]
        self.attacker.payload(120, sources)
        wait_until(lambda: self.counts('hold_short') >= 20, 'memory is short')
        self.pings()
        held = self.held()
        self.assertLessEqual(held['peak'], share)
        self.assertGreater(held['used'], 0)
        self.assertLess(resident(self.node.process.pid), before + share + BEYOND)
        self.node.says(r'warning: .*no memory is left for payload that is held')

    def test_one_address_with_many_nids_has_a_quarter_of_it(self):
        self.victim('--set', 'memory_budget=64')
        self.attacker.payload(40, [address(10)])
        wait_until(lambda: self.counts('hold_short') >= 10, 'the address has its share')
        self.assertLessEqual(self.held()['peak'], 4 * MIB)
        self.pings()

    def test_held_memory_is_released_when_its_connection_ends(self):
        self.victim('--set', 'memory_budget=64')
        self.attacker.payload(8, [address(10), address(11)])
        self.attacker.leave()
        wait_until(lambda: self.held()['used'] == 0, 'the node gives all payload memory back')
        self.pings()

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer needs the address space')
    def test_the_daemon_survives_a_lack_of_address_space(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))}
        self.victim(**limited)
        self.attacker.payload(150, [address(last) for last in range(10, 20)])
        wait_until(lambda: self.held()['used'] + MIB > self.held()['share'] or self.counts('hold_short') > 0, 'it is short')
        self.pings()

    def flood_with_pings(self, lines, enough, most=200):
        """Each peer sends pings whose REPLYs it does not read, a thousand in one turn, until
        enough() is true."""
        for line in lines:
            line.sock.setblocking(False)
            line.left = b''
        for _ in range(most):
            for line in lines:
                line.left = line.left or line.ping() * 1000
                try:
                    line.left = line.left[line.sock.send(line.left):]
                except BlockingIOError:
                    pass
                except (BrokenPipeError, ConnectionResetError):
                    return
            if enough():
                return

    def is_refused(self):
        try:
            line = self.attacker.silent(address(30))
        except (BrokenPipeError, ConnectionResetError):  # the node closed it before connect() returned
            return True
        line.sock.settimeout(0.1)
        try:
            return line.sock.recv(1) == b''
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True
        finally:
            line.sock.close()

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer has an allocator of its own')
    def test_a_shortage_of_memory_is_reported_and_ends(self):
        self.victim()
        lines = [self.claims(f'12.0.0.{k + 1}', address(10 + k)) for k in range(3)]
        for line in lines:
            line.read()
        leave_memory(self.node, 16 * MIB)
        self.attacker.payload(9, [address(20), address(21)])
        wait_until(lambda: self.held()['used'] >= 8 * MIB, 'payload is held')
        # held() comes first: the flood sends nothing while the node stands still. Otherwise the
        # node would find so large a number of pings at once that it ends.
        self.flood_with_pings(lines, lambda: self.held() and self.is_refused())
        self.node.says('warning: memory is short')
        self.node.says('warning: .*was refused: this process is short of memory')
        self.assertGreater(self.counts('refused_no_memory'), 0)
        self.pings()
        self.attacker.leave()
        self.node.says('warning: there is memory again')
        wait_until(lambda: not self.is_refused(), 'peers are taken again')
        self.pings()

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer has an allocator of its own')
    def test_a_daemon_without_memory_says_so_when_it_ends(self):
        self.victim()
        lines = [self.claims(f'11.0.0.{k + 1}', address(10 + k)) for k in range(6)]
        for line in lines:
            line.read()
        leave_memory(self.node, 0)
        self.flood_with_pings(lines, lambda: self.node.process.poll() is not None)
        self.assertEqual(self.node.wait(), -signal.SIGABRT)
        self.node.says('^[^ ]* victim: error: out of memory, and the reserve is used up: ending$')

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer has an allocator of its own')
    def test_a_daemon_that_cannot_start_without_memory_says_so(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_DATA, (16 * MIB, 16 * MIB))}
        node = self.daemon('--if', address(1), **limited)
        self.assertEqual(node.wait(), 1)
        node.says('error: the node did not start: cannot start: ')

    def known(self):
        """The primary NIDs of the peers that the node knows."""
        return {peer['primary nid'] for peer in self.node.get('/v1/peer')['peer']}

    def known_at_once(self):
        """The primary NIDs that the node knows at one moment. It lists a few peers at a time, so
        the list may have both a peer that went meanwhile and the peer that took its place. No
        stranger here comes twice: a peer that is in two lists in a row was known between them."""
        def twice_the_same():
            once = self.known()
            return once if once == self.known() else None
        return wait_until(twice_the_same, 'no peer comes or goes')

    def test_invented_nids_are_no_more_than_max_peers_and_go_when_they_are_silent(self):
        self.victim('--set', 'max_peers=60', '--set', 'lnet_retry_count=0')
        self.pings()
        honest = self.known()
        self.assertEqual(len(honest), 1)
        for k in range(300):
            line = self.claims(f'12.0.{k // 200}.{k % 200 + 1}', address(10 + k % 20))
            line.send(line.ping())
        wait_until(lambda: self.node.get('/v1/counters')['drops']['a peer forgotten: a new one took its place'] >= 200, 'new strangers take the place of idle ones')
        self.assertLessEqual(len(self.known_at_once()), 60 + len(honest))
        self.pings()
        self.attacker.leave()
        # Only now: with these values the node would have forgotten idle strangers before others
        # could take their place, and the honest peer after a stall.
        self.tune('lnet_transaction_timeout=2', 'peer_idle_timeout=1')
        wait_until(lambda: self.known() <= honest, 'all of them are forgotten')
        self.pings()

    def test_an_idle_peer_is_evicted(self):
        self.victim('--set', 'accept_open=33', '--set', 'accept_open_per_address=30')
        for k in range(9):
            self.claims(f'11.0.0.{k + 1}', address(10)).read()
        self.pings()
        # Two seconds later the peers of the first address have been idle for long enough.
        wait_until(self.newcomer_is_greeted, 'an idle peer is disconnected')
        self.assertGreater(self.counts('evicted'), 0)
        self.pings()

    def newcomer_is_greeted(self):
        self.newcomers = getattr(self, 'newcomers', 0) + 1
        line = self.claims(f'11.0.1.{self.newcomers}', address(20 + self.newcomers % 100))
        try:
            line.read()
        except (EOFError, ConnectionResetError):
            return False
        return self.counts('evicted') > 0

    def test_one_address_opens_no_more_than_its_share(self):
        self.victim('--set', 'accept_open_per_address=15')
        for k in range(5):
            self.claims(f'11.0.0.{k + 1}', address(10)).read()
        self.assertTrue(self.claims('11.0.0.9', address(10)).is_closed())
        self.assertEqual(self.counts('refused_address_full'), 1)
        self.claims('11.0.0.9', address(11)).read()
        self.node.says(r'warning: .*its address has as many connections as one may have')

    def test_strangers_do_not_get_all_descriptors(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))}
        self.victim(**limited)
        for k in range(60):
            self.claims(f'11.0.{k // 4}.{k % 4 + 1}', address(10 + k // 4))
        self.pings()
        self.assertEqual(self.counts('refused_no_descriptor'), 0)

    def test_silent_peers_do_not_get_all_descriptors(self):
        limited = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))}
        self.victim(**limited)
        self.pings()
        self.tune('accept_timeout=2')
        before = self.descriptors()
        for k in range(80):
            self.attacker.silent(address(10 + k))
        self.claims('11.0.0.1', address(100)).read()
        self.pings()
        self.assertGreater(self.counts('refused_crowded'), 0)
        self.expect_no_more_descriptors_than(before + 1)
        self.assertGreater(self.counts('refused_silent'), 0)
        self.assertEqual(self.counts('refused_no_descriptor'), 0)

    def test_slow_bytes_do_not_extend_the_time_out(self):
        self.victim()
        self.pings()
        self.tune('accept_timeout=1')
        dripping = [self.attacker.silent(address(10 + k)) for k in range(20)]
        for line in dripping:
            line.send(line.request())
            line.rest = line.hello()[:52] + (16).to_bytes(4, 'little') + bytes(64)
        looks = itertools.count(1)

        def all_closed():
            # Only in every fifth look, so that a hello would need far longer than it may take.
            for line in dripping[:] if next(looks) % 5 == 0 else ():
                try:
                    line.sock.sendall(line.rest[:1])
                except (BrokenPipeError, ConnectionResetError):
                    dripping.remove(line)
                line.rest = line.rest[1:]
            return not dripping
        wait_until(all_closed, 'the node closes all connections though each has sent a byte just now')
        self.assertEqual(self.counts('refused_silent'), 20)
        self.pings()

    def test_connections_that_come_and_go_leave_nothing(self):
        self.victim()
        self.pings()
        before = self.descriptors()
        for k in range(600):
            line = self.attacker.silent(address(10 + k % 100))
            whole = line.request() + line.hello()
            line.send(whole[:k % 3 * len(whole) // 2])
            self.attacker.leave()
        self.pings()
        self.expect_no_more_descriptors_than(before)

    def test_malformed_messages_are_closed_and_counted(self):
        self.victim()
        self.pings()
        before = self.descriptors()
        wrong = (b'\xa5' * 4096, lambda line: line.put(LAZY, 1, b'')[:52] + b'\xff' * 4 + bytes(40),
                 lambda line: line.put(LAZY, 1, b'')[:52] + (MIB + 1).to_bytes(4, 'little') + bytes(40))
        for k in range(90):
            line = self.claims(f'11.0.0.{k + 1}', address(10 + k))
            line.read()
            said = wrong[k % 3]
            line.send(said if isinstance(said, bytes) else said(line))
            self.assertTrue(line.is_closed())
        self.assertEqual((self.counts('closed_bad_frame'), self.counts('closed_bad_header')), (30, 60))
        self.attacker.leave()
        self.pings()
        self.expect_no_more_descriptors_than(before)

    @unittest.skipIf(daemon_rig.SANITIZED, 'the sanitizer keeps what is freed for a while')
    def test_memory_of_a_peak_goes_back_to_the_system(self):
        self.victim('--set', 'memory_budget=800')
        before = resident(self.node.process.pid, 'VmRSS')
        for _ in range(3):  # the C library reuses blocks of a size that was freed before
            self.attacker.payload(100, [address(last) for last in range(10, 20)])
            wait_until(lambda: resident(self.node.process.pid, 'VmRSS') > before + 90 * MIB, 'the node holds all payload')
            self.attacker.leave()
            wait_until(lambda: self.held()['used'] == 0, 'the node gives all payload memory back')
        wait_until(lambda: resident(self.node.process.pid, 'VmRSS') <= 1.5 * before, 'the node has hardly more memory than before')
        self.pings()

    def test_a_log_that_cannot_be_written_stops_nothing(self):
        self.victim('--log-file', '/dev/full')
        self.claims('11.0.0.1', address(10)).read()
        self.pings()

    def test_a_claimed_nid_is_reported_and_can_be_refused(self):
        self.victim()
        self.claims('11.0.0.1', address(10)).read()
        self.node.says(r'warning: .*says a NID with another address')
        self.assertEqual(self.node.ctl('param', 'set', 'peer_address_check', 'enforce')[0], 0)
        self.assertTrue(self.claims(address(2), address(11)).is_closed())
        self.assertEqual(self.counts('refused_address'), 1)
        self.pings()
