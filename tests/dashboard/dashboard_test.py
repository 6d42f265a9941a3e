"""Checks the dashboard, the alert rules and the files beside them, without a server.

`just dashboard` runs this. promtool parses each expression, and runs the tests of the alert rules.
"""

import itertools
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import files
from prometheus import DEPLOY, ROOT, promtool

HERE = pathlib.Path(__file__).parent
# Metrics that no panel shows, each with the reason.
LEFT_OUT: "dict[str, str]" = {}
REPOSITORY = "https://github.com/pd-runtime/pd-runtime/blob/main/"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# The kinds of panels for which the picture and the run have code.
KINDS = {"row", "stat", "table", "timeseries"}


def anchors(page: str) -> "set[str]":
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Dashboard(unittest.TestCase):
    def setUp(self) -> None:
        self.dashboard = files.load()
        self.panels = list(files.all_panels(self.dashboard))
        self.queried = files.queried_panels(self.dashboard)
        self.expressions = [
            (panel["title"], target["expr"])
            for panel in self.queried
            for target in panel["targets"]
        ]

    def test_it_is_a_classic_dashboard_for_any_instance(self) -> None:
        self.assertEqual(self.dashboard["schemaVersion"], 39)
        self.assertTrue(self.dashboard["uid"])
        # An id belongs to one Grafana, and `__inputs` to exports that a person imports by hand.
        self.assertNotIn("id", self.dashboard)
        self.assertNotIn("__inputs", self.dashboard)

    def test_panels_have_unique_ids_and_titles(self) -> None:
        ids = [panel["id"] for panel in self.panels]
        self.assertEqual(len(ids), len(set(ids)))
        titles = [panel["title"] for panel in self.panels]
        self.assertEqual(len(titles), len(set(titles)))

    def test_panels_fit_the_grid_and_do_not_overlap(self) -> None:
        for one, other in itertools.combinations(self.panels, 2):
            a, b = one["gridPos"], other["gridPos"]
            apart = (
                a["x"] + a["w"] <= b["x"]
                or b["x"] + b["w"] <= a["x"]
                or a["y"] + a["h"] <= b["y"]
                or b["y"] + b["h"] <= a["y"]
            )
            self.assertTrue(apart, f"{one['title']} overlaps {other['title']}")
        for panel in self.panels:
            at = panel["gridPos"]
            self.assertTrue(0 <= at["x"] and at["x"] + at["w"] <= 24, panel["title"])

    def test_each_panel_has_a_unit_and_says_what_it_shows(self) -> None:
        for panel in self.queried:
            self.assertIn(panel["type"], KINDS)
            self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], panel["title"])
            self.assertGreater(len(panel["description"]), 20, panel["title"])
            references = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(references), len(set(references)), panel["title"])

    def test_the_data_source_is_the_variable_everywhere(self) -> None:
        variables = self.dashboard["templating"]["list"]
        self.assertEqual((variables[0]["name"], variables[0]["type"]), ("datasource", "datasource"))
        places = [variable for variable in variables if variable["type"] == "query"]
        places += self.queried + self.dashboard["annotations"]["list"]
        places += [target for panel in self.queried for target in panel["targets"]]
        for place in places:
            self.assertEqual(place["datasource"], SOURCE, place)

    def test_expressions_follow_the_variables(self) -> None:
        defined = {variable["name"] for variable in self.dashboard["templating"]["list"]}
        defined |= {"__rate_interval", "__range"}
        for title, expression in self.expressions:
            used = set(re.findall(r"\$\{?(\w+)", re.sub(r'"\$\d"', "", expression)))
            self.assertLessEqual(used, defined, title)
            for name, labels in files.selectors(expression):
                wanted = {"job"} if name == "ALERTS" else {"job", "instance"}
                self.assertLessEqual(wanted, labels, f"{title}: {name} of all servers")

    def test_expressions_use_the_metrics_as_they_are_exported(self) -> None:
        exported = files.series(files.documented())
        for title, expression in self.expressions:
            check_names(self, title, expression, exported)

    def test_each_metric_is_on_the_dashboard_or_left_out_for_a_reason(self) -> None:
        shown = set().union(*(files.names_in(expression) for _, expression in self.expressions))
        missing = set()
        for metric in files.documented().values():
            names = {metric.name, *(metric.name + end for end in files.HISTOGRAM)}
            if not names & shown:
                missing.add(metric.name)
        self.assertEqual(missing, set(LEFT_OUT))

    def test_labels_of_legends_are_in_the_results(self) -> None:
        for panel in self.queried:
            for target in panel["targets"]:
                labels = re.findall(r"{{(\w+)}}", target["legendFormat"])
                grouped = ",".join(re.findall(r"by \(([^)]*)\)", target["expr"]))
                self.assertLessEqual(set(labels), set(re.findall(r"\w+", grouped)), panel["title"])

    def test_promtool_parses_each_expression(self) -> None:
        rules = [
            {"record": f"panel:{number}", "expr": files.substituted(expression)}
            for number, (_, expression) in enumerate(self.expressions)
        ]
        checked = check_rules({"groups": [{"name": "dashboard", "rules": rules}]})
        self.assertIn(f"{len(rules)} rules found", checked)


def check_rules(rules: "dict") -> str:
    # YAML contains JSON, so no library for YAML is needed.
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(rules, file)
        file.flush()
        return promtool("check", "rules", file.name)


def check_names(test: unittest.TestCase, title: str, expression: str, exported: "dict") -> None:
    for name, labels in files.selectors(expression):
        if name in files.BUILT_IN:
            continue
        test.assertIn(name, exported, f"{title}: telemetry.md has no such metric")
        known = {"job", "instance", *exported[name]}
        test.assertLessEqual(labels, known, f"{title}: {name} has no such label")
    labels = {label for name in files.names_in(expression) for label in exported.get(name, ())}
    grouping = files.grouping(expression)
    test.assertLessEqual(grouping, {"job", "instance", *labels}, f"{title}: no such label")
    # A quantile is of buckets, and the rate of a gauge means nothing.
    for inner in re.findall(r"(?:rate|increase)\(((?:pd|mcp)_\w+)", expression):
        test.assertTrue(inner.endswith(("_total", *files.HISTOGRAM)), f"{title}: rate of {inner}")
    if "histogram_quantile" in expression:
        test.assertRegex(expression, r"_bucket.*", title)
        test.assertRegex(expression, r"by \([^)]*\ble\b", title)


class Rules(unittest.TestCase):
    def setUp(self) -> None:
        self.text = files.RULES.read_text()
        self.alerts = re.findall(r"^ *- alert: (\w+)$", self.text, re.MULTILINE)
        # Each alert with its lines, up to the next one.
        self.parts = re.split(r"^ *- alert: \w+$", self.text, flags=re.MULTILINE)
        self.bodies = dict(zip(self.alerts, self.parts[1:]))

    def test_promtool_accepts_the_rules(self) -> None:
        checked = promtool("check", "rules", "--lint-fatal", str(files.RULES))
        self.assertIn(f"{len(self.alerts)} rules found", checked)

    def test_the_alerts_fire_when_they_should(self) -> None:
        promtool("test", "rules", str(HERE / "alerts.yml"))

    def test_each_alert_has_a_test_that_it_fires_and_one_that_it_does_not(self) -> None:
        tests = (HERE / "alerts.yml").read_text()
        checks = re.findall(r"alertname: (\w+)\n\s+exp_alerts:( \[\])?", tests)
        fires = {name for name, empty in checks if not empty}
        silent = {name for name, empty in checks if empty}
        self.assertEqual(fires, set(self.alerts))
        self.assertEqual(silent, set(self.alerts))

    def test_alerts_use_the_metrics_as_they_are_exported(self) -> None:
        exported = files.series(files.documented())
        for name, body in self.bodies.items():
            check_names(self, name, body.split("annotations:")[0], exported)

    def test_each_alert_says_what_to_do_and_where_to_read_on(self) -> None:
        for name, body in self.bodies.items():
            for key in ("severity:", "summary:", "description:", "runbook_url:"):
                self.assertIn(key, body, name)
            [url] = re.findall(r"runbook_url: (\S+)", body)
            self.assertTrue(url.startswith(REPOSITORY), name)
            path, anchor = url[len(REPOSITORY) :].split("#")
            self.assertIn(anchor, anchors((ROOT / path).read_text()), name)

    def test_a_comment_explains_each_threshold(self) -> None:
        for name, text in zip(self.alerts, self.parts):
            last = text.rstrip().splitlines()[-1].strip()
            self.assertTrue(last.startswith("#"), f"{name} has no comment")

    def test_the_page_lists_the_alerts(self) -> None:
        listed = re.findall(r"^\| `(Pd\w+)` \|", files.TELEMETRY.read_text(), re.MULTILINE)
        self.assertEqual(listed, self.alerts)


class Files(unittest.TestCase):
    def test_promtool_accepts_the_configuration(self) -> None:
        text = (DEPLOY / "prometheus.yml").read_text()
        self.assertIn("/etc/prometheus/pd-runtime.yml", text)
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "prometheus.yml"
            file.write_text(text.replace("/etc/prometheus/pd-runtime.yml", str(files.RULES)))
            self.assertIn("SUCCESS", promtool("check", "config", str(file)))

    def test_provisioning_names_one_data_source_and_the_directory_of_the_dashboard(self) -> None:
        source = (DEPLOY / "grafana-datasource.yml").read_text()
        provider = (DEPLOY / "grafana-dashboards.yml").read_text()
        for text in (source, provider):
            self.assertRegex(text, r"(?m)^apiVersion: 1$")
        self.assertRegex(source, r"(?m)^ +type: prometheus$")
        # `$__rate_interval` is four times the interval that the data source names.
        [interval] = re.findall(r"timeInterval: (\w+)", source)
        scrape = (DEPLOY / "prometheus.yml").read_text()
        self.assertIn(f"scrape_interval: {interval}", scrape)
        self.assertRegex(provider, r"(?m)^ +path: /var/lib/grafana/dashboards$")


if __name__ == "__main__":
    unittest.main()
