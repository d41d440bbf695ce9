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
    def test_counts_names_and_words_of_both(self):
        with tempfile.TemporaryDirectory() as folder:
            clang, tsan = pathlib.Path(folder, "clang.xml"), pathlib.Path(folder, "tsan.xml")
            clang.write_text(CTEST.format(BAD.format("A.Bad", "1 &lt; 0\n\nno")))
            tsan.write_text(GTEST)
            counts, said = (subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, check=True).stdout
                            for words in (["count", clang, tsan], ["failures", f"clang={clang}", f"tsan={tsan}"]))
        self.assertEqual(counts, "2 2 2\n")
        self.assertEqual(said, "---- clang: A.Bad failed after 60.0 s and said 2 lines:\n1 < 0\nno\n"
                               "---- tsan: S.Bad failed after 0.0 s and said 3 lines:\na.cc:1\n1 is not 2\na.cc:2\n")


if __name__ == "__main__":
    unittest.main(verbosity=0)
