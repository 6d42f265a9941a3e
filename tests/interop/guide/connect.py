"""`connect_mcp_server()`, which the implementation guide leaves to its reader, on the Python SDK that is installed: 1.30 or
2.3. Both are used with their defaults."""

import json
import os
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp import Client
except ImportError:  # SDK 1
    Client = None


class ToolCallFailed(Exception):
    """A result with `isError`, which the guide's tests expect as an exception."""


class McpServer:
    """A connected server that answers in dictionaries, as the guide's tests read them."""

    def __init__(self, session, protocol_version: str):
        self.session = session
        self.protocol_version = protocol_version

    async def list_resources(self) -> list[dict]:
        return [as_dict(resource) for resource in (await self.session.list_resources()).resources]

    async def list_tools(self) -> list[dict]:
        return [as_dict(tool) for tool in (await self.session.list_tools()).tools]

    async def read_resource(self, uri: str) -> dict:
        [contents] = (await self.session.read_resource(uri)).contents
        return json.loads(contents.text)

    async def call_tool(self, name: str, arguments: dict) -> dict:
        result = as_dict(await self.session.call_tool(name, arguments))
        if result.get("isError"):
            raise ToolCallFailed(result["content"][0]["text"])
        return result


def as_dict(model) -> dict:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def connect_mcp_server(transport: str, *target: str):
    """Connects to the server at a URL (`http`), or started by a command (`stdio`)."""
    return over_sdk_2(transport, *target) if Client else over_sdk_1(transport, *target)


@asynccontextmanager
async def over_sdk_2(transport: str, *target: str):
    server = target[0] if transport == "http" else parameters(*target)
    async with Client(server) as client:
        yield McpServer(client, client.protocol_version)


@asynccontextmanager
async def over_sdk_1(transport: str, *target: str):
    from mcp.client.streamable_http import streamable_http_client

    streams = streamable_http_client(target[0]) if transport == "http" else stdio_client(parameters(*target))
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        initialized = await session.initialize()
        yield McpServer(session, initialized.protocolVersion)


def parameters(command: str, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=command, args=list(arguments), env=dict(os.environ))
