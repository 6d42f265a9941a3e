"""Reads the tools and the steps of a conversation from the requests of each provider's API."""

import json

import agents.prose as prose
from agents.model import Step, Tool

Read = tuple[list[Tool], list[Step]]


def api_of(path: str) -> str | None:
    path = path.split("?")[0]
    if path.endswith("/chat/completions"):
        return "chat"
    if path.endswith("/responses"):
        return "responses"
    if path.endswith("/messages"):
        return "anthropic"
    return "gemini" if "enerateContent" in path else None


def text_of(content) -> str:
    """The text of a message, whose parts may be objects with texts or with further parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        text = content.get("text")
        if isinstance(text, str):
            return text
        return text_of(content["content"]) if "content" in content else json.dumps(content)
    return "\n".join(map(text_of, content or []))


def steps_of(calls: list[tuple[str, str]], results: list[str]) -> list[Step]:
    return [Step(name, arguments, result) for (name, arguments), result in zip(calls, results)]


def chat(request: dict) -> Read:
    functions = [tool.get("function", {}) for tool in request.get("tools") or []]
    tools = [Tool(f.get("name", ""), f.get("parameters") or {}, f.get("strict")) for f in functions]
    calls, results = [], []
    for message in request["messages"]:
        for call in message.get("tool_calls") or []:
            calls.append((call["function"]["name"], call["function"]["arguments"]))
        if message["role"] == "tool":
            results.append(text_of(message.get("content")))
    if any(tool.name == "final_answer" for tool in tools) and not results:
        calls, results = prose.smolagents(request["messages"])
    if not tools and prose.is_dspy(request):
        return prose.dspy(request)
    return tools, steps_of(calls, results)


def responses(request: dict) -> Read:
    tools = [Tool(t["name"], t.get("parameters") or {}, t.get("strict")) for t in request.get("tools") or [] if t.get("type") == "function"]
    items = request.get("input")
    items = items if isinstance(items, list) else []
    calls = [(item["name"], item["arguments"]) for item in items if item.get("type") == "function_call"]
    results = [text_of(item.get("output")) for item in items if item.get("type") == "function_call_output"]
    return tools, steps_of(calls, results)


def anthropic(request: dict) -> Read:
    tools = [Tool(tool["name"], tool.get("input_schema") or {}) for tool in request.get("tools") or [] if "name" in tool]
    blocks = [block for message in request["messages"] if isinstance(message["content"], list) for block in message["content"]]
    calls = [(block["name"], json.dumps(block["input"])) for block in blocks if block.get("type") == "tool_use"]
    results = [text_of(block.get("content")) for block in blocks if block.get("type") == "tool_result"]
    return tools, steps_of(calls, results)


def gemini(request: dict) -> Read:
    declared = [f for tool in request.get("tools") or [] for f in either(tool, "functionDeclarations", "function_declarations") or []]
    schema = lambda f: f.get("parametersJsonSchema") or f.get("parameters_json_schema") or f.get("parameters") or {}
    calls, results = [], []
    for part in [part for content in request.get("contents", []) for part in content.get("parts") or []]:
        call, result = either(part, "functionCall", "function_call"), either(part, "functionResponse", "function_response")
        if call:
            calls.append((call["name"], json.dumps(call.get("args"))))
        if result:
            results.append(json.dumps(result.get("response"), ensure_ascii=False))
    return [Tool(f["name"], schema(f)) for f in declared], steps_of(calls, results)


def either(value: dict, *names: str):
    return next((value[name] for name in names if name in value), None)


def has_a_part_for_each_call(request: dict) -> bool:
    """The rule by which Gemini refuses a request: a turn of calls is followed by as many results."""
    contents = request.get("contents", [])
    count = lambda content, *names: sum(either(part, *names) is not None for part in content.get("parts") or [])
    for turn, following in zip(contents, contents[1:]):
        calls = count(turn, "functionCall", "function_call")
        if calls and calls != count(following, "functionResponse", "function_response"):
            return False
    return True


READERS = {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}
