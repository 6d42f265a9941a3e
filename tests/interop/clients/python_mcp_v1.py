"""The Python SDK 1's `ClientSession`: sessions alone. How clients are driven is said in `scenario.py`."""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

# What the user answers to every elicitation; without it, the client has none.
ANSWER = json.loads(os.environ.get("PD_INTEROP_ANSWER", "null"))
notifications = []


async def elicited(*_):
    return types.ElicitResult(action="accept", content=ANSWER)


async def heard(message):
    notifications.append(getattr(getattr(message, "root", None), "method", type(message).__name__))


@asynccontextmanager
async def streams(transport: str, target: list[str]):
    if transport == "http":
        async with streamablehttp_client(target[0]) as (read, write, _):
            yield read, write
    else:
        async with stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))) as pair:
            yield pair


async def main(era: str, transport: str, *target: str):
    asked = elicited if ANSWER else None
    async with streams(transport, list(target)) as (read, write):
        async with ClientSession(read, write, elicitation_callback=asked, message_handler=heard) as client:
            answer(**wire(await client.initialize()))
            while line := await asyncio.to_thread(sys.stdin.readline):
                await respond(client, json.loads(line))


async def respond(client: ClientSession, asked: dict):
    reports = []

    async def reported(progress, total, message):
        reports.append([progress, total, message])

    try:
        asking = ask(client, asked["method"], asked["params"], reported if asked.get("progress") else None)
        answer(**wire(await asyncio.wait_for(asking, asked.get("cancelAfter"))), **({"reports": reports} if reports else {}))
    except McpError as error:
        print(json.dumps({"error": {"code": error.error.code, "message": error.error.message}}), flush=True)
    except TimeoutError:
        print(json.dumps({"error": {"code": None, "message": "canceled"}}), flush=True)


async def ask(client: ClientSession, method: str, params: dict, reported=None):
    match method:
        case "notifications":
            return types.Result(_meta={"methods": notifications})
        case "tools/list":
            return await client.list_tools()
        case "tools/call":
            return await client.call_tool(params["name"], params["arguments"], progress_callback=reported)
        case "resources/list":
            return await client.list_resources()
        case "resources/read":
            return await client.read_resource(params["uri"])
        case "prompts/list":
            return await client.list_prompts()
        case "prompts/get":
            return await client.get_prompt(params["name"], params.get("arguments"))
        case "completion/complete":
            return await client.complete(types.PromptReference(**params["ref"]), params["argument"])


def wire(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def answer(**result):
    print(json.dumps({"result": result}), flush=True)


asyncio.run(main(*sys.argv[1:]))
