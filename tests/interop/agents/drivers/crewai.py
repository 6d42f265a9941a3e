from crewai import LLM, Agent, Crew, Task
from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters


def ask(question, server, model, _variant):
    if server.url:
        parameters = {"url": server.url, "transport": "streamable-http"}
    else:
        parameters = StdioServerParameters(command=server.command, args=server.args)
    with MCPServerAdapter(parameters) as tools:
        chat = LLM(model="openai/gpt-4o", base_url=model.openai)
        agent = Agent(role="assistant", goal="help", backstory="none", tools=list(tools), llm=chat)
        task = Task(description=question, expected_output="text", agent=agent)
        return str(Crew(agents=[agent], tasks=[task]).kickoff())
