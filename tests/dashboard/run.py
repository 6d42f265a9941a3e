"""Runs servers under load, asks a real Prometheus what each panel asks, and draws the answers.

    run.py [--minutes N] [--picture FILE]

`PD_GIT` and `PD_GATEWAY` name the binaries. A panel without values is a failure, unless
`MAY_BE_EMPTY` says why. `just dashboard-picture` calls this.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Any, Dict, List, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import files
import load
from prometheus import ROOT, Prometheus, scraping

# Seconds between two scrapes. Grafana takes rates over four of them.
INTERVAL = 5
RATE = f"{4 * INTERVAL}s"
# What may have no value above 0 in a run, by panel and legend, each with the reason.
MAY_BE_EMPTY = {
    ("Firing alerts", ""): "alerts wait for longer than a short run",
}
DATA = ROOT / "target/dashboard/data.json"


def names(legend: str, labels: Dict[str, str]) -> str:
    return re.sub(r"{{(\w+)}}", lambda label: labels.get(label.group(1), ""), legend)


def token_counts(git: str) -> Dict[str, str]:
    """What an operator writes into the variables of the dashboard: the totals of `tokens`."""
    printed = subprocess.run([git, "tokens", "--json"], capture_output=True, text=True, check=True)
    total = json.loads(printed.stdout)["total"]
    return {"full_tokens": str(total["full"]), "list_tokens": str(total["minimal"])}


def points(series: Dict[str, Any]) -> List[Tuple[float, float]]:
    pairs = series.get("values") or [series["value"]]
    numbers = [(float(at), float(value)) for at, value in pairs]
    return [(at, value) for at, value in numbers if math.isfinite(value)]


def answers(
    prometheus: Prometheus, panel: Dict[str, Any], variables: Dict[str, str], times: Tuple
) -> List[Dict[str, Any]]:
    """The series of each target of a panel."""
    start, end = times
    found = []
    for target in panel["targets"]:
        # The token counts are those of the Git server.
        job = "git" if "$full_tokens" in target["expr"] else "git|gateway"
        expression = files.substituted(target["expr"], job=job, **variables)
        if target["instant"]:
            series = prometheus.instant(expression, end)
        else:
            series = prometheus.range(expression, start, end, INTERVAL)
        found += [
            {
                "target": target["refId"],
                "legend": target["legendFormat"],
                "labels": one["metric"],
                "name": names(target["legendFormat"], one["metric"]),
                "points": points(one),
            }
            for one in series
        ]
    return found


def faults(panel: Dict[str, Any], series: List[Dict[str, Any]]) -> List[str]:
    """What is wrong with the answers of a panel."""
    wrong = []
    for target in panel["targets"]:
        own = [one for one in series if one["target"] == target["refId"]]
        values = [value for one in own for _, value in one["points"]]
        if not any(values) and (panel["title"], target["legendFormat"]) not in MAY_BE_EMPTY:
            what = "only zeros" if values else "no values"
            wrong.append(f"{panel['title']}: {what}: {target['expr']}")
        for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
            # `error_type` is absent without an error, and no other label of a legend may be.
            if any(not one["labels"].get(label) for one in own):
                wrong.append(f"{panel['title']}: a series without `{label}`: {target['expr']}")
    return wrong


def exported(prometheus: Prometheus) -> List[str]:
    """What differs between the table of metrics and what Prometheus has scraped."""
    wrong = []
    metadata = prometheus.get("metadata")
    for metric in files.documented().values():
        kinds = {entry["type"] for entry in metadata.get(metric.name, [])}
        if kinds != {metric.kind}:
            wrong.append(f"{metric.name}: the docs say {metric.kind}, servers say {kinds}")
    unknown = {name for name in metadata if name.startswith("pd_")} - set(files.documented())
    return wrong + [f"{name}: not in telemetry.md" for name in sorted(unknown)]


def run(git: str, gateway: str, minutes: float) -> Tuple[Dict[str, Any], List[str]]:
    dashboard = files.load()
    tokens = token_counts(git)
    with load.staged(git, gateway) as scene, scraping(scene.jobs(), INTERVAL) as prometheus:
        begun = time.time()
        load.play(scene, 60 * minutes)
        end = time.time()
        # The first rates need two scrapes.
        times = (begun + 3 * INTERVAL, end)
        variables = {"__rate_interval": RATE, "__range": f"{math.ceil(end - begun)}s", **tokens}
        variables["instance"] = ".+"
        panels = files.queried_panels(dashboard)
        found = {panel["id"]: answers(prometheus, panel, variables, times) for panel in panels}
        wrong = exported(prometheus)
        for panel in panels:
            wrong += faults(panel, found[panel["id"]])
        alerts = prometheus.get("alerts")["alerts"]
    data = {"times": times, "panels": {str(key): value for key, value in found.items()}}
    data["alerts"] = sorted({(one["labels"]["alertname"], one["state"]) for one in alerts})
    return data, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    data, wrong = run(os.environ["PD_GIT"], os.environ["PD_GATEWAY"], options.minutes)
    DATA.parent.mkdir(parents=True, exist_ok=True)
    DATA.write_text(json.dumps(data))
    series = sum(len(found) for found in data["panels"].values())
    print(f"{len(data['panels'])} panels have {series} series; alerts: {data['alerts']}")
    if wrong:
        sys.exit("\n".join(["FAIL", *wrong]))
    if options.picture:
        import plots

        plots.draw(files.load(), data, options.picture)
        print(f"{options.picture}: {options.picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
