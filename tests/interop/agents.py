"""Agent frameworks in front of the Git server and the gateway: what of the calls that a model writes arrives at the server.

    agents.py [--ci] [--only NAME,…] [--columns NAME,…] [--json FILE] [--write] [--install] [--skip NAME,…] [--at-once N]
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import traceback

BUILT = pathlib.Path(__file__).resolve().parents[2] / "target/debug"
os.environ.setdefault("PD_GIT", str(BUILT / "examples/git"))
os.environ.setdefault("PD_GATEWAY", str(BUILT / "gateway"))
os.environ.setdefault("PD_INTEROP_CACHE", str(pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pd-interop"))

from agents import install, matrix
from agents.configurations import CONFIGURATIONS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--columns", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--at-once", type=int, default=3)
    parser.add_argument("--logs", type=pathlib.Path)
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name]
    chosen = [one for one in CONFIGURATIONS if (one.name in names if names else one.ci or not options.ci)]
    chosen = [one for one in chosen if one.name not in options.skip.split(",")]
    failed = []
    wanted = matrix.columns(options.ci)
    if options.columns:
        wanted = [column for column in wanted if column.name in options.columns.split(",")]
    for package in dict.fromkeys(["upstreams", "upstreams_node", *(one.package for one in chosen)]):
        try:
            install.install(package)
        except Exception as error:
            print(f"FAIL agents: {package} cannot be installed — {error}", flush=True)
            failed.append(package)
    if options.install:
        return 1 if failed else 0
    chosen = [one for one in chosen if one.package not in failed]

    def done(one, cells, seconds):
        print(f"{one.name:22} {seconds:4.0f} s  " + "  ".join(f"{name}: {cell.verdict}" for name, cell in cells.items()), flush=True)

    logs = options.logs or pathlib.Path(tempfile.mkdtemp(prefix="pd-agents-"))
    print(f"records: {logs}", file=sys.stderr)
    results = matrix.run(chosen, wanted, logs, options.at_once, done)
    if options.json:
        values = {name: {column: dataclasses.asdict(cell) for column, cell in cells.items()} for name, cells in results.items()}
        options.json.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
