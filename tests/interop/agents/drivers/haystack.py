from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo, StreamableHttpServerInfo


def ask(question, server, model, _variant):
    if server.url:
        info = StreamableHttpServerInfo(url=server.url)
    else:
        info = StdioServerInfo(command=server.command, args=server.args)
    toolset = MCPToolset(info)
    agent = Agent(chat_generator=OpenAIChatGenerator(model="gpt-5", api_base_url=model.openai), tools=toolset)
    agent.warm_up()
    answer = agent.run(messages=[ChatMessage.from_user(question)])["messages"][-1].text
    toolset.close()
    return answer
