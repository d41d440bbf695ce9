"""Tests ulnet-sim from outside: its output, the files that it writes, its exit codes."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as tree

from tests.rigs.programs import ROOT, program

CTEST = {'LABELS': 'sim', 'PROCESSORS': '2'}
PROGRAM = program('ulnet-sim')
EXAMPLES = ROOT / "examples" / "sim"


def sim(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, timeout=110)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text):
        path = self.folder / "a.yaml"
        path.write_text(text)
        return path


class Run(Case):
    def test_the_same_seed_is_the_same_run(self):
        first, second = sim("run", EXAMPLES / "partition.yaml"), sim("run", EXAMPLES / "partition.yaml")
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        self.assertNotEqual(first.stdout, sim("run", EXAMPLES / "partition.yaml", "--seed", 99).stdout)

    def test_json_has_the_numbers(self):
        report = json.loads(sim("run", EXAMPLES / "first.yaml", "--json").stdout)
        self.assertEqual(report["delivered"], 111)
        self.assertEqual(report["unmet"], [])

    def test_links_between_switches_have_a_row_each_way(self):
        run = sim("run", EXAMPLES / "flat-routing.yaml")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        rows = {line.split("  ")[0]: line.split()[-6:] for line in run.stdout.splitlines() if " to " in line}
        self.assertEqual(set(rows), {"left to right", "right to left"})
        self.assertEqual(rows["left to right"][0], "20000000")
        links = json.loads(sim("run", EXAMPLES / "flat-routing.yaml", "--json").stdout)["switch_links"]
        self.assertEqual([link["from"] for link in links], ["left", "right"])
        self.assertEqual(str(links[1]["bytes"]), rows["right to left"][1])

    def test_the_trace_has_a_line_for_everything(self):
        trace = sim("run", EXAMPLES / "lost-message.yaml", "--trace").stdout
        for word in ("HeaderArrived", "partition begins", "partition ends", "lost", "status -110"):
            self.assertIn(word, trace)

    def test_the_picture_is_xml(self):
        picture = self.folder / "p.svg"
        self.assertEqual(sim("run", EXAMPLES / "lost-message.yaml", "--svg", picture).returncode, 1)
        root = tree.parse(picture).getroot()
        texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertTrue(any("(lost)" in text for text in texts), texts)
        self.assertTrue(any(text.startswith("partition") for text in texts), texts)

    def test_out_of_steps_is_a_verdict(self):
        run = sim("run", self.file((EXAMPLES / "rough-conditions.yaml").read_text() + "steps: 1000\n"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("out of steps", run.stdout)

    def test_out_of_time_is_a_verdict(self):
        text = ("nodes:\n    - {name: a, nids: 10.0.0.1@tcp}\n    - {name: b, nids: 10.0.0.2@tcp}\n"
                "links: {default: {delay: 2s}}\nworkload: [{from: a, to: b, ack: no}]\nlasts: 1ms\nquiet within: 1s\n")
        run = sim("run", self.file(text))
        self.assertEqual(run.returncode, 1)
        self.assertIn("out of virtual time", run.stdout)


class Refusals(Case):
    def test_every_mistake_is_reported_with_its_place(self):
        path = self.file("nodes:\n    - {name: a, nids: 10.0.0.1@tcp, colour: red}\nlasts: -1s\n")
        run = sim("run", path)
        self.assertEqual(run.returncode, 3)
        lines = run.stderr.splitlines()
        self.assertEqual(lines[0], f"{path}:2:{lines[0].split(':')[2]}: unknown key 'colour' of a node")
        self.assertEqual(lines[1], f"{path}:3:1: lasts: '-1s' is negative")
        self.assertEqual(run.stdout, "")

    def test_a_file_that_is_not_there(self):
        run = sim("run", self.folder / "nowhere.yaml")
        self.assertEqual(run.returncode, 3)
        self.assertIn("No such file", run.stderr)

    def test_a_folder_is_no_scenario(self):
        self.assertEqual(sim("run", self.folder).returncode, 3)


class Swarm(Case):
    def test_prints_what_was_exercised(self):
        run = sim("swarm", "--seeds", 12, "--first", 1, "--jobs", 2)
        self.assertEqual(run.returncode, 0, run.stdout[-2000:])
        for title in ("Faults", "Messages handed to drivers", "Events handled", "Messages dropped", "Changes of nodes",
                      "Marks hit", "Marks not hit", "12 worlds", "no violation"):
            self.assertIn(title, run.stdout)

    def test_the_seed_by_chance_is_printed(self):
        run = sim("swarm", "--seeds", 0, "--jobs", 1)
        self.assertRegex(run.stderr, r"from seed \d+ on")

    def test_json(self):
        run = sim("swarm", "--seeds", 3, "--first", 1, "--json")
        self.assertGreater(json.loads(run.stdout.splitlines()[0])["steps"], 0)

    def test_features_that_are_rare_are_named(self):
        run = sim("features", "--seeds", 4, "--first", 1, "--least", 10_000)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"multirail 3.3 +\d+  routers\n")
        self.assertIn("  multirail 11: fault rules drop\n", run.stdout)
        self.assertEqual(sim("features", "--seeds", 4, "--first", 1, "--least", 0).returncode, 0)


class Replay(Case):
    def test_has_the_digest_of_the_seed(self):
        digest = sim("digest", "--seeds", "3").stdout.split()[1]
        self.assertIn(digest, sim("replay", 3).stdout)
        self.assertIn(digest, sim("replay", 3, "--trace").stdout)

    def test_stops_at_a_step(self):
        run = sim("replay", 3, "--until", 100)
        self.assertEqual(run.returncode, 0)
        self.assertIn("stopped: 100 steps", run.stdout)


class CommandLine(Case):
    def test_mistakes_are_code_2(self):
        for args in ([], ["nothing"], ["run"], ["replay", "x"], ["digest"], ["digest", "--seeds", "9-3"],
                     ["swarm", "--jobs", "0"], ["swarm", "--minutes", "-1"], ["features", "--least", "x"], ["run", "a", "--colour"]):
            self.assertEqual(sim(*args).returncode, 2, args)

    def test_help_and_version_are_code_0(self):
        for args in (["--help"], ["--version"], ["swarm", "--help"]):
            self.assertEqual(sim(*args).returncode, 0)
        self.assertIn("Exit codes", sim("--help").stdout)

    def test_the_manual_names_every_option(self):
        page = (ROOT / "docs" / "man" / "ulnet-sim.1.scd").read_text()
        for command in ("run", "swarm", "replay", "digest", "features"):
            for word in sim(command, "--help").stdout.split():
                if word.startswith("--") and word.strip(",") != "--help":
                    self.assertIn(f"*{word.split(',')[-1]}*", page)
