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
PAIRS = [("ours", "reference"), ("reference", "ours"), ("ours", "ours")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def resource(whose: str):
    """A server with rows: how it is spoken to, and where its data plane is."""
    if whose == "ours":
        with server.listening(ALERTS, "feed") as (url, _):
            yield [url], url.removesuffix("/mcp")
    else:
        port = free_port()
        yield reference(port), f"http://127.0.0.1:{port}"


def reference(port: int) -> list[str]:
    return [PYTHON, str(HERE / "servers/mcp_sd.py"), str(DATA), str(port)]


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
        equal([{name: row[name] for name in STRONG[0]} for row in found], rows)
    else:
        equal((found["count"], found["largest"]), (len(rows), max(row["mag"] for row in rows)))
        equal(found["median_depth_km"], sorted(row["depth"] for row in rows)[len(rows) // 2])


def with_their_agent(mode: str, whose: str, whose_consumer: str):
    with check(f"selective: {mode}, its agent: rows of {whose}, taken by {whose_consumer}"), resource(whose) as (words, origin):
        command, tool = consumer(whose_consumer, origin)
        case = {"mode": mode, "resource": words, "consumer": command, "tool": tool, "take": TAKEN, "columns": ",".join(SHOWN)}
        script = str(HERE / "clients/python_mcp_sd.py")
        ended = subprocess.run([PYTHON, script, json.dumps(case)], capture_output=True, text=True, env=server.QUIET)
        equal((ended.returncode, ended.stderr if ended.returncode else ""), (0, ""))
        done = json.loads(ended.stdout)
        shown(done["seen"], mode)
        judged(whose_consumer, done["told"])
        equal(done["pending"], 0)


def with_our_agent(mode: str, whose: str, whose_consumer: str):
    with check(f"selective: {mode}, our agent: rows of {whose}, taken by {whose_consumer}"), resource(whose) as (words, origin):
        command, tool = consumer(whose_consumer, origin)
        with Agent(*words, "--and", *command) as agent:
            named = {name.rsplit("__")[-1]: name for name in agent.names()}
            asked = {"min_magnitude": 5, "abstract_domains": ",".join(SHOWN), "mode": mode}
            answer = shown(agent.call(named.get("quakes", "a__quakes"), **asked), mode)
            taken = [row for row in answer["abstract"] if row["_row_id"] in TAKEN]
            handed = {"abstract_data": json.dumps(taken), "resource_url": answer["resource_url"]}
            judged(whose_consumer, agent.call(named.get(tool, f"b__{tool}"), **handed))
            again = agent("call", name=named.get(tool, f"b__{tool}"), arguments=handed)
            assert again.get("isError") or "error" in again, f"the same rows were taken twice: {again}"
            assert answer["resource_url"].rsplit("/")[-1] not in json.dumps(again), f"a capability is told: {again}"


if __name__ == "__main__":
    for one_mode in ("async", "sync"):
        for pair in PAIRS:
            with_their_agent(one_mode, *pair)
        for pair in [*PAIRS, ("reference", "reference")]:
            with_our_agent(one_mode, *pair)
    sys.exit(exit_code())
