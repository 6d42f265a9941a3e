"""The server of the implementation guide, with two tools about lengths."""

import asyncio
import json
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import Resource, TextContent, Tool

# Sections 2 and 3 of the guide.
from session_auth import SessionAuthorization
from tool_description_loader import ToolDescriptionLoader

app = Server("lengths")
session_auth = SessionAuthorization()
tool_loader = ToolDescriptionLoader(Path(__file__).parent / "tool_descriptions")

UNITS = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}
SUMMARIES = {"convert": "Convert a length to another unit", "list_units": "List the units of length"}


@app.list_resources()
async def list_resources() -> list[Resource]:
    return [
        Resource(
            uri="resource:///tool_descriptions",
            name="Tool Descriptions - Required for tool use",
            description=(
                "WORKFLOW: PICK a tool from tools/list, FETCH resource:///tool_descriptions?tools=TOOL_NAME, "
                "then CALL the tool. You CANNOT call a tool until you fetch its description."
            ),
            mimeType="application/json",
        )
    ]


@app.read_resource()
async def read_resource(uri: str) -> str:
    tools_param = parse_qs(urlparse(str(uri)).query).get("tools", [])
    if not tools_param:
        error = {
            "code": "MISSING_TOOL_SELECTION",
            "message": "You must specify one or more tool names in the 'tools' parameter.",
            "available_tools": tool_loader.list_available(),
        }
        return json.dumps({"error": error})
    descriptions = tool_loader.load_multiple([name.strip() for name in tools_param[0].split(",")])
    for name, description in descriptions.items():
        if "error" not in description:
            session_auth.authorize_tool(app.request_context.session, name)
    return json.dumps(descriptions)


@app.list_tools()
async def list_tools() -> list[Tool]:
    schema = {"type": "object", "additionalProperties": True}
    return [Tool(name=name, description=summary, inputSchema=schema) for name, summary in SUMMARIES.items()]


@app.call_tool()
async def call_tool(name: str, arguments: dict) -> list[TextContent]:
    if not session_auth.is_authorized(app.request_context.session, name):
        error = {
            "code": "TOOL_DESCRIPTION_REQUIRED",
            "message": f"Tool '{name}' requires fetching its description before use.",
            "resource_uri": f"resource:///tool_descriptions?tools={name}",
        }
        return [TextContent(type="text", text=json.dumps({"error": error}))]
    result = convert(**arguments) if name == "convert" else list(UNITS)
    return [TextContent(type="text", text=json.dumps(result))]


def convert(value: float, from_unit: str, to_unit: str = "m") -> dict:
    for unit in (from_unit, to_unit):
        if unit not in UNITS:
            return {"error": {"code": "UNKNOWN_UNIT", "message": f"No such unit: {unit}"}}
    return {"value": value * UNITS[from_unit] / UNITS[to_unit], "unit": to_unit}


async def main():
    async with stdio_server() as (read, write):
        await app.run(read, write, app.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
