#!/usr/bin/env python3
"""Tests the report of CI on failed tests: how many, which ones, and the end of their output, from
ctest's files and from GoogleTest's."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / ".ci" / "results.py"
CTEST = """<testsuite>
  <testcase name="A.Good" classname="A.Good" status="run"><system-out>fine</system-out></testcase>
  <testcase name="A.Left" classname="A.Left" status="notrun"><skipped message=""/></testcase>
  {}
</testsuite>"""
BAD = """<testcase name="{0}" classname="{0}" time="60.03" status="fail"><failure message=""/><system-out>{1}</system-out></testcase>"""
GTEST = """<testsuites><testsuite name="S">
  <testcase name="Good" status="run" classname="S"/>
  <testcase name="Off" status="notrun" classname="S"/>
  <testcase name="Bad" status="run" classname="S"><failure message="a.cc:1&#x0A;1 is not 2"><![CDATA[a.cc:1
1 is not 2]]></failure><failure message="a.cc:2"><![CDATA[a.cc:2]]></failure></testcase>
</testsuite></testsuites>"""


class Results(unittest.TestCase):
    def results(self, what, **stages):
        with tempfile.TemporaryDirectory() as folder:
            arguments = []
            for stage, text in stages.items():
                path = pathlib.Path(folder, f"{stage}.xml")
                path.write_text(text)
                arguments.append(f"{stage}={path}" if what == "failures" else path)
            return subprocess.run([sys.executable, PROGRAM, what, *arguments], capture_output=True, text=True, check=True).stdout

    def test_counts_of_both(self):
        self.assertEqual(self.results("count", clang=CTEST.format(BAD.format("A.Bad", "no")), tsan=GTEST), "2 2 2\n")

    def test_a_part_of_a_program_counts_only_if_it_failed(self):
        part = """<testcase name="core_test.part1" classname="core_test.part1" status="run"/>"""
        self.assertEqual(self.results("count", asan=CTEST.format(part), gtest=GTEST), "2 1 2\n")
        self.assertEqual(self.results("count", asan=CTEST.format(BAD.format("core_test.part1", "crashed"))), "1 1 1\n")

    def test_says_nothing_when_nothing_failed(self):
        self.assertEqual(self.results("failures", clang=CTEST.format("")).strip(), "")

    def test_names_of_both_and_what_they_said(self):
        said = self.results("failures", clang=CTEST.format(BAD.format("A.Bad", "1 &lt; 0\n\nno")), tsan=GTEST)
        self.assertEqual(said, "---- clang: A.Bad failed after 60.0 s and said 2 lines:\n1 < 0\nno\n"
                               "---- tsan: S.Bad failed after 0.0 s and said 3 lines:\na.cc:1\n1 is not 2\na.cc:2\n")

    def test_a_test_that_said_nothing(self):
        said = self.results("failures", clang=CTEST.format(BAD.format("A.Hangs", "")))
        self.assertEqual(said, "---- clang: A.Hangs failed after 60.0 s and said 0 lines:\n")

    def test_only_the_end_of_a_long_speech(self):
        words = "\n".join(f"line {i}" for i in range(1000)) + "x" * 10_000
        lines = self.results("failures", clang=CTEST.format(BAD.format("A.Bad", words))).splitlines()
        self.assertEqual((len(lines), lines[1], len(lines[-1])), (41, "line 960", 400))

    def test_only_some_of_many(self):
        many = "".join(BAD.format(f"A.Bad{i}", "no") for i in range(100))
        said = self.results("failures", clang=CTEST.format(many))
        self.assertEqual(said.count(" failed after "), 10)
        self.assertIn("90 more failed: clang: A.Bad10, clang: A.Bad11,", said)
        self.assertIn("clang: A.Bad59, ...", said)


if __name__ == "__main__":
    unittest.main(verbosity=0)
