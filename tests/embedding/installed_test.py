"""Installs everything, with a prefix that the configuration did not know and with DESTDIR. The
files are where the units, the documents and the next steps say, and work from there."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.rigs.programs import ROOT, program

CTEST = {'LABELS': 'install,net', 'RESOURCE_LOCK': 'installation', 'SANITIZED': '0'}
BUILD = pathlib.Path(program('ulnetd')).resolve().parents[1]
PROGRAMS = {'bin/ulnetctl', 'bin/ulst', 'bin/ulnet-lab', 'bin/ulnet-fgr', 'bin/ulnet-sim', 'sbin/ulnetd'}
UNITS = ('ulnetd.service', 'ulnetd@.service')


def text_of(file):
    """The text of a file; empty for programs and libraries."""
    data = file.read_bytes()
    return '' if b'\0' in data else data.decode()


class Installed(unittest.TestCase):
    """An installation to `prefix`, whose files are in `place`."""

    def install(self, prefix, place, destdir=''):
        self.prefix, self.place = prefix, place
        done = subprocess.run(['cmake', '--install', BUILD, '--prefix', prefix], env={**os.environ, 'DESTDIR': str(destdir)},
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stdout

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def check_files(self):
        documents, examples = self.place / 'share/doc/ulnet', self.place / 'share/ulnet/examples'
        for program in PROGRAMS:
            self.assertTrue(os.access(self.place / program, os.X_OK), program)
            if shutil.which('scdoc'):
                self.assertTrue(list(self.place.glob(f'share/man/man?/{pathlib.Path(program).name}.?')), f'no man page of {program}')
        cited = {name for page in (*documents.glob('*.md'), *self.place.glob('include/ulnet/*'))
                 for name in re.findall(r'\b(?:docs/[A-Z]+\.md|(?:docs/)?spec/[a-z-]+\.md|examples/[a-z0-9_/-]+(?:\.\w+)?)', text_of(page))}
        self.assertIn('docs/API.md', cited)
        for name in cited:
            found = examples / name[9:] if name.startswith('examples/') else documents / name.removeprefix('docs/')
            self.assertTrue(found.exists(), f'{name} is cited, and is not installed')

    def check_names(self):
        """Files name other files of this installation by their place in the prefix, and no file of
        the build."""
        for unit in UNITS:
            text = (self.place / 'lib/systemd/system' / unit).read_text()
            for key, program in (('ExecStart', 'sbin/ulnetd'), ('ExecReload', 'bin/ulnetctl')):
                self.assertIn(f'\n{key}={self.prefix}/{program} ', text)
        for file in self.place.rglob('*'):
            if file.is_file() and not file.is_relative_to(self.place / 'share/doc'):
                for foreign in (str(ROOT), str(BUILD), *(['/usr/local'] if file.suffix in ('.service', '.conf', '.pc') else [])):
                    self.assertNotIn(foreign, text_of(file), file)

    def check_next_steps(self):
        steps = self.said[self.said.index('To run a node as a service'):].replace('/usr/local/bin/', '')  # the steps may make links there
        named = re.findall(rf'{re.escape(str(self.prefix))}(/[\w@./-]*\w)', steps)
        for path in ('/sbin/ulnetd', '/lib/systemd/system/ulnetd.service', '/share/ulnet/examples/ulnet.conf', '/share/doc/ulnet'):
            self.assertIn(path, named)
        for path in named:
            self.assertTrue((self.place / path[1:]).exists(), f'the next steps name {path}, which is not installed')

    def verify(self, folder, *options):
        """What systemd says about the units in the folder, and about one instance of
        ulnetd@.service."""
        for unit in UNITS:
            named = folder / unit.replace('@', '@a')
            if not named.exists():
                named.write_text((folder / unit).read_text())
            done = subprocess.run(['systemd-analyze', '--man=no', *options, 'verify', named if not options else named.name],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ''), unit)


class Prefix(Installed):
    """A prefix that the configuration did not know."""

    def setUp(self):
        prefix = self.folder() / 'opt/ulnet'
        self.install(prefix, prefix)

    def test_everything_is_there_and_named_by_its_place(self):
        self.check_files()
        self.check_names()
        self.check_next_steps()
        self.assertIn(f'ulnet is installed in {self.prefix}.', self.said)

    @unittest.skipUnless(shutil.which('systemd-analyze'), 'needs systemd-analyze')
    def test_systemd_takes_the_units(self):
        self.verify(self.place / 'lib/systemd/system')

    def test_the_sample_configuration_is_right(self):
        done = subprocess.run([self.place / 'sbin/ulnetd', '--check', '--config', self.place / 'share/ulnet/examples/ulnet.conf'],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_laboratory_runs_from_there(self):
        """ulnet-lab finds its examples, and ulnetd, which is in another folder, without PATH."""
        state = self.folder()
        lab = [self.place / 'bin/ulnet-lab']
        environment = {'PATH': '/usr/bin:/bin', 'HOME': str(state), 'XDG_RUNTIME_DIR': str(state)}
        name = f'installed{os.getpid()}'
        up = subprocess.run([*lab, 'up', 'two-nodes', '--name', name], env=environment, capture_output=True, text=True, timeout=120, check=False)
        down = subprocess.run([*lab, 'down', name], env=environment, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((up.returncode, down.returncode), (0, 0), up.stderr + down.stderr)


class Staged(Installed):
    """An installation with DESTDIR, as for packages."""

    def setUp(self):
        stage = self.folder()
        self.install(pathlib.Path('/usr'), stage / 'usr', stage)
        self.stage = stage

    def test_everything_is_there_and_named_by_where_it_will_be(self):
        self.check_files()
        self.check_names()
        self.check_next_steps()
        self.assertIn(f'The files of /usr are in {self.stage}/usr.', self.said)
        self.assertEqual({entry.name for entry in self.stage.iterdir()}, {'usr'})

    @unittest.skipUnless(shutil.which('systemd-analyze'), 'needs systemd-analyze')
    def test_systemd_takes_the_units(self):
        units = self.place / 'lib/systemd/system'
        for needed in pathlib.Path('/usr/lib/systemd/system').glob('*.target'):
            shutil.copy(needed, units)
        self.verify(units, f'--root={self.stage}')
