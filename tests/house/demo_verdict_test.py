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
        self.pings = {(a, b): True for a in demo.DAEMONS for b in demo.DAEMONS}
        self.rows = {test: ["1"] * (len(demo.CELLS) - 2) + ["0", "0"] for test in demo.tests()}
        self.raw = [{"size": size, **{cell: 1.0 for cell in demo.RAW_CELLS}} for size in demo.SIZES]
        self.errors = {}

    def complaints(self):
        return demo.complaints(self.pings, self.rows, self.raw, self.errors)

    def test_all_is_well(self):
        self.assertEqual(self.complaints(), [])

    def test_every_pair_is_pinged(self):
        self.assertEqual(len(self.pings), 16)
        self.pings["127.0.0.11", "127.0.0.14"] = False
        self.assertEqual(self.complaints(), ["127.0.0.11 could not ping 127.0.0.14"])

    def test_a_ping_that_was_not_tried(self):
        del self.pings["127.0.0.11", "127.0.0.14"]
        self.assertEqual(self.complaints(), ["15 pings instead of 16"])

    def test_wrong_data(self):
        self.rows["read 512"][2:] = ["-", "1", "1", "1", "1", "1"]
        self.assertEqual(self.complaints(), ["read 512: 1 errors, the data of 1 RPCs differed"])

    def test_a_cell_that_is_missing(self):
        for place in range(len(demo.CELLS) - 2):
            with self.subTest(cell=demo.CELLS[place]):
                self.setUp()
                self.rows["ping"][place] = "-"
                self.assertEqual(self.complaints(), ["ping: a cell is missing"])

    def test_a_row_that_is_missing(self):
        del self.rows["write 1M"], self.raw[-1]
        self.assertEqual(len(self.complaints()), 1 + len(demo.RAW_CELLS))

    def test_a_figure_of_raw_tcp_that_is_missing(self):
        self.raw[0]["mb_s"] = None
        self.assertEqual(self.complaints(), ["raw TCP, 8 bytes: mb_s is missing"])

    def test_a_run_that_failed(self):
        self.rows["ulst run"] = ["ended with code 1"]
        self.assertEqual(self.complaints(), ["ulst run ended with code 1"])

    def test_rows_are_told_from_other_lines(self):
        self.assertEqual(demo.row_of("write 64k  1 client        all         34560    2160.0   231us\n"),
                         {"write 64k": ["34560", "2160.0", "231us"]})
        for line in ("", "test 2 of 3: read 8  0.5 of 0.5 s  12 RPC/s\n", "           127.0.0.11@tcp client 1 1.0\n"):
            self.assertEqual(demo.row_of(line), {})

    def test_an_error_in_a_log(self):
        self.errors = {"node2": ["error: no such thing"]}
        self.assertEqual(self.complaints(), ["node2: error: no such thing"])

    def test_a_log_complains_by_its_level_not_by_its_words(self):
        log = '{"level": "info", "message": "no error"}\n{"level": "error", "message": "no such thing"}\nSegmentation fault\n'
        self.assertEqual(demo.complaints_of_log(log), ["no such thing", "Segmentation fault"])

    def test_the_table_has_a_line_for_each_size(self):
        self.assertEqual(len(list(demo.raw_table(self.raw))), 2 + len(demo.SIZES))


if __name__ == "__main__":
    unittest.main()
