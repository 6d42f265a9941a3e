from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def ask(question, server, model, variant):
    connection = {"transport": "stdio", "command": server.command, "args": server.args}
    if server.url:
        connection = {"transport": "streamable_http", "url": server.url}
    client = MultiServerMCPClient({"git": connection})
    chat = ChatOpenAI(model="gpt-5", base_url=model.openai, use_responses_api=variant == "responses")
    if variant == "default":
        return await run(chat, await client.get_tools(), question)
    async with client.session("git") as session:
        return await run(chat, await load_mcp_tools(session), question)


async def run(chat, tools, question):
    answer = await create_agent(chat, tools).ainvoke({"messages": [("user", question)]})
    return answer["messages"][-1].content
