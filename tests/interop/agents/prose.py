"""Frameworks whose calls and results are texts of the messages: smolagents in part, and DSPy altogether."""

import ast
import contextlib
import json
import re

from agents.model import Call, Step, Tool

MARK = "[[ ## {} ## ]]"
LISTED = re.compile(r"^ *\(\d+\) (\S+?), whose description is <desc>.*?</desc>\. It takes arguments (\{.*?\})\.$", re.M | re.S)
STEP = re.compile(r"\[\[ ## tool_name_(\d+) ## \]\]\n(.*?)\n+\[\[ ## tool_args_\1 ## \]\]\n(.*?)\n+\[\[ ## observation_\1 ## \]\]\n(.*?)(?=\n\[\[ ## |\Z)", re.S)


def smolagents(messages: list[dict]) -> tuple[list[tuple[str, str]], list[str]]:
    """The calls and their results."""
    calls, results = [], []
    for message in messages:
        content = message.get("content") or ""
        text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        _, found, made = text.partition("Calling tools:")
        if message["role"] == "assistant" and found:
            with contextlib.suppress(ValueError, SyntaxError):
                for call in ast.literal_eval(made.strip()):
                    calls.append((call["function"]["name"], json.dumps(call["function"]["arguments"])))
        elif message["role"] not in ("system", "assistant") and ("Observation:" in text or "Error" in text[:60]):
            results.append(text)
    return calls, results


def is_dspy(request: dict) -> bool:
    return any(MARK.format("trajectory") in str(message.get("content")) for message in request["messages"])


def dspy(request: dict) -> tuple[list[Tool], list[Step]]:
    """The tools are a list in the instructions, and the steps are the fields of a trajectory."""
    system, *_, user = [message["content"] for message in request["messages"]]
    tools = [Tool(name, {"type": "object", "properties": ast.literal_eval(properties)}) for name, properties in LISTED.findall(system)]
    _, _, trajectory = user.partition(MARK.format("trajectory"))
    return tools, [Step(name, arguments, result) for _, name, arguments, result in STEP.findall(trajectory)]


def dspy_reply(request: dict, call: Call | None) -> str:
    """The next step, or the fields of the answer once no step is wanted."""
    wanted = re.findall(r"\d\. `(\w+)` ", request["messages"][0]["content"].partition("output fields are:")[2])
    values = {"next_tool_name": call.name if call else "finish", "next_tool_args": json.dumps(call.arguments if call else {})}
    fields = [f"{MARK.format(name)}\n{values.get(name, 'Done.')}\n" for name in wanted]
    return "\n".join([*fields, MARK.format("completed")])
