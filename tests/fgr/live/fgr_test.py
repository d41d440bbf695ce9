"""ulnet-fgr from outside: its files, its exit codes, its errors about wrong input, and the shell's
completion."""
import csv
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as tree

from tests.rigs.programs import ROOT, program

CTEST = {'LABELS': 'fgr', 'PROCESSORS': '2'}

FGR = program('ulnet-fgr')
LAB = program('ulnet-lab')


class CommandLine(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_fgr(self, *words, code=0):
        done = subprocess.run([FGR, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def site(self, ssus=6, *more):
        text = self.run_fgr('new', '--ssu', ssus, '--cluster', 'snx11001', '--net', 'o2ib6000', *more).stdout
        path = self.folder / 'site.yaml'
        path.write_text(text)
        return path

    def test_a_new_site_becomes_the_files_of_all_hosts(self):
        site = self.site()
        said = self.run_fgr('plan', site, '-o', 'out').stdout
        self.assertIn('home 005  o2ib6005', said)
        out = self.folder / 'out'
        self.assertEqual((out / 'groups.txt').read_text(), said[:said.rindex('\n\n') + 1])
        self.assertRegex(said, r'(?m)^xe +home +16 +41.6 +100 % +12 +36.0 +1.16 +0$')
        self.assertEqual(len(list((out / 'lnetctl').iterdir())), 1 + 18 + 14)
        with (out / 'cables.csv').open(newline='') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 18 + 14)
        self.assertEqual({row['switch'] for row in rows}, {'left0', 'right0'})

    def test_servers_may_have_a_net_among_them(self):
        words = ('new', '--ssu', 6, '--cluster', 'snx11001', '--net', 'o2ib6000', '--net-among-servers')
        site = self.site(6, '--net-among-servers', 'o2ib6500')
        self.assertIn('        net among servers: o2ib6500\n', site.read_text())
        self.assertIn('\nhome: the net among its servers is o2ib6500\n', self.run_fgr('plan', site, '-o', 'out').stdout)
        having = {file.stem for file in (self.folder / 'out/lnetctl').iterdir() if 'o2ib6500' in file.read_text()}
        self.assertEqual(having, {f'snx11001n{number:03}' for number in range(2, 16)})
        self.assertRegex(self.run_fgr('check', site, 'out').stdout, r'\Agood: ')
        for net, reason in (('o2ib6003', 'o2ib6003 is already the net of home, group 003'), ('tcp1', 'tcp1 is of another type'),
                            ('gni1', 'gni1 is of another type'), ('x', 'is not a network type')):
            self.assertIn(reason, self.run_fgr(*words, net, code=2).stderr)
        site.write_text(site.read_text().replace('servers: o2ib6500', 'servers: o2ib6003'))
        reason = 'o2ib6003 is already the net of home, group 003'
        line = 1 + site.read_text().splitlines().index('        net among servers: o2ib6003')
        self.assertIn(f'{site}:{line}:9: home, net among servers: {reason}. Take a net that nobody else has.\n', self.run_fgr('plan', site, code=2).stderr)
        said = self.run_fgr('check', site, code=1).stdout
        self.assertIn(f':{line}:9: ', said)
        self.assertIn('FGR011', said)
        self.assertIn(reason, said)

    def test_the_fabric_gives_the_cabling(self):
        for name in ('site.yaml', 'ibnetdiscover.txt'):
            shutil.copy(ROOT / 'examples/fgr-fabric' / name, self.folder)
        fabric = self.folder / 'ibnetdiscover.txt'
        whole = fabric.read_text()
        with_fabric = ('site.yaml', '--ibnetdiscover', 'ibnetdiscover.txt')
        self.assertIn("--ibnetdiscover FILE", self.run_fgr('plan', 'site.yaml', code=2).stderr)
        self.run_fgr('plan', *with_fabric, '-o', 'out')
        self.run_fgr('check', *with_fabric, 'out')
        self.assertIn('all right: 16 of 16 cables', self.run_fgr('verify', *with_fabric).stdout)
        self.assertIn('<svg', self.run_fgr('draw', *with_fabric).stdout)
        self.assertEqual(json.loads(self.run_fgr('verify', *with_fabric, '--format', 'json').stdout)['only cables'], True)
        with (self.folder / 'out/cables.csv').open(newline='') as file:
            rows = {row['host']: row for row in csv.DictReader(file)}
        self.assertEqual({**rows['nid00751'], 'groups': ''},
                         {'host': 'nid00751', 'place': '', 'adapter GUID': '0002c90300a10030', 'adapter port': '1', 'address': '10.10.100.104',
                          'cable': 'L02 10 m', 'rate': '4xSDR', 'switch': 'left0', 'switch place': 'R0 U41', 'switch GUID': '0002c90200423e60',
                          'switch port': '3', 'groups': ''})
        # ibnetdiscover reads a cached fabric, because it wrote the cache.
        self.folder.joinpath('cache').write_bytes(b'\x2b\x83\xe7\x8f and more')
        program = self.folder / 'ibnetdiscover'
        program.write_text('#!/bin/sh\n[ "$*" = "--load-cache cache" ] && exec cat ibnetdiscover.txt\nexit 1\n')
        cached = ('plan', 'site.yaml', '--ibnetdiscover', 'cache')
        self.addCleanup(os.environ.__setitem__, 'PATH', os.environ['PATH'])
        os.environ['PATH'] = '/nowhere'
        self.assertIn('cache: it is a cached fabric: ', self.run_fgr(*cached, code=2).stderr)
        os.environ['PATH'] = f'{self.folder}:/usr/bin:/bin'
        program.chmod(0o755)
        self.run_fgr(*cached)
        # The program reports what it could not check: exit code 3. Something wrong gives another
        # exit code.
        for text, reported in ((whole[:whole.rindex('Ca\t')], 'cut or changed: 1 link is at one end only'),
                           (whole.replace('snx11001n004 HCA-1', 'MT4099'), "1 adapter has the vendor's default name: 0002c90300a10070"),
                           (whole.replace('snx11001n004 HCA-1', 'somebody'), 'snx11001n004: no adapter of it is in the fabric')):
            fabric.write_text(text)
            for command, stream in (('plan', 'stderr'), ('check', 'stdout'), ('verify', 'stdout')):
                with self.subTest(reported, command=command):
                    self.assertIn(reported, getattr(self.run_fgr(command, *with_fabric, code=3), stream))
        exchanged = whole.replace('snx11001n004', 'x').replace('snx11001n005', 'snx11001n004').replace('"x HCA', '"snx11001n005 HCA')
        fabric.write_text(exchanged)
        self.assertIn('snx11001n004 is at switch right0 port 7, and planned at left0', self.run_fgr('check', *with_fabric, code=1).stdout)
        self.assertIn('do: exchange the two cables', self.run_fgr('verify', *with_fabric, code=1).stdout)
        self.assertIn('files in out', self.run_fgr('plan', *with_fabric, '-o', 'out', '--force', code=1).stdout)
        fabric.write_text(whole.replace('nid', 'other').replace('snx', 'other'))
        self.assertIn("none of the site's 16 routers and servers", self.run_fgr('plan', *with_fabric, code=2).stderr)

    def test_the_laboratory_of_odd_names_and_numbers_can_be_read(self):
        text = self.site(2, '--clients', 'router').read_text().replace('net: o2ib6000', 'net: o2ib')
        text = text.replace('switch: left0', 'switch: "leaf 1, left"').replace('router00001', 'r1.a-very-long-name.of-a-host.site.example')
        text += 'switches: {"leaf 1, left": {}}\n'  # the servers are at left0
        (self.folder / 'odd.yaml').write_text(text.replace('SSUs: 2', 'SSUs: 2\n        groups by: none'))
        self.run_fgr('plan', 'odd.yaml', '-o', 'odd')
        done = subprocess.run([LAB, 'check', self.folder / 'odd/lab.yaml'], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes_of_a_plan_are_reported_with_their_lines_and_nothing_is_written(self):
        site = self.site()
        good = site.read_text()
        for old, new, reported in (
                ('net: gni1', 'net: o2ib6002', 'has the net of'),
                ('10.128.*.*', '10.*.*.*', "pattern '10.*.*.*' also matches"),
                ('net: o2ib6000', 'net: o2ib65534', 'would have the number 65536')):
            with self.subTest(new):
                self.assertIn(old, good)
                text = good.replace(old, new)
                if old == 'net: gni1':
                    text = text.replace('nid: "', 'nid: "10.9.8.')
                site.write_text(text)
                said = self.run_fgr('plan', site, '-o', 'out', code=2).stderr
                self.assertIn(reported, said)
                self.assertRegex(said, r'site\.yaml:\d+:\d+: ')
                self.assertFalse((self.folder / 'out').exists())

    def test_a_new_site_has_a_plan(self):
        facts = ('new', '--cluster', 'snx', '--ssu')
        self.assertIn('65535 is the largest', self.run_fgr(*facts, 1000, '--net', 'o2ib65530', code=2).stderr)
        said = self.run_fgr(*facts, 1, '--net', 'o2ib1', '--client-net', 'o2ib3', code=2)
        self.assertIn('home has the net of xe: o2ib3', said.stderr)
        self.assertEqual(said.stdout, '')

    def test_a_full_standard_output_is_no_success(self):
        site = self.site()
        for words in (('new', '--ssu', 6, '--cluster', 'snx', '--net', 'o2ib6000'), ('plan', site), ('check', site)):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                done = subprocess.run([FGR, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn('standard output: No space left', done.stderr)

    def test_a_signal_leaves_no_half_of_a_folder(self):
        site = self.site(180)
        for kind in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([FGR, 'plan', site, '-o', 'out'], cwd=self.folder, stdout=subprocess.DEVNULL) as run:
                while run.poll() is None and not list(self.folder.glob('out.*/routes')):
                    time.sleep(0.001)
                run.send_signal(kind)
                run.wait()
            self.assertEqual([each.name for each in self.folder.iterdir() if each.name.startswith('out')], ['out'])
            self.assertTrue((self.folder / 'out/system.svg').exists())
            shutil.rmtree(self.folder / 'out')

    def test_long_module_parameters_name_an_alternative(self):
        self.run_fgr('plan', self.site(36), '-o', 'fits')
        texts = sorted(each.name for each in (self.folder / 'fits/modprobe').iterdir())
        self.assertEqual(texts, ['clients-xe.conf', 'routers-xe.conf', 'servers-home.conf'])
        out = self.run_fgr('plan', self.site(100), '-o', 'brief').stdout
        self.assertNotIn('no options', out)
        out = self.run_fgr('plan', self.site(100), '-o', 'full', '--written-out').stdout
        self.assertIn('modprobe/servers-home.conf has no options: routes= would have ', out)
        self.assertIn("Configure these hosts with 'lnetctl import' of lnetctl/HOST.yaml.", out)
        for each in (self.folder / 'full/modprobe').iterdir():
            self.assertRegex(each.read_text(), r"\A# (routes|ip2nets)= would have .* 'lnetctl import' of lnetctl/.*yaml\.\n\Z")
        self.assertNotIn('ulnet_modprobe', (self.folder / 'full/inventory.yaml').read_text())
        site = self.site(180)
        out = self.run_fgr('plan', site, '-o', 'large').stdout
        for kind in ('clients-xe', 'routers-xe', 'servers-home'):
            self.assertRegex(out, rf'modprobe/{kind}.conf has no options: routes= would have \d+ bytes, and a module takes 4096')
        said = self.run_fgr('check', site).stdout
        self.assertIn('note: modprobe/servers-home.conf: the shortest text of routes= has ', said)
        self.assertEqual(said.count('FGR016'), 3)

    def test_the_pictures_are_among_the_files_and_by_themselves(self):
        site = self.site()
        self.run_fgr('plan', site, '-o', 'out')
        for name, options in (('system.svg', ()), ('cables.svg', ('--cables',))):
            text = (self.folder / 'out' / name).read_text()
            self.assertEqual(self.run_fgr('draw', site, *options).stdout, text)
            self.run_fgr('draw', site, '-o', name, *options)
            self.assertEqual((self.folder / name).read_text(), text)
            words = [''.join(each.itertext()) for each in tree.fromstring(text).iter('{http://www.w3.org/2000/svg}text')]
            self.assertTrue({'router00018', 'snx11001n015', '000', '005'} <= set(words), words)
        self.assertIn('nowhere/x.svg: No such file', self.run_fgr('draw', site, '-o', 'nowhere/x.svg', code=2).stderr)

    def test_the_laboratory_of_a_site_is_one(self):
        self.run_fgr('plan', self.site(2), '-o', 'out', '--lab-clients', 3)
        done = subprocess.run([LAB, 'check', self.folder / 'out/lab.yaml'], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'{3 + 10 + 6} nodes, 4 nets', done.stdout)

    def test_wrong_input_is_said_with_its_place_and_nothing_is_written(self):
        site = self.site(2)
        site.write_text(site.read_text().replace('kind: xe', 'kind: xf').replace('secondary routes', 'secondary rotes'))
        done = self.run_fgr('plan', site, '-o', 'out', code=2)
        self.assertIn(f"{site}:8:9: 'xf' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic", done.stderr)
        self.assertRegex(done.stderr, r"site.yaml:23:9: .*secondary rotes.*secondary routes")
        self.assertEqual(done.stdout, '')
        self.assertEqual([path.name for path in self.folder.iterdir()], ['site.yaml'])
        self.assertIn('site.yaml: No such file', self.run_fgr('plan', 'no-site.yaml', code=2).stderr.replace('no-site', 'site'))
        self.run_fgr('plan', code=2)
        self.run_fgr('plan', '/dev/null', code=2)
        self.run_fgr('nonsense', code=2)
        self.assertIn('no known kind of router', self.run_fgr('new', '--ssu', 1, '--cluster', 'c', '--net', 'o2ib1', '--router-kind', 'xf', code=2).stderr)
        self.run_fgr('new', '--ssu', 1, '--cluster', 'c', '--net', 'o3ib1', code=2)
        self.run_fgr('new', '--ssu', 0, '--cluster', 'c', '--net', 'o2ib1', code=2)

    def test_a_site_that_cannot_be_is_said_by_the_names_people_use(self):
        site = self.site()
        site.write_text(site.read_text().replace('address: "10.10.100.[115-118]", switch: right0', 'address: "10.10.100.[115-118]", switch: left0'))
        said = self.run_fgr('plan', site, '-o', 'out', code=2).stderr
        self.assertIn("home, group 005: 0 of 4 routers that 'routers per group' wants: 0 routers of xe at switch right0 carry 0.0 GB/s", said)
        self.assertFalse((self.folder / 'out').exists())

    def test_only_the_first_of_many_mistakes_are_printed(self):
        site = self.site(1)
        lines = site.read_text().splitlines(keepends=True)
        extra = ''.join(f'            - {{host: r{i}, nid: {i + 100}, address: 9.1.{i >> 8}.{i & 255}, switch: lost{i}}}\n' for i in range(5000))
        at = next(i for i, line in enumerate(lines) if line.startswith('file systems:'))
        site.write_text(''.join(lines[:at]) + extra + ''.join(lines[at:]))
        said = self.run_fgr('plan', site, code=2).stderr.splitlines()
        self.assertEqual((len(said), said[-1]), (1001, 'and 4000 more'))
        self.assertIn('home, switch lost0: no server of home is plugged into it', said[0])

    def test_a_folder_is_replaced_only_when_asked(self):
        site = self.site(2)
        self.run_fgr('plan', site, '-o', 'out')
        (self.folder / 'out/mine').write_text('x')
        self.assertIn('--force', self.run_fgr('plan', site, '-o', 'out', code=2).stderr)
        self.assertTrue((self.folder / 'out/mine').exists())
        self.assertIn("has 'mine'", self.run_fgr('plan', site, '-o', 'out', '--force', code=2).stderr)
        (self.folder / 'out/mine').rename(self.folder / 'out/groups.txt')
        self.run_fgr('plan', site, '-o', 'out', '--force')
        self.assertFalse((self.folder / 'out/mine').exists())

    def test_check_accepts_a_plan_and_finds_changes(self):
        site = self.site(2)
        self.run_fgr('plan', site, '-o', 'out')
        self.assertRegex(self.run_fgr('check', site, 'out').stdout, r'\Agood: \d+ hosts, \d+ files, \d+ routes\n\Z')
        self.assertEqual(self.run_fgr('diff', site, '--actual', 'out/lnetctl').stdout, '')
        file = self.folder / 'out/lnetctl/snx11001n004.yaml'
        file.write_text(file.read_text().replace('hop: 1', 'hop: 4', 1))
        self.assertIn('snx11001n004.yaml:', said := self.run_fgr('check', site, 'out', code=1).stdout)
        self.assertIn('[FGR022 secondary-first]', said)
        for form in ('json', 'sarif'):
            found = json.loads(self.run_fgr('check', site, 'out', '--format', form, code=1).stdout)
            self.assertEqual(len(found['findings'] if form == 'json' else found['runs'][0]['results']), 1)
        self.assertIn('\n-route gni1 by ', self.run_fgr('diff', site, '--actual', 'out/lnetctl', code=1).stdout)
        file.write_text('net:\n    - net type: nonsense\n')
        self.assertRegex(self.run_fgr('check', site, 'out', code=2).stderr, r'snx11001n004.yaml:2:\d+: ')
        self.assertIn('FGR001', self.run_fgr('check', '--rules').stdout)
        self.assertIn('SITE is missing', self.run_fgr('check', code=2).stderr)

    def test_a_simulated_lost_router_shows_in_its_group_alone(self):
        site = self.site()
        words = ('simulate', site, '--fgr', '--time', '20s', '--messages', 6000, '--lose', 'router:router00007', '--svg', 'times.svg')
        runs = json.loads(self.run_fgr(*words, '--json').stdout)['runs']
        self.assertEqual([run['routing'] for run in runs], ['fine-grained'])
        slow = {oss['host'] for group in runs[0]['groups'] for oss in group['osss'] if oss['seconds'] > 22}
        self.assertEqual(slow, {'snx11001n010', 'snx11001n012', 'snx11001n014'})
        picture = tree.parse(self.folder / 'times.svg')
        self.assertIn('home 004', [''.join(each.itertext()) for each in picture.iter('{http://www.w3.org/2000/svg}text')])
        said = self.run_fgr('simulate', site, '--messages', 1000, '--bytes', '1GB')
        self.assertRegex(said.stdout, r'(?m)^flat: an OSS takes .* % of the payload crosses links between switches$')
        self.assertIn('simulating fine-grained', said.stderr)

    def test_impossible_simulations_are_refused(self):
        site = self.site(2)
        for words, reason in ((('--lose', 'router:nobody'), "no router 'nobody'"), (('--lose', 'disk:x'), "'disk:x' is no loss"),
                              (('--time', '0'), '--time'), (('--time', '1s', '--bytes', '1GB'), 'excludes'), (('--isl', '0'), '--isl'),
                              (('--flat', '--fgr'), 'excludes'), (('--json', '--svg', '-'), 'standard output')):
            done = self.run_fgr('simulate', site, *words, code=2)
            self.assertIn(reason, done.stderr)
            self.assertEqual(done.stdout, '')
        done = self.run_fgr('simulate', site, '--svg', 'nowhere/x.svg', code=2)
        self.assertIn('nowhere/x.svg', done.stderr)
        self.assertNotIn('simulating', done.stderr, 'before minutes are spent')
        site.write_text(site.read_text().replace('secondary routes: yes', 'secondary routes: no'))
        losses = [word for router in range(3, 7) for word in ('--lose', f'router:router{router:05}')]
        done = self.run_fgr('simulate', site, '--fgr', '--bytes', '1GB', '--messages', 100, *losses, code=1)
        self.assertIn('2 of 4 OSSs moved their amount, 2 never ended', done.stdout)

    def test_ctrl_c_ends_a_simulation(self):
        with subprocess.Popen([FGR, 'simulate', str(self.site(18)), '--messages', '1000000'], stderr=subprocess.PIPE, text=True) as running:
            self.assertIn('simulating flat', running.stderr.readline())
            running.send_signal(signal.SIGINT)
            self.assertRegex(running.stderr.read(), r'interrupted when [0-9.]+ % was moved')
        self.assertEqual(running.returncode, 130)

    def test_a_log_is_read_in_bounded_memory(self):
        """Half a GiB through a pipe, with less address space than that: lines, one line without an
        end, and a million NIDs."""
        site = self.site()
        most = 160 << 20
        # The sanitizers need terabytes of address space.
        limited = {} if os.environ.get('ULNET_SANITIZED') else {
            'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))}
        line = 'Nov 14 22:13:20 n1 kernel: LustreError: 10.10.100.4@o2ib6002 timed out, rc = -110\n'
        lines = (line * ((1 << 20) // len(line))).encode()
        nids = ''.join(f'10.{i >> 16}.{i >> 8 & 255}.{i & 255}@tcp9 lost\n' for i in range(1_000_000)).encode()
        command = [FGR, 'explain-log', str(site), '--json']
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **limited) as process:
            for _ in range(256):
                process.stdin.write(lines)
            for _ in range(256):
                process.stdin.write(b'x' * (1 << 20))
            process.stdin.write(b'\n' + nids)
            said, wrong = process.communicate()
        self.assertEqual(process.returncode, 0, wrong)
        reported = json.loads(said)
        self.assertEqual(reported['bytes'], 256 * len(lines) + (256 << 20) + 1 + len(nids))
        self.assertEqual(reported['hosts'][0]['mentions'], 256 * len(lines) // len(line))
        self.assertEqual(reported['uncounted_mentions'], 1_000_000 - 200_000)

    def test_the_shell_completes_commands_and_options(self):
        script = ROOT / 'packaging/completion/ulnet-fgr.bash'

        def completed(*words):
            line = ' '.join(f"'{word}'" for word in ('ulnet-fgr', *words))
            text = f'. {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ulnet_fgr; printf "%s\\n" "${{COMPREPLY[@]}}"'
            path = f'{pathlib.Path(FGR).parent}:{os.environ["PATH"]}'
            done = subprocess.run(['bash', '-c', text], env={**os.environ, 'PATH': path}, cwd=self.folder, capture_output=True,
                                  text=True, check=True)
            return done.stdout.split()
        self.assertEqual(completed('ne'), ['new'])
        self.assertEqual(completed('plan', '--lab'), ['--lab-clients', '--lab-scale'])
        self.assertEqual(completed('new', '--net-'), ['--net-among-servers'])
        self.site(1)
        self.assertEqual(completed('plan', 'si'), ['site.yaml'])
        self.assertIn('xc30-dual-hca', completed('new', '--router-kind', 'xc'))

    def test_every_command_has_a_help_and_is_in_the_manual(self):
        manual = (ROOT / 'docs/man/ulnet-fgr.1.scd').read_text()
        commands = [command for command in self.run_fgr('--list-commands').stdout.split() if command != 'help']
        self.assertIn('plan', commands)
        for command in commands:
            self.run_fgr(command, '--help')
            self.assertRegex(manual, rf'(?m)^\*ulnet-fgr\* \*{command}\*')
