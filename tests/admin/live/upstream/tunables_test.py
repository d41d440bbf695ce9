#!/usr/bin/env python3
"""Upstream cases 230, 231, 232, 241 and 245: tunables of an NI. spec/upstream-tests.md H."""
from tests.admin.live.upstream import scene


class ConnsPerPeer(scene.Loopback):
    def shown(self):
        return [ni['lnd tunables']['conns_per_peer'] for ni in self.nis('tcp')]

    def wait_for_connections(self, wanted):
        """Waits for this number of ends of connections. Both ends of each connection belong to this
        NID."""
        self.wait_for(lambda: len(self.tcp_connections(self.port)), wanted)

    def test_230_set_and_add(self):
        for count in range(4, 16):
            with self.subTest(count):
                self.do('net', 'add', '--net', 'tcp', '--if', self.first, '--conns-per-peer', count)
                self.assertEqual(self.shown(), [count])
                self.do('ping', '--timeout', '10', f'{self.first}@tcp')
                self.wait_for_connections(2 + 2 * count)
                self.do('net', 'del', '--net', 'tcp')
                self.do('net', 'add', '--net', 'tcp', '--if', self.first)
                self.do('net', 'set', '--nid', f'{self.first}@tcp', '--conns-per-peer', count)
                self.assertEqual(self.shown(), [count])
                self.do('net', 'del', '--net', 'tcp')

    def test_230_refused_values(self):
        before = self.export()
        for value in ('128', '1' + '0' * 24, 'foo'):
            with self.subTest(value):
                self.fail_to('net', 'add', '--net', 'tcp', '--if', self.first, '--conns-per-peer', value)
                self.assertEqual(self.export(), before)
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        default = self.shown()
        self.fail_to('net', 'set', '--nid', f'{self.first}@tcp', '--conns-per-peer', 128)
        self.assertEqual(self.shown(), default)

    def test_230_minus_one_is_the_drivers_default(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        default = self.shown()
        self.do('net', 'del', '--net', 'tcp')
        self.do('net', 'add', '--net', 'tcp', '--if', self.first, '--conns-per-peer', -1)
        self.assertEqual(self.shown(), default)

    def test_230_import_of_200_is_refused(self):
        before = self.export()
        self.fail_to_import(ni(self.first, 'lnd tunables', 'conns_per_peer', 200))
        self.assertEqual(self.export(), before)


def ni(interface, section, key, value):
    return f'''net:
    - net type: tcp
      local NI(s):
        - interfaces:
              0: {interface}
          {section}:
              {key}: {value}
'''


class PeerTimeout(scene.Loopback):
    def shown(self):
        return [one['tunables']['peer_timeout'] for one in self.nis('tcp')]

    def test_231_add_and_import(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.assertEqual(self.shown(), [180])
        self.do('net', 'del', '--net', 'tcp')
        for given, expected in ((-1, 180), (0, 0), (60, 60), (180, 180)):
            with self.subTest(given):
                self.do('net', 'add', '--net', 'tcp', '--if', self.first, '--peer-timeout', given)
                self.assertEqual(self.shown(), [expected])
                self.do('net', 'del', '--net', 'tcp')
                self.import_text(ni(self.first, 'tunables', 'peer_timeout', given))
                self.assertEqual(self.shown(), [expected])
                self.do('net', 'del', '--net', 'tcp')


class Tos(scene.Loopback):
    def shown(self):
        return [one['lnd tunables']['tos'] for one in self.nis('tcp')]

    def test_232_values(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.assertEqual(self.shown(), [-1])
        self.do('net', 'del', '--net', 'tcp')
        for value in (-1, 104, 106):
            with self.subTest(value):
                self.do('net', 'add', '--net', 'tcp', '--if', self.first, '--tos', value)
                self.assertEqual(self.shown(), [value])
                self.do('net', 'del', '--net', 'tcp')
        before = self.export()
        self.fail_to('net', 'add', '--net', 'tcp', '--if', self.first, '--tos', 300)
        self.assertEqual(self.export(), before)


class TosOfTheModule(scene.Loopback):
    PARAMS = {'tos': 104}

    def test_232_the_default_is_the_module_parameter(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.assertEqual([one['lnd tunables']['tos'] for one in self.nis('tcp')], [104])


class LndTimeout(scene.Loopback):
    def shown(self):
        return [one['lnd tunables']['timeout'] for one in self.nis('tcp')]

    def test_241_per_net_and_back_to_the_global_value(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.do('net', 'add', '--net', 'tcp', '--if', self.second)
        global_value = self.base()['global'].get('lnd_timeout') or int(
            next(line for line in self.do('global', 'show').splitlines() if 'lnd_timeout' in line).split(':')[1])
        for seconds in (7, 23):
            self.do('net', 'set', '--net', 'tcp', '--lnd-timeout', seconds)
            self.assertEqual(self.shown(), [seconds, seconds])
        self.do('net', 'set', '--net', 'tcp', '--lnd-timeout', 0)
        self.assertEqual(self.shown(), [global_value, global_value])

    def test_245_read_only_values_are_shown_but_not_exported(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        shown = self.do('net', 'show', '--net', 'tcp', '-v')
        self.assertEqual(sum(line.strip().startswith('timeout:') for line in shown.splitlines()), 1)
        self.assertNotIn(' timeout:', self.do('export', '-b').replace('peer_timeout', '').replace('lnd_timeout', '')
                         .replace('transaction_timeout', ''))


if __name__ == '__main__':
    scene.main()
