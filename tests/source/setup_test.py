#!/usr/bin/env python3
"""Tests dev/setup without changing this machine: dpkg-query, id, sudo and apt-get are stand-ins on the PATH."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Setup(unittest.TestCase):
    def test_installs_only_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            tools, log = pathlib.Path(folder), pathlib.Path(folder, "log")
            for tool in ("bash", "env", "dirname", "sed", "cat", "true"):
                (tools / tool).symlink_to(pathlib.Path(f"/usr/bin/{tool}"))
            for name, body in (("id", "echo 0"), ("apt-get", f'echo apt-get "$@" >> {log}'),
                               ("dpkg-query", 'case "${@: -1}" in scdoc) exit 1 ;; *) printf installed ;; esac')):
                (tools / name).write_text(f"#!/usr/bin/bash\n{body}\n")
                (tools / name).chmod(0o755)
            subprocess.run([ROOT / "dev/setup"], env={"PATH": folder}, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
            self.assertRegex(log.read_text().splitlines()[-1], r"install -y --no-install-recommends scdoc$")


if __name__ == "__main__":
    unittest.main()
