"""The server of docs/from-python.md and its port, side by side: the same requests, and what both reply.

The implementation guide's server needs SDK 1, so the comparison runs in the environment of `guide.py`.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from report import check, equal, exit_code

ROOT = pathlib.Path(__file__).parents[2]
PORT = os.environ.get("PD_FROM_PYTHON") or "PD_FROM_PYTHON must name the example's binary; `run` builds and sets it"
SERVERS = {
    "python": (sys.executable, [str(ROOT / "examples/from_python/server.py")]),
    "rust": (PORT, ["serve"]),
}
MARATHON = {"value": 42.195, "from_unit": "km", "to_unit": "mi"}
NOWHERE = {"value": 1, "from_unit": "parsec"}


@asynccontextmanager
async def connected(name: str):
    command, arguments = SERVERS[name]
    # The guide's loader and session authorization.
    env = {**os.environ, "RUST_LOG": "error", "PYTHONPATH": str(ROOT / "tests/benches/http/two_stage")}
    async with stdio_client(StdioServerParameters(command=command, args=arguments, env=env)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            yield session


async def replies(name: str) -> dict:
    """What a client of the guide reads, in the order of the guide's integration test."""
    async with connected(name) as session:

        async def read(query: str) -> dict:
            result = await session.read_resource(f"resource:///tool_descriptions{query}")
            return json.loads(result.contents[0].text)

        async def call(tool: str, arguments: dict):
            return json.loads((await session.call_tool(tool, arguments)).content[0].text)

        resource = (await session.list_resources()).resources[0]
        return {
            "resource": [str(resource.uri), resource.name, resource.mimeType],
            "tools": [[t.name, t.description, t.inputSchema] for t in (await session.list_tools()).tools],
            "no selection": (await read(""))["error"]["code"],
            "call before the description": (await call("convert", MARATHON))["error"],
            "description": (await read("?tools=convert"))["convert"],
            "unknown name": sorted(await read("?tools=nonexistent")),
            "call": await call("convert", MARATHON),
            "another tool stays refused": (await call("list_units", {}))["error"]["code"],
            "error": (await call("convert", NOWHERE))["error"]["code"],
        }


def contains(actual, expected) -> bool:
    """Whether one description has all that another one has."""
    if isinstance(expected, dict):
        return all(key in actual and contains(actual[key], value) for key, value in expected.items())
    return actual == expected


async def compare():
    python, rust = await replies("python"), await replies("rust")
    for part, expected in python.items():
        with check("from_python:", part):
            if part == "description":
                assert contains(rust[part], expected), rust[part]
            else:
                equal(rust[part], expected)


def main():
    interpreter = pathlib.Path(os.environ["PD_INTEROP_CACHE"]) / "python_v1/bin/python"
    if pathlib.Path(sys.prefix) != interpreter.parents[1]:
        sys.exit(subprocess.run([interpreter, __file__]).returncode)
    asyncio.run(compare())
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
