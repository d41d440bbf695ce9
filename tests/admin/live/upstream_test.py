"""The upstream suite's cases of peers, tunables, policies and YAML, on real nodes:
spec/upstream-tests.md A, H, I, J. Each test is named by its case number."""
import pathlib
import random
import socket
import sys

from tests.rigs.daemon_rig import address, wait_until, yaml_of
from tests.rigs.upstream_rig import Upstream, items

ESTABLISHED = '01'
SEED = random.SystemRandom().randrange(1 << 32)


def connections_of(ip):
    """How many ends of connections have this address."""
    number = f'{int.from_bytes(socket.inet_aton(ip), sys.byteorder):08X}:'
    rows = [line.split() for line in pathlib.Path('/proc/net/tcp').read_text(encoding='ascii').splitlines()[1:]]
    return sum(row[1].startswith(number) and row[3] == ESTABLISHED for row in rows)


class Peers(Upstream):
    """A: peer configuration, on a node without nets."""

    def setUp(self):
        super().setUp()
        self.node = self.running()

    def test_000_the_base_comes_back(self):  # spec/upstream-tests.md 0
        base = self.backup(self.node)
        self.imported(self.node, base)
        self.assertEqual(self.backup(self.node), base)

    def test_001_002_one_peer(self):  # spec/upstream-tests.md 1, 2
        for nid in ('1.1.1.1@tcp', '1.1.1.2@o2ib'):
            self.add(self.node, nid)
            shown = self.said(self.node, 'peer', 'show', '--nid', nid)
            self.assertIn(f'primary nid: {nid}\n      Multi-Rail: true\n', shown)
            self.assertEqual(self.peers(self.node)[nid], [nid])

    def test_003_a_secondary_nid_of_another_type(self):  # spec/upstream-tests.md 3
        self.add(self.node, '3.3.3.3@tcp', '3.3.3.3@o2ib')
        self.assertEqual(self.peers(self.node), {'3.3.3.3@tcp': ['3.3.3.3@tcp', '3.3.3.3@o2ib']})

    def test_004_005_again_is_the_same(self):  # spec/upstream-tests.md 4, 5
        for net in ('tcp', 'o2ib'):
            self.add(self.node, f'4.4.4.1@{net}', f'4.4.4.[1-3]@{net}')
            for nids in (f'4.4.4.[1-4]@{net}', f'4.4.4.[1,2,3-4]@{net}'):
                self.add(self.node, f'4.4.4.1@{net}', nids)
                self.assertEqual(self.peers(self.node)[f'4.4.4.1@{net}'], [f'4.4.4.{n}@{net}' for n in (1, 2, 3, 4)])

    def test_006_ranges_with_steps_on_several_nets(self):  # spec/upstream-tests.md 6
        self.add(self.node, '6.6.6.6@tcp', '6.6.6.[1-4/2]@tcp,6.6.1.[0-6/3]@o2ib,[10-14/2]@gni,[1-2]@kfi,6.6.6.[8-9/7]@tcp1')
        self.assertEqual(self.peers(self.node)['6.6.6.6@tcp'],
                         ['6.6.6.6@tcp', '6.6.6.1@tcp', '6.6.6.3@tcp', '6.6.1.0@o2ib', '6.6.1.3@o2ib', '6.6.1.6@o2ib', '10@gni',
                          '12@gni', '14@gni', '1@kfi', '2@kfi', '6.6.6.8@tcp1'])

    def test_007_deleted_by_primary_and_by_all_nids(self):  # spec/upstream-tests.md 7
        base = self.backup(self.node)
        for primary, nids in (('7.7.7.7@tcp', None), ('7.7.7.8@o2ib', '7.7.7.[9-12]@o2ib'), ('7@gni', '7.1.1.1@tcp')):
            self.add(self.node, primary, nids)
            self.said(self.node, 'peer', 'del', '--prim_nid', primary)
            self.assertEqual(self.backup(self.node), base)
        self.add(self.node, '7.7.7.1@tcp', '7.7.7.[2-4]@tcp')
        self.said(self.node, 'peer', 'del', '--prim_nid', '7.7.7.1@tcp', '--nid', '7.7.7.[1-4]@tcp')
        self.assertEqual(self.backup(self.node), base)

    def test_008_010_022_one_secondary_nid_goes(self):  # spec/upstream-tests.md 8, 10, 22
        for net in ('tcp', 'o2ib', 'gni'):
            name = (lambda n: f'{n}@{net}') if net == 'gni' else (lambda n: f'8.8.8.{n}@{net}')
            pattern = f'[2-7]@{net}' if net == 'gni' else f'8.8.8.[2-7]@{net}'
            self.add(self.node, name(1), pattern)
            self.said(self.node, 'peer', 'del', '--prim_nid', name(1), '--nid', name(4))
            self.assertEqual(self.peers(self.node)[name(1)], [name(n) for n in (1, 2, 3, 5, 6, 7)])

    def test_009_011_023_all_secondary_nids_go(self):  # spec/upstream-tests.md 9, 11, 23
        for net in ('tcp', 'o2ib'):
            self.add(self.node, f'9.9.9.1@{net}', f'9.9.9.[2-8]@{net}')
            self.said(self.node, 'peer', 'del', '--prim_nid', f'9.9.9.1@{net}', '--nid', f'9.9.9.[2-8]@{net}')
            self.assertEqual(self.peers(self.node)[f'9.9.9.1@{net}'], [f'9.9.9.1@{net}'])

    def test_012_024_expressions_in_every_octet(self):  # spec/upstream-tests.md 12, 24
        self.add(self.node, '13.13.13.13@tcp', '[13-14/1].[13-15/2].13.13@tcp,13.[1].13.[5-9/20]@o2ib,13.13.[1,4].2@tcp1')
        self.assertEqual(self.peers(self.node)['13.13.13.13@tcp'],
                         ['13.13.13.13@tcp', '13.15.13.13@tcp', '14.13.13.13@tcp', '14.15.13.13@tcp', '13.1.13.5@o2ib',
                          '13.13.1.2@tcp1', '13.13.4.2@tcp1'])
        self.said(self.node, 'peer', 'del', '--prim_nid', '13.13.13.13@tcp', '--nid', '14.13.13.13@tcp,13.1.13.5@o2ib')
        self.assertEqual(len(self.peers(self.node)['13.13.13.13@tcp']), 5)

    def test_013_025_deleted_with_the_expression_that_added(self):  # spec/upstream-tests.md 13, 25
        nids = '13.1.1.[2-4]@tcp,13.2.[1-2].[1-3/2]@o2ib,[5-6]@gni'
        self.add(self.node, '13.1.1.1@tcp', nids)
        self.assertEqual(len(self.peers(self.node)['13.1.1.1@tcp']), 10)
        self.said(self.node, 'peer', 'del', '--prim_nid', '13.1.1.1@tcp', '--nid', nids)
        self.assertEqual(self.peers(self.node)['13.1.1.1@tcp'], ['13.1.1.1@tcp'])

    def test_014_015_016_017_files_add_and_delete(self):  # spec/upstream-tests.md 14, 15, 16, 17
        base = self.backup(self.node)
        for peers in ([('14.1.1.1@tcp', '14.1.1.1@tcp')],
                      [(f'15.1.1.{n}@o2ib', f'15.1.1.{n}@o2ib') for n in range(1, 6)],
                      [('16.1.1.1@tcp', *(f'16.1.1.{n}@tcp' for n in range(1, 7)))],
                      [(f'17.1.{p}.1@tcp', *(f'17.1.{p}.{n}@tcp' for n in range(1, 9))) for p in range(1, 6)]):
            file = self.imported(self.node, items(*peers))
            self.assertEqual(self.peers(self.node), {primary: nids for primary, *nids in peers})
            self.said(self.node, 'import', '--del', file)
            self.assertEqual(self.backup(self.node), base)

    def test_018_files_delete_some_nids(self):  # spec/upstream-tests.md 18a, 18b
        five = ('18.1.1.1@tcp', '18.1.1.1@tcp', '18.1.1.2@tcp', '18.1.1.3@o2ib', '18.1.1.4@o2ib', '5@gni')
        other = ('18.2.1.1@tcp', '18.2.1.1@tcp', '18.2.1.2@tcp1', '18.2.1.3@tcp1')
        self.imported(self.node, items(five, other))
        self.imported(self.node, items((five[0], *five[2:5])), '--del')
        self.assertEqual(self.peers(self.node)[five[0]], [five[1], five[5]])
        self.imported(self.node, items((five[0], five[5]), (other[0], other[3])), '--del')
        self.assertEqual(self.peers(self.node), {five[0]: [five[1]], other[0]: list(other[1:3])})

    def test_019_020_021_nids_that_are_numbers(self):  # spec/upstream-tests.md 19, 20, 21
        self.add(self.node, '19@gni')
        self.add(self.node, '20@gni', '20.1.1.1@tcp,20.1.1.1@o2ib')
        self.add(self.node, '22@gni', '[22-25]@gni')
        self.assertEqual(self.peers(self.node), {'19@gni': ['19@gni'], '20@gni': ['20@gni', '20.1.1.1@tcp', '20.1.1.1@o2ib'],
                                                 '22@gni': ['22@gni', '23@gni', '24@gni', '25@gni']})

    def test_026_a_locked_primary_nid(self):  # spec/upstream-tests.md 26
        self.add(self.node, '26.1.1.1@tcp', '26.1.1.2@tcp', '--lock_prim')
        state = self.node.get('/v1/peer?nid=26.1.1.1@tcp')['peer'][0]['peer state']
        self.assertTrue(state & 1 << 20, state)
        self.said(self.node, 'peer', 'del', '--prim_nid', '26.1.1.1@tcp')
        self.said(self.node, 'peer', 'show', '--nid', '26.1.1.1@tcp')
        self.said(self.node, 'peer', 'del', '--prim_nid', '26.1.1.1@tcp', '--force')
        self.assertEqual(self.node.ctl('peer', 'show', '--nid', '26.1.1.1@tcp')[0], 234)

    def test_027_mistakes_of_a_file_are_named(self):  # spec/upstream-tests.md 27
        for text, words in (('peer:\n    - primary nid: 1.1.1.1@tcp\n      bogus: 1\n', 'invalid key'),
                            ('global:\n    discovery:\n', 'no value'), ('global:\n    discovery: foo\n', 'invalid value')):
            self.assertIn(words, self.refused(self.node, 'import', self.folder.file('bad.yaml', text)))

    def test_028_the_list_has_primary_nids(self):  # spec/upstream-tests.md 28
        self.add(self.node, '28.1.1.1@tcp', '28.1.1.2@tcp')
        self.add(self.node, '28.2.1.1@tcp', '28.2.1.2@tcp')
        self.assertEqual(self.said(self.node, 'peer', 'list').count('nid:'), 2)

    def test_099a_all_of_these_fail(self):  # spec/upstream-tests.md 99a
        base = self.backup(self.node)
        for bad in ('foobar', '1.1.1.1@foo', '1.1.1@tcp', '1.1.1.1.1@tcp', '1.1.1.[1@tcp', '1.1.1.[[1]]@tcp', '[1.1.1.1]@tcp',
                    '1.1.1.[1-5/a]@tcp', '1.1.1.[5-1]@tcp', '1.1.1.300@tcp', '1.1.1.1@tcp1x', '*@tcp', '@tcp'):
            self.refused(self.node, 'peer', 'add', '--prim_nid', bad)
            self.refused(self.node, 'peer', 'del', '--prim_nid', bad)
            self.refused(self.node, 'peer', 'add', '--prim_nid', '99.1.1.1@tcp', '--nid', bad)
        self.refused(self.node, 'peer', 'del', '--prim_nid', '99.9.9.9@tcp')
        self.refused(self.node, 'peer', 'del', '--nid', '99.9.9.9@tcp')
        self.refused(self.node, 'peer', 'add')
        self.refused(self.node, 'peer', 'add', '--prim_nid', '99.1.1.1@tcp', '--nid', '99.1.1.[1-254]@tcp')
        self.refused(self.node, 'route', 'add', '--net', 'tcp5', '--gateway', '99.1.1.1@o2ib')
        self.assertEqual(self.backup(self.node), base)

    def test_099b_a_file_with_a_bad_flag(self):  # spec/upstream-tests.md 99b
        base = self.backup(self.node)
        self.refused(self.node, 'import', self.folder.file('bad.yaml', 'peer:\n    - primary nid: 1.1.1.1@tcp\n'
                                                           '      Multi-Rail: Foobar\n'))
        self.assertEqual(self.backup(self.node), base)

    def test_random_peers_come_back(self):
        """Import, export and import again are lossless, also on a node of its own."""
        print(f'seed {SEED}', file=sys.stderr)
        draw = random.Random(SEED)
        for _ in range(60):
            nids = [f'10.{draw.randrange(2)}.0.{draw.randrange(1, 9)}@tcp{draw.randrange(1, 4)}' for _ in range(draw.randrange(1, 5))]
            options = [option for option in ('--non_mr', '--lock_prim') if draw.random() < 0.3]
            self.node.ctl('peer', 'add', '--prim_nid', nids[0], *(['--nid', ','.join(nids[1:])] if nids[1:] else []), *options)
        backup = self.backup(self.node)
        other = self.running(name='other')
        self.imported(other, backup)
        self.assertEqual(self.backup(other), backup)
        self.assertEqual(self.peers(other), self.peers(self.node))


class Configured(Upstream):
    """F 304, 350 and I 401: a locked peer, and this node as a peer of its own. Peers of ulnetd's own configuration."""

    def test_peers_of_the_file_that_the_daemon_is_started_with(self):
        one, two = '10.0.0.1@tcp', '10.0.0.2@tcp'
        file = self.folder.file('node.yaml', items((one, one, '10.0.1.1@tcp1'), (two, two)))
        node = self.running('--config', file)
        self.assertEqual(self.peers(node), {one: [one, '10.0.1.1@tcp1'], two: [two]})
        file.write_text(items((one, one, '10.0.1.1@tcp1', '10.0.2.1@tcp2')))
        self.said(node, 'reload')
        self.assertEqual(self.peers(node), {one: [one, '10.0.1.1@tcp1', '10.0.2.1@tcp2']})

    def test_304_discovery_keeps_a_locked_primary_nid(self):  # spec/upstream-tests.md 304
        node = self.running('--if', address(1))
        self.said(node, 'net', 'add', '--net', 'tcp', '--if', address(2))
        first, second = (f'{address(n)}@tcp' for n in (1, 2))
        self.add(node, second, None, '--lock_prim')

        def state():
            return node.get(f'/v1/peer?nid={second}')['peer'][0]['peer state']
        self.assertEqual(state(), 1048585)
        self.said(node, 'peer', 'set', '--nid', second, '--state', 1048577)
        self.assertEqual(state(), 1048577)
        self.said(node, 'discover', first)
        self.assertEqual({primary: sorted(nids) for primary, nids in self.peers(node).items()}, {second: sorted([first, second])})
        self.assertEqual(state(), 1048849)

    def test_350_a_file_pings_and_discovers(self):  # spec/upstream-tests.md 350
        node = self.running('--if', address(1))
        nid = f'{address(1)}@tcp'
        out = self.said(node, 'import', '--exec', self.folder.file('exec.yaml', f'ping:\n    nids:\n        0: {nid}\n'
                                                                   f'discover:\n    nids:\n        0: {nid}\n'))
        self.assertIn(f'ping:\n- primary nid: {nid}\n', out)
        self.assertIn(f'discover:\n- primary nid: {nid}\n  Multi-Rail: true\n', out)
        shown = node.get('/v1/peer')['peer']
        self.assertEqual(len(shown), 1)
        self.assertTrue(shown[0]['Multi-Rail'])
        self.assertIn(nid, [ni['nid'] for ni in shown[0]['peer ni']])
        self.assertEqual({ni['state'] for ni in shown[0]['peer ni']}, {'NA'})

    def test_401_a_discovered_peer_has_the_priority_of_its_net(self):  # spec/upstream-tests.md 401
        node = self.running('--if', address(1))
        self.said(node, 'udsp', 'add', '--dst', 'tcp', '--prio', 1)
        self.said(node, 'discover', f'{address(1)}@tcp')
        info = node.get('/v1/peer')['peer'][0]['peer ni'][0]['udsp info']
        self.assertEqual((info['net priority'], info['nid priority']), (1, -1))


class Tunables(Upstream):
    """H, and J 301 and 450."""

    def ni(self, node, net='tcp'):
        return node.get(f'/v1/net?net={net}')['net'][0]['local NI(s)'][0]

    def test_230_connections_of_a_peer(self):  # spec/upstream-tests.md 230
        node = self.running('--if', address(1))
        nid = f'{address(1)}@tcp'
        for count in (4, 9, 15):
            self.said(node, 'net', 'set', '--nid', nid, '--conns-per-peer', count)
            self.assertEqual(self.ni(node)['lnd tunables']['conns_per_peer'], count)
            self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(2), '--conns-per-peer', count)
            self.assertEqual(self.ni(node, 'tcp1')['lnd tunables']['conns_per_peer'], count)
            self.said(node, 'ping', f'{address(2)}@tcp1')
            wait_until(lambda: connections_of(address(2)) == 2 + 2 * count, f'{2 + 2 * count} ends of connections')
            self.said(node, 'net', 'del', '--net', 'tcp1')
            wait_until(lambda: connections_of(address(2)) == 0, 'the connections are closed')
        for bad in ('128', '1000000000000000000000000', 'foo'):
            self.refused(node, 'net', 'add', '--net', 'tcp1', '--if', address(2), '--conns-per-peer', bad)
        self.refused(node, 'net', 'set', '--nid', nid, '--conns-per-peer', '128')
        self.refused(node, 'import', self.folder.file('bad.yaml', self.tuned('lnd tunables', 'conns_per_peer', 200)))
        self.assertNotIn('tcp1', self.said(node, 'net', 'show'))
        self.said(node, 'net', 'add', '--net', 'tcp1', '--if', address(2), '--conns-per-peer', -1)
        self.assertEqual(self.ni(node, 'tcp1')['lnd tunables']['conns_per_peer'], 1)

    @staticmethod
    def tuned(section, name, value, net='tcp1', host=2):
        """The configuration of a net with one tunable."""
        return yaml_of((net, address(host))) + f'          {section}:\n              {name}: {value}\n'

    def test_231_peer_timeout(self):  # spec/upstream-tests.md 231
        node = self.running()
        for given, shown in ((None, 180), (-1, 180), (0, 0), (60, 60), (180, 180)):
            option = [] if given is None else ['--peer-timeout', given]
            self.said(node, 'net', 'add', '--net', 'tcp', '--if', address(1), *option)
            self.assertEqual(self.ni(node)['tunables']['peer_timeout'], shown)
            self.said(node, 'net', 'del', '--net', 'tcp')
            if given is None:
                continue
            self.imported(node, self.tuned('tunables', 'peer_timeout', given))
            self.assertEqual(self.ni(node, 'tcp1')['tunables']['peer_timeout'], shown)
            self.said(node, 'net', 'del', '--net', 'tcp1')

    def test_232_type_of_service(self):  # spec/upstream-tests.md 232
        node = self.running()
        for tos in (-1, 104, 106):
            self.said(node, 'net', 'add', '--net', 'tcp', '--if', address(1), '--tos', tos)
            self.assertEqual(self.ni(node)['lnd tunables']['tos'], tos)
            self.said(node, 'net', 'del', '--net', 'tcp')
        self.refused(node, 'net', 'add', '--net', 'tcp', '--if', address(1), '--tos', 300)

    def test_241_the_time_out_of_a_net(self):  # spec/upstream-tests.md 241
        node = self.running('--if', address(1))
        self.said(node, 'net', 'set', '--net', 'tcp', '--lnd-timeout', 7)
        self.assertEqual(self.ni(node)['lnd tunables']['timeout'], 7)
        self.said(node, 'net', 'set', '--net', 'tcp', '--lnd-timeout', 0)
        self.assertNotEqual(self.ni(node)['lnd tunables']['timeout'], 7)

    def test_245_the_time_out_is_shown_and_not_exported(self):  # spec/upstream-tests.md 245
        node = self.running('--if', address(1))
        self.assertEqual(self.said(node, 'net', 'show', '-v', '--net', 'tcp').count(' timeout:'), 1)
        self.assertNotIn(' timeout:', self.backup(node))

    def test_301_a_net_twice(self):  # spec/upstream-tests.md 301
        node = self.running('--set', 'cpu_npartitions=2')
        self.said(node, 'net', 'add', '--net', 'tcp', '--if', address(1), '--cpt', '[0]')
        fixed = 'the CPTs of an NI are fixed while it exists'
        for more, reported in (((), False), (('--cpt', '[0]'), False), (('--cpt', '[1]'), True)):  # the CPTs that the NI has already are no change
            err = self.refused(node, 'net', 'add', '--net', 'tcp', '--if', address(1), *more)
            self.assertEqual(fixed in err, reported, err)
        self.said(node, 'net', 'del', '--net', 'tcp')
        self.assertEqual(node.nids(), ['0@lo'])

    def test_450_one_item_with_two_interfaces(self):  # spec/upstream-tests.md 450
        node = self.running()
        text = ('net:\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n'
                f'              0: {address(1)}\n              1: {address(2)}\n')
        file = self.imported(node, text)
        self.assertEqual(node.nids(), ['0@lo', f'{address(1)}@tcp', f'{address(2)}@tcp'])
        self.said(node, 'import', '--del', file)
        self.assertEqual(node.nids(), ['0@lo'])


class Policies(Upstream):
    """I: 403."""

    def test_403_one_criterion_is_shown_alone(self):  # spec/upstream-tests.md 403
        node = self.running()
        for option in ('src', 'dst'):
            for value in ('tcp', '10.1.1.1@tcp'):
                self.said(node, 'udsp', 'add', f'--{option}', value, '--priority', 1)
                self.assertEqual(self.said(node, 'udsp', 'show'),
                                 f'udsp:\n    - idx: 0\n      {option}: {value}\n      action:\n          priority: 1\n')
                self.said(node, 'udsp', 'del', '--idx', 0)
                self.assertEqual(self.said(node, 'udsp', 'show'), '')
