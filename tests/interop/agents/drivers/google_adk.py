import os

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams, StreamableHTTPConnectionParams
from google.genai import types
from mcp import StdioServerParameters


async def ask(question, server, model, _variant):
    os.environ["GOOGLE_GEMINI_BASE_URL"] = model.root
    if server.url:
        connection = StreamableHTTPConnectionParams(url=server.url)
    else:
        parameters = StdioServerParameters(command=server.command, args=server.args)
        connection = StdioConnectionParams(server_params=parameters, timeout=30)
    toolset = McpToolset(connection_params=connection)
    agent = LlmAgent(name="assistant", model="gemini-2.5-flash", instruction="Help.", tools=[toolset])
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message, answer = types.Content(role="user", parts=[types.Part(text=question)]), None
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        if event.is_final_response() and event.content:
            answer = event.content.parts[0].text
    await toolset.close()
    return answer
