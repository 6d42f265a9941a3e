"""A server on FastMCP 2, 3 and 4, as their README begins.

    python_fastmcp.py [sse PORT | http PORT]
"""

import os
import sys
from dataclasses import dataclass
from importlib.metadata import version

from fastmcp import FastMCP

mcp = FastMCP("zoo")


@dataclass
class Sdk:
    version: str
    pid: int


@mcp.tool
def greet(name: str, greeting: str = "Hello") -> str:
    """Greet a person by name."""
    return f"{greeting}, {name}!"


@mcp.tool
def sdk() -> Sdk:
    """Show the version of the SDK and the process that runs it."""
    return Sdk(version("fastmcp"), os.getpid())


@mcp.tool
def refuse(reason: str) -> str:
    """Fail for a reason."""
    raise ValueError(reason)


@mcp.tool(annotations={"readOnlyHint": True})
def motto() -> str:
    """Read the motto of the zoo."""
    return "All animals are equal."


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            mcp.run()
        case [transport, port]:
            mcp.run(transport=transport, port=int(port))
