#!/usr/bin/env python3
"""How a daemon is started: its command line, and the shell's completion of it."""
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import daemon_rig
from daemon_rig import E2e, run

COMPLETION = pathlib.Path(__file__).resolve().parents[2] / 'packaging/completion/ulnetd.bash'


class CommandLine(E2e):
    def test_its_mistakes_and_its_help(self):
        for arguments in (['--nonsense'], ['--set', 'accept'], ['--set', 'nosuch=1'], ['--set', 'accept=x'], ['--name', 'a/b'],
                          ['--accept-port', '0'], ['--accept-port', '70000'], ['--net', 'nonet'], ['--log-format', 'xml'],
                          ['--metrics', '-1'], ['--drain', '-1'], ['positional']):
            with self.subTest(arguments=arguments):
                self.assertEqual(run('--check', *arguments)[0], 2)
        self.assertEqual(run('--help')[0], 0)
        self.assertEqual(run('help'), run('--help'))
        self.assertEqual(run('--accpt-port', '988')[2], "ulnetd: there is no option '--accpt-port'. See 'ulnetd --help'.\n"
                                                        "Did you mean '--accept-port'?\n")
        self.assertRegex(run('--version')[1], r'^ulnetd \d+\.\d+\.\d+\n$')


    def test_the_shell_completes_options_and_their_words(self):
        def completed(*words):
            line = ' '.join(f"'{word}'" for word in (daemon_rig.ULNETD, *words))
            return subprocess.run(['bash', '-c', f'. {COMPLETION}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ulnetd; '
                                                 'printf "%s\\n" "${COMPREPLY[@]}"'],
                                  cwd=self.folder.path, capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(completed('--log-l'), ['--log-level'])
        self.assertEqual(completed('--log-level', ''), ['debug', 'info', 'warning', 'error'])
        self.assertEqual(completed('--mode', 'd'), ['dedicated'])
        self.assertIn('lo', completed('--if', ''))
        self.folder.file('new.conf', '')
        self.assertEqual(completed('--config', 'new'), ['new.conf'])
        self.assertEqual(completed('he'), ['help'])


if __name__ == '__main__':
    daemon_rig.take_program_from_arguments()
    unittest.main()
