"""Module parameters of a node from modprobe's files: ulnetd --modparams."""
import signal

from tests.rigs.daemon_rig import E2e, address, run, wait_until, yaml_of


class ModuleParameters(E2e):
    def test_a_node_starts_with_its_nets_and_parameters(self):  # spec/cli-lnetctl.md 11.3
        file = self.folder.file('lustre.conf', f'''# as on the old clients
options lnet networks="tcp({address(1)}), \\
                       tcp1({address(2)})"   # two nets
options ksocklnd credits=64 nagle=1
options lnet accept=none
''')
        node = self.running('--modparams', file)
        self.assertEqual(node.nids(), ['0@lo', f'{address(1)}@tcp', f'{address(2)}@tcp1'])
        shown = node.ctl('param', 'show', 'nagle', 'accept', 'credits')[1]
        for value in ('nagle: 1', 'accept: trust', 'credits: 64'):  # --set accept=trust of the command line wins
            self.assertIn(value, shown)
        file.write_text(file.read_text().replace('nagle=1', 'nagle=0'))
        node.signal(signal.SIGHUP)
        wait_until(lambda: 'nagle: 0' in node.ctl('param', 'show', 'nagle')[1], 'the file is read again')

    def test_rules_match_by_any_address_of_the_machine(self):  # spec/cli-lnetctl.md 9.3
        file = self.folder.file('lustre.conf', 'options lnet ip2nets="tcp(lo) 127.0.0.*; \\\n tcp1 10.255.255.255"\n')
        code, out, err = run('--check', '--modparams', file)
        self.assertEqual((code, err), (0, ''))
        self.assertIn('1 net with 1 interface', out)
        other = self.folder.file('other.conf', 'options lnet ip2nets="tcp 10.255.255.255"\n')
        code, _, err = run('--check', '--modparams', other)
        self.assertEqual((code, err), (3, f'ulnetd: {other}:1:23: parameter ip2nets: ip2nets: no rule matches an address of this machine\n'))

    def test_unknown_parameters_are_skipped(self):
        """Field case 02: modprobe ignores a parameter that a module does not have."""
        config = self.folder.file('a.yaml', yaml_of(('tcp', address(1)), accept='all'))
        for text in ('options lnet config_on_load=1\n', 'options ksocklnd backoff_init=100\n', 'options libcfs libcfs_debug=0x3f0400\n',
                     'options lnet \\\n  nosuch=1\n', 'options snd x "open\n'):
            file = self.folder.file('lustre.conf', text)
            code, out, err = run('--check', '--config', config, '--modparams', file)
            self.assertEqual(code, 0, text + err)
            self.assertIn('1 net with 1 interface', out)

    def test_mistakes_have_their_places(self):  # spec/cli-lnetctl.md 11.3
        config = self.folder.file('a.yaml', yaml_of(('tcp', address(1)), accept='all'))
        for text, place, words in (('options ksocklnd credits=few\n', '1:26', "'few' is not a number"),
                                   ('options lnet networks="tcp1(eth0"\n', '1:28', 'Invalid network specification'),
                                   ('options lnet ip2nets="tcp1 10.0.0.*; # one\\\n tcp2 10.0.1"\n', '2:7', 'invalid ip pattern'),
                                   ('\n options lnet routes="o2ib 300 10.0.0.1@tcp"\n', '2:28', "hopcount '300' out of range"),
                                   ('options lnet accept="all\n', '1:21', 'a quote is not closed')):
            file = self.folder.file('lustre.conf', text)
            code, out, err = run('--check', '--config', config, '--modparams', file)
            self.assertEqual((code, out), (3, ''), text)
            self.assertTrue(err.startswith(f'ulnetd: {file}:{place}: '), err)
            self.assertIn(words, err)
        missing = self.folder.path / 'nothing'
        self.assertEqual(run('--check', '--modparams', missing), (3, '', f'ulnetd: {missing}: cannot open: No such file or directory\n'))
