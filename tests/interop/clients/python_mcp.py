"""The Python SDK's `mcp.Client`. How clients are driven is said in `scenario.py`."""

import asyncio
import contextlib
import json
import os
import sys

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import advertise


# What the user answers to every elicitation; without it, the client has none.
ANSWER = json.loads(os.environ.get("PD_INTEROP_ANSWER", "null"))
notifications = []
# The changes that a client of 2026-07-28 hears of in a subscription, by the SDK's name for them.
CHANGES = {
    "ToolsListChanged": "notifications/tools/list_changed",
    "PromptsListChanged": "notifications/prompts/list_changed",
    "ResourcesListChanged": "notifications/resources/list_changed",
    "ResourceUpdated": "notifications/resources/updated",
}


async def elicited(*_):
    return types.ElicitResult(action="accept", content=ANSWER)


async def heard(message):
    notifications.append(getattr(message, "method", type(message).__name__))


@contextlib.asynccontextmanager
async def listening(client: Client):
    """Hears of changes, which takes a subscription since 2026-07-28."""
    uris = json.loads(os.environ.get("PD_INTEROP_LISTEN", "null"))
    if uris is None or client.protocol_version < "2026-07-28":
        yield
        return
    wanted = {"tools_list_changed": True, "prompts_list_changed": True, "resource_subscriptions": uris}
    async with client.listen(**wanted) as changes:

        async def note():
            async for change in changes:
                notifications.append(CHANGES[type(change).__name__])

        noting = asyncio.create_task(note())
        yield
        noting.cancel()


async def main(era: str, transport: str, *target: str):
    server = target[0] if transport == "http" else StdioServerParameters(command=target[0], args=list(target[1:]))
    mode = "legacy" if era.startswith("session") else "auto"
    ours = [advertise("dev.pd-runtime/disclosure", {"version": 1})] if era.endswith("+extension") else None
    asked = elicited if ANSWER else None
    async with Client(server, mode=mode, extensions=ours, elicitation_callback=asked, message_handler=heard) as client, listening(client):
        answer(
            protocolVersion=client.protocol_version,
            serverInfo=wire(client.server_info),
            capabilities=wire(client.server_capabilities),
            instructions=client.instructions,
        )
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            reports = []

            async def reported(progress, total, message):
                reports.append([progress, total, message])

            try:
                asking = ask(client, asked["method"], asked["params"], reported if asked.get("progress") else None)
                answer(**wire(await asyncio.wait_for(asking, asked.get("cancelAfter"))), **({"reports": reports} if reports else {}))
            except TimeoutError:
                print(json.dumps({"error": {"code": None, "message": "canceled"}}), flush=True)
            except MCPError as error:
                print(json.dumps({"error": {"code": error.code, "message": error.message}}), flush=True)


async def ask(client: Client, method: str, params: dict, reported=None):
    match method:
        case "notifications":
            return types.Result(_meta={"methods": notifications})
        case "prompts/list":
            return await client.list_prompts()
        case "prompts/get":
            return await client.get_prompt(params["name"], params.get("arguments"))
        case "completion/complete":
            return await client.complete(types.PromptReference(**params["ref"]), params["argument"])
        case "tools/list":
            return await client.list_tools()
        case "resources/list":
            return await client.list_resources()
        case "resources/templates/list":
            return await client.list_resource_templates()
        case "resources/read":
            return await client.read_resource(params["uri"])
        case "tools/call":
            return await client.call_tool(params["name"], params["arguments"], meta=params.get("_meta"), progress_callback=reported)
        case _:
            return await client.session.send_request(Custom(method=method, params=params), Anything)


class Custom(types.Request[dict, str]):
    """A request that the SDK has no type for."""


class Anything(types.Result, extra="allow"):
    """Its result, as it is."""


def wire(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def answer(**result):
    print(json.dumps({"result": result}), flush=True)


asyncio.run(main(*sys.argv[1:]))
