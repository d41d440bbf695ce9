#!/usr/bin/env python3
"""Upstream cases 265 and 266: CPT lists of an imported NI. spec/upstream-tests.md C."""
from tests.admin.live.upstream import scene


class Cpt(scene.Loopback):
    def net(self, cpt):
        return f'''net:
    - net type: tcp
      local NI(s):
        - interfaces:
              0: {self.first}
          CPT: {cpt}
'''

    def test_265_bad_lists_add_nothing(self):
        before = self.export()
        for cpt in ('"[1-0]"', '[1-0]', '"[]"', '[]'):
            with self.subTest(cpt):
                self.fail_to_import(self.net(cpt))
                self.assertEqual(self.export(), before)

    def test_266_quoted_and_flow_lists_mean_the_same(self):
        self.do('net', 'add', '--net', 'tcp', '--if', self.first)
        expected = self.export()
        self.do('net', 'del', '--net', 'tcp')
        for cpt in ('"[0-0]"', '[0-0]'):
            with self.subTest(cpt):
                self.import_text(self.net(cpt))
                self.assertEqual(self.export(), expected)
                self.do('net', 'del', '--net', 'tcp')


if __name__ == '__main__':
    scene.main()
