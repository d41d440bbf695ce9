#!/usr/bin/env python3
"""Tests dev/mutate: which changes it finds in a text. This test compiles and runs no mutants."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "dev"))

import mutations  # noqa: E402


class Changes(unittest.TestCase):
    def test_comparisons_logic_numbers_and_statements(self):
        text = "  if (a < b && c) return;\n  use(peer, 7);\n  // d < e\n"
        self.assertEqual({(mutant.old, mutant.new) for mutant in mutations.find("a.cc", text)},
                         {("<", "<="), ("&&", "||"), ("a < b && c", "!(a < b && c)"), ("7", "8"), ("use(peer, 7);", ";")})


if __name__ == "__main__":
    unittest.main(verbosity=0)
