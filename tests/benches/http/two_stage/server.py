"""The two-stage server of the implementation guide, on the Python SDK's low-level server.

The handlers are the guide's, with this bench's tool. What it leaves open is set to what is fast: JSON answers instead of
event streams, uvicorn on uvloop and httptools, no access log. Connections are kept while others take their turns. It tells its URL on standard output.
"""

import contextlib
import json
import socket
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import Resource, TextContent, Tool
from starlette.applications import Starlette
from starlette.routing import Mount

from session_auth import SessionAuthorization
from tool_description_loader import ToolDescriptionLoader

app = Server("my-server")
# Initialize modules
session_auth = SessionAuthorization()
tool_loader = ToolDescriptionLoader(Path(__file__).parent / "tool_descriptions")


@app.list_resources()
async def list_resources() -> list[Resource]:
    """List available resources including tool_descriptions"""
    return [
        Resource(
            uri="resource:///tool_descriptions",
            name="Tool Descriptions - Required for tool use",
            description=(
                "WORKFLOW:\n"
                "\n"
                "Step 1: PICK which tool you need from tools/list (descriptions show WHAT each tool does)\n"
                "Step 2: FETCH that tool's full description from this resource (learn HOW to use it)\n"
                " Example: resource:///tool_descriptions?tools=TOOL_NAME\n"
                "Step 3: CALL the tool with parameters you learned\n"
                "\n"
                "IMPORTANT: You CANNOT call a tool until you fetch its description.\n"
                "\n"
                "The short descriptions in tools/list are SUFFICIENT for choosing the right tool.\n"
                "This resource provides parameters, examples, and authorizes the tool for use.\n"
                "\n"
                "MUST include ?tools=TOOL_NAME (base URI without parameter will error)."
            ),
            mimeType="application/json",
        )
    ]


@app.read_resource()
async def read_resource(uri: str) -> str:
    """Read tool descriptions resource"""
    uri = str(uri)
    parsed = urlparse(uri)
    # Parse query parameters
    query_params = parse_qs(parsed.query)
    tools_param = query_params.get('tools', [])
    # Require tools parameter
    if not tools_param:
        error = {
            "error": {
                "code": "MISSING_TOOL_SELECTION",
                "message": "You must specify one or more tool names in the 'tools' parameter.",
                "examples": [
                    "resource:///tool_descriptions?tools=tool_one",
                    "resource:///tool_descriptions?tools=tool_one,tool_two",
                ],
                "available_tools": tool_loader.list_available(),
            }
        }
        return json.dumps(error, indent=2)
    # Parse comma-separated tool names
    requested_tools = [t.strip() for t in tools_param[0].split(',')]
    # Get session for authorization
    try:
        session = app.request_context.session
    except LookupError:
        session = None
    # Load descriptions
    descriptions = tool_loader.load_multiple(requested_tools)
    # Authorize tools for this session
    if session:
        for tool_name in descriptions.keys():
            if "error" not in descriptions[tool_name]:
                session_auth.authorize_tool(session, tool_name)
    return json.dumps(descriptions, indent=2)


@app.list_tools()
async def list_tools() -> list[Tool]:
    """List tools with minimal descriptions"""
    return [
        Tool(
            name="t000",
            description="List commits of one branch or path, newest first",
            inputSchema={"type": "object", "additionalProperties": True},
        )
    ]


@app.call_tool()
async def call_tool(name: str, arguments: dict):
    """Handle tool calls with authorization check"""
    # Get session
    try:
        session = app.request_context.session
    except LookupError:
        return [TextContent(type="text", text="Tool call outside session context")]
    # Check authorization
    if not session_auth.is_authorized(session, name):
        error = {
            "error": {
                "code": "TOOL_DESCRIPTION_REQUIRED",
                "message": f"Tool '{name}' requires fetching its description before use.",
                "instructions": [
                    f"1. Fetch: read_resource(resource_uri=\"resource:///tool_descriptions?tools={name}\")",
                    "2. Review the parameters and examples",
                    "3. Then call the tool",
                ],
                "resource_uri": f"resource:///tool_descriptions?tools={name}",
            }
        }
        return [TextContent(type="text", text=json.dumps(error, indent=2))]
    # Tool is authorized - execute
    if name == "t000":
        result = handle_t000(arguments)
    else:
        result = {"error": f"Unknown tool: {name}"}
    return [TextContent(type="text", text=json.dumps(result, indent=2))]


def handle_t000(arguments: dict) -> str:
    where = arguments.get("path") or "the whole tree"
    merges = "with" if arguments.get("merges") else "without"
    return f"{arguments.get('limit', 20)} commits of {arguments['revision']} that touch {where}, {merges} merges"


sessions = StreamableHTTPSessionManager(app=app, json_response=True)


@contextlib.asynccontextmanager
async def lifespan(_):
    async with sessions.run():
        yield


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp/", flush=True)
    endpoint = Starlette(routes=[Mount("/mcp", app=sessions.handle_request)], lifespan=lifespan)
    fast = {"loop": "uvloop", "http": "httptools", "log_level": "warning", "access_log": False}
    config = uvicorn.Config(endpoint, timeout_keep_alive=600, **fast)
    uvicorn.Server(config).run(sockets=[listener])
