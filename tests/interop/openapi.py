"""An API without MCP behind the gateway, from its OpenAPI document: the Python SDK lists, finds and calls its operations, in both eras and transports."""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import server
from mcp import Client, StdioServerParameters
from report import check, equal, exit_code

API = pathlib.Path(__file__).parent.parent / "openapi"
GATEWAY = os.environ.get("PD_GATEWAY") or "PD_GATEWAY must name the gateway's binary; `run` builds and sets it"
ERAS = {"session": "legacy", "inline": "auto"}


@contextlib.contextmanager
def api(directory: pathlib.Path):
    """An API that is made from the document, and answers what the document allows. Yields its URL and the log of requests."""
    log = directory / "log"
    command = [sys.executable, API / "mock_api.py", API / "api.json", log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1", log
        finally:
            process.kill()


def requests(log: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def text(result) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def uses(say: str, target, mode: str, log: pathlib.Path):
    async with Client(target, mode=mode) as client:
        with check(f"{say}: the operations are listed"):
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert "find_tools" in tools or "pets__pets_get" in tools, list(tools)
        with check(f"{say}: a search finds the operation by its purpose"):
            found = text(await client.call_tool("find_tools", {"query": "look up one pet"}))
            assert "pets__pets_get" in found, found
        with check(f"{say}: a call is the request of the document, with the credential of the entry"):
            before = len(requests(log))
            refused = await client.call_tool("call_tool", {"name": "pets__pets_get", "arguments": json.dumps({"id": 7})})
            equal(len(requests(log)), before)
            # The refusal has the signature, and what to send.
            advised = json.loads(text(refused).rpartition("Now send:")[2])
            called = await client.call_tool(advised["name"], advised["arguments"])
            assert not called.is_error, text(called)
            equal(json.loads(text(called))["name"], "Rex")
            [request] = requests(log)[before:]
            equal((request["method"], request["target"], request["wrong"]), ("GET", "/v1/pets/7", []))
            equal(request["headers"]["x-api-key"], "hunter2")
        with check(f"{say}: arguments that the document refuses make no request"):
            before = len(requests(log))
            inner = json.loads(advised["arguments"]["arguments"]) | {"id": "../owners"}
            refused = await client.call_tool(advised["name"], advised["arguments"] | {"arguments": json.dumps(inner)})
            assert refused.is_error and "INVALID_ARGUMENTS" in text(refused) and "hunter2" not in text(refused), text(refused)
            equal(len(requests(log)), before)


def main():
    with tempfile.TemporaryDirectory(prefix="pd-openapi-") as name:
        directory = pathlib.Path(name)
        with api(directory) as (url, log):
            file = directory / "servers.json"
            entry = {"openapi": str(API / "api.json"), "url": url, "auth": {"key": "${PETS_KEY}"}}
            file.write_text(json.dumps({"mcpServers": {"pets": entry}}))
            os.environ["PETS_KEY"] = server.QUIET["PETS_KEY"] = "hunter2"
            command = [GATEWAY, "--config", str(file), "serve", "--no-state"]
            for era, mode in ERAS.items():
                over_stdio = StdioServerParameters(command=command[0], args=command[1:], env=server.QUIET)
                asyncio.run(uses(f"openapi: {era} stdio", over_stdio, mode, log))
                with server.listening(GATEWAY, "--config", str(file)) as (address, _):
                    asyncio.run(uses(f"openapi: {era} http", address, mode, log))
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
