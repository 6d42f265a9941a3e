import contextlib

import litellm
from litellm import experimental_mcp_client
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
        tools = await experimental_mcp_client.load_mcp_tools(session=session, format="openai")
        messages = [{"role": "user", "content": question}]
        while True:
            answer = await litellm.acompletion(model="openai/gpt-5", api_base=model.openai, messages=messages, tools=tools)
            message = answer.choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                result = await experimental_mcp_client.call_openai_tool(session=session, openai_tool=call.model_dump())
                text = "\n".join(block.text for block in result.content)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
