"""The dashboard and the table of metrics, as the tests read them."""

import json
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from prometheus import DEPLOY, ROOT

DASHBOARD = DEPLOY / "grafana-dashboard.json"
RULES = DEPLOY / "prometheus-rules.yml"
TELEMETRY = ROOT / "pd-runtime/docs/telemetry.md"

# Series that Prometheus makes itself.
BUILT_IN = {"up", "ALERTS"}
# What Prometheus appends to the name of a histogram.
HISTOGRAM = ("_bucket", "_sum", "_count")


class Metric(NamedTuple):
    """A row of the table in telemetry.md."""

    name: str
    kind: str
    labels: Tuple[str, ...]


def documented() -> Dict[str, Metric]:
    """The table of metrics. A test in Rust compares it with the metrics that a server exports."""
    rows = re.findall(
        r"^\| `((?:pd|mcp)_\w+)` \| (\w+) \|([^|]*)\|", TELEMETRY.read_text(), re.MULTILINE
    )
    return {
        name: Metric(name, kind, tuple(re.findall(r"`(\w+)`", labels)))
        for name, kind, labels in rows
    }


def series(metrics: Dict[str, Metric]) -> Dict[str, Tuple[str, ...]]:
    """The names that an expression may use, each with its labels."""
    names: Dict[str, Tuple[str, ...]] = {}
    for metric in metrics.values():
        if metric.kind == "histogram":
            names.update({metric.name + end: metric.labels for end in HISTOGRAM})
            names[metric.name + "_bucket"] += ("le",)
        else:
            names[metric.name] = metric.labels
    return names


def without_strings(expression: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)


def selectors(expression: str) -> List[Tuple[str, Set[str]]]:
    """Each metric in an expression, with the labels that its selector has."""
    bare = re.sub(r"\b(?:by|on) \([^)]*\)", "", without_strings(expression))
    found = re.findall(r"\b((?:pd_|mcp_)\w+|up|ALERTS)\b(?:\{([^}]*)\})?", bare)
    return [(name, set(re.findall(r"(\w+)\s*[=!]", labels))) for name, labels in found]


def names_in(expression: str) -> Set[str]:
    """The names of metrics in an expression."""
    return {name for name, _ in selectors(expression)}


def grouping(expression: str) -> Set[str]:
    """The labels by which an expression groups, without those that `label_replace` makes."""
    groups = re.findall(r"\bby \(([^)]*)\)", expression)
    labels = {label.strip() for group in groups for label in group.split(",")}
    return labels - set(re.findall(r'"(\w+)", "\$1", "\w+",', expression))


def load() -> Dict[str, Any]:
    return json.loads(DASHBOARD.read_text())


def all_panels(dashboard: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    """All panels, also those inside of collapsed rows."""
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def queried_panels(dashboard: Dict[str, Any]) -> List[Dict[str, Any]]:
    return [panel for panel in all_panels(dashboard) if panel["type"] not in ("row", "text")]


def substituted(expression: str, **variables: str) -> str:
    """An expression with values in place of Grafana's variables."""
    standing = {"__rate_interval": "5m", "__range": "1h", "job": ".*", "instance": ".*"}
    standing.update({"full_tokens": "11226", "list_tokens": "1127"})
    values = {**standing, **variables}
    # `$1` belongs to `label_replace`.
    return re.sub(r"\$([a-z_]+)", lambda name: values[name.group(1)], expression)
