#!/usr/bin/env python3
"""Tests dev/sim-digests: it notices a build with another history, a build whose second run differs,
and a build that fails. The builds are scripts that print the digests of the list, or slightly
different ones."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("sim_digests", str(ROOT / "dev/sim-digests"))
sim_digests = importlib.util.module_from_spec(importlib.util.spec_from_loader("sim_digests", loader))
loader.exec_module(sim_digests)

LIST = "1 00000000000000a1\n2 00000000000000b2\nfirst 00000000000000c3\n"
PROGRAM = """#!/bin/sh
mkdir "$0.$1" 2>/dev/null && again= || again=yes
one=a1 two=b2 first=195
{spoil}
[ $1 = digest ] || {{ echo "{{\\"digest\\": $first}}"; exit 1; }}  # as an example that fails on purpose
printf '%016x %016x\\n' 1 0x$one 2 0x$two | sed 's/^0*//'
"""


class Digests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.list = self.root / "digests.txt"
        self.list.write_text(LIST)
        (self.root / "examples/sim").mkdir(parents=True)
        (self.root / "examples/sim/first.yaml").touch()
        for name, value in (("ROOT", self.root), ("LIST", self.list)):
            patched = mock.patch.object(sim_digests, name, value)
            patched.start()
            self.addCleanup(patched.stop)

    def program(self, spoil=":", name="program"):
        path = self.root / name
        path.write_text(PROGRAM.format(spoil=spoil))
        path.chmod(0o755)
        return str(path)

    def run_it(self, *args):
        """Runs sim-digests and returns its exit code and output."""
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["sim-digests", *args]), contextlib.redirect_stdout(said):
            try:
                sim_digests.main()
            except SystemExit as end:
                return 1, f"{said.getvalue()}{end.code}"
        return 0, said.getvalue()

    def finds(self, spoil, *words):
        code, said = self.run_it("--check", self.program(), "--check", self.program(spoil, "odd"))
        self.assertEqual(code, 1)
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("program:", said)

    def test_builds_that_agree(self):
        self.assertEqual(self.run_it("--check", self.program(), "--check", self.program(name="other"))[0], 0)

    def test_another_history(self):
        self.finds("two=b3", "odd: 2 has digest 00000000000000b3, in the list is 00000000000000b2", "1 of 2 are not as in the list")

    def test_another_history_in_every_build(self):
        code, said = self.run_it("--check", self.program("two=b3"))
        self.assertEqual(code, 1)
        self.assertIn("--renew", said)

    def test_another_history_of_an_example(self):
        self.finds("first=196", "odd: first has digest 00000000000000c4, in the list is 00000000000000c3")

    def test_a_second_run_that_differs(self):
        self.finds("[ -z $again ] || two=b3", "odd: two runs of it differ")

    def test_a_world_that_is_missing(self):
        self.finds('[ $1 = run ] || { echo "1 00000000000000a1"; exit 0; }', "odd: 2 has digest None")

    def test_a_world_that_nobody_asked_for(self):
        self.finds("[ $1 = run ] || echo 9 99", "odd: 9 has digest 99, in the list is None")

    def test_a_build_that_dies(self):
        self.finds("exit 3", "odd digest --seeds", "exit code 3")

    def test_the_matrix_names_the_build_that_differs(self):
        builds = {preset: self.program(name=preset) for preset in sim_digests.MATRIX}
        with mock.patch.object(sim_digests, "build", builds.get):
            code, said = self.run_it("--matrix")
            self.assertEqual(code, 0, said)
            self.program("two=0", "asan")
            code, said = self.run_it("--matrix")
        self.assertEqual(code, 1)
        self.assertIn("asan: 2 has digest", said)
        self.assertEqual(said.count("has digest"), 1)

    def test_the_list_is_rewritten(self):
        self.list.write_text("")
        self.assertEqual(self.run_it("--renew", self.program())[0], 0)
        self.assertEqual(self.list.read_text(), LIST)


if __name__ == "__main__":
    unittest.main(verbosity=0)
