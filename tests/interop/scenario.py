"""What every client must see of our server, whoever wrote the client.

    scenario.py CLIENT ERA TRANSPORT [FLAG…]

A client is a program in `clients/` that is started as `CLIENT ERA http URL` or `CLIENT ERA stdio COMMAND ARGUMENT…`,
connects by its SDK, prints what the server said of itself, and then answers one request a line:

    ← {"method": "tools/call", "params": {"name": "log", "arguments": {}}}
    → {"result": {…}}  or  {"error": {"code": -32602, "message": "…"}}

ERA is `session` (initialize, 2025-11-25) or `inline` (2026-07-28); with `+extension`, the client declares
`dev.pd-runtime/disclosure`. The flags are the server's: with `--no-sessions` and `inline` a call proves by a ticket
that the description was read.
"""

import json
import os
import pathlib
import subprocess
import sys
from contextlib import contextmanager

import jsonschema

import server
from report import check, equal, exit_code

HERE = pathlib.Path(__file__).parent
VERSIONS = {"session": "2025-11-25", "inline": "2026-07-28"}
LITERAL = {"type": "object", "additionalProperties": True}
URI = "resource:///tool_descriptions"
EXTENSION = "dev.pd-runtime/disclosure"


class RpcError(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class Client:
    """A connected client: MCP requests in, results as they stand on the wire out."""

    def __init__(self, name: str, era: str, target: list[str], **env: str):
        self.process = subprocess.Popen(
            [*interpreter(name), era, *target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr if "PD_INTEROP_VERBOSE" in os.environ else subprocess.DEVNULL,
            text=True,
            env={**server.QUIET, **env},
        )
        self.info = self.heard()

    def ask(self, method: str, **params) -> dict:
        return self.ask_with({}, method, **params)

    def ask_with(self, options: dict, method: str, **params) -> dict:
        """The options are `progress`, after which the result has `reports`, and `cancelAfter` in seconds."""
        print(json.dumps({"method": method, "params": params, **options}), file=self.process.stdin, flush=True)
        return self.heard()

    def heard(self) -> dict:
        line = self.process.stdout.readline()
        assert line, "the client ended; set PD_INTEROP_VERBOSE to see why"
        said = json.loads(line)
        if "error" in said:
            raise RpcError(said["error"].get("code"), said["error"]["message"])
        return said["result"]

    def call(self, name: str, arguments: dict | None = None, **params) -> dict:
        return self.ask("tools/call", name=name, arguments=arguments or {}, **params)

    def read(self, query: str) -> dict:
        [contents] = self.ask("resources/read", uri=URI + query)["contents"]
        equal(contents["uri"], URI + query)
        equal(contents["mimeType"], "application/json")
        return json.loads(contents["text"])

    def close(self):
        self.process.stdin.close()
        equal(self.process.wait(timeout=10), 0)


def interpreter(name: str) -> list[str]:
    if (HERE / f"clients/{name}.py").exists():
        # SDK 1 has an environment of its own.
        own = str(server.cache() / "python_v1/bin/python") if name.endswith("_v1") else sys.executable
        return [own, str(HERE / f"clients/{name}.py")]
    # Node finds packages beside the script only, so `run` copied it there.
    return ["node", str(server.cache() / f"node/{name}.mjs")]


# What results say.


def error_of(result: dict) -> dict:
    """The body of a failed call: JSON at the beginning of one text, and no structured content, which some clients check on failures too."""
    equal(result.get("isError"), True)
    assert "structuredContent" not in result
    [content] = result["content"]
    return json.loads(content["text"].split("\n\n", 1)[0])


def succeeded(result: dict) -> dict:
    assert not result.get("isError"), result["content"]
    return result["structuredContent"]


def ticket_of(description: dict) -> dict:
    """The arguments that prove the disclosure: what a model copies from the schema."""
    ticket = description["inputSchema"].get("properties", {}).get("disclosure_ticket")
    if ticket is None:
        return {}
    assert "disclosure_ticket" in description["inputSchema"]["required"]
    return {"disclosure_ticket": ticket["const"]}


# The scenario, in the order of a client's life.


def opening(client: Client, era: str):
    equal(client.info["protocolVersion"], VERSIONS[era])
    equal(client.info["serverInfo"]["name"], "git")
    equal(client.info["capabilities"]["extensions"][EXTENSION], {"version": 1})
    assert "FETCH" in client.info["instructions"]


def minimal_list(client: Client):
    tools = client.ask("tools/list")["tools"]
    described = tools.pop()
    equal(described["name"], "describe_tools")
    assert len(tools) > 20
    # Other words for a tool stand in `_meta`, for hosts that defer tools; nothing else does.
    hints = {tool["name"]: tool.pop("_meta") for tool in tools if "_meta" in tool}
    equal(hints["contributors"], {"anthropic/searchHint": "shortlog, authors"})
    assert 5 < len(hints) < len(tools), hints
    assert all(set(hint) == {"anthropic/searchHint"} for hint in hints.values()), hints
    for tool in tools:
        equal(set(tool) - {"annotations"}, {"name", "description", "inputSchema"})
        assert 0 < len(tool["description"]) <= 60, tool["description"]
        equal(tool["inputSchema"], LITERAL)


def resource_and_template(client: Client):
    [resource] = client.ask("resources/list")["resources"]
    equal((resource["uri"], resource["mimeType"]), (URI, "application/json"))
    assert "FETCH" in resource["description"]
    [template] = client.ask("resources/templates/list")["resourceTemplates"]
    equal(template["uriTemplate"], URI + "{?tools}")


def refusal(client: Client, name: str) -> dict:
    """Specification v2.1, section 6.2, and beside it the description that makes the next call succeed."""
    told = error_of(client.call(name))
    wanted = {
        "code": "TOOL_DESCRIPTION_REQUIRED",
        "message": f"Tool '{name}' requires fetching its description before use.",
        "resource_uri": f"{URI}?tools={name}",
    }
    equal({key: told["error"].get(key) for key in wanted}, wanted)
    return told["tool_description"]


def full_description(client: Client, name: str) -> dict:
    """Specification v2.1, section 4.4."""
    document = client.read(f"?tools={name}")
    equal(list(document), [name])
    description = document[name]
    equal(description["name"], name)
    assert {"description", "inputSchema", "outputSchema", "examples", "error_guidance"} <= set(description)
    equal(description["inputSchema"]["additionalProperties"], False)
    for example in description["examples"]:
        jsonschema.validate(example["input"], description["inputSchema"])
    return description


def good_call(client: Client, description: dict):
    """The call succeeds, and its result is what the description says."""
    content = succeeded(client.call(description["name"], ticket_of(description)))
    jsonschema.validate(content, description["outputSchema"])


def bad_arguments(client: Client, description: dict):
    result = client.call("log", {"limit": "many", "colour": "red", **ticket_of(description)})
    error = error_of(result)["error"]
    equal(error["code"], "INVALID_ARGUMENTS")
    pointers = {violation["pointer"] for violation in error["violations"]}
    assert {"/limit", "/colour"} <= pointers or {"/limit", ""} <= pointers, pointers
    assert "error_guidance" in error


def tools_own_failure(client: Client, description: dict):
    error = error_of(client.call("show", {"revision": "nowhere", **ticket_of(description)}))["error"]
    equal(error["code"], "REVISION_NOT_FOUND")
    assert error["solution"]


def unknown_tool(client: Client):
    try:
        client.call("no_such_tool")
    except RpcError as error:
        equal(error.code, -32602)
    else:
        raise AssertionError("an unknown tool was answered with a result")


def wrong_selections(client: Client):
    equal(client.read("")["error"]["code"], "MISSING_TOOL_SELECTION")
    document = client.read("?tools=logg,log")
    equal(document["logg"]["error"], "Tool 'logg' not found")
    equal(document["logg"]["available_tools"][0], "log")
    equal(document["log"]["name"], "log")


def through_describe_tools(client: Client, name: str):
    [content] = client.call("describe_tools", {"names": [name]})["content"]
    good_call(client, json.loads(content["text"])[name])


def refusal_names_the_ticket(client: Client):
    refused = client.call("log")
    equal(error_of(refused)["error"]["code"], "TOOL_DESCRIPTION_REQUIRED")
    request, call = refused["content"][0]["text"].split("\n\n")[-1].split("\n")
    equal(request, "Now send:")
    call = json.loads(call)
    assert not client.call(call["name"], call["arguments"]).get("isError"), call


def wrong_ticket(client: Client):
    told = error_of(client.call("log", {"disclosure_ticket": "000000000000000000"}))
    assert "ticket" in told["error"]["reason"]


def scenario(connect, era: str, tickets: bool, say):
    with connect() as client, connect() as other:
        with check(say, "opens with", VERSIONS[era]):
            opening(client, era)
        with check(say, "lists name, summary and the open schema"):
            minimal_list(client)
        with check(say, "lists the resource and its template"):
            resource_and_template(client)
        with check(say, "is refused before reading"):
            refusal(client, "log")
        with check(say, "reads the full description, then calls"):
            good_call(client, log := full_description(client, "log"))
            equal("disclosure_ticket" in ticket_of(log), tickets)
        with check(say, "calls a tool that it only read about"):
            good_call(client, show := full_description(client, "show"))
        with check(say, "calls again after the refusal that describes"):
            good_call(client, refusal(client, "branches"))
        with check(say, "calls after describe_tools"):
            through_describe_tools(client, "tags")
        with check(say, "is told of all bad arguments by JSON pointer"):
            bad_arguments(client, log)
        with check(say, "is told of the tool's own failure and its solution"):
            tools_own_failure(client, show)
        with check(say, "gets -32602 for an unknown tool"):
            unknown_tool(client)
        with check(say, "is told of missing and misspelt selections"):
            wrong_selections(client)
        with check(say, "shares no disclosure with another client"):
            refusal(other, "log")
            good_call(client, log)
        if tickets:
            with check(say, "is refused with a wrong ticket, and without one"):
                wrong_ticket(client)
                refusal(client, "log")
                refusal_names_the_ticket(client)


def extension(connect, era: str, tickets: bool, say):
    """A client of our own extension: `disclosure/describe`, and tickets in `_meta` instead of in schemas."""
    with connect() as client, check(say, "describes and calls by the extension"):
        answer = client.ask("disclosure/describe", names=["log", "logg"])
        description = answer["descriptions"]["log"]
        equal(answer["descriptions"]["logg"]["error"], "Tool 'logg' not found")
        equal(ticket_of(description), {})
        assert description["_meta"]["dev.pd-runtime/digest"].startswith("sha256:")
        proof = {"dev.pd-runtime/ticket": answer["_meta"]["dev.pd-runtime/tickets"]["log"]} if tickets else {}
        content = succeeded(client.call("log", **({"_meta": proof} if proof else {})))
        jsonschema.validate(content, description["outputSchema"])


def in_full(connect, era: str, tickets: bool, say):
    """A server that lists in full: many clients then check structured content against the output schema themselves."""
    with connect() as client:
        with check(say, "lists in full"):
            tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
            assert "limit" in tools["log"]["inputSchema"]["properties"]
        for name, arguments in {"log": {}, "show": {}, "status": {}, "branches": {}, "ls": {}, "churn": {}}.items():
            with check(say, "accepts the result of", name):
                content = succeeded(client.call(name, arguments))
                jsonschema.validate(content, tools[name]["outputSchema"])
        with check(say, "accepts failures of a tool with an output schema"):
            equal(error_of(client.call("show", {"revision": "nowhere"}))["error"]["code"], "REVISION_NOT_FOUND")
            equal(error_of(client.call("log", {"limit": 0}))["error"]["code"], "INVALID_ARGUMENTS")


def main(name: str, era: str, transport: str, *flags: str):
    say = " ".join([name, era, transport, *flags]) + ":"
    what = extension if era.endswith("+extension") else in_full if "full" in flags else scenario
    tickets = era.startswith("inline") or "--no-sessions" in flags
    with server.repository() as repo, endpoint(repo, transport, flags) as target:

        @contextmanager
        def connect():
            client = Client(name, era, [transport, *target])
            try:
                yield client
                client.close()
            finally:
                client.process.kill()

        with check(say, "connects and closes"):
            what(connect, era.split("+")[0], tickets, say)
    sys.exit(exit_code())


@contextmanager
def endpoint(repo: str, transport: str, flags: tuple[str, ...]):
    if transport == "stdio":
        yield server.stdio_command(repo, *flags)
    else:
        with server.http(repo, *flags) as (url, _):
            yield [url]


if __name__ == "__main__":
    main(*sys.argv[1:])
