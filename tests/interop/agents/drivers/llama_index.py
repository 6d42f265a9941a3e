from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def ask(question, server, model, _variant):
    client = BasicMCPClient(server.url) if server.url else BasicMCPClient(server.command, args=server.args)
    tools = await McpToolSpec(client=client).to_tool_list_async()
    llm = OpenAILike(model="gpt-5", api_base=model.openai, api_key="none", is_chat_model=True, is_function_calling_model=True)
    return str(await FunctionAgent(tools=tools, llm=llm).run(question))
