"""Large results of a server from npm behind the gateway: the Python SDK sees a preview, asks a question, and reads the whole, in both eras and transports."""

import asyncio
import json
import os
import pathlib
import sys
import tempfile

import server
from mcp import Client, StdioServerParameters
from report import check, equal, exit_code

GATEWAY = os.environ.get("PD_GATEWAY") or "PD_GATEWAY must name the gateway's binary; `run` builds and sets it"
PACKAGE = "@modelcontextprotocol/server-filesystem"
ERAS = {"session": "legacy", "inline": "auto"}
# The log of the issue has 2 MB.
LOG = "".join(f"{number:06} GET /item/{number * 31 % 977} status={500 if number % 499 == 0 else 200}\n" for number in range(55_000))


def text(result) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def tokens(shown: str) -> float:
    """At least as many as a tokenizer counts for texts such as these."""
    return len(shown) / 2.5


async def reads(say: str, target, mode: str, path: str):
    async with Client(target, mode=mode) as client:
        with check(f"{say}: a log of 2 MB is seen in at most 1,000 tokens"):
            read = {"name": "files__read_text_file", "arguments": json.dumps({"path": path})}
            result = await client.call_tool("call_tool", read)
            if "Now send:" in text(result):
                advised = json.loads(text(result).rpartition("Now send:")[2])
                result = await client.call_tool(advised["name"], advised["arguments"])
            assert not result.is_error and tokens(text(result)) <= 1_000, (len(text(result)), text(result)[:300])
            handle = text(result).split('"handle":"')[1].split('"')[0]
        with check(f"{say}: a question costs at most 1,500 tokens"):
            answer = await client.call_tool("read_more", {"handle": handle, "query": "status=500"})
            assert not answer.is_error and tokens(text(answer)) <= 1_500 * 1.2, text(answer)[:300]
            assert "000499 GET" in text(answer) and "000500 GET" not in text(answer), text(answer)[:300]
        # In a session over HTTP an answer is one event, and the SDK takes none of over 1 MiB.
        if say.endswith("session http"):
            return
        with check(f"{say}: nothing is lost"):
            [link] = [block for block in result.content if block.type == "resource_link"]
            whole = await client.read_resource(link.uri)
            equal(whole.contents[0].text == LOG, True)


def main():
    with tempfile.TemporaryDirectory(prefix="pd-large-") as name:
        directory = pathlib.Path(name).resolve()
        log = directory / "server.log"
        log.write_text(LOG)
        program = server.cache() / "node/node_modules" / PACKAGE / "dist/index.js"
        file = directory / "servers.json"
        file.write_text(json.dumps({"mcpServers": {"files": {"command": "node", "args": [str(program), str(directory)]}}}))
        command = [GATEWAY, "--config", str(file), "serve", "--no-state", "--max-result-tokens", "2000"]
        for era, mode in ERAS.items():
            over_stdio = StdioServerParameters(command=command[0], args=command[1:], env=server.QUIET)
            asyncio.run(reads(f"large results: {era} stdio", over_stdio, mode, str(log)))
            with server.listening(GATEWAY, "--config", str(file), flags=("--max-result-tokens", "2000")) as (address, _):
                asyncio.run(reads(f"large results: {era} http", address, mode, str(log)))
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
