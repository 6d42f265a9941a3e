"""A server of each generation of SDKs behind the gateway: it lists, describes and calls, and goes on after a restart.

    zoo.py SDK        an SDK of `SDKS` below
    zoo.py public     the twelve servers of `gateway.py`: all of their processes are killed between two calls

Each server has the same four tools. Its tool `sdk` reports the version of the SDK, which gateway/docs/gateway-servers.md names.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

import server
import upstream_servers as upstreams
import wires
from gateway import PLAINLY, by_name, offered, outcome
from report import check, equal, exit_code

HERE = pathlib.Path(__file__).parent / "zoo"
# FastMCP asks PyPI for a newer version when it starts.
ENV = {"FASTMCP_CHECK_FOR_UPDATES": "off"}
PAGE = HERE.parents[2] / "pd-runtime/gateway/docs/gateway-servers.md"


@dataclass
class Sdk:
    """How its server starts: over stdio as it is, over another transport with these arguments, the port and this path."""

    title: str
    command: list[str]
    over: dict[str, tuple[str, str]] = field(default_factory=dict)


def python(title: str, venv: str, script: str, http: str) -> Sdk:
    over = {"HTTP": (http, "/mcp"), "HTTP+SSE": ("sse", "/sse")}
    return Sdk(title, [str(server.cache() / venv / "bin/python"), str(HERE / script)], over)


def node(title: str, directory: str, script: str, **over: tuple[str, str]) -> Sdk:
    return Sdk(title, ["node", str(server.cache() / directory / "zoo" / script)], {"HTTP": ("http", "/mcp"), **over})


def rust(title: str, variable: str) -> Sdk:
    return Sdk(title, [os.environ.get(variable, f"{variable} must name the server's binary; `run` sets it")], {"HTTP": ("http", "/mcp")})


SDKS = {
    "rmcp_1": rust("rmcp, Rust", "PD_ZOO_RMCP_1"),
    "rmcp_3": rust("rmcp, Rust", "PD_ZOO"),
    "python_mcp_v1": python("mcp, Python", "python_v1", "python_mcp_v1.py", "streamable-http"),
    "python_mcp": python("mcp, Python", "python", "python_mcp.py", "streamable-http"),
    "fastmcp_2": python("FastMCP, Python", "zoo_fastmcp_2", "python_fastmcp.py", "http"),
    "fastmcp_3": python("FastMCP, Python", "zoo_fastmcp_3", "python_fastmcp.py", "http"),
    "fastmcp_4": python("FastMCP, Python", "python", "python_fastmcp.py", "http"),
    "typescript_v1": node("@modelcontextprotocol/sdk, TypeScript", "node", "typescript_v1.mjs", **{"HTTP+SSE": ("sse", "/sse")}),
    "typescript_v2": node("@modelcontextprotocol/server, TypeScript", "node", "typescript_v2.mjs"),
}
# Calls whose results depend on nothing but the call.
CALLS = {
    "without its optional argument": ("greet", {"name": "Ada"}, "Hello, Ada!"),
    "with its optional argument": ("greet", {"name": "Ada", "greeting": "Good day"}, "Good day, Ada!"),
    "that only reads": ("motto", {}, "All animals are equal."),
}


class Place:
    """Where a server can be reached: a command for the gateway, or a port with a process, which can end and start anew."""

    def __init__(self, sdk: Sdk, transport: str):
        self.sdk, self.transport, self.process = sdk, transport, None
        if transport == "stdio":
            command, *args = sdk.command
            self.entry = {"command": command, "args": args, "env": ENV}
            return
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.entry = {"url": f"http://127.0.0.1:{self.port}{sdk.over[transport][1]}"}

    def start(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": None if "PD_INTEROP_VERBOSE" in os.environ else subprocess.DEVNULL}
        command = [*self.sdk.command, self.sdk.over[self.transport][0], str(self.port)]
        self.process = subprocess.Popen(command, env={**server.QUIET, **ENV}, **quiet)
        for _ in range(400):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError(f"{command} does not listen")

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def restart(self, pid: int):
        """The gateway starts the process over stdio by itself."""
        if self.transport == "stdio":
            os.kill(pid, signal.SIGKILL)
        else:
            self.end()
            self.start()


@contextlib.contextmanager
def placed(sdk: Sdk, transport: str):
    place = Place(sdk, transport)
    try:
        if transport != "stdio":
            place.start()
        yield place
    finally:
        place.end()


def directly(sdk: Sdk) -> tuple[list[dict], dict[str, dict]]:
    """The tools of the server and the results of its calls, without the gateway."""
    connection = upstreams.Session(sdk.command, {**server.QUIET, **ENV})
    try:
        connection.initialize("2025-11-25", upstreams.CAPABILITIES)
        results = {words: connection("tools/call", name=name, arguments=given) for words, (name, given, _) in CALLS.items()}
        return upstreams.all_tools(connection), results | {"sdk": connection("tools/call", name="sdk", arguments={})}
    finally:
        connection.child.kill()
        connection.child.wait()


def text_of(result: dict) -> str:
    return "".join(block.get("text", "") for block in result["content"])


def succeeded(result: dict) -> str:
    assert not result.get("isError"), text_of(result)
    return text_of(result)


def by_prefix(ask):
    """Calls a tool by the server's own name for it."""
    return lambda name, /, **arguments: ask("tools/call", name=f"up__{name}", arguments=arguments)


def by_meta_tool(ask):
    return lambda name, /, **arguments: ask("tools/call", name="call_tool", arguments={"name": f"up__{name}", "arguments": arguments})


def lists(say: str, ask, tools: list[dict]):
    with check(say, "lists its tools as it does by itself"):
        listed, by_itself = by_name(offered("up", upstreams.all_tools(ask))), by_name(tools)
        equal(sorted(listed), ["greet", "motto", "refuse", "sdk"])
        for name, definition in by_itself.items():
            equal(listed[name], definition)


def describes(say: str, ask):
    with check(say, "is found and described"):
        found = succeeded(ask("tools/call", name="find_tools", arguments={"query": "greet a person"}))
        assert "up__greet" in found, found
        described = succeeded(ask("tools/call", name="describe_tools", arguments={"names": ["up__greet", "up__refuse"]}))
        assert all(word in described for word in ("name", "greeting", "reason")), described


def calls(say: str, call, results: dict[str, dict]):
    for words, (name, given, wanted) in CALLS.items():
        with check(say, f"answers a call {words}"):
            result = call(name, **given)
            assert wanted in succeeded(result), result
            equal(outcome(result), outcome(results[words]))
    with check(say, "returns structured content"):
        result, by_itself = call("sdk"), results["sdk"]["structuredContent"]
        succeeded(result)
        equal(result["structuredContent"] | {"pid": 0}, by_itself | {"pid": 0})
    with check(say, "returns its reason when it fails"):
        result = call("refuse", reason="the ark is full")
        equal(result.get("isError"), True)
        assert "the ark is full" in text_of(result), result


def process(call) -> int:
    succeeded(result := call("sdk"))
    return int(result["structuredContent"]["pid"])


def reads_after_restart(say: str, call, place: Place):
    """What only reads may be repeated, so it is called at once."""
    with check(say, "answers what reads, then what writes, after a restart"):
        before = process(call)
        place.restart(before)
        succeeded(call("motto"))
        equal(succeeded(call("greet", name="Ada")), "Hello, Ada!")
        assert process(call) != before, "it is the same process"


def writes_after_restart(say: str, call, place: Place):
    with check(say, "answers what may write after a restart, or reports it once"):
        before = process(call)
        place.restart(before)
        if (result := call("greet", name="Ada")).get("isError"):
            assert "UPSTREAM_" in text_of(result), result
            result = call("greet", name="Ada")
        equal(succeeded(result), "Hello, Ada!")
        assert process(call) != before, "it is the same process"


def outage(say: str, call, place: Place):
    with check(say, "is reported while it is down, and answers when it is back"):
        place.end()
        began = time.monotonic()
        result = call("greet", name="Ada")
        assert time.monotonic() - began < 5, f"the call took {time.monotonic() - began:.1f} s"
        equal(result.get("isError"), True)
        assert "up" in text_of(result), result
        place.start()
        deadline = time.monotonic() + 8
        while (result := call("motto")).get("isError") and time.monotonic() < deadline:
            time.sleep(0.2)
        succeeded(result)


def ended(say: str, pid: int):
    with check(say, "has no process when the gateway has ended"):
        deadline = time.monotonic() + 5
        while pathlib.Path(f"/proc/{pid}").exists():
            assert time.monotonic() < deadline, f"process {pid} is there"
            time.sleep(0.05)


def examined(gateway: list[str]) -> str:
    """The revision of MCP by which doctor found four tools."""
    ran = subprocess.run([*gateway, "doctor"], capture_output=True, text=True, env=server.QUIET)
    [revision] = re.findall(r"^up +ok +4 tools, MCP (20[\d-]+)", ran.stdout, re.M) or [ran.stdout]
    equal(ran.returncode, 0)
    return revision


def examined_again(sdk: Sdk, transport: str) -> str:
    with placed(sdk, transport) as place, upstreams.configured({"up": place.entry}) as gateway:
        return examined(gateway)


def behind(say: str, place: Place, tools: list[dict], results: dict[str, dict]) -> str:
    """All checks of one transport. Returns the revision of MCP that the gateway speaks with the server."""
    revision, pid = "none", 0
    with upstreams.configured({"up": place.entry}) as gateway:
        with check(say, "starts: doctor reports four tools"):
            revision = examined(gateway)
        with check(f"{say} session:", "connects and closes"), upstreams.over_stdio(gateway, *PLAINLY) as ask:
            lists(f"{say} session:", ask, tools)
            calls(f"{say} session:", by_prefix(ask), results)
            reads_after_restart(f"{say} session:", by_prefix(ask), place)
            if place.transport == "stdio":
                pid = process(by_prefix(ask))
            else:
                outage(f"{say} session:", by_prefix(ask), place)
        if pid:
            ended(say, pid)
        with check(f"{say} inline:", "connects and closes"), upstreams.over_stdio(gateway, "--gate", "off", modern=True) as ask:
            describes(f"{say} inline:", ask)
            calls(f"{say} inline:", by_meta_tool(ask), results)
            writes_after_restart(f"{say} inline:", by_meta_tool(ask), place)
    return revision


def row(sdk: Sdk, version: str, revisions: dict[str, str]) -> str:
    cells = [revisions.get(transport, "–") for transport in ("stdio", "HTTP", "HTTP+SSE")]
    return "| " + " | ".join([sdk.title, version, *cells]) + " |"


def row_of_public(one: upstreams.Upstream, revision: str) -> str:
    program = pathlib.Path(one.command[0]).name
    if program == "node":
        package = pathlib.Path(one.command[1]).parents[1] / "package.json"
        told = json.loads(package.read_text())
        name, version = told["name"], told["version"]
    elif program.startswith("mcp-server-"):
        pins = (HERE.parent / "upstreams").glob("requirements*.txt")
        name, [version, *_] = program, re.findall(rf"^{program}==(.+)$", "\n".join(pin.read_text() for pin in pins), re.M)
    else:
        captured = rf"^\| {one.name}\.json \| \d+ \| npm ([^ ,]+)[^|]* \| ([\d.]+) \|"
        [(package, version)] = re.findall(captured, (upstreams.DATA / "README.md").read_text(encoding="utf-8"), re.M)
        name = f"{package}, its list replayed"
    return f"| {name} | {version} | {revision} |"


def is_in_page(line: str) -> bool:
    return line in PAGE.read_text(encoding="utf-8").splitlines()


def in_page(*lines: str):
    missing = [line for line in lines if not is_in_page(line)]
    assert not missing, f"{PAGE.name} lacks: {' '.join(missing)}"


def of_sdk(name: str):
    sdk, revisions = SDKS[name], {}
    with check(f"zoo: {name}: answers by itself"):
        tools, results = directly(sdk)
        version = results["sdk"]["structuredContent"]["version"]
        for transport in ("stdio", *sdk.over):
            with placed(sdk, transport) as place:
                revisions[transport] = behind(f"zoo: {name} {version} {transport}:", place, tools, results)
        with check(f"zoo: {name}: its row in the docs is true"):
            if not is_in_page(row(sdk, version, revisions)):
                # A server that a busy machine starts too slowly for `server/discover` is sent `initialize`.
                revisions = {transport: examined_again(sdk, transport) for transport in revisions}
            in_page(row(sdk, version, revisions))


def processes(gateway: int, servers) -> dict[str, int]:
    """The children of the gateway, by the name of the server. One more child ends the others if the gateway is killed."""
    found = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == gateway:
                words = (status.parent / "cmdline").read_text().split("\0")
                found |= {one.name: int(status.parent.name) for one in servers if one.command[-1] in words}
    return found


def public():
    revisions = {}
    with upstreams.twelve() as servers, upstreams.configured({one.name: one.entry() for one in servers}) as gateway:
        with check("zoo: public: doctor reports the twelve"):
            ran = subprocess.run([*gateway, "doctor"], capture_output=True, text=True, env=server.QUIET)
            revisions = dict(re.findall(r"^(\S+) +ok +\d+ tools?, MCP (20[\d-]+)", ran.stdout, re.M))
            equal((ran.returncode, sorted(revisions)), (0, sorted(one.name for one in servers)))
        with check("zoo: public: connects and closes"), upstreams.over_stdio(gateway, *PLAINLY) as ask:
            call = lambda one: ask("tools/call", name=f"{one.name}__{one.tool}", arguments=one.arguments)
            results = {}
            for one in servers:
                with check(f"zoo: public: {one.name} answers"):
                    succeeded(call(one))
                    results[one.name] = call(one) if one.name != "thinking" else None
            before = processes(ask.child.pid, servers)
            for pid in before.values():
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.3)  # a call that is on its way to a process that has just ended may have run
            for one in servers:
                with check(f"zoo: public: {one.name} answers after its process was killed"):
                    succeeded(result := call(one))
                    # It counts the calls.
                    assert one.name == "thinking" or outcome(result) == outcome(results[one.name]), result
            with check("zoo: public: each has a new process"):
                after = processes(ask.child.pid, servers)
                equal((sorted(before), sorted(after)), (sorted(one.name for one in servers),) * 2)
                equal(set(before.values()) & set(after.values()), set())
    with check("zoo: public: their rows in the docs are true"):
        in_page(*(row_of_public(one, revisions.get(one.name, "none")) for one in servers))


if __name__ == "__main__":
    public() if sys.argv[1] == "public" else of_sdk(sys.argv[1])
    raise SystemExit(exit_code())
