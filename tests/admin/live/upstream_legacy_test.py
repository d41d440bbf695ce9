"""The upstream suite's cases of lnet_legacy2yaml: spec/upstream-tests.md K. Each test is named by
its case number."""
import os
import pathlib
import pty
import subprocess

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import address
from tests.rigs.upstream_rig import Upstream


class Converter(Upstream):
    def setUp(self):
        super().setUp()
        self.program = self.folder.path / 'lnet_legacy2yaml'
        self.program.symlink_to(pathlib.Path(daemon_rig.ULNETCTL).resolve())

    def run_it(self, *arguments, given=b'', program=None, **more):
        stdin = more if 'stdin' in more else {'input': given}
        done = subprocess.run([*(program or [self.program]), *map(str, arguments)], capture_output=True, check=False,
                              timeout=daemon_rig.DEADLINE_S, **stdin)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def converted(self, *arguments, **more):
        code, out, err = self.run_it(*arguments, **more)
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def wrong(self, code, pattern, *arguments, **more):
        got, out, err = self.run_it(*arguments, **more)
        self.assertEqual((got, out), (code, ''), err)
        self.assertRegex(err, pattern)


def section(name, *items):
    """A section of items, each a list of lines."""
    return f'{name}:\n' + ''.join('    - ' + '\n      '.join(item) + '\n' for item in items)


def net(name, *interfaces):
    nis = ['local NI(s):', '  - interfaces:', *(f'        {n}: {one}' for n, one in enumerate(interfaces))]
    return [f'net type: {name}', *(nis if interfaces else [])]


def rule(name, *patterns, interfaces=()):
    named = ['interfaces:', *(f'    {n}: {one}' for n, one in enumerate(interfaces))] if interfaces else []
    return [f'net-spec: {name}', *named, 'ip-range:', *(f'    {n}: {one}' for n, one in enumerate(patterns))]


def route(name, gateway, **more):
    return [f'net: {name}', f'gateway: {gateway}', *(f'{key}: {value}' for key, value in more.items())]


class Rules(Converter):
    def test_600_two_rules(self):  # spec/upstream-tests.md 600
        self.assertEqual(self.converted('tcp0(eth0,eth1) 192.168.1.*; o2ib0(ib0) 10.1.[2-8/2].*'),
                         section('ip2nets', rule('tcp0', '192.168.1.*', interfaces=('eth0', 'eth1')),
                                 rule('o2ib0', '10.1.[2-8/2].*', interfaces=('ib0',))))

    def test_605_a_pattern_that_begins_with_a_star_is_quoted(self):  # spec/upstream-tests.md 605
        self.assertEqual(self.converted('tcp *.*.*.*'), section('ip2nets', rule('tcp', '"*.*.*.*"')))

    def test_608_a_rule_without_a_pattern(self):  # spec/upstream-tests.md 608
        self.wrong(2, r"error: TEXT:1:1: rule 'tcp0' has no ip pattern", 'tcp0')

    def test_609_no_input(self):  # spec/upstream-tests.md 609
        self.wrong(1, 'no ip2nets, routes, or networks data')
        self.wrong(1, 'no ip2nets, routes, or networks data', '# only a comment')
        terminal, other_end = pty.openpty()  # the command does not read from a terminal, where it would wait for the user
        try:
            self.wrong(1, 'no ip2nets, routes, or networks data', stdin=other_end)
        finally:
            os.close(terminal)
            os.close(other_end)

    def test_612_a_pattern_of_three_octets(self):  # spec/upstream-tests.md 612
        self.wrong(2, r"TEXT:2:5: invalid ip pattern '192\.168\.1'", 'tcp 10.0.0.1\ntcp 192.168.1')

    def test_613_614_several_patterns(self):  # spec/upstream-tests.md 613, 614
        self.assertEqual(self.converted('tcp 192.168.1.* 10.0.0.[1-4]'), section('ip2nets', rule('tcp', '192.168.1.*', '10.0.0.[1-4]')))
        self.assertEqual(self.converted('tcp(eth0,eth1) 192.168.1.* 10.0.0.[1-4]'),
                         section('ip2nets', rule('tcp', '192.168.1.*', '10.0.0.[1-4]', interfaces=('eth0', 'eth1'))))

    def test_628_two_rules_without_a_separator(self):  # spec/upstream-tests.md 628
        self.wrong(2, 'TEXT:1:18: Multiple network rules must be separated', 'tcp0 192.168.1.* tcp1(eth1) 10.0.0.*')

    def test_the_standard_input_is_read_without_a_text(self):  # spec/cli-lnetctl.md 10
        self.assertEqual(self.converted(given=b'tcp 10.0.0.1\n'), section('ip2nets', rule('tcp', '10.0.0.1')))
        self.assertEqual(self.converted('tcp 10.0.0.1', given=b'tcp1 10.0.0.2\n'), section('ip2nets', rule('tcp', '10.0.0.1')))
        self.wrong(2, r"standard input:2:6: invalid ip pattern", given=b'tcp 10.0.0.1\ntcp1 10.0\n')
        self.wrong(2, 'UTF-8', given=b'tcp \xff')

    def test_as_a_command_of_ulnetctl(self):  # spec/cli-lnetctl.md 10
        command = [daemon_rig.ULNETCTL, 'legacy2yaml']
        self.assertEqual(self.converted('tcp 10.0.0.1', program=command), section('ip2nets', rule('tcp', '10.0.0.1')))
        self.wrong(2, 'ulnetctl: error: TEXT:1:1:', 'tcp', program=command)
        for word in ('-h', '--help'):
            self.assertIn('--default-hop', self.converted(word))
        code, out, err = self.run_it('--bogus')
        self.assertEqual((code, '--modprobe' in out), (1, True), err)


class Routes(Converter):
    def test_601_602_hops_and_priority(self):  # spec/upstream-tests.md 601, 602
        self.assertEqual(self.converted("routes='tcp0 1 10.0.0.1@o2ib'"), section('route', route('tcp0', '10.0.0.1@o2ib', hop=1)))
        self.assertEqual(self.converted("routes='tcp0 1 10.0.0.1@o2ib:5'"),
                         section('route', route('tcp0', '10.0.0.1@o2ib', hop=1, priority=5)))
        self.assertEqual(self.converted("routes='tcp0 10.0.0.1@o2ib'"), section('route', route('tcp0', '10.0.0.1@o2ib')))

    def test_603_604_default_hop(self):  # spec/upstream-tests.md 603, 604
        text = "routes='tcp0 10.0.0.1@o2ib; tcp1 9 10.0.0.1@o2ib'"
        for arguments, hop in ((['--default-hop', text], 1), ([text, '--default-hop'], 1), (['--default-hop', '3', text], 3),
                               ([text, '--default-hop=3'], 3)):
            self.assertEqual(self.converted(*arguments), section('route', route('tcp0', '10.0.0.1@o2ib', hop=hop),
                                                                 route('tcp1', '10.0.0.1@o2ib', hop=9)))
        for bad in ('0', '256', '-1', 'x'):
            self.wrong(1, f"hopcount '{bad}' out of range", f'--default-hop={bad}', text)

    def test_611_no_hops(self):  # spec/upstream-tests.md 611
        for bad in (0, 256):
            self.wrong(2, f"TEXT:1:13: hopcount '{bad}' out of range", f"routes='tcp {bad} 10.0.0.1@o2ib'")

    def test_618_a_pattern_of_gateways_is_not_expanded(self):  # spec/upstream-tests.md 618
        expected = section('route', route('tcp7', '10.3.3.[6-12]@tcp', hop=8, priority=20))
        text = 'tcp7: { gateway: 10.3.3.[6-12]@tcp, priority: 20, hop: 8 }'
        self.assertEqual(self.converted(text), expected)
        self.assertEqual(self.converted('-r', self.folder.file('routes', text + '\n')), expected)
        self.assertEqual(self.converted("routes='tcp [3,4]@gni'"), section('route', route('tcp', '"[3,4]@gni"')))

    def test_619_620_several_lines_comments_and_both_forms(self):  # spec/upstream-tests.md 619, 620
        text = ('# routers of the machine room\n'
                'tcp7: { gateway: 10.3.3.[6-12]@tcp, priority: 20, hop: 8 }  # the old ones\n'
                '\n'
                'tcp8: { gateway: 10.3.3.13@tcp }\n'
                'o2ib 2 10.3.3.14@tcp:1 # and one more\n'
                'tcp9: { hop: 3, gateway: 10.3.3.15@tcp }\n')
        expected = section('route', route('tcp7', '10.3.3.[6-12]@tcp', hop=8, priority=20), route('tcp8', '10.3.3.13@tcp'),
                           route('o2ib', '10.3.3.14@tcp', hop=2, priority=1), route('tcp9', '10.3.3.15@tcp', hop=3))
        self.assertEqual(self.converted('--routes', self.folder.file('routes', text)), expected)
        self.assertEqual(self.converted(text), expected)
        self.assertEqual(self.converted(given=f"routes='{text}'".encode()), expected)

    def test_621_no_hops_in_braces(self):  # spec/upstream-tests.md 621
        file = self.folder.file('routes', 'tcp8: { gateway: 10.3.3.13@tcp }\ntcp7: { gateway: 10.3.3.6@tcp, hop: 0 }\n')
        self.wrong(2, rf"{file}:2:37: hopcount '0' out of range", '-r', file)

    def test_622_default_hop_in_braces(self):  # spec/upstream-tests.md 622
        self.assertEqual(self.converted('--default-hop', 3, 'tcp7: { gateway: 10.3.3.6@tcp }\ntcp8: { gateway: 10.3.3.6@tcp, hop: 2 }'),
                         section('route', route('tcp7', '10.3.3.6@tcp', hop=3), route('tcp8', '10.3.3.6@tcp', hop=2)))

    def test_629_two_gateways(self):  # spec/upstream-tests.md 629
        self.wrong(2, 'TEXT:1:27: multiple gateway specifications found', "routes='tcp 10.0.0.1@o2ib 10.0.0.2@o2ib'")
        self.wrong(2, 'multiple gateway specifications found', 'tcp7: { gateway: 10.3.3.6@tcp, gateway: 10.3.3.7@tcp }')


class Files(Converter):
    def test_606_rules_and_routes(self):  # spec/upstream-tests.md 606
        rules, routes = self.folder.file('rules', 'tcp(eth0) 10.0.0.*\n'), self.folder.file('routes', 'o2ib 10.0.0.9@tcp\n')
        expected = section('ip2nets', rule('tcp', '10.0.0.*', interfaces=('eth0',))) + section('route', route('o2ib', '10.0.0.9@tcp'))
        self.assertEqual(self.converted('-i', rules, '-r', routes), expected)
        output = self.folder.path / 'out.yaml'
        self.assertEqual(self.converted('-r', routes, '-i', rules, '-o', output), '')
        self.assertEqual(output.read_text(), expected)

    def test_607_an_options_line(self):  # spec/upstream-tests.md 607
        expected = section('ip2nets', rule('tcp', '10.0.0.*')) + section('route', route('o2ib', '10.0.0.9@tcp'))
        for text in ('options lnet \'ip2nets="tcp 10.0.0.*" routes="o2ib 10.0.0.9@tcp"\'',
                     'options lnet ip2nets="tcp 10.0.0.*" routes=\'o2ib 10.0.0.9@tcp\'',
                     'options lnet ip2nets="tcp 10.0.0.*"\noptions lnet routes="o2ib 10.0.0.9@tcp"\n'):
            self.assertEqual(self.converted(text), expected)

    def test_610_order_of_sources(self):  # spec/cli-lnetctl.md 10; spec/upstream-tests.md 610
        first, second = self.folder.file('1', 'tcp1 10.0.0.1'), self.folder.file('2', 'tcp2 10.0.0.2')
        routes = self.folder.file('routes', 'o2ib1 10.0.0.9@tcp1')
        self.assertEqual(self.converted('-r', routes, '-i', first, "routes='o2ib2 10.0.0.9@tcp2'", '-i', second),
                         section('ip2nets', rule('tcp1', '10.0.0.1'), rule('tcp2', '10.0.0.2')) +
                         section('route', route('o2ib1', '10.0.0.9@tcp1'), route('o2ib2', '10.0.0.9@tcp2')))

    def test_615_a_modprobe_file(self):  # spec/upstream-tests.md 615
        file = self.folder.file('lustre.conf', '''# Lustre's options
alias lnet-test off
options lnet ip2nets="tcp(eth0) 10.0.0.*;   # clients \\
                      tcp1(eth1) 10.1.[0-3].*" \\
             routes="o2ib 1 10.0.0.[8-9]@tcp"   # two routers
options ko2iblnd peer_credits=128
install lustre /bin/echo "not closed
''')
        self.assertEqual(self.converted('-m', file),
                         section('ip2nets', rule('tcp', '10.0.0.*', interfaces=('eth0',)), rule('tcp1', '10.1.[0-3].*', interfaces=('eth1',))) +
                         section('route', route('o2ib', '10.0.0.[8-9]@tcp', hop=1)))
        more = self.folder.file('more.conf', 'options lnet networks="tcp" forwarding="enabled"\n')
        code, out, err = self.run_it('--modprobe', more)
        self.assertEqual((code, out), (0, section('net', net('tcp'))))
        self.assertIn(f"{more}:1:29: parameter 'forwarding' is left out", err)

    def test_616_a_modprobe_file_and_rules(self):  # spec/upstream-tests.md 616
        file, rules = self.folder.file('lustre.conf', 'options lnet ip2nets="tcp1 10.1.0.*"\n'), self.folder.file('rules', 'tcp 10.0.0.*')
        self.assertEqual(self.converted('-m', file, '-i', rules), section('ip2nets', rule('tcp', '10.0.0.*'), rule('tcp1', '10.1.0.*')))

    def test_617_what_a_node_exports_comes_back(self):  # spec/upstream-tests.md 617
        node = self.with_nets(('tcp', address(1), address(2)), ('tcp1', address(3)))
        exported = self.backup(node)
        nets = node.get('/v1/net')['net']
        text = ','.join('{}({})'.format(one['net type'], ','.join(ni['nid'].split('@')[0] for ni in one['local NI(s)']))
                        for one in nets if one['net type'] != 'lo')
        self.assertEqual(node.end(), 0)
        file = self.folder.file('lustre.conf', f'options lnet networks="{text}"\n')
        other = self.running(name='b')
        self.imported(other, self.converted('-m', file))
        self.assertEqual(self.backup(other), exported)

    def test_623_624_625_networks(self):  # spec/upstream-tests.md 623, 624, 625
        self.assertEqual(self.converted('networks=tcp'), section('net', net('tcp')))
        self.assertEqual(self.converted("networks='tcp0(eth0)'"), section('net', net('tcp0', 'eth0')))
        self.assertEqual(self.converted('networks=tcp0(eth0,eth1),o2ib0(ib0)'), section('net', net('tcp0', 'eth0', 'eth1'), net('o2ib0', 'ib0')))
        self.assertEqual(self.converted('-n', self.folder.file('nets', 'tcp0(eth0) # here\no2ib0(ib0),\ntcp2\n')),
                         section('net', net('tcp0', 'eth0'), net('o2ib0', 'ib0'), net('tcp2')))

    def test_626_all_of_them(self):  # spec/cli-lnetctl.md 10; spec/upstream-tests.md 626
        file = self.folder.file('lustre.conf', 'options lnet routes="o2ib 10.0.0.9@tcp" ip2nets="tcp1 10.1.0.*"\n'
                                               'options lnet networks="tcp(eth0)"\n')
        expected = section('net', net('tcp', 'eth0')) + section('ip2nets', rule('tcp1', '10.1.0.*')) + \
            section('route', route('o2ib', '10.0.0.9@tcp'))
        self.assertEqual(self.converted('-m', file), expected)
        self.assertEqual(self.converted(given=b"routes='o2ib 10.0.0.9@tcp'\nip2nets='tcp1 10.1.0.*'\nnetworks='tcp(eth0)'\n"), expected)

    def test_627_a_bracket_that_is_not_closed(self):  # spec/upstream-tests.md 627
        self.wrong(2, r"TEXT:1:14: Invalid network specification 'tcp0\(eth0'", 'networks=tcp0(eth0')

    def test_errors_in_a_file_have_their_place(self):  # spec/cli-lnetctl.md 10
        self.wrong(2, "cannot open '.*nothing': No such file", '-i', self.folder.path / 'nothing')
        self.wrong(2, "cannot write '.*out': No such file", '-o', self.folder.path / 'nothing/out', 'tcp 10.0.0.1')
        file = self.folder.file('lustre.conf', 'options lnet \\\n  ip2nets="tcp 10.0.0.*; \\\n    tcp1 10.0.0.300"\n')
        self.wrong(2, rf"{file}:3:10: invalid ip pattern '10\.0\.0\.300'", '-m', file)
        self.wrong(2, rf'{file}:1:23: a quote is not closed', '-m', self.folder.file('lustre.conf', 'options lnet networks="tcp\n'))
