#!/usr/bin/env python3
"""examples/monitoring: the dashboard and the alert rules name only metrics that a node exports, the
generator refuses wrong input, and Prometheus, if it is installed, accepts the rules and fires them
when it should."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/monitoring"
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")


def load_generator():
    loader = importlib.machinery.SourceFileLoader("make_monitoring", str(ROOT / "dev/make-monitoring"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


GENERATOR = load_generator()
METRICS = GENERATOR.read_metrics()
RULES = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"][0]["rules"]
BOARD = json.loads((FOLDER / "dashboard.json").read_text())


def panels():
    for panel in BOARD["panels"]:
        yield from (one for one in [panel, *panel.get("panels", [])] if one["type"] != "row")


class Files(unittest.TestCase):
    def test_are_what_the_generator_writes(self):
        for name, text in GENERATOR.files(METRICS).items():
            self.assertEqual((FOLDER / name).read_text(), text, f"run dev/make-monitoring: {name}")

    def test_each_metric_is_on_the_dashboard_and_no_other(self):
        text = "\n".join(target["expr"] for panel in panels() for target in panel["targets"])
        self.assertEqual(set(re.findall(r"\bulnet_\w+", text)), set(METRICS))

    def test_panels_have_ids_of_their_own_and_do_not_cover_each_other(self):
        ids = [panel["id"] for panel in BOARD["panels"]] + [one["id"] for row in BOARD["panels"] for one in row.get("panels", [])]
        self.assertEqual(len(ids), len(set(ids)))
        places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in BOARD["panels"]]
        self.assertEqual(len(places), len(set(places)))

    def test_alerts_have_names_of_their_own_and_say_what_is_the_matter(self):
        names = [rule["alert"] for rule in RULES]
        self.assertEqual(len(names), len(set(names)))
        for rule in RULES:
            self.assertIn(rule["labels"]["severity"], ("info", "warning", "critical"))
            self.assertTrue(rule["annotations"]["summary"])

    def test_there_is_an_alert_for_what_hurts(self):
        text = "\n".join(rule["expr"] for rule in RULES)
        for name in ("ulnet_routes", "ulnet_ni_up", "ulnet_ni_health", "ulnet_ni_credits", "ulnet_ni_credits_min", "ulnet_router_credits",
                     "ulnet_resend_count_total", "ulnet_drops_total", "ulnet_memory_used_bytes", "ulnet_memory_refused_total"):
            self.assertRegex(text, rf"\b{name}\b")

    def test_compose_and_provisioning_name_files_that_are_there(self):
        compose = yaml.safe_load((FOLDER / "compose.yaml").read_text())
        for service in compose["services"].values():
            for volume in service["volumes"]:
                self.assertTrue((FOLDER / volume.split(":")[0]).exists(), volume)
        prometheus = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
        self.assertTrue(all((FOLDER / name).is_file() for name in prometheus["rule_files"]))
        jobs = {job["job_name"] for job in prometheus["scrape_configs"]}
        self.assertEqual(set(re.findall(r'job="(\w+)"', "".join(rule["expr"] for rule in RULES))), jobs)


class Generator(unittest.TestCase):
    def test_refuses_what_a_node_does_not_export(self):
        for expression, words in (("ulnet_no_such_thing > 0", "there is no metric ulnet_no_such_thing"),
                                  ('ulnet_routes{state="gone"} > 0', "state of ulnet_routes is never 'gone'"),
                                  ('ulnet_routes{color="red"}', "ulnet_routes has no label color"),
                                  ("ulnet_resend_count_total > 3", "counters are shown as rates"),
                                  ("rate(ulnet_ni_up[5m])", "rates are of counters"),
                                  ("vector(1)", "not understood")):
            with self.assertRaisesRegex(GENERATOR.Mistake, re.escape(words)):
                GENERATOR.names_in(METRICS, expression)


@unittest.skipUnless(PROMTOOL, "promtool is not installed (Debian's package prometheus)")
class Prometheus(unittest.TestCase):
    def promtool(self, *words, cwd=None):
        done = subprocess.run([PROMTOOL, *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_takes_the_files(self):
        self.assertIn(f"{len(RULES)} rules found", self.promtool("check", "rules", FOLDER / "alerts.yaml"))
        self.promtool("check", "config", FOLDER / "prometheus.yml")

    def test_takes_what_the_panels_ask(self):
        """Prometheus accepts the panels' expressions as rules, with Grafana's variables filled in."""
        asked = [target["expr"].replace("$__rate_interval", "1m").replace("$node", ".*") for panel in panels() for target in panel["targets"]]
        rules = [{"record": f"panel:{index}", "expr": expression} for index, expression in enumerate(asked)]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "panels.yaml"
            file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
            self.assertIn(f"{len(rules)} rules found", self.promtool("check", "rules", file))

    def test_alerts_fire_when_they_should(self):
        """Series in, alerts out: tests/source/alerts.yaml."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(FOLDER / "alerts.yaml", folder)
            shutil.copy(ROOT / "tests/source/alerts.yaml", pathlib.Path(folder) / "alerts_test.yaml")
            self.promtool("test", "rules", "alerts_test.yaml", cwd=folder)


if __name__ == "__main__":
    unittest.main()
