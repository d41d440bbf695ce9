#!/usr/bin/env python3
"""Tests what counts as a failure of dev/demo: a ping without answer, a missing cell, a wrong byte,
an error in a log."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))  # for the import of demo_lab
loader = importlib.machinery.SourceFileLoader("demo", str(ROOT / "dev/demo"))
spec = importlib.util.spec_from_loader("demo", loader)
demo = importlib.util.module_from_spec(spec)
loader.exec_module(demo)


class Verdict(unittest.TestCase):
    def setUp(self):
        self.pings = {(a, b): True for a in demo.DAEMONS for b in demo.DAEMONS}
        self.rows = {test.name: ({"rate": 1.0, "mean_us": 1.0, "p99_us": 1.0, "errors": 0, "wrong": 0, "said": "", "code": 0},
                                 {"rate": 1.0, "mean_us": 1.0}) for test in demo.TESTS}
        self.errors = {}

    def complaints(self):
        return demo.complaints(self.pings, self.rows, self.errors)

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
        self.rows["read 512 B"][0].update(errors=1, wrong=1, code=1)
        self.assertEqual(self.complaints(), ["read 512 B: 1 errors, the data of 1 RPCs differed"])

    def test_a_figure_that_is_missing(self):
        for who, side in (("ulnet", 0), ("raw TCP", 1)):
            for cell in ("rate", "mean_us", "p99_us")[:3 - side]:
                with self.subTest(who=who, cell=cell):
                    self.setUp()
                    self.rows["ping"][side][cell] = None
                    self.assertEqual(self.complaints(), [f"ping, {who}: {cell} is missing"])

    def test_a_row_that_is_missing(self):
        del self.rows["write 1 MiB"]
        self.assertEqual(self.complaints(), ["write 1 MiB: not measured"])

    def test_a_run_that_failed(self):
        self.rows["read 512 B"][0].update(code=4, said="no such node")
        self.assertEqual(self.complaints(), ["read 512 B: ulst run ended with code 4: no such node"])

    def test_from_one_byte_to_one_mebibyte(self):
        self.assertEqual([demo.TESTS[1].name, demo.TESTS[-1].name], ["read 1 B", "write 1 MiB"])

    def test_the_same_units_side_by_side(self):
        ours = {"rate": 1024.0, "mean_us": 10.0, "p99_us": 20.0}
        raw = {"rate": 2048.0, "mean_us": 5.0}
        cells = demo.line_of(demo.Test("write", 1 << 20), ours, raw).split()
        self.assertEqual(cells, ["write", "1", "MiB", "1,024", "1,024.0", "10.0", "20.0", "2,048", "2,048.0", "5.0", "0.50"])
        missing = demo.line_of(demo.Test("ping"), {**ours, "rate": None}, raw).split()
        self.assertEqual(missing, ["ping", "-", "-", "10.0", "20.0", "2,048", "-", "5.0", "-"])

    def test_raw_tcp_is_shown_by_its_best_run(self):
        runs = iter([{"rate": None, "mean_us": None}, {"rate": 2.0, "mean_us": 4.0}, {"rate": 1.0, "mean_us": 8.0}])
        with unittest.mock.patch.object(demo, "raw_run", lambda *_: next(runs)):
            self.assertEqual(demo.raw_figures(None, demo.TESTS[0], 0.5), {"rate": 2.0, "mean_us": 4.0})
        self.assertEqual(list(runs), [])
        with unittest.mock.patch.object(demo, "raw_run", lambda *_: {"rate": None, "mean_us": None}):
            self.assertIsNone(demo.raw_figures(None, demo.TESTS[0], 0.5)["rate"])

    def test_writes_that_the_killed_router_loses_are_expected_to_fail(self):
        said = []
        done = types.SimpleNamespace(returncode=0, stderr="")
        test = {"rpcs": 55600, "rpcs_per_s": 4000, "errors": 48, "wrong_data": 0}
        carried = dict.fromkeys(demo.demo_lab.SURVIVORS, 0), dict.fromkeys(demo.demo_lab.SURVIVORS, 1 << 20)
        found = demo.demo_lab.complaints(done, 1, demo.json.dumps({"tests": [test]}), "", done, carried, said.append)
        self.assertEqual(found, [])
        self.assertIn("      48 failed, as expected: nid00008 died while they were on their way through it", said)

    def test_an_error_in_a_log(self):
        self.errors = {"node2": ["error: no such thing"]}
        self.assertEqual(self.complaints(), ["node2: error: no such thing"])

    def test_a_log_complains_by_its_level_not_by_its_words(self):
        log = '{"level": "info", "message": "no error"}\n{"level": "error", "message": "no such thing"}\nSegmentation fault\n'
        self.assertEqual(demo.complaints_of_log(log), ["no such thing", "Segmentation fault"])


if __name__ == "__main__":
    unittest.main()
