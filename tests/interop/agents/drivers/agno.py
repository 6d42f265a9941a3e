from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools.mcp import MCPTools
from mcp import StdioServerParameters


async def ask(question, server, model, _variant):
    if server.url:
        connection = {"url": server.url, "transport": "streamable-http"}
    else:
        connection = {"server_params": StdioServerParameters(command=server.command, args=server.args)}
    async with MCPTools(**connection) as tools:
        agent = Agent(model=OpenAIChat(id="gpt-5", base_url=model.openai), tools=[tools])
        return (await agent.arun(question)).content
