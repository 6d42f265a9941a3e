"""FastMCP's proxy before a server over stdio: `fastmcp_proxy.py default|connected COMMAND ARGUMENT…`.

`default` is a proxy made from a configuration. `connected` is one for a client that is connected already, so requests share its session.
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

kind, command, *arguments = sys.argv[1:]


async def connected():
    # The era of the bench; with another one FastMCP cannot pass on output schemas that are no objects.
    async with Client(StdioTransport(command, arguments), mode="legacy") as client:
        await create_proxy(client).run_async(transport="stdio", show_banner=False)


if kind == "connected":
    asyncio.run(connected())
else:
    proxy = create_proxy({"mcpServers": {"git": {"command": command, "args": arguments}}})
    proxy.run(transport="stdio", show_banner=False)
