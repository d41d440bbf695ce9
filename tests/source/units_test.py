#!/usr/bin/env python3
"""The systemd units: they limit a daemon's memory and rights, both units say the same, and systemd
understands every line."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

UNITS = pathlib.Path(os.environ.get("ULNET_UNITS", pathlib.Path(__file__).resolve().parents[2] / "packaging/systemd"))
ONE, MANY = "ulnetd.service", "ulnetd@.service"
# The settings in which the two units may differ: the names, and the share of the machine.
OWN = {"Description", "EnvironmentFile", "ExecStart", "ExecReload", "MemoryMax"}


def service(name):
    """The settings of a unit; the last value of a key counts."""
    lines = (UNITS / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"[A-Za-z]+=", line))


class Units(unittest.TestCase):
    def test_they_say_the_same(self):
        one, many = ({key: value for key, value in service(name).items() if key not in OWN} for name in (ONE, MANY))
        self.assertEqual(one, many)
        self.assertEqual(service(ONE).keys(), service(MANY).keys())

    def test_memory_is_bounded_by_a_part_of_the_machine(self):
        """memory_budget is a quarter of this by default: the rest is for memory that no budget
        counts."""
        for name, most in ((ONE, 50), (MANY, 25)):
            share = re.fullmatch(r"(\d+)%", service(name).get("MemoryMax", ""))
            self.assertTrue(share, f"{name}: no MemoryMax in percent")
            self.assertTrue(10 <= int(share[1]) <= most, f"{name}: MemoryMax={share[0]}")

    def test_a_daemon_that_takes_too_much_is_restarted(self):
        for name in (ONE, MANY):
            self.assertEqual(service(name).get("OOMPolicy"), "continue", name)
            self.assertEqual(service(name).get("Restart"), "on-failure", name)

    def test_tasks_and_descriptors_are_bounded(self):
        for name in (ONE, MANY):
            self.assertTrue(256 <= int(service(name).get("TasksMax", 0)) <= 4096, name)
            self.assertEqual(service(name).get("LimitNOFILE"), "1048576", name)

    def test_there_is_one_right_and_no_root(self):
        for name in (ONE, MANY):
            said = service(name)
            self.assertEqual([said.get(key) for key in ("User", "Group")], ["ulnet", "ulnet"], name)
            for key in ("AmbientCapabilities", "CapabilityBoundingSet"):
                self.assertEqual(said.get(key), "CAP_NET_BIND_SERVICE", f"{name}: {key}")
            self.assertEqual(said.get("NoNewPrivileges"), "yes", name)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
    def test_systemd_understands_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (ONE, MANY):
                # The programs are not installed here.
                unit = pathlib.Path(folder) / name.replace("@", "@a")
                unit.write_text(re.sub(r"@S?BINDIR@/\w+", "/bin/true", (UNITS / name).read_text()))
                run = subprocess.run(["systemd-analyze", "--man=no", "verify", unit], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
