from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.connectors.mcp import MCPStdioPlugin, MCPStreamableHttpPlugin


async def ask(question, server, model, _variant):
    if server.url:
        connection = MCPStreamableHttpPlugin(name="git", url=server.url)
    else:
        connection = MCPStdioPlugin(name="git", command=server.command, args=server.args)
    service = OpenAIChatCompletion(ai_model_id="gpt-5", async_client=AsyncOpenAI(base_url=model.openai))
    async with connection as plugin:
        agent = ChatCompletionAgent(service=service, name="assistant", instructions="Help.", plugins=[plugin])
        return str((await agent.get_response(messages=question)).content)
