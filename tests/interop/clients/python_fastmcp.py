"""FastMCP's `Client`. How clients are driven is said in `scenario.py`."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import MCPError


async def main(era: str, transport: str, *target: str):
    server = StreamableHttpTransport(target[0]) if transport == "http" else StdioTransport(target[0], list(target[1:]))
    async with Client(server, mode="legacy" if era == "session" else "auto") as client:
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
            return await client.list_tools_mcp()
        case "resources/list":
            return await client.list_resources_mcp()
        case "resources/templates/list":
            return await client.list_resource_templates_mcp()
        case "resources/read":
            return await client.read_resource_mcp(params["uri"])
        case "tools/call":
            return await client.call_tool_mcp(params["name"], params["arguments"], meta=params.get("_meta"))


def wire(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def answer(**result):
    print(json.dumps({"result": result}), flush=True)


asyncio.run(main(*sys.argv[1:]))
