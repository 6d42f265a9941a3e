from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams, StreamableHttpServerParams, mcp_server_tools


async def ask(question, server, model, variant):
    if server.url:
        parameters = StreamableHttpServerParams(url=server.url)
    else:
        parameters = StdioServerParams(command=server.command, args=server.args, read_timeout_seconds=30)
    chat = OpenAIChatCompletionClient(model="gpt-4o", base_url=model.openai)
    if variant == "tools":
        tools = await mcp_server_tools(parameters)
        agent = AssistantAgent("assistant", model_client=chat, tools=tools, max_tool_iterations=12)
        return (await agent.run(task=question)).messages[-1].content
    async with McpWorkbench(parameters) as workbench:
        agent = AssistantAgent("assistant", model_client=chat, workbench=workbench, max_tool_iterations=12)
        return (await agent.run(task=question)).messages[-1].content
