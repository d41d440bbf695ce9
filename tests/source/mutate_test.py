#!/usr/bin/env python3
"""Tests dev/mutate: which changes it finds in a text and which it does not make, that a seed draws
the same mutants again, and how it counts verdicts. This test compiles and runs no mutants."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DEV = pathlib.Path(__file__).resolve().parents[2] / "dev"
sys.dont_write_bytecode = True
sys.path.insert(0, str(DEV))

import mutations  # noqa: E402

loader = importlib.machinery.SourceFileLoader("mutate", str(DEV / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)


def changes(text):
    return {(mutant.old, mutant.new) for mutant in mutations.find("a.cc", text)}


class Changes(unittest.TestCase):
    def test_comparisons_arithmetic_and_logic(self):
        self.assertEqual(changes("  if (a < b && c == d) return;\n"),
                         {("<", "<="), ("&&", "||"), ("==", "!="), ("a < b && c == d", "!(a < b && c == d)")})
        self.assertEqual(changes("  return x + y - z;\n"), {("+", "-"), ("-", "+")})

    def test_negations(self):
        self.assertEqual(changes("  if (!done) return;\n"), {("!", "")})
        self.assertEqual(changes("  if (done()) return;\n"), {("done()", "!(done())")})

    def test_numbers_and_truth(self):
        self.assertEqual(changes("  return f(0, 1, 7, 0x10U, true);\n"),
                         {("0", "1"), ("1", "0"), ("7", "8"), ("0x10U", "17U"), ("true", "false")})

    def test_statements_left_out(self):
        text = "{\n  int x = y;\n  peer.count = y;\n  use(peer);\n  return use(x);\n}\n"
        self.assertEqual(changes(text), {("peer.count = y;", ";"), ("use(peer);", ";")})

    def test_text_outside_code_stays(self):
        self.assertEqual(changes('// a < b\n#include <x>\n  return say("1 + 2", \'3\');\n'), set())
        self.assertEqual(changes("  std::vector<int> a; auto&& b = *c; d->e(-f);\n"), set())

    def test_assertions_and_log_lines_stay(self):
        self.assertEqual(changes("{\n  ULNET_ASSERT(a == 1);\n  step.note(Level::kInfo, \"so\", a + 1);\n}\n"), set())

    def test_sizes_in_headers_stay(self):
        line = "  std::array<int, 4> a;\n  int b = 4;\n"
        self.assertEqual([mutant.line for mutant in mutations.find("a.h", line)], [2])
        self.assertEqual([mutant.line for mutant in mutations.find("a.cc", line)], [1, 2])

    def test_a_change_is_made_in_its_place_only(self):
        text = "  a = 1;\n  b = 1;\n"
        second = [mutant for mutant in mutations.find("a.cc", text) if mutant.line == 2 and mutant.old == "1"]
        self.assertEqual([mutant.apply(text) for mutant in second], ["  a = 1;\n  b = 0;\n"])
        self.assertEqual(str(second[0]), "a.cc:2:7: 1 -> 0   in: b = 1;")


class Drawing(unittest.TestCase):
    def listed(self, *arguments):
        return subprocess.run([DEV / "mutate", "--list", *arguments], capture_output=True, text=True, check=True).stdout

    def test_a_seed_draws_the_same_again(self):
        self.assertEqual(self.listed("--count", "30", "--seed", "5"), self.listed("--count", "30", "--seed", "5"))
        self.assertNotEqual(self.listed("--count", "30", "--seed", "5"), self.listed("--count", "30", "--seed", "6"))
        self.assertTrue(self.listed("--count", "30").endswith("30 mutants\n"))

    def test_one_file(self):
        lines = self.listed("--count", "0", "--file", "match.cc").splitlines()[:-1]
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue(line.startswith("src/lnet/core/memory/match.cc:"), line)


class Areas(unittest.TestCase):
    def test_the_areas_core_and_engine(self):
        core, engine = mutate.AREAS
        names = {area.name: {path.name for path in (*area.sources(), *area.headers())} for area in mutate.AREAS}
        every = {path.name for path in (mutate.SRC / "lnet/core").rglob("*") if path.suffix in (".cc", ".h")}
        self.assertEqual({name for name in every - names["core"] if not name.endswith(("_test.cc", "_fixture.h"))}, set())
        self.assertLessEqual({"engine_greet.cc", "receiver.cc", "tx_queue.h"}, names["engine"])
        self.assertEqual({"reactor.cc", "sock_lnd.cc", "sockets.cc"} & names["engine"], set())
        self.assertIs(mutate.area_of(mutate.SRC / "lnet/core/memory/match.cc"), core)
        self.assertIs(mutate.area_of(mutate.SRC / "lnet/lnd/sock/engine/receiver.cc"), engine)

    def test_tests_with_several_shards_run_too(self):
        self.assertTrue(any(dict(run.environment).get("ULNET_TEST_SHARDS", "1") != "1" for run in mutate.AREAS[0].runs))

    def test_indirect_includers_of_a_header(self):
        self.assertIn(mutate.SRC / "lnet/core/path/credit.h", mutate.includes_all(mutate.SRC / "lnet/core/flow/transmission.cc"))
        self.assertNotIn(mutate.SRC / "lnet/core/flow/shard.h", mutate.includes_all(mutate.SRC / "lnet/core/memory/match.cc"))

    def test_mutants_of_one_area_and_of_a_header(self):
        lines = subprocess.run([DEV / "mutate", "--list", "--count", "0", "--area", "engine"], capture_output=True, text=True,
                               check=True).stdout.splitlines()[:-1]
        self.assertTrue(all(line.startswith("src/lnet/lnd/sock/") for line in lines))
        self.assertTrue(any(line.startswith("src/lnet/lnd/sock/engine/tx_queue.h:") for line in lines))


class Commands(unittest.TestCase):
    SOURCE = mutate.SRC / "lnet/core" / "peer.cc"

    def built(self):
        plain = {"file": str(self.SOURCE), "command": f"ccache clang++ -Isrc -MD -MF a.d -o a.o -c {self.SOURCE}"}
        test = {"file": str(self.SOURCE.with_name("peer_test.cc")), "command": "clang++ -Isrc -c peer_test.cc"}
        build = mutate.Build(pathlib.Path("build"))
        build.compile = build.commands_of([plain, test], {self.SOURCE.parent})
        return build

    def test_a_library_is_compiled_without_optimisation(self):
        self.assertEqual(self.built().compile, {self.SOURCE: ["clang++", "-Isrc", "-O0", "-g0", "-w"]})

    def test_a_changed_header_is_found_before_the_one_that_it_replaces(self):
        with tempfile.TemporaryDirectory() as folder:
            for place, text in (("src", "old"), ("first", "changed")):
                path = pathlib.Path(folder, place, "lnet/core/path", "peer.h")
                path.parent.mkdir(parents=True)
                path.write_text(f"{text}\n")
            pathlib.Path(folder, "a.cc").write_text('#include "lnet/core/path/peer.h"\n')
            words = self.built().compile_command(self.SOURCE, "a.cc", "others", "a.o", ["first"])
            words = [word for word in words[1:words.index("-include-pch")] if word != "-w"]
            made = subprocess.run(["c++", *words, "-E", "-P", "a.cc"], cwd=folder, check=True, capture_output=True, text=True).stdout
        self.assertEqual(made.strip(), "changed")


class Verdicts(unittest.TestCase):
    def test_every_mutant_is_tried(self):
        class Runner:
            def try_mutant(self, mutant):
                return "killed: test" if mutant.new == ";" else "survived"

            def stop(self):
                raise AssertionError("nothing failed")

        mutants = mutations.find("a.cc", "  f(1, 2);\n")
        report = mutate.Report(len(mutants))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            mutate.try_all(Runner(), mutants, 2, report)
        self.assertEqual({mutant for mutant, _ in report.verdicts}, set(mutants))
        self.assertEqual(out.getvalue().count("survived"), len(report.survivors()))

    def test_equivalent_mutants_do_not_count(self):
        report = mutate.Report(5)
        mutants = mutations.find("a.cc", "  f(1, 2, 3, 4, 5);\n")
        verdicts = ["killed: test", "killed: endless", "survived", "does not compile", "same code"]
        for mutant, verdict in zip(mutants, verdicts):
            report.verdicts.append((mutant, verdict))
        self.assertEqual((report.killed(), report.counted()), (2, 3))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            report.write(path, 7)
            kept = json.loads(path.read_text())
        self.assertEqual((kept["seed"], kept["tried"], kept["counted"], kept["killed"], kept["share"]), (7, 5, 3, 2, 66.7))
        self.assertEqual([row["verdict"] for row in kept["mutants"]], verdicts)

    def test_going_on_keeps_the_verdicts_of_the_same_mutants(self):
        text = "  f(1, 2);\n"
        first, second = mutations.find("a.cc", text)[:2]
        report = mutate.Report(2)
        report.verdicts.append((first, "survived"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            self.assertEqual(mutate.known_verdicts(path, [first, second]), [])
            report.write(path, 1)
            self.assertEqual(mutate.known_verdicts(path, [first, second]), [(first, "survived")])
            self.assertEqual(mutate.known_verdicts(path, mutations.find("a.cc", "  f(1, 2, 3);\n")), [])


if __name__ == "__main__":
    unittest.main(verbosity=0)
