"""The Python SDK's `mcp.Client`. How clients are driven is said in `scenario.py`."""

import asyncio
import json
import sys

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import advertise


async def main(era: str, transport: str, *target: str):
    server = target[0] if transport == "http" else StdioServerParameters(command=target[0], args=list(target[1:]))
    mode = "legacy" if era.startswith("session") else "auto"
    ours = [advertise("dev.pd-runtime/disclosure", {"version": 1})] if era.endswith("+extension") else None
    async with Client(server, mode=mode, extensions=ours) as client:
        answer(
            protocolVersion=client.protocol_version,
            serverInfo=wire(client.server_info),
            capabilities=wire(client.server_capabilities),
            instructions=client.instructions,
        )
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            try:
                answer(**wire(await ask(client, asked["method"], asked["params"])))
            except MCPError as error:
                print(json.dumps({"error": {"code": error.code, "message": error.message}}), flush=True)


async def ask(client: Client, method: str, params: dict):
    match method:
        case "tools/list":
            return await client.list_tools()
        case "resources/list":
            return await client.list_resources()
        case "resources/templates/list":
            return await client.list_resource_templates()
        case "resources/read":
            return await client.read_resource(params["uri"])
        case "tools/call":
            return await client.call_tool(params["name"], params["arguments"], meta=params.get("_meta"))
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
