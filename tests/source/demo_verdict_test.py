#!/usr/bin/env python3
"""Tests that a wrong byte is a failure of dev/demo."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))  # for the import of demo_lab
loader = importlib.machinery.SourceFileLoader("demo", str(ROOT / "dev/demo"))
spec = importlib.util.spec_from_loader("demo", loader)
demo = importlib.util.module_from_spec(spec)
loader.exec_module(demo)


class Verdict(unittest.TestCase):
    def test_wrong_data(self):
        pings = {(a, b): True for a in demo.DAEMONS for b in demo.DAEMONS}
        rows = {test.name: ({"rate": 1.0, "mean_us": 1.0, "p99_us": 1.0, "errors": 0, "wrong": 0, "said": "", "code": 0},
                            {"rate": 1.0, "mean_us": 1.0}) for test in demo.TESTS}
        self.assertEqual(demo.complaints(pings, rows, {}), [])
        rows["read 512 B"][0].update(errors=1, wrong=1, code=1)
        self.assertEqual(demo.complaints(pings, rows, {}), ["read 512 B: 1 errors, the data of 1 RPCs differed"])


if __name__ == "__main__":
    unittest.main()
