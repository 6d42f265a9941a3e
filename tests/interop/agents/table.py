"""The results that are committed: how they are compared with a run, and the table of docs/agent-frameworks.md that shows them."""

import json
import pathlib

from agents import install
from agents.configurations import CONFIGURATIONS, DEFAULTS, FAULTS, LIMITS, Configuration
from agents.matrix import Cell
from agents.verdict import rank

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parents[2] / "pd-runtime/docs/agent-frameworks.md"
BEGIN, END = "<!-- by `just interop-agents --write` -->", "<!-- end -->"
SHOWN = {"default": "default", "minimal": "minimal", "grouped": "grouped", "http": "HTTP", "gateway": "gateway"}


def committed() -> dict[str, dict]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def merged(results: dict[str, dict[str, Cell]]) -> dict[str, dict]:
    """The committed results with those of a run, which may have had some of the cells only."""
    rows = committed()
    for one in CONFIGURATIONS:
        if one.name in results:
            row = rows.setdefault(one.name, {"cells": {}})
            row["version"] = install.version(one.package, one.distribution)
            row["mcp"] = next((cell.mcp for cell in results[one.name].values() if cell.mcp), row.get("mcp"))
            row["cells"] |= {column: cell.verdict for column, cell in results[one.name].items()}
    return {one.name: rows[one.name] for one in CONFIGURATIONS if one.name in rows}


def write(rows: dict[str, dict]):
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if PAGE.exists():
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n\n{rendered(rows)}\n\n{END}{after}", encoding="utf-8")


def rendered(rows: dict[str, dict]) -> str:
    head = ["framework", "version", "MCP", *SHOWN.values(), "what to set"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for one in CONFIGURATIONS:
        if one.name in rows:
            row = rows[one.name]
            cells = [shown(row["cells"].get(column, "–")) for column in SHOWN]
            lines.append("| " + " | ".join([one.title, row["version"], row["mcp"] or "–", *cells, one.setting or "nothing"]) + " |")
    return "\n".join(lines)


def shown(verdict: str) -> str:
    return {"{}": "`{}`", "ok": "yes"}.get(verdict, verdict)


def judged(one: Configuration, column: str, cell: Cell) -> str | None:
    """Why a cell fails: it is worse than the committed one, or a default does not work and no limit of the framework explains it."""
    before = committed().get(one.name, {}).get("cells", {}).get(column)
    if before is not None and rank(cell.verdict) > rank(before):
        return f"{cell.verdict}; it was {before}"
    if column in DEFAULTS and cell.verdict != "ok" and not reason(one, column):
        return f"{cell.verdict}; `LIMITS` of configurations.py names no reason"
    return None


def reason(one: Configuration, column: str) -> str | None:
    """Why a default does not work."""
    return next((each[key] for each in (LIMITS, FAULTS) for key in ((one.name, column), (one.name, "*")) if key in each), None)
