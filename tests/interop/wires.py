"""Manifests, deterministic groups and Delta-MCP, by clients that know no more than what those wires' own texts say."""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import time

import raw_http
import server
from report import check, equal, exit_code

CATALOG = os.environ.get("PD_CATALOG") or "PD_CATALOG must name the catalog's binary; `run` builds and sets it"
GROUPS = "experimental/deterministic-groups"


class Refused(Exception):
    """A JSON-RPC error; `error` is what the server said."""

    def __init__(self, error: dict):
        super().__init__(json.dumps(error))
        self.error = error


class Stdio:
    """A server as a child, one JSON object a line."""

    def __init__(self, command: list[str], **options):
        self.ids = itertools.count(1)
        options = {"env": server.QUIET, **options}
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)

    def initialize(self, version: str, capabilities: dict) -> dict:
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": raw_http.INITIALIZE["clientInfo"]}
        opened = self("initialize", **params)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return opened

    def say(self, message: dict):
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()

    def __call__(self, method: str, **params) -> dict:
        number = next(self.ids)
        self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.child.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return result(answer)
        raise EOFError(method)

    def close(self):
        self.child.stdin.close()
        self.child.wait(10)


class Http:
    """Requests of 2026-07-28, each complete in itself."""

    def __init__(self, url: str, token: str | None = None):
        self.url, self.headers = url, {"Authorization": f"Bearer {token}"} if token else {}

    def __call__(self, method: str, **params) -> dict:
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **self.headers}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        own = params.pop("_meta", {})
        return result(raw_http.post(self.url, method, {**params, "_meta": {**raw_http.INLINE, **own}}, headers)[2])


def result(answer: dict) -> dict:
    if "error" in answer:
        raise Refused(answer["error"])
    return answer["result"]


def refused(ask, method: str, **params) -> dict:
    """What a refusal says beside its code, which is that of bad parameters."""
    try:
        answered = ask(method, **params)
    except Refused as refusal:
        equal(refusal.error["code"], -32602)
        return refusal.error["data"]
    raise AssertionError(f"not refused: {answered}")


def canonical(tool: dict) -> bytes:
    return json.dumps(tool, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def names(listed: list[dict]) -> list[str]:
    return [one["name"] for one in listed]


def fetched(ask, entries: list[dict]) -> list[dict]:
    """The tools of these entries, each verified."""
    tools = []
    for start in range(0, len(entries), 50):
        tools += ask("tools/describe", names=names(entries[start : start + 50]))["tools"]
    for entry, tool in zip(entries, tools, strict=True):
        equal((entry["name"], entry["size"]), (tool["name"], len(canonical(tool))))
        equal(entry["digest"], "sha256:" + hashlib.sha256(canonical(tool)).hexdigest())
    return tools


def manifest(ask, capabilities: dict, *words: str):
    with check("wires:", "a manifest names what the list names, and its digests hold,", *words):
        equal(capabilities["tools"]["manifest"], True)
        entries = ask("tools/manifest")["entries"]
        equal(names(entries), names(ask("tools/list")["tools"]))
        fetched(ask, entries)
        equal(refused(ask, "tools/describe", names=["log", "nothing"]), {"unknownNames": ["nothing"]})
        equal(refused(ask, "tools/describe", names=[]), {"reason": "empty"})
        equal(refused(ask, "tools/describe", names=["log"] * 51), {"maxNames": 50})
    with check("wires:", "what a manifest's client was given can be called,", *words):
        described = ask("tools/describe", names=["log"])
        tickets = described.get("_meta", {}).get("dev.pd-runtime/tickets", {})
        meta = {"_meta": {"dev.pd-runtime/ticket": tickets["log"]}} if tickets else {}
        assert not ask("tools/call", name="log", arguments={"limit": 1}, **meta).get("isError")


class DeltaHttp:
    """What `@delta-mcp/client` 0.2.1 sends over HTTP: no registry has the package, so its sources were read. The
    version in its header is a constant, which it sends with `initialize`, too."""

    def __init__(self, url: str, version: str):
        self.url, self.headers = url, {"Accept": "application/json, application/json", "MCP-Protocol-Version": version}

    def initialize(self, version: str, capabilities: dict) -> dict:
        client = {"name": "delta-mcp-client", "version": "0.2.0"}
        opened = self("initialize", protocolVersion=version, clientInfo=client, capabilities=capabilities)
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
        equal(raw_http.send(self.url, "POST", note, self.headers)[0], 202)
        return opened

    def __call__(self, method: str, **params) -> dict:
        status, headers, message = raw_http.post(self.url, method, params, self.headers)
        equal((status, headers["Content-Type"]), (200, "application/json"))
        if session := headers.get("Mcp-Session-Id"):
            self.headers["Mcp-Session-Id"] = session
        return result(message)

    def close(self):
        equal(raw_http.send(self.url, "DELETE", None, self.headers)[0], 204)


def delta(client, *words: str):
    with check("wires: Delta's client sees names and short lines, and is never refused", *words):
        opened = client.initialize("delta-mcp/0.2.0", {"tools": {"progressiveDisclosure": True, "lazyLoading": True}})
        equal(opened["protocolVersion"], "2025-11-25")
        equal(opened["capabilities"]["tools"]["progressiveDisclosure"], True)
        for tool in client("tools/list")["tools"]:
            assert len(tool["description"].encode("utf-16-le")) <= 120, tool
            equal((set(tool), tool["inputSchema"]), ({"name", "description", "inputSchema"}, {"type": "object"}))
        assert "describe_tools" not in names(client("tools/list")["tools"])
        assert not client("tools/call", name="log", arguments={"limit": 1}).get("isError")
    with check("wires: Delta's client gets one tool at a time", *words):
        assert "limit" in client("tools/describe", name="log")["inputSchema"]["properties"]
        try:
            client("tools/describe", name="nothing")
        except Refused as refusal:
            equal((refusal.error["code"], refusal.error["message"]), (-32602, "Unknown tool: nothing"))
        else:
            raise AssertionError("an unknown tool was described")
    client.close()


def tool(name: str, *groups: str, **others) -> dict:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    mark = {"groups": list(groups), "callable": True}
    described = {"name": name, "description": f"Read {name}", "inputSchema": schema, "_meta": {GROUPS: mark}}
    return {**described, "annotations": {"readOnlyHint": True}, **others}


def fixture(*first_groups: str) -> dict:
    groups = {"query": "Inspect tables", "operations": "Inspect cluster health"}
    first = tool("list_tables", *(first_groups or ("query",)))
    return {"groups": groups, "tools": [first, tool("cluster_health", "operations"), tool("server_version", *groups)]}


def write(path: pathlib.Path, value: dict):
    """At once, as a file is replaced that is being watched."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(value))
    new.replace(path)


def until(changed):
    """Waits for what the server has yet to notice."""
    deadline = time.monotonic() + 10
    while not changed():
        assert time.monotonic() < deadline, "the server did not notice"
        time.sleep(0.05)


@contextlib.contextmanager
def catalog(directory: pathlib.Path, *flags: str):
    file, principals = directory / "tools.json", directory / "principals.json"
    write(file, fixture())
    write(principals, {"host": names(fixture()["tools"]), "guest": ["list_tables"]})
    with tempfile.TemporaryFile("w+") as log:
        command = [CATALOG, str(file), "--principals", str(principals), "serve", "--http", "127.0.0.1:0", *flags]
        process = subprocess.Popen(command, stderr=log, env=server.QUIET)
        try:
            yield server.address(process, log), file, principals
        finally:
            process.kill()
            process.wait()


def groups(url: str, file: pathlib.Path, principals: pathlib.Path):
    host, guest = Http(url, "host"), Http(url, "guest")
    directory = host("experimental/groups/list")
    with check("wires: a group is expanded to tools that are byte for byte the fixture's"):
        query = {"id": "query", "description": "Inspect tables", "count": 2}
        equal(directory["groups"], [query, {"id": "operations", "description": "Inspect cluster health", "count": 2}])
        expanded = host("experimental/groups/expand", id="query", revision=directory["revision"])
        wanted = [one for one in fixture()["tools"] if "query" in one["_meta"][GROUPS]["groups"]]
        equal((names(expanded["entries"]), expanded["revision"]), (names(wanted), directory["revision"]))
        equal(fetched(host, expanded["entries"]), wanted)
    with check("wires: a hidden group is an absent one, and a revision is good for its own view"):
        revision = guest("experimental/groups/list")["revision"]
        hidden = refused(guest, "experimental/groups/expand", id="operations", revision=revision)
        equal(hidden, refused(guest, "experimental/groups/expand", id="missing", revision=revision))
        equal(hidden, {"reason": "unknownGroup"})
        foreign = directory["revision"]
        equal(refused(guest, "experimental/groups/expand", id="query", revision=foreign), {"reason": "staleView"})
    with check("wires: a file that changed makes revisions stale"):
        write(file, fixture("operations"))
        until(lambda: host("experimental/groups/list")["revision"] != directory["revision"])
        stale = refused(host, "experimental/groups/expand", id="query", revision=directory["revision"])
        equal(stale, {"reason": "staleView"})
        now = host("experimental/groups/list")["revision"]
        equal(names(host("experimental/groups/expand", id="query", revision=now)["entries"]), ["server_version"])
    with check("wires: a revoked tool is unknown, and the others are there"):
        write(principals, {"host": ["server_version"]})
        until(lambda: len(host("tools/list")["tools"]) == 1)
        equal(refused(host, "tools/call", name="list_tables", arguments={}), {"unknownNames": ["list_tables"]})
        assert not host("tools/call", name="server_version", arguments={}).get("isError")


def main():
    with server.repository() as repo:
        client = Stdio(server.stdio_command(repo))
        manifest(client, client.initialize("2025-11-25", {})["capabilities"], "over stdio")
        client.close()
        delta(Stdio(server.stdio_command(repo)), "over stdio")
        with server.http(repo) as (url, _):
            for version in ["2025-11-25", "2025-06-18", "delta-mcp/0.2.0"]:
                delta(DeltaHttp(url, version), f"over HTTP as {version}")
            client = Http(url)
            manifest(client, client("server/discover")["capabilities"], "over HTTP")
    with tempfile.TemporaryDirectory() as directory:
        flags = ["--listing", "full", "--gate", "advise", "--no-meta-tools"]
        with catalog(pathlib.Path(directory), *flags) as (url, file, principals):
            groups(url, file, principals)


if __name__ == "__main__":
    main()
    raise SystemExit(exit_code())
