"""The gateway in front of twelve servers that are not ours, two of ours over HTTP, and one that crashes.

All of it lists and calls as the servers themselves do, and what a client reads to find and call one tool stays small.
"""

import re
import subprocess
import time

import server
import upstream_servers as upstreams
import wires
from report import check, equal, exit_code

PLAINLY = ("--listing", "full", "--gate", "off")
GROUPS = "experimental/deterministic-groups"
# What each hop has for itself.
OF_HOP = {"resultType", "ttlMs", "cacheScope"}
MOST_TOKENS = 900


def without_groups(tool: dict) -> dict:
    meta = {key: value for key, value in tool.get("_meta", {}).items() if key != GROUPS}
    rest = {key: value for key, value in tool.items() if key != "_meta"}
    return {**rest, "_meta": meta} if meta else rest


def offered(name: str, tools: list[dict]) -> list[dict]:
    """What the gateway lists of a server, by the names that the server gave."""
    prefix = f"{name}__"
    own = [without_groups(tool) for tool in tools if tool["name"].startswith(prefix)]
    return [{**tool, "name": tool["name"].removeprefix(prefix)} for tool in own]


def by_name(tools: list[dict]) -> dict[str, dict]:
    return {tool["name"]: without_groups(tool) for tool in tools}


def outcome(result: dict) -> dict:
    # A server of 2026-07-28 says in `_meta` who it is, and so does each hop for itself.
    meta = {key: value for key, value in result.get("_meta", {}).items() if not key.startswith("io.modelcontextprotocol/")}
    rest = {key: value for key, value in result.items() if key not in OF_HOP and key != "_meta"}
    return {**rest, **({"_meta": meta} if meta else {})}


def directly(servers) -> dict[str, tuple[list[dict], dict]]:
    """The tools of each server and the result of its call, without the gateway."""
    told = {}
    for one in servers:
        with check(f"gateway: {one.name} lists and answers by itself"), one.directly() as ask:
            told[one.name] = upstreams.all_tools(ask), ask("tools/call", name=one.tool, arguments=one.arguments)
            assert told[one.name][0], "no tools"
            equal(told[one.name][1].get("isError", False), False)
    return told


def ours_directly(entries: dict[str, dict], client) -> dict[str, list[dict]]:
    """The tools of our servers, as a client of one generation sees them. An older one gets output schemas that are objects.

    Without `describe_tools`: the gateway knows our servers by their extension, and has one of its own for all servers.
    """
    own = lambda tools: [tool for tool in tools if tool["name"] != "describe_tools"]
    return {name: own(upstreams.all_tools(client(entry["url"]))) for name, entry in entries.items()}


def cold_start(gateway: list[str], wanted: dict[str, list[dict]]):
    """The client gets an answer at once, and tools as their servers start. The server that crashes delays none."""
    with upstreams.over_stdio(gateway, *PLAINLY) as ask:
        with check("gateway: a cold start answers before any server has started"):
            began = time.monotonic()
            ask("tools/list")
            took = time.monotonic() - began
            assert took < 2, f"{took:.1f} s"
        with check("gateway: every server but the one that crashes lists its tools"):
            began, missing = time.monotonic(), set(wanted)
            while missing and time.monotonic() - began < 28:
                tools = upstreams.all_tools(ask)
                missing = {name for name, own in wanted.items() if len(offered(name, tools)) < len(own)}
                time.sleep(0.1)
            assert not missing, f"no tools of {sorted(missing)}"
            equal(offered("broken", tools), [])
            note(f"all lists were there after {time.monotonic() - began:.1f} s")


def doctor(gateway: list[str], wanted: dict[str, list[dict]]):
    with check("gateway: doctor reports each server, and why one has failed"):
        ran = subprocess.run([*gateway, "doctor"], capture_output=True, text=True, env=server.QUIET)
        equal(ran.returncode, 1)
        for name, tools in wanted.items():
            assert re.search(rf"^{name} +ok  {len(tools)} tools?, MCP 202\d-", ran.stdout, re.M), (name, ran.stdout)
        [failed] = re.findall(r"^broken +(failed .+)$", ran.stdout, re.M)
        note(f"doctor on the server that crashes: {failed}")


def fidelity(say: str, ask, wanted: dict[str, list[dict]]):
    """Each tool, listed in full, is what its server wrote."""
    tools = upstreams.all_tools(ask)
    for name, own in wanted.items():
        with check(f"gateway: {say}: {name} lists {len(own)} tools as it does by itself"):
            found, by_itself = by_name(offered(name, tools)), by_name(own)
            equal(sorted(found), sorted(by_itself))
            for tool, definition in by_itself.items():
                equal(found[tool], definition)
    with check(f"gateway: {say}: the only other tool is `describe_tools`"):
        others = [tool["name"] for tool in tools if tool["name"].split("__")[0] not in wanted]
        equal(others, ["describe_tools"])


def calls(say: str, ask, servers, told: dict):
    for one in servers:
        with check(f"gateway: {say}: {one.name}'s {one.tool} returns what it does by itself"):
            result = ask("tools/call", name=f"{one.name}__{one.tool}", arguments=one.arguments)
            equal(outcome(result), outcome(told[one.name][1]))


def calls_of_ours(say: str, ask, by_itself):
    with check(f"gateway: {say}: our_git's branches returns what it does by itself"):
        equal(outcome(ask("tools/call", name="our_git__branches", arguments={})), outcome(by_itself("tools/call", name="branches", arguments={})))


def cost(gateway: list[str], servers, full: list[dict]):
    """The o200k tokens of what a client reads by the default listing, beside the definitions of all servers."""
    with check("gateway: `tokens` counts what the tokenizer from npm counts"):
        ran = subprocess.run([*gateway, "tokens"], capture_output=True, text=True, env=server.QUIET, check=True)
        [counted] = re.findall(r"^all \d+, as listed +[\d,]+ +[\d,]+ +([\d,]+)", ran.stdout, re.M)
        ours, [theirs] = int(counted.replace(",", "")), upstreams.tokens(upstreams.compact({"tools": full}))
        note(f"{len(full)} tools of {len(servers)} servers in full: {ours:,} tokens, and {theirs:,} with the keys that models do not read")
        assert ours <= theirs <= 1.05 * ours
    with check(f"gateway: one tool is found and called in at most {MOST_TOKENS} tokens"), upstreams.over_stdio(gateway) as ask:
        [git] = [one for one in servers if one.name == "git"]
        steps = {"list": upstreams.compact({"tools": ask("tools/list")["tools"]}), **conversation(ask, git.arguments)}
        counted = dict(zip(steps, upstreams.tokens(*steps.values())))
        note(f"to find and call one: {sum(counted.values())} tokens: {', '.join(f'{step} {count}' for step, count in counted.items())}")
        assert sum(counted.values()) <= MOST_TOKENS


def conversation(ask, arguments: dict) -> dict[str, str]:
    """What the model writes and reads, by meta-tool."""
    steps = {}
    for name, given in {
        "find_tools": {"query": "show the commit history"},
        "describe_tools": {"names": ["git__git_log"]},
        "call_tool": {"name": "git__git_log", "arguments": arguments},
    }.items():
        result = ask("tools/call", name=name, arguments=given)
        assert not result.get("isError"), result
        text = "".join(block["text"] for block in result["content"])
        assert name == "call_tool" or "git__git_log" in text, text
        steps[name] = upstreams.compact(given) + text
    assert "Commit history" in steps["call_tool"]
    return steps


def note(words: str):
    print(f"note gateway: {words}", flush=True)


def main():
    with upstreams.twelve() as servers, upstreams.ours() as own:
        told = directly(servers)
        lists = {name: tools for name, (tools, _) in told.items()}
        session, inline = lists | ours_directly(own, upstreams.HttpSession), lists | ours_directly(own, wires.Http)
        entries = {one.name: one.entry() for one in servers}
        our_git = own["our_git"]["url"]
        with upstreams.configured({"broken": upstreams.broken(), **entries, **own}) as gateway:
            cold_start(gateway, session)
            doctor(gateway, session)
            with upstreams.over_stdio(gateway, *PLAINLY) as ask:
                fidelity("stdio session", ask, session)
                calls("stdio session", ask, servers, told)
                calls_of_ours("stdio session", ask, upstreams.HttpSession(our_git))
            with upstreams.over_stdio(gateway, *PLAINLY, modern=True) as ask:
                fidelity("stdio inline", ask, inline)
            with server.listening(*gateway, flags=PLAINLY) as (url, _):
                fidelity("http session", upstreams.HttpSession(url), session)
                fidelity("http inline", wires.Http(url), inline)
                calls("http inline", wires.Http(url), servers, told)
                calls_of_ours("http inline", wires.Http(url), wires.Http(our_git))
        with upstreams.configured(entries) as gateway:
            cost(gateway, servers, [{**tool, "name": f"{name}__{tool['name']}"} for name, (tools, _) in told.items() for tool in tools])


if __name__ == "__main__":
    main()
    raise SystemExit(exit_code())
