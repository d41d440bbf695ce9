#!/usr/bin/env python3
"""Tests dev/sim-digests: it notices a build with another history. The builds are scripts that print
the digests of the list, or one that differs."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("sim_digests", str(ROOT / "dev/sim-digests"))
sim_digests = importlib.util.module_from_spec(importlib.util.spec_from_loader("sim_digests", loader))
loader.exec_module(sim_digests)

LIST = "1 00000000000000a1\n2 00000000000000b2\n"


class Digests(unittest.TestCase):
    def test_another_history(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = pathlib.Path(folder, "digests.txt")
            listed.write_text(LIST)
            for name, digests in (("good", LIST), ("odd", LIST.replace("b2", "b3"))):
                pathlib.Path(folder, name).write_text(f"#!/bin/sh\nprintf '{digests}'\n")
                pathlib.Path(folder, name).chmod(0o755)
            with mock.patch.multiple(sim_digests, ROOT=pathlib.Path(folder), LIST=listed):
                found = sim_digests.compare([f"{folder}/good", f"{folder}/odd"])
        self.assertEqual(found, {f"{folder}/odd": ["2 has digest 00000000000000b3, in the list is 00000000000000b2"]})


if __name__ == "__main__":
    unittest.main(verbosity=0)
