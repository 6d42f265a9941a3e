"""A server on the Python SDK 2, as its README begins.

    python_mcp.py [sse PORT | streamable-http PORT]
"""

import os
import sys
from importlib.metadata import version
from typing import TypedDict

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

mcp = MCPServer("zoo")


class Sdk(TypedDict):
    version: str
    pid: int


@mcp.tool()
def greet(name: str, greeting: str = "Hello") -> str:
    """Greet a person by name."""
    return f"{greeting}, {name}!"


@mcp.tool()
def sdk() -> Sdk:
    """Show the version of the SDK and the process that runs it."""
    return {"version": version("mcp"), "pid": os.getpid()}


@mcp.tool()
def refuse(reason: str) -> str:
    """Fail for a reason."""
    raise ToolError(reason)


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
def motto() -> str:
    """Read the motto of the zoo."""
    return "All animals are equal."


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            mcp.run()
        case [transport, port]:
            mcp.run(transport=transport, port=int(port))
