import contextlib

import dspy
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def ask(question, server, model, _variant):
    async with contextlib.AsyncExitStack() as stack:
        if server.url:
            transport = streamable_http_client(server.url)
        else:
            transport = stdio_client(StdioServerParameters(command=server.command, args=server.args))
        streams = await stack.enter_async_context(transport)
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        await session.initialize()
        tools = [dspy.Tool.from_mcp_tool(session, tool) for tool in (await session.list_tools()).tools]
        with dspy.context(lm=dspy.LM("openai/gpt-5", api_base=model.openai, temperature=1.0, max_tokens=16000, cache=False)):
            return (await dspy.ReAct("question -> answer", tools=tools).acall(question=question)).answer
