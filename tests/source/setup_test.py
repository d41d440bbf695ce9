#!/usr/bin/env python3
"""Tests dev/setup without changing this machine: dpkg-query, id, sudo and apt-get are stand-ins on the PATH."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name)
        self.log = self.bin / "log"
        for tool in ("bash", "env", "dirname", "sed", "cat", "true"):
            (self.bin / tool).symlink_to(pathlib.Path(f"/usr/bin/{tool}"))
        self.tool("id", "echo ${FAKE_UID:-0}")
        self.tool("apt-get", f'echo apt-get "$@" >> {self.log}; [ "${{FAKE_APT:-ok}}" = ok ]')
        self.given_installed_but("scdoc")

    def tool(self, name, body):
        (self.bin / name).write_text(f"#!/usr/bin/bash\n{body}\n")
        (self.bin / name).chmod(0o755)

    def given_installed_but(self, *missing):
        cases = "".join(f" {package}) exit 1 ;;" for package in missing)
        self.tool("dpkg-query", f'case "${{@: -1}}" in{cases} *) printf installed ;; esac')

    def run_setup(self, *args, **environment):
        run = subprocess.run([ROOT / "dev/setup", *args], env={"PATH": str(self.bin), **environment}, capture_output=True,
                             text=True, stdin=subprocess.DEVNULL, timeout=30, check=False)
        return run.returncode, run.stdout + run.stderr, self.log.read_text() if self.log.exists() else ""

    def answered(self, answer, *args):
        """Like run_setup(), at a terminal at which a user types `answer`."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        os.write(ours, answer.encode())
        with open(theirs, "r+b", buffering=0) as terminal:
            run = subprocess.run([ROOT / "dev/setup", *args], env={"PATH": str(self.bin)}, stdin=terminal, stdout=terminal,
                                 stderr=terminal, timeout=30, check=False)
        return run.returncode, os.read(ours, 65536).decode(), self.log.read_text() if self.log.exists() else ""

    def test_nothing_missing_does_nothing(self):
        self.given_installed_but()
        self.assertEqual(self.run_setup(), (0, "", ""))

    def test_installs_only_what_is_missing(self):
        code, _, log = self.run_setup()
        self.assertEqual(code, 0)
        self.assertRegex(log.splitlines()[-1], r"install -y --no-install-recommends scdoc$")

    def test_at_a_terminal_it_asks_first(self):
        for yes in ("\n", "y\n", "Yes\n"):
            code, output, log = self.answered(yes)
            self.assertEqual(code, 0)
            self.assertIn("1 packages are missing: scdoc", output)
            self.assertIn("[Y/n]", output)
            self.assertIn("install -y --no-install-recommends scdoc", log)
            self.log.unlink()
        for no in ("n\n", "no\n", "what?\n", "\4"):  # the last one is the end of the input
            code, output, log = self.answered(no)
            self.assertEqual((code, log), (5, ""))
            self.assertIn("nothing was installed", output)

    def test_only_the_kinds_that_are_named_are_installed(self):
        self.given_installed_but("libfmt-dev", "libgtest-dev", "clang-19", "scdoc", "chromium")
        for kinds, packages in ((("build",), "libfmt-dev"), (("build", "test"), "libfmt-dev libgtest-dev"), (("docs",), "scdoc"),
                                ((), "libfmt-dev libgtest-dev clang-19 scdoc")):
            self.assertEqual(self.run_setup("--check", *kinds)[:2], (1, f"missing: {packages}\n"))
            _, _, log = self.run_setup(*kinds)
            self.assertEqual(log.splitlines()[-1].partition("recommends ")[2], packages)

    def test_a_kind_that_there_is_not(self):
        code, output, log = self.run_setup("bulid")
        self.assertEqual((code, log), (1, ""))
        self.assertIn("there is no kind 'bulid'", output)

    def test_each_target_names_kinds_and_the_demo_only_what_it_needs(self):
        kinds = {}
        for target, asked in re.findall(r"^([a-z-]+):.*\n\t@dev/setup(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE):
            kinds[target] = asked.split()
            self.assertNotIn("there is no kind", self.run_setup("--check", *kinds[target])[1])
        self.assertEqual((kinds["demo"], kinds["test"]), (["build"], ["build", "test", "browser"]))
        self.tool("dpkg-query", "exit 1")  # nothing is installed
        _, demo, _ = self.run_setup("--check", *kinds["demo"])
        self.assertIn("g++", demo)
        self.assertNotRegex(demo, r"clang|tshark|valgrind|gtest|chromium|iperf3|strace")

    def test_the_browser_is_installed_when_it_is_asked_for(self):
        self.given_installed_but("chromium")
        self.assertEqual(self.run_setup(), (0, "", ""))
        code, _, log = self.run_setup("build", "browser")
        self.assertEqual(code, 0)
        self.assertRegex(log.splitlines()[-1], r"install -y --no-install-recommends chromium$")

    def test_a_browser_that_cannot_be_had_is_no_failure(self):
        self.given_installed_but("chromium")
        code, output, _ = self.run_setup("browser", FAKE_APT="broken")
        self.assertEqual(code, 0)
        self.assertIn("tests of web pages are skipped", output)

    def test_another_missing_package_fails_despite_the_browser(self):
        self.given_installed_but("chromium", "scdoc")
        self.assertEqual(self.run_setup("docs", "browser", FAKE_APT="broken")[0], 4)

    def test_check_installs_nothing(self):
        code, output, log = self.run_setup("--check")
        self.assertEqual((code, output, log), (1, "missing: scdoc\n", ""))

    def test_no_root_and_no_sudo_names_the_line_to_type(self):
        code, output, log = self.run_setup(FAKE_UID="1000")
        self.assertEqual((code, log), (3, ""))
        self.assertIn("apt-get install --no-install-recommends scdoc", output)

    def test_a_sudo_that_asks_for_a_password_is_not_used(self):
        self.tool("sudo", "exit 1")
        self.assertEqual(self.run_setup(FAKE_UID="1000")[0], 3)

    def test_sudo_without_a_password_is(self):
        self.tool("sudo", 'shift; exec "$@"')
        code, _, log = self.run_setup(FAKE_UID="1000")
        self.assertEqual(code, 0)
        self.assertIn("scdoc", log)

    def test_a_failed_installation_says_what_is_missing(self):
        code, output, _ = self.run_setup(FAKE_APT="broken")
        self.assertEqual(code, 4)
        self.assertIn("scdoc", output)

    def test_another_system(self):
        (self.bin / "dpkg-query").unlink()
        code, output, _ = self.run_setup()
        self.assertEqual(code, 2)
        self.assertIn("not a Debian system", output)


if __name__ == "__main__":
    unittest.main()
