"""Selective disclosure between our servers and those of the reference implementation: rows of each taken by each, in both modes,
with its agent and with ours."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys

import server
from agent import Agent
from report import check, equal, exit_code

ALERTS = os.environ.get("PD_ALERTS") or "PD_ALERTS must name the example's binary; `run` builds and sets it"
HERE = pathlib.Path(__file__).parent
DATA = HERE.parents[1] / "examples/alerts/quakes.json"
STRONG = [quake for quake in json.loads(DATA.read_text(encoding="utf-8")) if quake["mag"] >= 5]
PYTHON = str(server.cache() / "mcp_sd/bin/python")
TAKEN = [0, 2, 3]
SHOWN = ["mag", "place"]
# The ways in which columns may be named.
NAMED = {"async": ",".join(SHOWN), "sync": json.dumps(SHOWN)}
# In sync mode the reference server has no number for this, and writes what is no JSON; its data plane cannot.
UNKNOWN = "dmin"
PAIRS = [("ours", "reference"), ("reference", "ours"), ("ours", "ours")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def resource(whose: str, mode: str):
    """A server with rows: how it is spoken to, and where its data plane is."""
    if whose == "ours":
        with server.listening(ALERTS, "feed") as (url, _):
            yield [url], url.removesuffix("/mcp")
    else:
        port = free_port()
        yield reference(port, *([UNKNOWN] if mode == "sync" else [])), f"http://127.0.0.1:{port}"


def reference(port: int, *unknown: str) -> list[str]:
    return [PYTHON, str(HERE / "servers/selective_reference.py"), str(DATA), str(port), *unknown]


def consumer(whose: str, origin: str) -> tuple[list[str], str]:
    """A server that takes rows from there, and its tool."""
    if whose == "reference":
        return reference(free_port()), "look"
    return [ALERTS, "charts", "serve", "--fetch-from-private", origin], "count"


def shown(seen: str, mode: str) -> dict:
    """What the model is shown has two columns, and no more of the rest than where it is."""
    answer = json.loads(seen)
    equal(sorted(answer["abstract"][0]), sorted(["_row_id", *SHOWN]))
    equal((answer["total_rows"], len(answer["columns"])), (len(STRONG), 29))
    equal("body" in answer, False)
    equal(answer["resource_url"].startswith("ddi://" if mode == "sync" else "http://127.0.0.1:"), True)
    assert STRONG[0]["url"] not in seen, "the body came along"
    return answer


def judged(whose: str, told: str):
    """The consumer had the columns, too, that were not shown."""
    rows, found = [STRONG[place] for place in TAKEN], json.loads(told)
    if whose == "reference":
        known = [name for name in STRONG[0] if name != UNKNOWN]
        equal([{name: row[name] for name in known} for row in found], [{name: row[name] for name in known} for row in rows])
    else:
        equal((found["count"], found["largest"]), (len(rows), max(row["mag"] for row in rows)))
        equal(found["median_depth_km"], sorted(row["depth"] for row in rows)[len(rows) // 2])


def with_their_agent(mode: str, whose: str, whose_consumer: str):
    with check(f"selective: {mode}, its agent: rows of {whose}, taken by {whose_consumer}"), resource(whose, mode) as (words, origin):
        command, tool = consumer(whose_consumer, origin)
        case = {"mode": mode, "resource": words, "consumer": command, "tool": tool, "take": TAKEN, "columns": NAMED[mode]}
        done = dispatched(case)
        shown(done["seen"], mode)
        judged(whose_consumer, done["told"])
        equal(done["pending"], 0)


def renamed(mode: str, whose: str, whose_consumer: str):
    """Columns that one server calls otherwise than the other: two that change their names."""
    with check(f"selective: {mode}, columns of {whose}, renamed for {whose_consumer}"), resource(whose, mode) as (words, origin):
        command, tool = consumer(whose_consumer, origin)
        more = {"column_mapping": json.dumps({"mag": "depth", "depth": "mag"})}
        case = {"mode": mode, "resource": words, "consumer": command, "tool": tool, "take": TAKEN, "columns": NAMED[mode]}
        found = json.loads(dispatched({**case, "more": more})["told"])
        deepest = max(STRONG[place]["depth"] for place in TAKEN)
        equal(found["largest"] if whose_consumer == "ours" else max(row["mag"] for row in found), deepest)


def nothing_withheld(mode: str):
    with check(f"selective: {mode}, its agent finds its way where no column is withheld"), resource("ours", mode) as (words, origin):
        command, tool = consumer("reference", origin)
        case = {"mode": mode, "resource": words, "consumer": command, "tool": tool, "take": TAKEN, "columns": ",".join(STRONG[0])}
        done = dispatched(case)
        equal(json.loads(done["seen"])["body_domains"], [])
        judged("reference", done["told"])


def dispatched(case: dict) -> dict:
    script = str(HERE / "clients/python_mcp_sd.py")
    ended = subprocess.run([PYTHON, script, json.dumps(case)], capture_output=True, text=True, env=server.QUIET)
    equal((ended.returncode, ended.stderr if ended.returncode else ""), (0, ""))
    return json.loads(ended.stdout)


def with_our_agent(mode: str, whose: str, whose_consumer: str):
    with check(f"selective: {mode}, our agent: rows of {whose}, taken by {whose_consumer}"), resource(whose, mode) as (words, origin):
        command, tool = consumer(whose_consumer, origin)
        with Agent(*words, "--and", *command) as agent:
            asked = {"min_magnitude": 5, "abstract_domains": NAMED[mode], "mode": mode}
            answer = shown(agent.call("a__quakes", **asked), mode)
            taken = [row for row in answer["abstract"] if row["_row_id"] in TAKEN]
            handed = {"abstract_data": json.dumps(taken), "resource_url": answer["resource_url"]}
            judged(whose_consumer, agent.call(f"b__{tool}", **handed))
            again = agent("call", name=f"b__{tool}", arguments=handed)
            assert again.get("isError") or "error" in again, f"the same rows were taken twice: {again}"
            if whose_consumer == "ours":
                assert answer["resource_url"].rsplit("/")[-1] not in json.dumps(again), f"a capability is told: {again}"


if __name__ == "__main__":
    for one_mode in ("async", "sync"):
        for pair in PAIRS:
            with_their_agent(one_mode, *pair)
        for pair in [*PAIRS, ("reference", "reference")]:
            with_our_agent(one_mode, *pair)
        for pair in PAIRS:
            renamed(one_mode, *pair)
        nothing_withheld(one_mode)
    sys.exit(exit_code())
