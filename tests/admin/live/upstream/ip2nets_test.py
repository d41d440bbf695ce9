#!/usr/bin/env python3
"""Upstream cases 150 to 162: YAML ip2nets rules against interfaces, IPv4 and IPv6. spec/upstream-tests.md C."""
from tests.admin.live.upstream import scene

E0, E1 = scene.Interfaces.ETH0, scene.Interfaces.ETH1
E0_6 = scene.Interfaces.ETH0_6
E2_6, E3_6 = scene.Interfaces.ETH2_6, scene.Interfaces.ETH3_6


def rule(net, interfaces=(), ranges=(), spec_first=True):
    lines = [f'net-spec: {net}'] if spec_first else []
    if interfaces:
        lines += ['interfaces:'] + [f'    {i}: {name}' for i, name in enumerate(interfaces)]
    if not spec_first:
        lines += [f'net-spec: {net}']
    if ranges:
        lines += ['ip-range:'] + [f'    {i}: "{text}"' for i, text in enumerate(ranges)]
    return '    - ' + '\n      '.join(lines)


def ip2nets(*rules):
    return 'ip2nets:\n' + '\n'.join(rules) + '\n'


class Ip2nets(scene.Interfaces):
    def as_net_add(self, *adds):
        """The export after plain `net add` commands, on an empty node."""
        for net, interface in adds:
            self.do('net', 'add', '--net', net, '--if', interface)
        expected = self.export()
        self.reset()
        return expected

    def same(self, text, *adds):
        expected = self.as_net_add(*adds)
        self.import_text(text)
        self.assertEqual(self.export(), expected)
        self.reset()

    def test_150_interface_and_its_address(self):
        self.same(ip2nets(rule('tcp', ['eth0'], [E0])), ('tcp', 'eth0'))

    def test_151_two_interfaces_two_addresses_first_rule_of_a_net_wins(self):
        both = rule('tcp', ['eth0', 'eth1'], [E0, E1])
        self.same(ip2nets(both), ('tcp', 'eth0'), ('tcp', 'eth1'))
        self.same(ip2nets(both, rule('tcp', ['eth1'], [E1])), ('tcp', 'eth0'), ('tcp', 'eth1'))
        self.same(ip2nets(both, rule('tcp1', ['eth1'], [E1])), ('tcp', 'eth0'), ('tcp', 'eth1'), ('tcp1', 'eth1'))

    def test_152_patterns(self):
        a, b, c, _ = E0.split('.')
        for pattern in (f'{a}.{b}.{c}.*', f'{a}.{b}.*.*', f'{a}.*.*.*', '*.*.*.*'):
            self.same(ip2nets(rule('tcp', ['eth0'], [pattern])), ('tcp', 'eth0'))
        self.same(ip2nets(rule('tcp', ['eth0'], ['*.*.*.*']), rule('tcp', ['eth0'], [f'{a}.{b}.{c}.*']),
                          rule('tcp', ['eth1'], [E1])), ('tcp', 'eth0'))

    def test_153_range(self):
        a, b, c, d = E0.split('.')
        self.same(ip2nets(rule('tcp', ['eth0'], [f'{a}.{b}.{c}.[{int(d) - 4}-{int(d) + 4}]'])), ('tcp', 'eth0'))

    def test_154_range_with_a_step_that_hits(self):
        a, b, c, d = E0.split('.')
        self.same(ip2nets(rule('tcp', ['eth0'], [f'{a}.{b}.{c}.[{int(d) - 4}-{int(d) + 4}/2]'])), ('tcp', 'eth0'))
        self.fail_to_import(ip2nets(rule('tcp', ['eth0'], [f'{a}.{b}.{c}.[{int(d) - 5}-{int(d) + 4}/2]'])))

    def test_155_another_address(self):
        before = self.export()
        self.fail_to_import(ip2nets(rule('tcp', ['eth0'], ['10.200.200.200'])))
        self.assertEqual(self.export(), before)

    def test_156_comma_list(self):
        a, b, c, d = E0.split('.')
        self.same(ip2nets(rule('tcp', ['eth0'], [f'{a}.{b}.{c}.[1,{d},200-201]'])), ('tcp', 'eth0'))

    def test_157_net_spec_has_to_come_first(self):
        before = self.export()
        self.fail_to_import('ip2nets:\n    - interfaces:\n          0: eth0\n      ip-range:\n          0: ' + E0 + '\n')
        self.assertEqual(self.export(), before)

    def test_158_159_a_single_ipv6_address(self):
        for text in (E2_6, E2_6 + '/128'):
            self.same(ip2nets(rule('tcp', ['eth2'], [text])), ('tcp', 'eth2'))

    def test_158_an_interface_with_both_families_is_judged_on_the_rules_family(self):
        self.same(ip2nets(rule('tcp', ['eth0'], [E0_6])), ('tcp', 'eth0'))

    def test_160_two_ipv6_interfaces(self):
        both = rule('tcp', ['eth2', 'eth3'], [E2_6, E3_6])
        self.same(ip2nets(both), ('tcp', 'eth2'), ('tcp', 'eth3'))
        self.same(ip2nets(both, rule('tcp', ['eth3'], [E3_6])), ('tcp', 'eth2'), ('tcp', 'eth3'))
        self.same(ip2nets(both, rule('tcp1', ['eth3'], [E3_6])), ('tcp', 'eth2'), ('tcp', 'eth3'), ('tcp1', 'eth3'))

    def test_161_ipv6_prefixes(self):
        for bits in (64, 32, 16, 8):
            self.same(ip2nets(rule('tcp', ['eth2'], [f'{E2_6}/{bits}'])), ('tcp', 'eth2'))

    def test_162_another_ipv6_address(self):
        before = self.export()
        self.fail_to_import(ip2nets(rule('tcp', ['eth2'], ['2001:db8:ffff::1'])))
        self.fail_to_import(ip2nets(rule('tcp', ['eth2'], ['2001:db8:ffff::/48'])))
        self.assertEqual(self.export(), before)


if __name__ == '__main__':
    scene.main(interfaces=True)
