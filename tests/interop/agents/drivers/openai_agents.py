from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI

set_tracing_disabled(True)


async def ask(question, server, model, variant):
    if server.url:
        connection = MCPServerStreamableHttp(name="git", params={"url": server.url})
    else:
        connection = MCPServerStdio(name="git", params={"command": server.command, "args": server.args}, client_session_timeout_seconds=30)
    chat = OpenAIResponsesModel(model="gpt-5", openai_client=AsyncOpenAI(base_url=model.openai))
    config = {"convert_schemas_to_strict": True} if variant == "strict" else {}
    async with connection as mcp:
        agent = Agent(name="assistant", instructions="Help.", mcp_servers=[mcp], model=chat, mcp_config=config)
        return (await Runner.run(agent, question)).final_output
