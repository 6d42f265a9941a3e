"""Twelve servers that are not ours, two of ours and one that crashes; the gateway in front of them, and messages as they are on the wire."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import raw_http
import server
import wires

GATEWAY = os.environ.get("PD_GATEWAY") or "PD_GATEWAY must name the gateway's binary; `run` builds and sets it"
HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "data"
PACKAGES = server.cache() / "upstreams_node/node_modules"
# What the gateway declares in `initialize`: some servers list more tools to a client that has it.
CAPABILITIES = {"elicitation": {}, "sampling": {}}


@dataclass
class Upstream:
    """A server, and one call whose result depends on nothing but the call."""

    name: str
    command: list[str]
    tool: str
    arguments: dict
    env: dict[str, str] = field(default_factory=dict)

    def entry(self, **pd) -> dict:
        command, *args = self.command
        return {"command": command, "args": args, "env": self.env, "pd": pd}

    @contextlib.contextmanager
    def directly(self):
        """Connects to a process of its own, without the gateway."""
        connection = Session(self.command, {**server.QUIET, **self.env})
        try:
            connection.initialize("2025-11-25", CAPABILITIES)
            yield connection
        finally:
            connection.child.kill()
            connection.child.wait()


class Session(wires.Stdio):
    """A session over stdio, whose server has an environment of its own."""

    def __init__(self, command: list[str], env: dict[str, str] = server.QUIET):
        super().__init__(command, env=env, stderr=None if "PD_INTEROP_VERBOSE" in os.environ else subprocess.DEVNULL)


class SelfContained(Session):
    """Requests of 2026-07-28 over stdio."""

    def __call__(self, method: str, **params) -> dict:
        return super().__call__(method, **{**params, "_meta": raw_http.INLINE})


class HttpSession:
    """A session over HTTP."""

    def __init__(self, url: str):
        self.url, self.headers = url, raw_http.session(url)

    def __call__(self, method: str, **params) -> dict:
        return wires.result(raw_http.post(self.url, method, params, self.headers)[2])


def node(name: str, package: str, *args: str, **call) -> Upstream:
    return Upstream(name, ["node", str(PACKAGES / "@modelcontextprotocol" / package / "dist/index.js"), *args], **call)


def python(name: str, module: str, *args: str, venv: str = "upstreams", **call) -> Upstream:
    return Upstream(name, [str(server.cache() / venv / "bin" / module), *args], **call)


def captured(name: str, tool: str, **arguments) -> Upstream:
    """A server that needs an account or a browser, by the list that it sent once."""
    command = [sys.executable, str(HERE / "upstreams/replay.py"), str(DATA / f"{name}.json")]
    return Upstream(name, command, tool, arguments)


@contextlib.contextmanager
def twelve():
    """The servers, with the files, the repository, the database and the page that they serve."""
    with server.repository() as repo, tempfile.TemporaryDirectory(prefix="pd-upstreams-") as directory, page() as url:
        files = pathlib.Path(directory)
        (files / "note.txt").write_text("one\ntwo\n")
        (files / "memory.jsonl").write_text('{"type":"entity","name":"Ada","entityType":"person","observations":["x"]}\n')
        with contextlib.closing(sqlite3.connect(files / "data.db")) as database:
            database.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);")
        thought = {"thought": "x", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
        hour = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        db, rows = str(files / "data.db"), {"query": "SELECT a FROM t ORDER BY a"}
        yield [
            node("everything", "server-everything", "stdio", tool="echo", arguments={"message": "hello"}),
            node("filesystem", "server-filesystem", directory, tool="read_text_file", arguments={"path": str(files / "note.txt")}),
            node("memory", "server-memory", tool="read_graph", arguments={}, env={"MEMORY_FILE_PATH": str(files / "memory.jsonl")}),
            node("thinking", "server-sequential-thinking", tool="sequentialthinking", arguments=thought),
            python("git", "mcp-server-git", "--repository", repo, tool="git_log", arguments={"repo_path": repo, "max_count": 3}),
            python("time", "mcp-server-time", "--local-timezone", "UTC", tool="convert_time", arguments=hour),
            python("fetch", "mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips", tool="fetch", arguments={"url": url, "raw": True}),
            python("sqlite", "mcp-server-sqlite", "--db-path", db, venv="upstreams_sqlite", tool="read_query", arguments=rows),
            captured("playwright", "browser_navigate", url="https://example.org/"),
            captured("notion", "API-get-user", user_id="6a1f0c9e-0b52-4d3a-9a55-0f4c8f0e2b11"),
            captured("chrome-devtools", "navigate_page", pageId=1, type="reload"),
            captured("context7", "resolve-library-id", query="parse dates", libraryName="jiff"),
        ]


@contextlib.contextmanager
def page():
    """Serves one page, for the server that fetches."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"A page of text.\n")

        def log_message(self, *_):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_port}/page"
    finally:
        site.shutdown()


def broken() -> dict:
    """The entry of a server that crashes in the handshake and then hangs: sqlite on an SDK that it was not written for."""
    crashing = python("broken", "mcp-server-sqlite", "--db-path", "/dev/null", venv="upstreams_broken", tool="", arguments={})
    return crashing.entry(startTimeout=6)


@contextlib.contextmanager
def ours():
    """The entries of our own servers over HTTP, which speak 2026-07-28: the Git server and the one with earthquakes."""
    plainly = ("--listing", "full", "--gate", "off")
    alerts = os.environ.get("PD_ALERTS") or "PD_ALERTS must name the binary of `alerts`; `run` builds and sets it"
    with server.repository() as repo, server.http(repo, *plainly) as (git, _):
        with server.listening(alerts, "feed", flags=plainly) as (feed, _):
            yield {"our_git": {"url": git}, "alerts": {"url": feed}}


@contextlib.contextmanager
def configured(entries: dict[str, dict]):
    """The gateway's command line for these servers, with a cache of its own."""
    with tempfile.TemporaryDirectory(prefix="pd-gateway-") as directory:
        config = pathlib.Path(directory) / "mcp.json"
        config.write_text(json.dumps({"mcpServers": entries}))
        yield [GATEWAY, "--config", str(config), "--cache", f"{directory}/cache", "--upstream-lock", f"{directory}/upstreams.lock"]


@contextlib.contextmanager
def over_stdio(gateway: list[str], *flags: str, modern: bool = False):
    connection = (SelfContained if modern else Session)([*gateway, "serve", *flags])
    try:
        if not modern:
            connection.initialize("2025-11-25", CAPABILITIES)
        yield connection
        connection.close()
    finally:
        connection.child.kill()
        connection.child.wait()


def all_tools(ask) -> list[dict]:
    """The tools of all pages."""
    result = ask("tools/list")
    tools = result["tools"]
    while "nextCursor" in result:
        result = ask("tools/list", cursor=result["nextCursor"])
        tools += result["tools"]
    return tools


def tokens(*texts: str) -> list[int]:
    """Counts o200k tokens."""
    script = "const {encode} = require('gpt-tokenizer/encoding/o200k_base'); let all = ''; process.stdin.on('data', part => all += part)"
    script += ".on('end', () => console.log(JSON.stringify(JSON.parse(all).map(text => encode(text).length))))"
    ran = subprocess.run(["node", "-e", script], cwd=PACKAGES.parent, input=json.dumps(texts), capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def compact(value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
