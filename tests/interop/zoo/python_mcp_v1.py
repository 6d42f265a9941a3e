"""A server on the Python SDK 1, as its README begins.

    python_mcp_v1.py [sse PORT | streamable-http PORT]
"""

import os
import sys
from importlib.metadata import version
from typing import TypedDict

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

mcp = FastMCP("zoo")


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
    raise ValueError(reason)


@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
def motto() -> str:
    """Read the motto of the zoo."""
    return "All animals are equal."


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            mcp.run()
        case [transport, port]:
            mcp.settings.port = int(port)
            mcp.run(transport=transport)
