#!/usr/bin/env python3
"""Tests the checks of dev/: each finds a planted violation, and finds nothing in a clean tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Check(unittest.TestCase):
    """A small tree of files for planting violations; run() runs a check on it: exit code and output."""

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

    def finds(self, name, what):
        code, output = self.run_check(name)
        self.assertEqual(code, 1, output)
        self.assertIn(what, output)

    def clean(self, name):
        code, output = self.run_check(name)
        self.assertEqual(code, 0, output)


class Layers(Check):
    name = "check-layers.py"

    def setUp(self):
        super().setUp()
        for path in ("src/lnet/base/time.h", "src/lnet/wire/nid.h", "src/lnet/core/contract/ports.h", "src/lnet/core/memory/match.h",
                     "src/lnet/core/flow/step.h", "src/lnet/lnd/lnd.h", "src/lnet/lnd/lo/lo_lnd.h", "src/lnet/config/model.h",
                     "src/lnet/node/node.h", "include/ulnet/nid.hpp", "include/ulnet/lnet.hpp", "include/ulnet/node.hpp"):
            self.plant(path, "#pragma once\n")

    def test_down(self):
        self.plant("src/lnet/core/flow/a.cc", '#include "lnet/core/memory/match.h"\n#include "lnet/wire/nid.h"\n#include "ulnet/lnet.hpp"\n')
        self.plant("src/lnet/lnd/sock/a.cc", '#include "lnet/core/contract/ports.h"\n#include "lnet/lnd/lnd.h"\n')
        self.plant("src/admin/server/a.cc", '#include "lnet/node/node.h"\n#include "lnet/config/model.h"\n#include <thread>\n')
        self.plant("src/lnet/core/path/a_test.cc", '#include "lnet/core/flow/step.h"\n// not steady_clock\n')
        self.clean(self.name)

    def test_up(self):
        self.plant("src/lnet/wire/a.cc", '#include "lnet/core/memory/match.h"\n#include "../core/flow/step.h"\n')
        self.finds(self.name, "src/lnet/wire/a.cc:1: src/lnet/core/memory/match.h: which lies above lnet/wire")
        self.finds(self.name, "src/lnet/wire/a.cc:2: src/lnet/core/flow/step.h")

    def test_private_headers_of_a_product(self):
        self.plant("src/fgr/plan/a.cc", '#include "lnet/core/flow/step.h"\n')
        self.finds(self.name, "which lnet does not offer")

    def test_drivers(self):
        self.plant("src/lnet/lnd/pipe/a.cc", '#include "lnet/lnd/lo/lo_lnd.h"\n#include "lnet/core/memory/match.h"\n')
        self.finds(self.name, "which is another driver's")
        self.finds(self.name, "a driver includes only ports.h of the core")

    def test_public_headers(self):
        self.plant("src/lnet/core/flow/a.cc", '#include "ulnet/node.hpp"\n')
        self.plant("include/ulnet/lnet.hpp", '#include "lnet/base/time.h"\n')
        self.plant("examples/hello/a.cc", '#include "ulnet/node.hpp"\n#include "lnet/core/memory/match.h"\n')
        self.finds(self.name, "src/lnet/core/flow/a.cc:1: include/ulnet/node.hpp: which lies above lnet/core/flow")
        self.finds(self.name, "include/ulnet/lnet.hpp:1: src/lnet/base/time.h: a public header includes only what is installed")
        self.finds(self.name, "examples/hello/a.cc:2")

    def test_pure_folders(self):
        self.plant("src/lnet/core/flow/a.cc", "#include <mutex>\nauto t = std::chrono::steady_clock::now();\n")
        self.finds(self.name, "a.cc:1: <mutex> in a pure folder")
        self.finds(self.name, "a.cc:2: steady_clock in a pure folder")

    def test_circles(self):
        self.plant("src/lnet/core/flow/a.h", "#pragma once\n")
        self.plant("src/lnet/core/flow/b.h", "#pragma once\n")
        self.plant("src/lnet/core/flow/a.cc", '#include "lnet/core/flow/b.h"\n')
        self.clean(self.name)
        self.plant("src/lnet/core/flow/b.cc", '#include "lnet/core/flow/a.h"\n')
        self.finds(self.name, "a circle of includes: src/lnet/core/flow/a -> src/lnet/core/flow/b -> src/lnet/core/flow/a")

    def test_a_file_in_no_product(self):
        self.plant("src/attic/a.cc", "")
        self.finds(self.name, "attic is no folder of a product")


class Format(Check):
    name = "check-format"

    def setUp(self):
        super().setUp()
        (self.tree / ".clang-format").write_text((ROOT / ".clang-format").read_text())

    def test_laid_out(self):
        self.plant("src/lnet/base/a.cc", "int a() { return 1; }\n")
        self.clean(self.name)

    def test_not_laid_out(self):
        self.plant("src/lnet/base/a.cc", "int a(){return   1;}\n")
        self.finds(self.name, "src/lnet/base/a.cc:1")


class Paths(Check):
    name = "check-paths"

    def test_paths_that_exist(self):
        self.plant("src/lnet/core/memory/match.cc")
        self.plant("src/lnet/core/memory/match.h")
        self.plant("README.md", "See `src/lnet/core/memory/match.{cc,h}`, `src/*/*/memory/match.cc`, `make demo`, `a/b` and [it](src/lnet/core/memory/match.h).\n")
        self.clean(self.name)

    def test_a_path_that_does_not(self):
        self.plant("docs/ARCHITECTURE.md", "The study is `src/study/`.\n")
        self.finds(self.name, "names src/study/")

    def test_one_of_two_braces(self):
        self.plant("src/lnet/core/memory/match.cc")
        self.plant("README.md", "`src/lnet/core/memory/match.{cc,h}`\n")
        self.finds(self.name, "names src/lnet/core/memory/match.h")

    def test_a_link_to_nowhere(self):
        self.plant("README.md", "[the picture](docs/picture.svg)\n")
        self.finds(self.name, "links to docs/picture.svg")

    def test_code_is_no_link(self):
        self.plant("README.md", "An NI is `net[cpts](interface)`.\n")
        self.clean(self.name)

    def plant_pages(self):
        self.plant("docs/spec/wire.md", "# Wire\n## 1. Headers\n### 1.2 Types\n1. of PUT\n2. of GET\n## 2. Ends\n3. at last\n")
        self.plant("docs/DESIGN.md", "# Design\n## 4. Time\n")

    def test_citations_of_what_exists(self):
        self.plant_pages()
        self.plant("src/lnet/core/flow/a.h", "// Source: spec/wire.md 1.2, 2.3 and 1,\n// wire.md 1.2.2; DESIGN.md\n// 4.\n")
        self.plant("docs/CONTROL-API.md", "See `spec/wire.md` 2, `docs/DESIGN.md` and the file `docs/spec/wire.md`.\n")
        self.clean(self.name)

    def test_a_citation_of_a_page_that_is_not_there(self):
        self.plant_pages()
        self.plant("include/ulnet/a.h", "/* spec/wires.md 1 */\n")
        self.finds(self.name, "include/ulnet/a.h:1: cites docs/spec/wires.md")

    def test_a_citation_of_a_clause_that_is_not_there(self):
        self.plant_pages()
        self.plant("tests/lnet/recorded/captures/a_test.cc", "int a;\n// spec/wire.md 1.2,\n// 1.3: nothing\n")
        self.finds(self.name, "tests/lnet/recorded/captures/a_test.cc:2: cites docs/spec/wire.md 1.3")

    def test_a_clause_cited_behind_a_span(self):
        self.plant_pages()
        self.plant("docs/CONTROL-API.md", "As `docs/DESIGN.md` 5 says.\n")
        self.finds(self.name, "docs/CONTROL-API.md:1: cites docs/DESIGN.md 5")

    def test_a_page_that_cites_itself(self):
        self.plant_pages()
        self.plant("docs/spec/more.md", "## 1. More\nAs §1 says, and wire.md §1.2,\n§2.\n")
        self.clean(self.name)
        self.plant("docs/spec/more.md", "## 1. More\nAs wire.md §1.2 says,\nand §1.2.\n")
        self.finds(self.name, "docs/spec/more.md:3: cites its own 1.2")


class Tidy(Check):
    name = "check-tidy"

    def test_tidy(self):
        self.plant("src/lnet/base/a.cc", "int a;\n" * 500)
        self.clean(self.name)

    def test_a_file_that_is_too_long(self):
        self.plant("src/lnet/base/a.cc", "int a;\n" * 501)
        self.finds(self.name, "src/lnet/base/a.cc: 501 lines, 500 are allowed")

    @staticmethod
    def function(lines):
        return "namespace a {\n\nint A::b(int c,\n         int d) {\n" + "  ++c;\n" * (lines - 3) + "}\n\n}  // namespace a\n"

    def test_a_function_that_is_too_long(self):
        self.plant("src/lnet/base/a.cc", self.function(70))
        self.clean(self.name)
        self.plant("src/lnet/base/a.cc", self.function(71))
        self.finds(self.name, "src/lnet/base/a.cc:3: 71 lines, 70 are allowed")

    def test_long_files_may_only_become_shorter(self):
        self.plant("src/lnet/base/a.cc", self.function(80))
        self.plant("dev/too-long.txt", "# a list\n80 src/lnet/base/a.cc A::b\n")
        self.clean(self.name)
        self.plant("src/lnet/base/a.cc", self.function(81))
        self.finds(self.name, "src/lnet/base/a.cc:3: 81 lines, 80 are allowed")
        self.plant("src/lnet/base/a.cc", self.function(79))
        self.finds(self.name, "dev/too-long.txt has 80: it can be lowered")
        self.plant("src/lnet/base/a.cc", self.function(70))
        self.finds(self.name, "src/lnet/base/a.cc A::b is not too long any more")

    def test_a_comment_that_is_too_wide(self):
        self.plant("src/lnet/base/a.cc", "// " + "a" * 97 + "\n")
        self.clean(self.name)
        self.plant("src/lnet/base/a.cc", "  // " + "a" * 97 + "\n")
        self.finds(self.name, "src/lnet/base/a.cc:1: a comment of 102 columns")

    def test_text_that_is_too_wide(self):
        word = "a" * 60
        self.plant("docs/a.md", f"# {word} {word}\n\n| {word} | {word} |\n\n```\n{word} {word}\n```\n\n`{word} {word}`\n{word} {'a' * 59}\n")
        self.clean(self.name)
        self.plant("docs/a.md", f"- {word} {word}\n")
        self.finds(self.name, "docs/a.md:1: 123 columns")

    def test_unfinished(self):
        self.plant("src/lnet/base/a.cc", "// TO" + "DO: later\n")
        self.finds(self.name, "src/lnet/base/a.cc:1: unfinished")

    def test_a_path_of_one_machine(self):
        self.plant("docs/a.md", "built in /wor" + "k/main\n")
        self.finds(self.name, "a path of one machine")

    def test_a_name_that_says_nothing(self):
        self.plant("src/lnet/base/util.h", "")
        self.finds(self.name, "says nothing")


class Copies(Check):
    name = "check-copies.py"

    def test_six_equal_lines_in_two_files(self):
        lines = [f"  a[{i}] = {i};" for i in range(6)]
        self.plant("src/lnet/base/a.cc", "void f() {\n" + "\n".join(lines) + "\n}\n")
        self.plant("src/lnet/base/b.cc", "\n  // other\n".join(lines[:5]) + "\n{\n" + lines[0] + "\n}\n")
        self.clean(self.name)
        self.plant("src/lnet/wire/c.h", "#include <map>\n" + "\n\n  // other\n{\n  ".join(lines))
        self.finds(self.name, "src/lnet/base/a.cc:2: 6 lines of code as in src/lnet/wire/c.h:2")


class Coverage(Check):
    name = "check-coverage.py"

    def table(self, rows, page="wire-lnet"):
        self.plant(f"docs/coverage/{page}.md", "| clause | rule | shown by |\n|---|---|---|\n" + rows)

    def setUp(self):
        super().setUp()
        self.plant("src/lnet/wire/nid_test.cc", "// spec/wire-lnet.md 1.2\nTEST(Nid, round_trip) {}\n")
        self.plant("tests/lnet/live/ping.py", "def test_ping(): pass\n")
        self.plant("docs/spec/wire-lnet.md", "# LNet\n## 1. NIDs\n### 1.2 Legacy\n## 2. Order\n1. First.\n2. Second.\n```\n3. drawn\n```\n")

    def test_every_clause_shown(self):
        self.table("| 1.2a | x | `Nid.round_trip` |\n| 2.1 | y | `tests/lnet/live/ping.py: test_ping` |\n| 2.2 | z | none: a later issue |\n")
        self.clean(self.name)

    def test_a_source_of_the_core_without_its_clause(self):
        self.table("| 1.2a | x | `Nid.round_trip` |\n| 2.1 | y | none: a later issue |\n| 2.2 | z | none: a later issue |\n")
        self.plant("src/lnet/core/flow/a.cc", "// Sends a message.\n// Source: spec/wire-lnet.md 1.2.\n#include <map>\n")
        self.clean(self.name)
        self.plant("src/lnet/core/flow/b.cc", "// Sends a message.\n\n// spec/wire-lnet.md 1.2\n")
        self.finds(self.name, "src/lnet/core/flow/b.cc:1: begins with what the file does")

    def test_a_clause_of_the_specification_without_a_row(self):
        self.table("| 1.2 | x | `Nid.round_trip` |\n| 2.2 | z | none: a later issue |\n")
        self.finds(self.name, "docs/coverage/wire-lnet.md: clause 2.1 of docs/spec/wire-lnet.md has no row")

    def test_a_row_for_the_whole_is_not_one_for_its_parts(self):
        self.table("| 1.2 | x | `Nid.round_trip` |\n| 2 | z | none: a later issue |\n")
        self.finds(self.name, "clause 2.1 of docs/spec/wire-lnet.md has no row")

    def test_a_row_for_a_clause_that_does_not_exist(self):
        self.table("| 1.2 | x | `Nid.round_trip` |\n| 2.1 | y | none: a later issue |\n| 2.2 | y | none: a later issue |\n"
                   "| 2.3b | z | none: a later issue |\n")
        self.finds(self.name, "docs/coverage/wire-lnet.md: clause 2.3 is not in docs/spec/wire-lnet.md")

    def test_a_page_of_rules_without_a_page_of_coverage(self):
        self.test_every_clause_shown()
        self.plant("docs/spec/vectors.md", "## 1. Bytes\n")
        self.clean(self.name)
        self.plant("docs/spec/multirail.md", "## 1. Objects\n")
        self.finds(self.name, "docs/coverage/multirail.md: clause 1 of docs/spec/multirail.md has no row")

    def test_a_page_of_coverage_for_no_page_of_the_specification(self):
        self.table("| 1 | x | none: a later issue |\n", page="wire-pigeon")
        self.finds(self.name, "docs/coverage/wire-pigeon.md: there is no docs/spec/wire-pigeon.md")

    def test_neither_test_nor_reason(self):
        self.table("| 1.2 | x | `Nid.round_trip` |\n| 2 | y |  |\n")
        self.finds(self.name, "clause 2 has neither")

    def test_a_test_that_does_not_exist(self):
        self.table("| 1.2 | x | `Nid.no_such` |\n")
        self.finds(self.name, "Nid.no_such")

    def test_a_case_that_is_not_in_its_file(self):
        self.table("| 1.2 | x | `Nid.round_trip`, `tests/lnet/live/ping.py: test_pong` |\n")
        self.finds(self.name, "test_pong")

    def test_a_clause_listed_twice(self):
        self.table("| 1.2 | x | `Nid.round_trip` |\n| 1.2 | x | `Nid.round_trip` |\n")
        self.finds(self.name, "listed twice")

    def test_a_comment_that_names_an_unknown_clause(self):
        self.table("| 1.3 | x | `Nid.round_trip` |\n")
        self.finds(self.name, "wire-lnet 1.2 is not a clause")


class Docs(Check):
    name = "check-docs.py"

    def setUp(self):
        super().setUp()
        self.plant("Makefile", "demo: ## a demo\n")
        self.plant("src/lnet/wire/nid_test.cc", "TEST(Nid, RoundTrip) {}\n")
        self.plant("src/lab/start_stop_commands.cc", 'app.add_subcommand("up", "");\napp.add_flag("--keep", k, "");\n')
        self.plant("src/admin/ulnetctl/net.cc", '    {"add", "add: a net",\n     &add, {}},\n{"if", \'i\', Option::kValue}\n')
        self.plant("docs/NOT-YET.md", "# List\n\n## Other drivers\n\nNot yet.\n")
        self.document("")

    def document(self, text):
        self.plant("README.md", "`make demo`, `Nid.RoundTrip`, `Nid.Round*`, `ulnet-lab up FILE --keep`, `ulnetctl add --if eth0`; other\n"
                                "drivers [not yet](docs/NOT-YET.md#other-drivers).\n\n" + text)

    def test_existing_names(self):
        self.clean(self.name)

    def test_missing_names(self):
        for text, what in (("`Nid.RoundTrap`", "the test Nid.RoundTrap"), ("`make demon`", "make demon"),
                           ("```sh\nbin/ulnet-lab upp FILE\n```", "the command upp of ulnet-lab"), ("`--kept`", "the option --kept"),
                           ("`ulnetctl add --iff eth0`", "the option --iff of ulnetctl"), ("IPv8 is not built.", "'not built' without a link"),
                           ("[not yet](docs/NOT-YET.md#ipv8)", "the entry #ipv8")):
            with self.subTest(text=text):
                self.document(text + "\n")
                self.finds(self.name, what)


class Decisions(Check):
    name = "check-decisions.py"
    ROWS = "# Decisions\n\n| | decision | status |\n|---|---|---|\n| 001 | [One](001-one.md) | superseded by 002 |\n"

    def setUp(self):
        super().setUp()
        self.plant("docs/decisions/001-one.md", "# 1. One\n\nStatus: superseded by 002\n\nWhat: one.\n")
        self.plant("docs/decisions/002-two.md", "# 2. Two\n\nStatus: accepted\n\nWhat: two.\n")
        self.plant("docs/decisions/README.md", self.ROWS + "| 002 | [Two](002-two.md) | accepted |\n")

    def test_an_index_of_all(self):
        self.clean(self.name)

    def test_a_decision_that_the_index_lacks(self):
        self.plant("docs/decisions/README.md", self.ROWS)
        self.finds(self.name, "docs/decisions/README.md: its table is not what")

    def test_a_number_that_is_left_out(self):
        self.plant("docs/decisions/004-four.md", "# 4. Four\n\nStatus: accepted\n\nWhat: four.\n")
        self.finds(self.name, "004-four.md: is decision 3")

    def test_a_status_that_names_no_decision(self):
        self.plant("docs/decisions/002-two.md", "# 2. Two\n\nStatus: accepted; revised by 007\n\nWhat: two.\n")
        self.finds(self.name, "its status names 007, which does not exist")


class Words(Check):
    name = "check-words.py"

    def test_words_of_the_field(self):
        self.plant("src/lnet/core/flow/a.cc", "// The node forgets the peer NI that has been idle longest.\nint a;  ///< room for 3 `letters`\n")
        self.clean(self.name)

    def test_other_words(self):
        self.plant("src/lnet/core/flow/a.cc", "// The shard is\n// told. Of many one goes.\nint a;  ///< by letter\n")
        self.finds(self.name, "a.cc:1: a sentence begins with 'Of'")
        self.finds(self.name, "a.cc:1: 'told': write reported")
        self.finds(self.name, "a.cc:3: 'letter': write inter-shard message")
        self.plant("src/lnet/core/flow/a.cc", "/* told */ int saysItTold = f(\"door\", \"a node\"\n  \"was told\");\n")
        self.finds(self.name, "a.cc:1: the name saysItTold")
        self.finds(self.name, "a.cc:2: 'told': write reported")

    def test_scripts(self):
        self.plant("dev/a.py", 'A = "Of # told"  # a text\n\n\ndef a():\n    """Gives 1."""\n    return 1\n')
        self.plant("dev/a", "#!/bin/sh\necho told Of $#\n")
        self.clean(self.name)
        for path, text, what in (("dev/b.py", 'def b():\n    """Of\n    many."""\n    return 1\n', "b.py:2: a sentence begins with 'Of'"),
                                 ("dev/b.py", "# It is\n# told.\n", "b.py:1: 'told'"), ("dev/b.py", "B = 1  # told\n", "b.py:1: 'told'"),
                                 ("dev/b", "#!/bin/bash\n\nb  # told\n", "b:3: 'told'"), ("CMakeLists.txt", "# It is told.\n", "1: 'told'")):
            with self.subTest(path=path, text=text):
                self.plant(path, text)
                self.finds(self.name, what)

    def test_documents(self):
        self.plant("docs/a.md", "The `door` of [a\nnode](letter.md).\n\n```\n// Of many letters\n```\n\n| a | `told \\| card` |\n\n"
                                "<!-- printed by dev/planted-bugs -->\n| PeerEntryKept | it is told |\n")
        self.plant("docs/spec/a.md", "Of letters.\n")
        self.clean(self.name)
        for text, what in (("One is\ntold.\n", "'told'"), ("# A letter\n", "'letter'"), ("- *Who* asks\n", "a sentence begins with 'Who'"),
                           ("| a | By rail. |\n", "a sentence begins with 'By'"), ("[a door](a.md)\n", "'door'"),
                           ("<!-- printed by a -->\n| told |\n\n| a card |\n", "docs/b.md:4: 'card'")):
            with self.subTest(text=text):
                self.plant("docs/b.md", text)
                self.finds(self.name, what)


class PlantedBugs(Check):
    name = "planted-bugs"

    def test_patches(self):
        self.plant("src/lnet/core/a.cc", "int f(int a) {\n  a += 2;\n  return a;\n}\n")
        patch = ("What: nothing is added\nChecker: sums\nWorlds: 200\n\n--- a/src/lnet/core/a.cc\n+++ b/src/lnet/core/a.cc\n"
                 "@@ -1,3 +1,3 @@\n int f(int a) {\n-  a += 2;\n+  if (!PLANTED_BUG(Lost)) a += 2;\n   return a;\n")
        self.plant("tests/sim/planted/Lost.patch", patch)
        self.clean(self.name)
        self.plant("tests/sim/planted/Other.patch", patch)
        self.finds(self.name, "Other.patch: the lines that it adds have to name PLANTED_BUG(Other)")
        self.plant("tests/sim/planted/Other.patch", patch.replace("Lost", "Other"))
        self.finds(self.name, "Lost and Other change the same line 2")
        self.plant("tests/sim/planted/Other.patch", patch.replace("Lost", "Other").replace("+= 2;", "+= 3;"))
        self.finds(self.name, "Other.patch: does not apply to src/lnet/core/a.cc")


del Check  # a base class: only the classes derived from it have tests


if __name__ == "__main__":
    unittest.main()
