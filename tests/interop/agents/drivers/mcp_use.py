from langchain_openai import ChatOpenAI
from mcp_use import MCPAgent, MCPClient


async def ask(question, server, model, _variant):
    entry = {"url": server.url} if server.url else {"command": server.command, "args": server.args}
    client = MCPClient(config={"mcpServers": {"git": entry}})
    agent = MCPAgent(llm=ChatOpenAI(model="gpt-5", base_url=model.openai), client=client, max_steps=15)
    answer = await agent.run(question)
    await client.close_all_sessions()
    return answer
