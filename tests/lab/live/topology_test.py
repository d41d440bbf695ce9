"""Tests those commands of ulnet-lab that need nothing running: check, draw, topologies, experiments, scenario."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as tree

from tests.rigs.programs import ROOT, program

CTEST = {'LABELS': 'lab', 'PROCESSORS': '2'}
LAB, SIM = program('ulnet-lab'), program('ulnet-sim')
EXAMPLES = sorted((ROOT / "examples" / "lab").glob("*.yaml"))
SVG = "{http://www.w3.org/2000/svg}"


def lab(*args, program=LAB, **popen):
    return subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=False, timeout=110, **popen)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="a.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path


class Check(Case):
    def test_every_example_is_good_by_its_file_and_by_its_name(self):
        for by in (lambda path: path, lambda path: path.stem):
            checked = lab("check", *map(by, EXAMPLES))
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            lines = checked.stdout.splitlines()
            self.assertEqual(len(lines), len(EXAMPLES))
            self.assertTrue(all(": good: " in line for line in lines), lines)

    def test_every_mistake_is_reported_with_its_place_and_the_nearest_word(self):
        good = self.file("nodes: {a: tcp}\n", "good.yaml")
        path = self.file("nodes:\n    a: {nets: tcp, rooting: yes}\n    b: udp\nsettings: {credit: 9}\n")
        checked = lab("check", path, good)
        self.assertEqual(checked.returncode, 3)
        self.assertEqual(checked.stderr.splitlines(), [
            f"{path}:2:20: unknown key 'rooting' of a node: did you mean 'routing'?",
            f"{path}:3:5: 'udp' is no net of a laboratory: expected tcp, or tcp with a number",
            f"{path}:4:12: unknown parameter 'credit': did you mean 'credits'?"])
        self.assertEqual(checked.stdout, f"{good}: good: 1 node, 1 net, 1 switch, 0 routes\n")

    def test_json_has_what_was_resolved(self):
        read = json.loads(lab("check", "--json", "two-ssu-fgr").stdout)
        self.assertEqual(read["name"], "two-ssu-fgr")
        nodes = {node["name"]: node for node in read["nodes"]}
        self.assertEqual([name for name in nodes if name.startswith("oss")], ["oss0", "oss2", "oss1", "oss3"])
        ways = [(way["gateway"], way["hops"]) for way in nodes["client1"]["routes"] if way["net"] == "tcp6003"]
        self.assertEqual(ways, [("router3:0", 1), ("router4:0", 1), ("router1:0", 2), ("router2:0", 2)])
        self.assertEqual(nodes["router1"]["rails"][2]["switch"], "even")
        self.assertEqual(nodes["mgs"]["rails"][0]["rate"], 10 ** 9)

    def test_a_file_that_is_not_there(self):
        checked = lab("check", self.folder / "nowhere.yaml")
        self.assertEqual(checked.returncode, 3)
        self.assertEqual(checked.stderr, f"{self.folder}/nowhere.yaml: No such file or directory\n")

    def test_any_bytes_are_reported_as_wrong(self):
        for bad in (b"\xff\xfe\x00", b"a: &x 1\nb: *x\n", b"[" * 1000, b"nodes: {a: tcp}\n" * 2):
            path = self.folder / "bad.yaml"
            path.write_bytes(bad)
            checked = lab("check", path)
            self.assertEqual(checked.returncode, 3, bad)
            self.assertIn(str(path), checked.stderr)


class Draw(Case):
    def test_pictures_are_xml_and_name_every_node(self):
        for example in EXAMPLES:
            picture = self.folder / "p.svg"
            drawn = lab("draw", example, "-o", picture)
            self.assertEqual((drawn.returncode, drawn.stdout, drawn.stderr), (0, "", ""))
            texts = {element.text for element in tree.parse(picture).getroot().iter(f"{SVG}text")}
            for node in json.loads(lab("check", "--json", example).stdout)["nodes"]:
                shown = {node["name"], node["name"].removeprefix(node["group"])} & texts
                self.assertTrue(shown, f"{example.name}: {node['name']} is not in {texts}")
            self.assertEqual(lab("draw", example).stdout, picture.read_text())

    def test_what_cannot_be_written_is_reported(self):
        drawn = lab("draw", "two-nodes", "--output", self.folder)
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("Is a directory", drawn.stderr)
        self.assertEqual(lab("draw", self.file("nodes: 3\n")).returncode, 3)


class Topologies(Case):
    def test_lists_those_of_the_source_tree(self):
        listed = lab("topologies")
        self.assertEqual(listed.returncode, 0)
        for example in EXAMPLES:
            self.assertRegex(listed.stdout, rf"(?m)^{example.stem} .*\S\n.* {example}$")

    def test_lists_experiments(self):
        listed = lab("experiments")
        self.assertEqual(listed.returncode, 0)
        for example in (ROOT / "examples/lab/experiments").glob("*.yaml"):
            self.assertRegex(listed.stdout, rf"(?m)^{example.stem} .*\S\n.* {example}$")
        self.assertNotIn("wrong:", listed.stdout)

    def test_an_installed_copy_has_its_own_wherever_it_is(self):
        program = self.folder / "usr/bin/ulnet-lab"
        program.parent.mkdir(parents=True)
        shutil.copy(LAB, program)
        alone = lab("topologies", program=program)
        self.assertEqual((alone.returncode, alone.stdout), (1, ""))
        self.assertIn("no topologies found", alone.stderr)
        self.assertIn("no experiments found", lab("experiments", program=program).stderr)
        share = self.folder / "usr/share/ulnet/examples/lab"
        share.mkdir(parents=True)
        shutil.copy(ROOT / "examples/lab/two-nodes.yaml", share)
        self.assertIn(f" {share}/two-nodes.yaml\n", lab("topologies", program=program).stdout)
        self.assertEqual(lab("check", "two-nodes", program=program, cwd="/").returncode, 0)


class Scenario(Case):
    def test_runs_in_the_simulator(self):
        for example in EXAMPLES:
            ends = [node["name"] for node in json.loads(lab("check", "--json", example).stdout)["nodes"] if not node["routing"]]
            begun = lab("scenario", example)
            self.assertEqual(begun.returncode, 0, begun.stderr)
            path = self.file(begun.stdout + f"workload: [{{what: get, from: {ends[0]}, to: {ends[-1]}, count: 3, size: 64KiB}}]\n"
                             "expect: {delivered: 3, failed: 0, drops: {total: 0}}\n")
            run = subprocess.run([SIM, "run", path], capture_output=True, text=True, check=False, timeout=110)
            self.assertEqual(run.returncode, 0, f"{example.name}: {run.stdout}{run.stderr}")

    def test_more_nets_than_addresses_are_refused(self):
        path = self.file("nodes:\n" + "".join(f"    n{i}: tcp{i}\n" for i in range(300)))
        self.assertEqual(lab("check", path).returncode, 0)
        begun = lab("scenario", path)
        self.assertEqual((begun.returncode, begun.stdout), (3, ""))
        self.assertIn("256 blocks of addresses", begun.stderr)


class CommandLine(Case):
    def test_mistakes_have_the_exit_code_2(self):
        for bad in ([], ["chekc"], ["check"], ["draw"], ["draw", "two-nodes", "-o"], ["check", "--jsno", "two-nodes"]):
            self.assertEqual(lab(*bad).returncode, 2, bad)

    def test_help_and_version(self):
        self.assertRegex(lab("--version").stdout, r"^ulnet-lab \d+\.\d+")
        shown = lab("--help")
        self.assertEqual(shown.returncode, 0)
        for command in ("check", "draw", "topologies", "experiments", "scenario"):
            self.assertIn(command, shown.stdout)
            self.assertEqual(lab(command, "--help").returncode, 0)

    def test_a_full_disk_is_reported(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            drawn = subprocess.run([LAB, "draw", "two-nodes"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("standard output: No space left", drawn.stderr)
