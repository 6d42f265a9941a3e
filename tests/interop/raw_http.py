"""What the HTTP endpoint does with requests that no client library sends."""

import http.client
import itertools
import json
import urllib.parse

import server
from report import check, equal, exit_code
from scenario import error_of, succeeded, ticket_of

INLINE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "interop", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "clientInfo": {"name": "interop", "version": "1"},
    "capabilities": {},
}
OF_SESSIONS = {"MCP-Protocol-Version": "2025-11-25"}
READ_LOG = {"uri": "resource:///tool_descriptions?tools=log"}
ids = itertools.count(1)


def post(url: str, method: str, params: dict, headers: dict[str, str]):
    """Sends one request. Returns the status, the response's headers and the JSON-RPC message, if it is one."""
    message = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
    return send(url, "POST", json.dumps(message), headers)


def send(url: str, verb: str, body: str | None, headers: dict[str, str]):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    standing = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request(verb, parts.path, body, {**standing, **headers})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    kind = response.getheader("Content-Type", "")
    if kind.startswith("text/event-stream"):
        [text] = [line[5:] for line in text.splitlines() if line.startswith("data:") and len(line) > 6]
    return response.status, response.headers, json.loads(text) if text.strip().startswith("{") else text


def inline(url: str, method: str, params: dict, **headers: str):
    """A request of 2026-07-28, which says everything in itself."""
    name = params.get("name") or params.get("uri")
    named = {"Mcp-Name": name} if name else {}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **named, **headers}
    return post(url, method, {**params, "_meta": INLINE}, headers)


def session(url: str) -> dict[str, str]:
    """Opens a session; the headers of its later requests."""
    status, headers, _ = post(url, "initialize", INITIALIZE, {})
    equal(status, 200)
    opened = {"Mcp-Session-Id": headers["Mcp-Session-Id"], **OF_SESSIONS}
    send(url, "POST", json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), opened)
    return opened


def call_log(arguments: dict) -> dict:
    return {"name": "log", "arguments": arguments}


def refused(answer):
    status, _, message = answer
    equal(status, 200)
    equal(error_of(message["result"])["error"]["code"], "TOOL_DESCRIPTION_REQUIRED")


def description_of_log(answer) -> dict:
    [contents] = answer[2]["result"]["contents"]
    return json.loads(contents["text"])["log"]


def guards(url: str):
    with check("raw_http: refuses another Host"):
        equal(inline(url, "tools/list", {}, Host="rebound.example")[0], 403)
    with check("raw_http: refuses another site's Origin"):
        equal(inline(url, "tools/list", {}, Origin="https://elsewhere.example")[0], 403)
        equal(inline(url, "tools/list", {}, Origin="null")[0], 403)
    with check("raw_http: accepts its own Host and a loopback Origin"):
        equal(inline(url, "tools/list", {}, Origin="http://localhost:5173")[0], 200)


def session_ids(url: str):
    with check("raw_http: an inline request inherits nothing from a session whose id it names"):
        disclosed = session(url)
        post(url, "resources/read", READ_LOG, disclosed)
        succeeded(post(url, "tools/call", call_log({}), disclosed)[2]["result"])
        refused(inline(url, "tools/call", call_log({}), **{"Mcp-Session-Id": disclosed["Mcp-Session-Id"]}))
        refused(inline(url, "tools/call", call_log({}), **{"Mcp-Session-Id": "forged"}))
    with check("raw_http: a session that was never opened does not exist"):
        forged = {"Mcp-Session-Id": "forged", **OF_SESSIONS}
        equal(post(url, "tools/call", call_log({}), forged)[0], 404)
    with check("raw_http: a session that was closed is gone"):
        closed = session(url)
        assert send(url, "DELETE", None, closed)[0] in (200, 202, 204)
        equal(post(url, "tools/call", call_log({}), closed)[0], 404)
    with check("raw_http: two sessions share no disclosure"):
        one, other = session(url), session(url)
        post(url, "resources/read", READ_LOG, one)
        refused(post(url, "tools/call", call_log({}), other))


def garbage(url: str):
    with check("raw_http: answers what is not MCP with 4xx and goes on"):
        for body in ("", "{", "[]", "null", '{"jsonrpc":"2.0","id":1}'):
            status = send(url, "POST", body, {})[0]
            assert 400 <= status < 500, f"{body!r} was answered with {status}"
        equal(inline(url, "tools/list", {})[0], 200)


def without_sessions(url: str):
    with check("raw_http: --no-sessions opens none, and a ticket proves the disclosure"):
        status, headers, _ = post(url, "initialize", INITIALIZE, {})
        equal((status, headers["Mcp-Session-Id"]), (200, None))
        refused(post(url, "tools/call", call_log({}), OF_SESSIONS))
        proof = ticket_of(description_of_log(post(url, "resources/read", READ_LOG, OF_SESSIONS)))
        assert proof
        succeeded(post(url, "tools/call", call_log(proof), OF_SESSIONS)[2]["result"])
        refused(post(url, "tools/call", call_log({}), OF_SESSIONS))
    with check("raw_http: --no-sessions takes no session id for a disclosure"):
        refused(post(url, "tools/call", call_log({}), {"Mcp-Session-Id": "forged", **OF_SESSIONS}))


if __name__ == "__main__":
    with server.repository() as repo:
        with server.http(repo) as (url, _):
            guards(url)
            session_ids(url)
            garbage(url)
        with server.http(repo, "--no-sessions") as (url, _):
            without_sessions(url)
        with server.http(repo, "--allow-host", "git.example", "--allow-origin", "https://git.example") as (url, _):
            with check("raw_http: accepts the host and the origin that were allowed"):
                equal(inline(url, "tools/list", {}, Host="git.example", Origin="https://git.example")[0], 200)
    raise SystemExit(exit_code())
