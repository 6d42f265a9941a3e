"""Agent frameworks in front of the Git server and the gateway: what of the calls that a model writes arrives at the server.

    agents.py                       every configuration, every server; what is missing is installed first
    agents.py --ci                  the five that CI runs
    agents.py --only crewai,mastra --columns default,gateway
    agents.py --write               the results to agents/results.json and docs/agent-frameworks.md

`PD_GIT` and `PD_GATEWAY` name the servers' binaries; by default they are those of target/debug.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def settle():
    """The environment that `run` sets, for those who start this file by hand."""
    built = pathlib.Path(__file__).resolve().parents[2] / "target/debug"
    gateways = [built / "gateway", built / "examples/gateway"]
    newest = max(gateways, key=lambda path: path.stat().st_mtime if path.exists() else 0)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    os.environ.setdefault("PD_GIT", str(built / "examples/git"))
    os.environ.setdefault("PD_GATEWAY", str(newest))
    os.environ.setdefault("PD_INTEROP_CACHE", str(cache / "pd-interop"))


settle()

from agents import install, matrix, table
from agents.configurations import COLUMNS, CONFIGURATIONS


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ci", action="store_true", help="five configurations, and the columns where a default is used")
    parser.add_argument("--only", type=names, default=[], help="the configurations, separated by commas")
    parser.add_argument("--skip", type=names, default=[], help="configurations that need not be installable")
    parser.add_argument("--columns", type=names, default=[], help=", ".join(column.name for column in COLUMNS))
    parser.add_argument("--json", type=pathlib.Path, help="a file for the verdicts, the calls and the errors")
    parser.add_argument("--write", action="store_true", help="keep the results, and write the table of the docs")
    parser.add_argument("--install", action="store_true", help="install, and run nothing")
    parser.add_argument("--at-once", type=int, default=3, help="configurations beside each other")
    parser.add_argument("--logs", type=pathlib.Path, help="a folder for messages, requests and what frameworks print")
    options = parser.parse_args()
    unknown = {*options.only, *options.skip} - {one.name for one in CONFIGURATIONS}
    unknown |= set(options.columns) - {column.name for column in COLUMNS}
    if unknown:
        parser.error(f"no such configuration or column: {', '.join(sorted(unknown))}")
    return options


def installed(chosen) -> list:
    """The configurations whose packages could be installed. The others fail."""
    missing = set()

    def each(package: str):
        try:
            install.install(package)
        except Exception as error:
            missing.add(package)
            print(f"FAIL agents: {package} cannot be installed; `--skip` leaves a configuration out — {error}", flush=True)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(each, dict.fromkeys(["upstreams", "upstreams_node", *(one.package for one in chosen)])))
    return [one for one in chosen if one.package not in missing]


def main() -> int:
    options = parsed()
    chosen = [one for one in CONFIGURATIONS if (one.name in options.only if options.only else one.ci or not options.ci)]
    wanted = [one for one in chosen if one.name not in options.skip]
    here = installed(wanted)
    failed = len(here) < len(wanted)
    if options.install:
        return 1 if failed else 0
    columns = [column for column in matrix.columns(options.ci) if not options.columns or column.name in options.columns]
    logs = options.logs or pathlib.Path(tempfile.mkdtemp(prefix="pd-agents-"))
    print(f"messages and requests: {logs}", file=sys.stderr)

    def done(one, cells, seconds):
        nonlocal failed
        for name, cell in cells.items():
            reason = None if options.write else table.judged(one, name, cell)
            failed = failed or reason is not None
            print(f"FAIL agents: {one.name}: {name} — {reason}" if reason else f"ok agents: {one.name}: {name} — {cell.verdict}", flush=True)
        print(f"{one.name}: {seconds:.0f} s", file=sys.stderr)

    results = matrix.run(here, columns, logs, options.at_once, done)
    if options.json:
        values = {name: {column: dataclasses.asdict(cell) for column, cell in cells.items()} for name, cells in results.items()}
        options.json.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    if options.write:
        table.write(table.merged(results))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
