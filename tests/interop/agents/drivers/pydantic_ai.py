from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


async def ask(question, server, model, variant):
    toolset = MCPToolset(server.url or StdioTransport(server.command, server.args))
    if variant == "gemini":
        chat = GoogleModel("gemini-2.5-flash", provider=GoogleProvider(base_url=model.root, api_key="none"))
    else:
        chat = OpenAIChatModel("gpt-5", provider=OpenAIProvider(base_url=model.openai))
    agent = Agent(chat, toolsets=[toolset])
    async with agent:
        return (await agent.run(question)).output
