#!/usr/bin/env python3
"""What the demo calls a failure: one ping not answered, one cell missing, one byte wrong, one error in a log."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("demo", str(ROOT / "dev/demo"))
spec = importlib.util.spec_from_loader("demo", loader)
demo = importlib.util.module_from_spec(spec)
loader.exec_module(demo)


class Verdict(unittest.TestCase):
    def setUp(self):
        nodes = demo.DAEMONS + demo.TRAFFIC
        self.pings = {(a, b): True for a in nodes for b in nodes}
        self.rows = [{"size": size, "wrong_bytes": 0, **{cell: 1.0 for cell in demo.CELLS}} for size in demo.SIZES]
        self.errors = {}

    def complaints(self):
        return demo.complaints(self.pings, self.rows, self.errors)

    def test_all_is_well(self):
        self.assertEqual(self.complaints(), [])

    def test_every_pair_is_pinged(self):
        self.assertEqual(len(self.pings), 36)
        self.pings["127.0.0.11", "127.0.0.14"] = False
        self.assertEqual(self.complaints(), ["127.0.0.11 could not ping 127.0.0.14"])

    def test_a_ping_that_was_not_tried(self):
        del self.pings["127.0.0.11", "127.0.0.14"]
        self.assertEqual(self.complaints(), ["35 pings instead of 36"])

    def test_a_wrong_byte(self):
        self.rows[3]["wrong_bytes"] = 1
        self.assertEqual(self.complaints(), ["512 bytes: 1 bytes differed"])

    def test_a_cell_that_is_missing(self):
        for cell in demo.CELLS:
            with self.subTest(cell=cell):
                self.setUp()
                self.rows[0][cell] = None
                self.assertEqual(self.complaints(), [f"1 bytes: {cell} is missing"])

    def test_a_row_that_is_missing(self):
        del self.rows[-1]
        self.assertEqual(len(self.complaints()), len(demo.CELLS) + 1)

    def test_an_operation_that_failed(self):
        self.rows.append({"error": "operations did not end (-110)"})
        self.assertEqual(self.complaints(), ["operations did not end (-110)"])

    def test_an_error_in_a_log(self):
        self.errors = {"node2": ["error: no such thing"]}
        self.assertEqual(self.complaints(), ["node2: error: no such thing"])

    def test_a_log_complains_by_its_level_not_by_its_words(self):
        log = '{"level": "info", "message": "no error"}\n{"level": "error", "message": "no such thing"}\nSegmentation fault\n'
        self.assertEqual(demo.complaints_of_log(log), ["no such thing", "Segmentation fault"])

    def test_the_table_has_a_line_for_each_size(self):
        self.assertEqual(len(list(demo.table(self.rows))), 2 + len(demo.SIZES))


if __name__ == "__main__":
    unittest.main()
