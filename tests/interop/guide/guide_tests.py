"""The implementation guide's tests ("Testing Strategy", 1 and 2), typed anew for the Git server: its `log` stands for the
guide's `tool_one`."""

from pathlib import Path

from connect import McpServer
from conversation import build_system_prompt
from session_auth import SessionAuthorization
from tool_description_loader import ToolDescriptionLoader


def test_tool_loader(descriptions: Path, tools: list[str]):
    loader = ToolDescriptionLoader(descriptions)
    # A single tool.
    desc = loader.load("log")
    assert desc["name"] == "log"
    assert "inputSchema" in desc
    # Several tools.
    descs = loader.load_multiple(["log", "show"])
    assert len(descs) == 2
    assert all("error" not in desc for desc in descs.values()), descs
    # A missing tool.
    descs = loader.load_multiple(["nonexistent"])
    assert "error" in descs["nonexistent"]
    # The directory offers the server's tools and nothing else.
    available = loader.list_available()
    assert sorted(available) == sorted(tools), sorted(set(available) ^ set(tools))


def test_session_auth():
    auth = SessionAuthorization()

    class MockSession:
        pass

    session = MockSession()
    # The authorization flow.
    assert not auth.is_authorized(session, "log")
    auth.authorize_tool(session, "log")
    assert auth.is_authorized(session, "log")
    # Sessions are isolated.
    session2 = MockSession()
    assert not auth.is_authorized(session2, "log")
    # Sessions without activity are removed, and no others.
    auth.cleanup_stale_sessions()
    assert auth.is_authorized(session, "log")
    auth.cleanup_stale_sessions(max_age_seconds=-1)
    assert not auth.is_authorized(session, "log")


async def test_progressive_disclosure_workflow(server: McpServer, copies_ticket: bool):
    # 1. List resources: tool_descriptions is among them.
    resources = await server.list_resources()
    assert any("tool_descriptions" in r["uri"] for r in resources)
    # 2. List tools: their descriptions are minimal.
    tools = await server.list_tools()
    assert len(tools) > 0
    assert all("description" in t for t in tools)
    assert "FETCH the full tool description" in build_system_prompt(tools, resources)
    # 3. Call without fetching: fails.
    error = await failure_of(server.call_tool("log", {}))
    assert "TOOL_DESCRIPTION_REQUIRED" in error
    # 4. Fetch the description.
    desc = await server.read_resource("resource:///tool_descriptions?tools=log")
    assert "log" in desc
    assert "inputSchema" in desc["log"]
    # 5. Call: succeeds.
    arguments = {"limit": 3}
    if copies_ticket:
        arguments["disclosure_ticket"] = desc["log"]["inputSchema"]["properties"]["disclosure_ticket"]["const"]
    result = await server.call_tool("log", arguments)
    assert len(result["structuredContent"]["items"]) == 3, result


async def test_examples_run_as_they_are_written(server: McpServer):
    desc = await server.read_resource("resource:///tool_descriptions?tools=log")
    assert desc["log"]["examples"]
    for example in desc["log"]["examples"]:
        await server.call_tool("log", example["input"])


async def failure_of(call) -> str:
    try:
        result = await call
    except Exception as error:
        return str(error)
    raise AssertionError(f"the call did not fail: {result}")
