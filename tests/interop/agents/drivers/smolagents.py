from mcp import StdioServerParameters
from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent


def ask(question, server, model, _variant):
    if server.url:
        parameters = {"url": server.url, "transport": "streamable-http"}
    else:
        parameters = StdioServerParameters(command=server.command, args=server.args)
    with MCPClient(parameters) as tools:
        chat = OpenAIServerModel("gpt-5", api_base=model.openai, api_key="none")
        return ToolCallingAgent(tools=tools, model=chat, verbosity_level=0).run(question)
