#!/usr/bin/env python3
"""Upstream cases 301 and 450: adding twice; several interfaces in one item. spec/upstream-tests.md J."""
from tests.admin.live.upstream import scene


class Nets(scene.Loopback):
    def test_301_a_net_can_be_added_once(self):
        before = self.export()
        for _ in range(10):
            self.do('net', 'add', '--net', 'tcp', '--if', self.first)
            once = self.export()
            said = self.fail_to('net', 'add', '--net', 'tcp', '--if', self.first)
            self.assertIn('errno:', said)
            self.assertEqual(self.export(), once)
            self.do('net', 'del', '--net', 'tcp')
            self.assertEqual(self.export(), before)

    def test_450_several_interfaces_in_one_item(self):
        empty = self.export()
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        self.do('net', 'add', '--net', 'tcp', '--if', self.second)
        expected = self.export()
        self.do('net', 'del', '--net', 'tcp')
        text = f'''net:
    - net type: tcp
      local NI(s):
        - interfaces:
              0: {self.first}
              1: {self.second}
'''
        self.import_text(text)
        self.assertEqual(self.export(), expected)
        self.import_text(text, '--del')
        self.assertEqual(self.export(), empty)
        self.assertEqual(self.nids(), ['0@lo'])


if __name__ == '__main__':
    scene.main()
