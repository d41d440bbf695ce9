"""The captures that are replayed, and the part that our node plays in each. README.md says which
are left out and why."""
from dataclasses import dataclass, field

CLIENT, SERVER = ('10.99.0.1',), ('10.99.0.2',)
CLIENT_RAILS, SERVER_RAILS = ('10.99.0.1', '10.99.1.1'), ('10.99.0.2', '10.99.1.2')
CLIENT6, SERVER6 = ('fd99::1',), ('fd99::2',)
FAKE_US = ('10.99.0.100',)
ALL = (0.0, 1e9)


@dataclass
class Case:
    name: str
    us: tuple                       # recorded addresses whose part our node plays
    captures: list                  # (file, window) in order; a later capture continues where an earlier one ended
    subject: str = 'actor'          # 'daemon': ulnetd and ulnetctl; 'selftest': our selftest
    nets: dict = field(default_factory=lambda: {'tcp': None})   # net -> our recorded addresses; None: all of `us`
    params: dict = field(default_factory=dict)
    unrouted: bool = False          # leave out messages that are routed
    zero_copy: bool = False         # set the driver's test switch and ask for zero-copy ACKs as production does
    free_data: bool = False         # no check of the bulk data: our node may send any data
    own_pushes: int = 0             # pushes that our node makes by itself besides the recorded ones, see README.md
    ping_seconds: float = 10        # how long a ping waits for an answer that never comes
    quiet: float = 0.3
    seconds: float = 240            # how long the whole replay may take

    @property
    def ipv6(self):
        return ':' in self.us[0]

    def interfaces(self):
        return {net: list(addresses or self.us) for net, addresses in self.nets.items()}


def both(name, captures, active, passive, **more):
    """Two cases for the same captures: our node plays the active part, or the passive one."""
    sides = [more.pop('when_active', {}), more.pop('when_passive', {})]
    return [Case(f'{name}-{part}', us, captures, **{**more, **side})
            for part, us, side in zip(('active', 'passive'), (active, passive), sides)]


def episode(name, start, end, **more):
    """A part of capture 13, in which a fake listener answered a production node in various ways."""
    return Case(f'13-{name}', FAKE_US, [('13_passive_fake_peer', (start, end))], **{'subject': 'daemon', **more})


FIRST = ('01_ping_first_contact', ALL)
FIRST6 = ('05a_ipv6_ping_first_contact', ALL)
ROUTER = ('07a_route_setup_router_starting', ALL)
FOUR = ('08_conns_per_peer_4', ALL)
ROUTED = ('07b_routed_router_enabled_transition', ALL)

CASES = [
    *both('01', [FIRST], CLIENT, SERVER, subject='daemon'),
    *both('01b', [FIRST, ('01b_ping_second', ALL)], CLIENT, SERVER, subject='daemon'),
    Case('02-active', CLIENT_RAILS, [('02_discover_multirail', ALL)], own_pushes=1),
    Case('02-passive', SERVER_RAILS, [('02_discover_multirail', (0.0, 0.0815))], own_pushes=1),
    *both('03-read', [FIRST, ('03_lst_brw_read_full_4K', ALL)], CLIENT, SERVER),
    *both('03-write', [FIRST, ('03_lst_brw_write_full_4K', ALL)], CLIENT, SERVER),
    *both('03-write-none', [FIRST, ('03_lst_brw_write_none_4K', ALL)], CLIENT, SERVER),
    *both('03a', [FIRST, ('03a_lst_ping', ALL)], CLIENT, SERVER),
    # spec/wire-selftest.md 1.1, 1.2.2, 1.2.4, 1.2.5, 5.3
    *both('03-read-selftest', [FIRST, ('03_lst_brw_read_full_4K', ALL)], CLIENT, SERVER, subject='selftest'),
    # spec/wire-selftest.md 1.2.1, 1.2.3, 1.2.4, 1.2.5, 5.2
    *both('03-write-selftest', [FIRST, ('03_lst_brw_write_full_4K', ALL)], CLIENT, SERVER, subject='selftest'),
    *both('03-write-none-selftest', [FIRST, ('03_lst_brw_write_none_4K', ALL)], CLIENT, SERVER, subject='selftest',
          free_data=True),
    # spec/wire-selftest.md 4.1
    *both('03a-selftest', [FIRST, ('03a_lst_ping', ALL)], CLIENT, SERVER, subject='selftest'),
    *both('05a', [FIRST6], CLIENT6, SERVER6, subject='daemon'),
    *both('05b', [FIRST6, ('05b_ipv6_discover', ALL)], CLIENT6, SERVER6, when_active=dict(own_pushes=1)),
    *both('06', [('06_keepalive_idle', ALL)], CLIENT, SERVER, subject='daemon'),
    Case('07a-client', ('10.99.0.1',), [ROUTER], own_pushes=1),
    Case('07a-server', ('10.99.1.2',), [ROUTER], nets={'tcp1': None}, own_pushes=1),
    Case('07a-router', ('10.99.0.3', '10.99.1.3'), [ROUTER], nets={'tcp': ['10.99.0.3'], 'tcp1': ['10.99.1.3']}),
    Case('07b-client', ('10.99.0.1',), [ROUTER, ROUTED], unrouted=True, own_pushes=1),
    Case('07b-server', ('10.99.1.2',), [ROUTER, ROUTED], unrouted=True, nets={'tcp1': None}, own_pushes=1),
    *both('08', [FOUR], CLIENT, SERVER, subject='daemon', params={'conns_per_peer': 4}),
    *both('09', [('09_csum_enabled', ALL)], CLIENT, SERVER, zero_copy=True, params={'enable_csum': 1},
          when_active=dict(own_pushes=1)),
    Case('09-no-zero-copy', CLIENT, [('09_csum_enabled', ALL)], params={'enable_csum': 1}, own_pushes=1),
    Case('10-active', CLIENT, [FOUR, ('10_peer_death', ALL)], subject='daemon', params={'conns_per_peer': 4},
         ping_seconds=1),
    *both('12', [('12_discovery_disabled', ALL)], CLIENT, SERVER,
          when_passive=dict(subject='daemon', params={'lnet_peer_discovery_disabled': 1})),
    episode('plain', 0, 4.6),
    episode('answers-v2', 6.1, 10.7),
    episode('reset-after-request', 12.2, 12.3, quiet=1.5),
    episode('acceptor-refusal', 17.8, 17.9, quiet=1.5),
    episode('refused-twice', 23.4, 30.0),
    episode('unknown-version', 31.5, 31.6, quiet=1.5),
    episode('unknown-magic', 37.4, 37.5, quiet=1.5),
    episode('answers-v1', 43.3, 45.6, ping_seconds=2),
    episode('silent', 59.4, 115.0, params={'sock_timeout': 2}),
    episode('discover', 128.1, 132.5, subject='actor'),
    episode('race-higher', 133.8, 139.8),
    episode('race-lower', 142.0, 148.7),
]


def find(name):
    return next(case for case in CASES if case.name == name)
