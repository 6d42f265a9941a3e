"""What the pages of `report` are made from: an audit log of a few conversations, a lock before a change, and the catalogs of `../data` as one."""

import json
import pathlib
import subprocess
import time

import server
import wires

HERE = pathlib.Path(__file__).parent
CATALOGS = ["github", "grafana", "notion", "playwright", "mcp-git", "mcp-slack-archived"]
# What callers wrote, if they searched, and what they called.
CONVERSATIONS = [
    ("show the commit history", ["log", "show"]),
    ("", ["status", "log"]),
    ("who wrote each line of a file", ["blame"]),
    ("which branches are there", ["branches"]),
    ("undo my last commit", []),
    ("", ["log"]),
    ("find text in the files", ["grep"]),
    ("teleportation", []),
    ("what changed since the last release", ["log"]),
    ("", ["show", "blame"]),
    ("<img src=x onerror=alert(1)>", []),
]
ARGUMENTS = {"show": {"revision": "HEAD"}, "blame": {"path": "src/file_1.rs"}, "grep": {"pattern": "1"}}


def record_use(repo: str, audit: pathlib.Path):
    """Lets clients find, describe and call tools of the Git server. Some call before they read, and some with a wrong path."""
    for number, (query, tools) in enumerate(CONVERSATIONS):
        listing = ("--listing", "grouped" if query else "minimal")
        ask = wires.Stdio(server.stdio_command(repo, *listing, "--audit", str(audit), "--audit-detail", "queries"))
        ask.initialize("2025-11-25", {})
        ask("tools/list")
        if query:
            ask("tools/call", name="find_tools", arguments={"query": query})
        for tool in tools:
            if number % 3:
                ask("tools/call", name="describe_tools", arguments={"names": [tool]})
            # Without the description, the first call is refused.
            for _ in range(2):
                ask("tools/call", name=tool, arguments=ARGUMENTS.get(tool, {}))
        if "blame" in tools:
            ask("tools/call", name="blame", arguments={"path": "no/such/file"})
        ask.close()
        time.sleep(0.4)  # or all of it is in one second, and the page has nothing to draw over time


def lock_before_changes(program: list[str], lock: pathlib.Path):
    """Writes the lock of a server whose `log` took more, whose `blame` was described otherwise, and that had one more tool."""
    subprocess.run([*program, "check", "--lock", lock], check=True, capture_output=True, env=outside_of_ci())
    contracts = json.loads(lock.read_text())
    tools = contracts["tools"]
    tools["log"]["inputSchema"]["properties"]["limit"]["maximum"] = 100_000
    tools["blame"]["summary"] = "Blame somebody"
    tools["bisect"] = {**tools["status"], "summary": "Find the commit that broke something"}
    for name in ("log", "blame", "bisect"):
        tools[name]["digest"] = "sha256:" + "0" * 64
    lock.write_text(json.dumps(contracts))


def outside_of_ci() -> dict[str, str]:
    return {name: value for name, value in server.QUIET.items() if name != "CI"}


def captured_catalog(path: pathlib.Path):
    """Writes the tools of six servers in use as one catalog with a group for each."""
    tools = []
    for name in CATALOGS:
        listed = json.loads((HERE.parent / f"data/{name}.json").read_text())
        tools += [{**tool, "groups": [name]} for tool in (listed["tools"] if isinstance(listed, dict) else listed)]
    path.write_text(json.dumps({"name": "six servers", "version": "1", "tools": tools}))


HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\u202egnp.exe\u0007 `<b>` {{data}} <!--"


def hostile_catalog(path: pathlib.Path):
    """Writes a catalog whose every text is hostile, and whose schemas are as odd as the server lets through."""
    odd = {
        "type": "object",
        "properties": {
            HOSTILE: {"type": "string", "description": HOSTILE, "enum": [HOSTILE, "a"], "default": HOSTILE},
            "constructor": {"$ref": "#/$defs/again"},
            "wide": {"anyOf": [{"$ref": "#/$defs/again"}] * 9},
        },
        "required": [HOSTILE],
        "$defs": {"again": {"type": "object", "description": HOSTILE, "properties": {f"p{n}": {"$ref": "#/$defs/again"} for n in range(9)}}},
    }
    tools = [
        {"name": "list", "title": HOSTILE, "description": f"{HOSTILE}. And more: {HOSTILE}", "inputSchema": odd, "groups": [HOSTILE[:60]]},
        {"name": "__proto__", "description": HOSTILE, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
        {"name": "list-2", "description": HOSTILE, "inputSchema": {"type": "object"}},
    ]
    path.write_text(json.dumps({"name": HOSTILE, "version": HOSTILE, "instructions": HOSTILE, "tools": tools}))


def hostile_audit(path: pathlib.Path):
    """Writes an audit log with hostile queries, names and times."""
    event = {"time": "2026-07-28T12:00:00.000Z", "era": "session", "wire": "find_tools", "session": 1}
    events = [
        {**event, "event": "found", "tools": [{"tool": HOSTILE}, {"tool": "list"}], "query": HOSTILE},
        {**event, "event": "missed", "by": "query", "text": HOSTILE},
        {**event, "event": "refused", "tool": "list", "reason": HOSTILE},
        {**event, "event": "called", "tool": HOSTILE, "outcome": HOSTILE, "seconds": 0.1, "time": HOSTILE},
    ]
    path.write_text("\n".join(map(json.dumps, events)))
