"""The numbers of a page of `report`, beside those that the commands print."""

import json
import subprocess
from dataclasses import dataclass

import server

# Everything with a number that a page shows, outside of the details of tools.
SHOWN = """(() => {
  const texts = (root, selector) => [...root.querySelectorAll(selector)].map(one => one.textContent);
  const tables = {};
  for (const table of document.querySelectorAll("main > section table")) {
    const name = table.getAttribute("aria-label").replace(", continued", "");
    const rows = [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent));
    tables[name] = [...(tables[name] ?? [texts(table, "thead th")]), ...rows];
  }
  const apart = ".cards, .tour, .key, #all-tools, table, figure details, pre";
  const sentences = [...document.querySelectorAll("main p, main section > ul > li")].filter(one => !one.closest(apart));
  return {
    tables,
    cards: Object.fromEntries([...document.querySelectorAll(".cards li")].map(one => [one.lastChild.textContent, one.querySelector("b").textContent])),
    sentences: sentences.map(one => one.textContent).filter(text => /[0-9]/.test(text)),
    bars: Object.fromEntries([...document.querySelectorAll("figure")].map(one => [one.querySelector("figcaption").textContent, texts(one, "svg > .value, svg > g > .value")])),
    cells: [...document.querySelectorAll(".cell")].map(one => one.getAttribute("aria-label")),
    lines: Object.fromEntries([...document.querySelectorAll(".tool")].map(one => [one.id.slice(5), one.querySelector(".cost").textContent])),
    steps: texts(document, ".tour .total"),
  };
})()"""

# Sentences whose numbers are not of this server.
STANDING = ("Each request describes", "Both are within 10 %")


@dataclass
class Printed:
    """What the commands print as JSON."""

    tokens: dict
    check: dict
    tour: dict
    audit: dict | None

    @staticmethod
    def by(program: list[str], tool: str, audit=None, lock=None) -> "Printed":
        return Printed(
            printed(program, "tokens", "--json"),
            # `check` fails where a contract changed, and prints its findings all the same.
            printed(program, "check", "--json", *(("--lock", str(lock)) if lock else ()), codes=(0, 1)),
            printed(program, "tour", "--json", "--tool", tool),
            printed(program, "audit", "--json", str(audit)) if audit else None,
        )


def printed(program: list[str], *arguments: str, codes=(0,)) -> dict:
    ran = subprocess.run([*program, *arguments], capture_output=True, text=True, env=server.QUIET)
    assert ran.returncode in codes, ran.stderr
    return json.loads(ran.stdout)


def number(value: float) -> str:
    return f"{int(value + 0.5):,}"


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    value = 1000 * seconds
    return f"{value:.1f} ms" if value < 10 else f"{number(value)} ms"


def plain(text: str) -> str:
    """A text without the marks of code in it."""
    pieces = text.split("`")
    return "`".join(pieces) if len(pieces) % 2 == 0 and len(pieces) == 2 else "".join(pieces)


def tables(said: Printed) -> dict[str, list[list[str]]]:
    """The rows that each table must have, without those that only the page measures."""
    by_cost = sorted(said.tokens["tools"], key=lambda row: -row["full"])
    expected = {"Tokens of each tool": [[row["name"], f"{row['minimal']:,}", f"{row['full']:,}"] for row in by_cost]}
    expected |= findings(said.check, called_by_tool(said.audit))
    return expected | (use(said.audit) if said.audit else {})


def called_by_tool(audit: dict | None) -> dict[str, int] | None:
    return audit and {tool["name"]: tool["called"] for tool in audit["tools"]}


def findings(check: dict, calls: dict[str, int] | None) -> dict[str, list[list[str]]]:
    expected, remarks = {}, check["remarks"]
    if remarks:
        lints = dict.fromkeys(remark["lint"] for remark in remarks)
        counts = {lint: sum(remark["lint"] == lint for remark in remarks) for lint in lints}
        expected["Remarks by lint"] = [[lint, f"{count:,}"] for lint, count in sorted(counts.items(), key=lambda one: -one[1])]
        expected["Remarks of the lints"] = [[one["tool"] or "the server", one["lint"], plain(one["message"])] for one in remarks]
    if missed := (check["requests"] or {}).get("missed"):
        expected["Requests that miss their tool"] = [[one["origin"] or "a tool", one["message"]] for one in missed]
    if (check["contracts"] or {}).get("changes"):
        changes = sorted(check["contracts"]["changes"], key=lambda change: not change["breaking"])
        kind = {True: "breaking", False: "compatible"}
        rows = [[one["tool"], kind[one["breaking"]], plain(one["description"])] for one in changes]
        uses = [[f"{calls.get(one['tool'], 0):,}"] if calls is not None else [] for one in changes]
        expected["Changes of contracts"] = [row + use for row, use in zip(rows, uses)]
    return expected


FUNNEL = ["listed", "found", "described", "called", "succeeded"]
COUNTS = ["listed", "found", "first", "passed_over", "described", "refused", "called", "succeeded", "failed"]
PERIOD = ["calls", "failed", "refused", "searches", "fruitless"]


def in_order(audit: dict) -> list[dict]:
    return sorted(audit["tools"], key=lambda tool: (-tool["called"], -tool["described"], -tool["found"]))


def latency(counts: dict) -> list[str]:
    return [milliseconds(counts.get("p50_seconds")), milliseconds(counts.get("p95_seconds"))]


def use(audit: dict) -> dict[str, list[list[str]]]:
    def frequent(entries):
        return [[entry["text"], f"{entry['count']:,}"] for entry in entries]

    expected = {
        "Events of all tools": [[step, f"{sum(tool[step] for tool in audit['tools']):,}"] for step in FUNNEL],
        "Events by tool": [[tool["name"], *(f"{tool[column]:,}" for column in COUNTS), *latency(tool)] for tool in in_order(audit)],
        "Events by period": [[one["start"], *(f"{one[column]:,}" for column in PERIOD), *latency(one)] for one in audit["timeline"]["periods"]],
        "Searches that found nothing": frequent(audit["searches"]["fruitless_queries"]),
        "Searches that no call followed": frequent(audit["searches"]["queries_without_call"]),
        "Refused calls by reason": frequent(audit["refusals"]),
        "Calls by outcome": frequent(audit["outcomes"]),
    }
    return {name: rows for name, rows in expected.items() if rows}


def sentences(said: Printed) -> list[str]:
    """The sentences with numbers, in the order of the page."""
    names = [tool["name"] for tool in said.tokens["tools"]]
    lines = [plain(said.tokens["advice"])] if said.tokens["advice"] else []
    choice = said.tour["choice"]
    lines.append(
        f"To choose and call one tool, a model read {choice['read']:,} tokens of tool text instead of {choice['full']:,}. "
        f"All steps, results included: {said.tour['total_tokens']:,} tokens."
    )
    lines += checked(said.check)
    if said.audit:
        lines += used(said.audit, names)
    if said.check["contracts"]:
        changes, file = said.check["contracts"]["changes"], said.check["contracts"]["file"]
        breaking = said.check["contracts"]["breaking"]
        lines.append(f"{counted(len(changes), 'change')} since {file}, {breaking:,} breaking. A breaking change fails callers that follow the former contract.")
    return [*lines, f"{len(names):,} of {counted(len(names), 'tool')}"]


def checked(check: dict) -> list[str]:
    examples, requests = check["registry"]["examples"], check["requests"]
    sources = [("by_compiler", "by the compiler"), ("by_check", "by check"), ("unchecked", "by nothing")]
    by = ", ".join(f"{examples[key]:,} {source}" for key, source in sources if examples[key])
    lines = [f"{counted(sum(examples.values()), 'example')}, checked {by}."] if by else []
    if total := requests["requests"]:
        found = f"{total - len(requests['missed']):,} of {counted(total, 'request')}"
        lines.append(f"{found} {'finds its' if total == 1 else 'find their'} tool among the first {requests['within']}.")
    return lines


def used(audit: dict, names: list[str]) -> list[str]:
    searches, calls = audit["searches"], called_by_tool(audit)
    unused = sum(not calls.get(name) for name in names)
    fewer = len(audit["tools"]) > 30
    lines = [f"Each column has its own scale. These are the 30 most called of {len(audit['tools']):,} tools; the table has all."] if fewer else []
    noun = "search" if searches["total"] == 1 else "searches"
    lines.append(f"{searches['total']:,} {noun}: {searches['fruitless']:,} found nothing, {searches['without_call']:,} found tools but no call followed.")
    lines.append(f"{unused:,} of {counted(len(names), 'tool')} {'was' if unused == 1 else 'were'} never called.")
    return [*lines, f"Each bar is {counted(audit['timeline']['width_seconds'], 'second')}. Times are in UTC."]


def bars(said: Printed) -> dict[str, list[str]]:
    """The numbers beside the bars of each figure, without those that only the page measures."""
    sums = [said.tour["total_tokens"], said.tour["choice"]["full"]]
    expected = {"Tokens that a model has read": [f"{value:,}" for value in sums]}
    if said.audit:
        expected["From the list to a result, all tools"] = [row[1] for row in use(said.audit)["Events of all tools"]]
        shown = in_order(said.audit)[:30]
        expected["From the list to a result, by tool"] = [f"{tool[step]:,}" for step in FUNNEL for tool in shown]
    return expected


def steps(tour: dict) -> list[str]:
    lines, total = [], 0
    for step in tour["steps"]:
        total += step["tokens"] if step["is_counted"] else 0
        lines.append(f"{counted(step['tokens'], 'token')}, {f'{total:,} so far' if step['is_counted'] else 'of another client'}")
    return lines
