"""An agent with the reference implementation's dispatcher: what its model is shown, and what the consumer made of the rest.

    python_mcp_sd.py '{"mode": "sync", "resource": […], "consumer": […], "take": [0, 2], "columns": "mag,place", "tool": "count", "more": {}}'

`resource` and `consumer` are the servers' command lines, or a URL alone."""

import asyncio
import contextlib
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp_sd.agent import S2SPDispatcher


@contextlib.asynccontextmanager
async def opened(words: list[str]):
    if words[0].startswith("http"):
        transport = streamablehttp_client(words[0])
    else:
        transport = stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ)))
    async with transport as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def called(session: ClientSession, dispatcher: S2SPDispatcher, name: str, arguments: dict) -> str:
    """What the model is shown. A refusal brings the description along, and the call is made again."""
    arguments = dispatcher.on_tool_call(name, arguments)
    result = await session.call_tool(name, arguments)
    if result.isError and "TOOL_DESCRIPTION_REQUIRED" in result.content[0].text:
        result = await session.call_tool(name, arguments)
    text = result.content[0].text
    return text if result.isError else dispatcher.on_tool_result(name, text)


async def main(case: dict) -> dict:
    dispatcher = S2SPDispatcher()
    async with opened(case["resource"]) as resource, opened(case["consumer"]) as consumer:
        arguments = {"min_magnitude": 5, "abstract_domains": case["columns"], "mode": case["mode"]}
        seen = await called(resource, dispatcher, "quakes", arguments)
        answer = json.loads(seen)
        taken = [row for row in answer["abstract"] if row["_row_id"] in case["take"]]
        handed = {"abstract_data": json.dumps(taken), "resource_url": answer["resource_url"], **case.get("more", {})}
        told = await called(consumer, dispatcher, case["tool"], handed)
        return {"seen": seen, "told": told, "pending": dispatcher.pending}


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
