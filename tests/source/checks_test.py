#!/usr/bin/env python3
"""Tests the checks of dev/: each finds nothing in a clean tree, and finds a planted violation."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Checks(unittest.TestCase):
    """A small tree of files for planting violations."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)

    def plant(self, path, text=""):
        (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / path).write_text(text)

    def run_check(self, name):
        run = subprocess.run([sys.executable, ROOT / "dev" / name, "--root", self.tree], capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def finds(self, name, *findings):
        code, output = self.run_check(name)
        self.assertEqual(code, 1, output)
        for finding in findings:
            self.assertIn(finding, output)

    def clean(self, name):
        code, output = self.run_check(name)
        self.assertEqual(code, 0, output)

    def test_layers(self):
        self.plant("src/lnet/wire/nid.h", "#pragma once\n")
        self.plant("src/lnet/core/memory/match.h", '#pragma once\n#include "lnet/wire/nid.h"\n')
        self.clean("check-layers.py")
        self.plant("src/lnet/wire/nid.cc", '#include "lnet/core/memory/match.h"\n')
        self.finds("check-layers.py", "src/lnet/wire/nid.cc:1: src/lnet/core/memory/match.h: which lies above lnet/wire")

    def test_layers_knows_who_may_name_a_driver(self):
        include = '#include "lnet/lnd/sock/engine/tunables.h"\n'
        self.plant("src/lnet/lnd/sock/engine/tunables.h", "#pragma once\n")
        for allowed in ("src/lnet/lnd/sock/reactor/a.cc", "src/lnet/node/runtime/drivers.cc", "src/lnet/catalog/known_drivers.cc",
                        "src/lnet/node/a_test.cc", "src/lnet/node/a_fixture.h", "src/sim/world/a.cc"):
            self.plant(allowed, include)
        self.clean("check-layers.py")
        refused = {"src/lnet/node/runtime/driver_log.h": "one driver's", "src/lnet/os/a.cc": "one driver's",
                   "src/lnet/lnd/lnd.h": "above lnet/lnd", "src/lnet/lnd/pipe/a.cc": "above lnet/lnd/pipe",
                   "src/admin/server/a.cc": "lnet does not offer"}
        for path in refused:
            self.plant(path, include)
        self.finds("check-layers.py", *(f"{path}:1: src/lnet/lnd/sock/engine/tunables.h: which" for path in refused), *refused.values())

    def test_format(self):
        self.plant(".clang-format", (ROOT / ".clang-format").read_text())
        self.plant("src/lnet/base/a.cc", "int a() { return 1; }\n")
        self.clean("check-format")
        self.plant("src/lnet/base/a.cc", "int a(){return   1;}\n")
        self.finds("check-format", "src/lnet/base/a.cc:1")

    def test_paths(self):
        self.plant("docs/spec/wire.md", "## 1. Headers\n")
        self.plant("src/lnet/wire/a.cc", "// spec/wire.md 1\n")
        self.plant("README.md", "See `src/lnet/wire/a.cc`.\n")
        self.clean("check-paths")
        self.plant("src/lnet/wire/a.cc", "// spec/wire.md 2\n")
        self.plant("README.md", "See `src/lnet/wire/b.cc`.\n")
        self.finds("check-paths", "README.md: names src/lnet/wire/b.cc", "src/lnet/wire/a.cc:1: cites docs/spec/wire.md 2")

    def test_tidy(self):
        self.plant("src/lnet/base/a.cc", "int a;\n" * 500)
        self.clean("check-tidy")
        self.plant("src/lnet/base/a.cc", "int a;\n" * 501)
        self.finds("check-tidy", "src/lnet/base/a.cc: 501 lines, 500 are allowed")

    def test_tidy_finds_classes_of_many_files(self):
        def plant(folder, count, head):
            for i in range(count):
                self.plant(f"{folder}/part{i}.cc", f"namespace ulnet {{\n{head.format(i)}\n}}\n")

        plant("src/lnet/core/flow", 4, "void Shard::f{}() {{}}")
        plant("src/lnet/node", 3, "void Node::f{}() {{\n  Thread::stop();\n}}")
        plant("src/lnet/os", 1, "void Node::f{}() {{}}")
        plant("src/lab", 4, "int f{}() {{ return Lab::all(); }}\nconst int n = Lab::all();")
        self.clean("check-tidy")
        plant("src/lnet/node", 4, "std::vector<Node::Part>\nNode::f{}(int a) const {{")
        self.finds("check-tidy", "src/lnet/node: class Node: 4 files, 3 are allowed")
        self.plant("dev/too-long.txt", "4 src/lnet/node Node\n")
        self.clean("check-tidy")
        plant("src/lnet/node", 4, "")
        self.finds("check-tidy", "dev/too-long.txt: src/lnet/node Node is not too long any more")

    def test_copies(self):
        lines = [f"  a[{i}] = {i};" for i in range(6)]
        self.plant("src/lnet/base/a.cc", "void f() {\n" + "\n".join(lines) + "\n}\n")
        self.plant("src/lnet/base/b.cc", "\n  // other\n".join(lines[:5]) + "\n{\n" + lines[0] + "\n}\n")
        self.clean("check-copies.py")
        self.plant("src/lnet/wire/c.h", "#include <map>\n" + "\n\n  // other\n{\n  ".join(lines))
        self.finds("check-copies.py", "src/lnet/base/a.cc:2: 6 lines of code as in src/lnet/wire/c.h:2")

    def test_coverage(self):
        self.plant("docs/spec/wire-lnet.md", "# LNet\n## 1. NIDs\n## 2. Nets\n")
        self.plant("dev/untested.txt", "wire-lnet 2: a later issue\n")
        self.plant("src/lnet/wire/nid_test.cc", "TEST(Nid, RoundTrip) {  // spec/wire-lnet.md 1\n}\n")
        page = subprocess.run([ROOT / "dev/check-coverage.py", "--root", self.tree, "--page"], capture_output=True, text=True, check=True).stdout
        self.assertIn("| 1 | NIDs | `Nid.RoundTrip` |\n| 2 | Nets | none: a later issue |\n", page)
        self.plant("docs/COVERAGE.md", page)
        self.clean("check-coverage.py")
        self.plant("src/lnet/wire/nid_test.cc", "TEST(Nid, RoundTrip) {\n}\n")
        self.finds("check-coverage.py", "docs/spec/wire-lnet.md: no test shows clause 1", "docs/COVERAGE.md: is not what")

    def test_docs(self):
        self.plant("Makefile", "demo: ## a demo\n")
        self.plant("docs/NOT-YET.md", "# List\n")
        self.plant("README.md", "`make demo`\n")
        self.clean("check-docs.py")
        self.plant("README.md", "`make demon`\n")
        self.finds("check-docs.py", "make demon")

    def test_decisions(self):
        rows = "# Decisions\n\n| | decision | status |\n|---|---|---|\n| 001 | [One](001-one.md) | accepted |\n"
        self.plant("docs/decisions/001-one.md", "# 1. One\n\nStatus: accepted\n\nWhat: one.\n")
        self.plant("docs/decisions/README.md", rows)
        self.clean("check-decisions.py")
        self.plant("docs/decisions/002-two.md", "# 2. Two\n\nStatus: accepted\n\nWhat: two.\n")
        self.finds("check-decisions.py", "docs/decisions/README.md: its table is not what")

    def test_words(self):
        self.plant("src/lnet/core/flow/a.cc", "// The node forgets the peer NI that has been idle longest.\n")
        self.clean("check-words.py")
        self.plant("src/lnet/core/flow/a.cc", "// Of many the shard is told.\n")
        self.finds("check-words.py", "a.cc:1: a sentence begins with 'Of'", "a.cc:1: 'told': write reported")

    def test_planted_bugs(self):
        patch = ("What: nothing is added\nChecker: sums\nWorlds: 200\n\n--- a/src/lnet/core/a.cc\n+++ b/src/lnet/core/a.cc\n"
                 "@@ -1,3 +1,3 @@\n int f(int a) {\n-  a += 2;\n+  if (!PLANTED_BUG(Lost)) a += 2;\n   return a;\n")
        self.plant("tests/sim/planted/Lost.patch", patch)
        self.plant("src/lnet/core/a.cc", "int f(int a) {\n  a += 2;\n  return a;\n}\n")
        self.clean("planted-bugs")
        self.plant("src/lnet/core/a.cc", "int f(int a) {\n  a += 3;\n  return a;\n}\n")
        self.finds("planted-bugs", "Lost.patch: does not apply to src/lnet/core/a.cc")


if __name__ == "__main__":
    unittest.main()
