"""What a client gets through the gateway, whatever generation it and the upstream are of.

    gateway_eras.py CLIENT ERA        CLIENT and ERA as in `scenario.py`, or `inspector`

The upstream before 2026-07-28 is `server-everything`, the other one the example `conformance`. Client and upstream are each over
stdio and over HTTP, and the older upstream over HTTP+SSE, too.
"""

import contextlib
import itertools
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import server
import upstream_servers as upstreams
from inspector import Inspector
from report import check, equal, exit_code
from scenario import Client, RpcError, ticket_of

USER = {"name": "Ada"}
META_TOOLS = ["find_tools", "describe_tools", "call_tool", "call_read_only_tool"]


@dataclass
class Features:
    """What an upstream has, by the names that it has itself: tools as (name, arguments), and a part of each result."""

    version: str
    query: str
    plain: tuple[str, dict, str]
    progress: tuple[str, dict]
    long: tuple[str, dict]
    elicits: tuple[str, dict, str]
    resource: str
    prompt: tuple[str, dict, str]
    completion: tuple[str, str, str, str]


EVERYTHING = Features(
    version="2025-11-25",
    query="echo a message back",
    plain=("echo", {"message": "hello"}, "Echo: hello"),
    progress=("trigger-long-running-operation", {"duration": 1, "steps": 4}),
    long=("trigger-long-running-operation", {"duration": 60, "steps": 60}),
    elicits=("trigger-elicitation-request", {}, "Ada"),
    resource="demo://resource/static/document/features.md",
    prompt=("args-prompt", {"city": "Oslo"}, "Oslo"),
    completion=("completable-prompt", "department", "Eng", "Engineering"),
)
CONFORMANCE = Features(
    version="2026-07-28",
    query="answer with text",
    plain=("test_simple_text", {}, "a simple text response"),
    progress=("test_tool_with_progress", {}),
    long=("slow_compute", {"seconds": 60}),
    elicits=("test_input_required_result_elicitation", {}, "Ada"),
    resource="test://static-text",
    prompt=("test_prompt_with_arguments", {"arg1": "Oslo", "arg2": "x"}, "Oslo"),
    completion=("test_prompt_with_arguments", "arg1", "", ""),
)


def everything(*args: str) -> list[str]:
    return ["node", str(upstreams.PACKAGES / "@modelcontextprotocol/server-everything/dist/index.js"), *args]


@contextlib.contextmanager
def upstream(features: Features, transport: str, log: str):
    """The entry of an upstream. One over stdio writes what it reads to a log."""
    if features is CONFORMANCE and transport == "stdio":
        yield logged([os.environ["PD_CONFORMANCE"], "serve"], log)
    elif features is CONFORMANCE:
        with server.fixtures() as (url, _):
            yield {"url": url}
    elif transport == "stdio":
        yield logged(everything("stdio"), log)
    else:
        kind, path = ("sse", "sse") if transport == "sse" else ("streamableHttp", "mcp")
        with everything_over_http(kind) as origin:
            yield {"url": f"{origin}/{path}"}


def logged(command: list[str], log: str) -> dict:
    return {"command": "sh", "args": ["-c", f"tee -a {shlex.quote(log)} | {shlex.join(command)}"]}


@contextlib.contextmanager
def everything_over_http(kind: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**server.QUIET, "PORT": str(port)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(everything(kind), env=environment, **quiet)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def endpoint(gateway: list[str], transport: str, *flags: str):
    if transport == "stdio":
        # On stdio a call that one process has refused is judged by its arguments in the next.
        with tempfile.TemporaryDirectory() as state:
            yield ["env", f"XDG_STATE_HOME={state}", *gateway, "serve", *flags]
    else:
        with server.listening(*gateway, flags=flags) as (url, _):
            yield [url]


def text_of(result: dict) -> str:
    return "".join(block.get("text", "") for block in result["content"])


def succeeded(result: dict) -> str:
    assert not result.get("isError"), text_of(result)
    return text_of(result)


def ticket(client, name: str) -> dict:
    """Describes a tool. Since 2026-07-28 a call proves it by a ticket."""
    described = json.loads(succeeded(client.call("describe_tools", {"names": [name], "detail": "full"})))
    return ticket_of(described[name])


def described_call(client, tool: tuple[str, dict], **options) -> dict:
    name, arguments = f"up__{tool[0]}", tool[1]
    proof = ticket(client, name)
    return client.ask_with(options, "tools/call", name=name, arguments={**arguments, **proof})


def meta_tools(client, features: Features):
    equal([tool["name"] for tool in client.ask("tools/list")["tools"]], META_TOOLS)
    name, arguments, wanted = features.plain
    assert f"up__{name}" in succeeded(client.call("find_tools", {"query": features.query}))
    arguments = {**arguments, **ticket(client, f"up__{name}")}
    assert wanted in succeeded(client.call("call_tool", {"name": f"up__{name}", "arguments": arguments}))


def refused_before_reading(client, features: Features):
    # Where a session begins with a call, the call is judged by its arguments, for frameworks whose sessions last one call.
    client.ask("tools/list")
    name, arguments, _ = features.plain
    result = client.call(f"up__{name}", arguments)
    equal(result.get("isError"), True)
    assert "TOOL_DESCRIPTION_REQUIRED" in text_of(result)


def progress(client, features: Features):
    reports = described_call(client, features.progress, progress=True).get("reports", [])
    assert len(reports) >= 2, reports
    equal([report[0] for report in reports], sorted(report[0] for report in reports))


def cancel(client, features: Features, log: str | None):
    """The client gives up. The gateway answers the next call at once, so the given-up one holds nothing, and the upstream is
    notified: by a message over stdio, which the log has, and by the end of the response over HTTP."""
    began = time.monotonic()
    try:
        described_call(client, features.long, cancelAfter=0.3)
    except RpcError:
        name, arguments, wanted = features.plain
        assert wanted in succeeded(described_call(client, (name, arguments)))
        assert time.monotonic() - began < 10
        if log:
            assert "notifications/cancelled" in open(log).read()
    else:
        raise AssertionError("the call ended before it was canceled")


def elicits(client, features: Features):
    *tool, wanted = features.elicits
    assert wanted in succeeded(described_call(client, tool))


def refuses_to_elicit(client, features: Features):
    """A client of 2026-07-28 takes no requests, so a server of sessions cannot ask it."""
    *tool, _ = features.elicits
    result = described_call(client, tool)
    assert "before this version cannot request input of it" in text_of(result), result


def resources(client, features: Features):
    assert features.resource in [resource["uri"] for resource in client.ask("resources/list")["resources"]]
    [contents] = client.ask("resources/read", uri=features.resource)["contents"]
    equal(contents["uri"], features.resource)
    assert contents["text"]


def prompts(client, features: Features):
    name, arguments, wanted = features.prompt
    assert f"up__{name}" in [prompt["name"] for prompt in client.ask("prompts/list")["prompts"]]
    assert wanted in json.dumps(client.ask("prompts/get", name=f"up__{name}", arguments=arguments))


def completion(client, features: Features):
    prompt, argument, start, wanted = features.completion
    reference = {"type": "ref/prompt", "name": f"up__{prompt}"}
    values = client.ask("completion/complete", ref=reference, argument={"name": argument, "value": start})["completion"]["values"]
    assert not wanted or wanted in values, values


def list_changed(client, features: Features):
    """The gateway notifies the client when it knows the tools of a server that starts late."""
    deadline, heard, listed = time.monotonic() + 25, 0, set()
    while not {f"up__{features.plain[0]}", "late__query-docs"} <= listed:
        # The client looks again only if it was notified since it last did.
        while (now := client.ask("notifications")["_meta"]["methods"].count("notifications/tools/list_changed")) == heard:
            assert time.monotonic() < deadline, f"notified {heard} times; the list has {sorted(listed)}"
            time.sleep(0.2)
        heard, listed = now, {tool["name"] for tool in client.ask("tools/list")["tools"]}


def late() -> dict:
    """The entry of a server that takes longer to start than a client to connect."""
    command, *args = upstreams.captured("context7", "").command
    return {"command": "sh", "args": ["-c", f"sleep 5; exec {shlex.join([command, *args])}"]}


def checks(say: str, client, era: str, features: Features, log: str | None):
    with check(say, "lists the meta-tools, finds, describes and calls"):
        meta_tools(client, features)
    with check(say, "gets progress"):
        progress(client, features)
    if era == "inline" and features is EVERYTHING:
        with check(say, "is told why it is not asked for input"):
            refuses_to_elicit(client, features)
    else:
        with check(say, "answers an elicitation"):
            elicits(client, features)
    with check(say, "lists and reads resources"):
        resources(client, features)
    with check(say, "lists and gets prompts"):
        prompts(client, features)
    with check(say, "completes an argument"):
        completion(client, features)
    # The last one, because SDK 1 for Python abandons a call without a word to the server. While two calls are under way, the
    # gateway does not know which of them an elicitation over stdio belongs to.
    with check(say, "cancels"):
        cancel(client, features, log)


@contextlib.contextmanager
def connected(name: str, era: str, transport: str, target: list[str]):
    client = Client(name, era, [transport, *target], PD_INTEROP_ANSWER=json.dumps(USER), PD_INTEROP_LISTEN="[]")
    try:
        yield client
        client.close()
    finally:
        client.process.kill()


def known(gateway: list[str]):
    """Fills the cache with the lists of the upstream."""
    subprocess.run([*gateway, "doctor"], capture_output=True, env=server.QUIET, check=True)


def both_sides(say: str, name: str, era: str, features: Features, transport: str, behind: str, log: str):
    with upstream(features, behind, log) as entry, upstreams.configured({"up": entry}) as gateway:
        if name == "inspector":
            known(gateway)
            with endpoint(gateway, transport, "--gate", "off") as target:
                inspected(say, Inspector(era, target if transport == "http" else ["--", *target]), features)
            return
        with check(say, "is notified of a changed list"), upstreams.configured({"up": entry, "late": late()}) as slow:
            with endpoint(slow, transport, "--listing", "full") as target, connected(name, era, transport, target) as client:
                list_changed(client, features)
        known(gateway)
        with endpoint(gateway, transport) as target, check(say, "connects and closes"):
            with connected(name, era, transport, target) as client:
                with check(say, "is refused before it has read the description"):
                    refused_before_reading(client, features)
                # SDK 1 for Python abandons a call without a word to the server.
                has_log = behind == "stdio" and name != "python_mcp_v1"
                checks(say, client, era, features, log if has_log else None)


def inspected(say: str, client: Inspector, features: Features):
    """Each request is a process of its own, so it has no progress, cancellation or user."""
    name, arguments, wanted = features.plain
    with check(say, "lists the meta-tools and finds"):
        equal(len(client.ask("tools/list")["tools"]), 4)
        assert f"up__{name}" in succeeded(client.call("find_tools", {"query": features.query}))
    with check(say, "calls"):
        assert wanted in succeeded(client.call("call_tool", {"name": f"up__{name}", "arguments": arguments}))
    with check(say, "lists and reads resources"):
        resources(client, features)
    with check(say, "lists prompts"):
        assert f"up__{features.prompt[0]}" in [prompt["name"] for prompt in client.ask("prompts/list")["prompts"]]


def main(name: str, era: str):
    sides = itertools.product((EVERYTHING, CONFORMANCE), ("stdio", "http"), ("stdio", "http"))
    # The transport of 2024-11-05, which clients of ours need not speak.
    for features, transport, behind in [*sides, (EVERYTHING, "stdio", "sse")]:
        say = f"gateway: {name} {era} {transport}, upstream of {features.version} {behind}:"
        with tempfile.TemporaryDirectory() as directory:
            both_sides(say, name, era, features, transport, behind, f"{directory}/read")


if __name__ == "__main__":
    main(*sys.argv[1:])
    raise SystemExit(exit_code())
