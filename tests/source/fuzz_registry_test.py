#!/usr/bin/env python3
"""Checks that the registry of fuzzers is complete: every fuzzer is in fuzz/targets.txt with its sources and a small corpus, fuzz/run
knows it, and the ordinary build replays its corpus. The argument is the folder of that build."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ = ROOT / "fuzz"
BUILD = pathlib.Path(sys.argv.pop()).resolve()
LARGEST_INPUT = 64 << 10
LARGEST_CORPUS = 256 << 10


def registered():
    lines = (FUZZ / "targets.txt").read_text().splitlines()
    return {words[0]: words[1:] for words in (line.split() for line in lines) if words and not words[0].startswith("#")}


class Registry(unittest.TestCase):
    def test_has_every_fuzzer_and_no_other(self):
        programs = {path.stem for path in FUZZ.glob("*.cc") if "LLVMFuzzerTestOneInput(const" in path.read_text()} - {"replay"}
        self.assertEqual(set(registered()), programs)

    def test_names_sources_that_exist(self):
        for name, words in registered().items():
            for word in words:
                if word.endswith(".cc"):
                    self.assertTrue((FUZZ / word).is_file(), f"{name}: {word}")

    def test_every_decoder_of_the_wire_is_fuzzed(self):
        fuzzed = "".join(path.read_text() for path in FUZZ.glob("*.cc"))
        for header in sorted((ROOT / "src/lnet/wire").glob("*.h")):
            for decoder in set(re.findall(r"\b(decode_\w+|parse_\w+|expand_\w+|split_\w+)\(", header.read_text())):
                self.assertIn(f"{decoder}(", fuzzed, f"{header.name} declares it and no fuzzer calls it")


class Corpora(unittest.TestCase):
    def test_seeds_are_present_small_and_unshared(self):
        self.assertEqual({path.name for path in (FUZZ / "corpus").iterdir()}, set(registered()))
        for name in registered():
            sizes = [path.stat().st_size for path in (FUZZ / "corpus" / name).iterdir()]
            self.assertTrue(sizes, name)
            self.assertLessEqual(max(sizes), LARGEST_INPUT, name)
            self.assertLessEqual(sum(sizes), LARGEST_CORPUS, name)

    def test_are_replayed_by_the_ordinary_build(self):
        tests = re.findall(r"^add_test\(\S*?fuzz\.(\w+)\S* \"(\S+)\" \"(\S+)\"\)",
                           (BUILD / "fuzz" / "CTestTestfile.cmake").read_text(), re.M)
        self.assertEqual({name: (pathlib.Path(program).name, corpus) for name, program, corpus in tests},
                         {name: (f"{name}_replay", str(FUZZ / "corpus" / name)) for name in registered()})


class Runner(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([FUZZ / "run", *arguments], capture_output=True, text=True, check=False)

    def test_lists_what_is_registered(self):
        shown = self.run_it("--help")
        self.assertEqual(shown.returncode, 0)
        self.assertEqual(set(re.findall(r"\w+_fuzz\b", shown.stdout)), set(registered()))

    def test_refuses_what_is_not(self):
        for arguments in (["nonsense_fuzz"], ["--nonsense"]):
            self.assertEqual(self.run_it(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=0)
