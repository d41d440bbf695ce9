"""Two routers between two nodes under a load that accounts for each operation. One router goes, and
comes back. tests/lnet/scenarios/gateways_test.cc does the same in virtual time, with GETs and PUTs with
ACK. spec/multirail.md 9.4, 9.7."""
import signal
import time

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import address, wait_until
from tests.rigs.load_rig import Load
from tests.rigs.routers_rig import Routers


class Failover(Routers):
    CTEST = {'COST': '70'}
    # When a busy machine stops a node for seconds, no node considers it dead or gives an operation
    # up because of it.
    INTERVAL_S, PING_S, DRIVER_S, TRANSACTION_S = 1, 8, 8, 25
    AT_ONCE = 24  # operations: more than the client's credits to both routers together

    def load(self, net, last, gateways, *words):
        """A node on this net with routes to the other net by both routers."""
        other = {'tcp': 'tcp1', 'tcp1': 'tcp'}[net]
        return Load(self, f'{net}({address(last)})', *words, f'accept_port={self.port}', f'accept_port_bulk={self.port}',
                    f'routes={other} {address(gateways)}@{net}', f'alive_router_check_interval={self.INTERVAL_S}',
                    f'router_ping_timeout={self.PING_S}', f'sock_timeout={self.DRIVER_S}',
                    f'lnet_transaction_timeout={self.TRANSACTION_S}')

    def begins(self, operation):
        self.routers = {name: self.begin_router(name) for name in ('one', 'two')}
        self.server = self.load('tcp1', 4, '[11,21]', 'serve')
        self.client = self.load('tcp', 1, '[10,20]', operation, self.FAR, self.AT_ONCE)
        self.both_carry()

    def both_carry(self, count=200):
        """Waits until both routers have forwarded `count` more messages."""
        begun = {name: self.routed(router) for name, router in self.routers.items()}
        for name, router in self.routers.items():
            wait_until(lambda name=name, router=router: self.routed(router) >= begun[name] + count, f'router {name} carries traffic')

    def goes_on_by(self, router):
        """Waits for the time by which the client knows of the other router's death at the latest,
        and then until this router carries the traffic. Returns the number of operations that had
        begun."""
        known = time.monotonic() + self.INTERVAL_S + self.PING_S + 1
        wait_until(lambda: time.monotonic() > known, 'the time passes until the death is known')
        begun = self.routed(router)
        wait_until(lambda: self.routed(router) > begun + 200, 'the other router carries the traffic',
                   self.TRANSACTION_S + daemon_rig.DEADLINE_S)
        then = self.client.ask('look')['begun']
        begun = self.routed(router)
        wait_until(lambda: self.routed(router) > begun + 200 and self.client.ask('look')['begun'] > then + 100, 'operations go on')
        return then

    def all_are_accounted_for(self, operation, then):
        """The failure did not affect operations that began after that number; for each earlier one
        the caller was notified of the result."""
        self.client.ask('end')

        def all_ended():
            said = self.client.ask('look')
            return said if said['begun'] == said['completed'] + said['reported'] + said['unreported'] else None
        said = wait_until(all_ended, 'every operation completes or its caller is notified', self.TRANSACTION_S + daemon_rig.DEADLINE_S)
        self.assertEqual(said['unreported'], 0, said)
        self.assertLessEqual(said['last_reported'], then, said)
        came = self.server.ask(0)
        self.assertEqual((came['twice'], came['wrong']), (0, 0), came)
        if operation == 'put-ack':
            self.assertGreaterEqual(came['arrived'], said['completed'])
        if operation == 'put':  # at most the messages that were on their way when the router went are lost
            wait_until(lambda: self.server.ask(then)['arrived'] == said['begun'] - then, 'what began later arrives')

    def one_dies(self, operation):
        self.begins(operation)
        self.routers['one'].stop()
        then = self.goes_on_by(self.routers['two'])
        self.routers['one'] = self.begin_router('one')
        self.both_carry()
        self.all_are_accounted_for(operation, then)

    def test_puts_with_ack(self):
        self.one_dies('put-ack')

    def test_puts(self):
        self.one_dies('put')

    def test_gets_while_a_router_hangs(self):
        """The router keeps its connections and answers nothing: only the checks show that it hangs."""
        self.begins('get')
        self.routers['one'].pause()
        then = self.goes_on_by(self.routers['two'])
        self.routers['one'].signal(signal.SIGCONT)
        self.both_carry()
        self.all_are_accounted_for('get', then)
