from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient


def ask(question, server, model, _variant):
    if server.url:
        client = MCPClient(lambda: streamable_http_client(server.url))
    else:
        client = MCPClient(lambda: stdio_client(StdioServerParameters(command=server.command, args=server.args)))
    with client:
        chat = OpenAIModel(client_args={"base_url": model.openai}, model_id="gpt-5")
        return str(Agent(model=chat, tools=client.list_tools_sync(), callback_handler=None)(question))
