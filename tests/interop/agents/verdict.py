"""Judges what arrived at the server, by the messages that a recorder wrote."""

import json
import pathlib
from dataclasses import dataclass

from agents.model import Task, as_object, same

# From the best to the worst. `{}` is the worst: a tool ran without the arguments that the model wrote, and nobody noticed.
ORDER = ("ok", "repeats", "refused", "no tool", "not sent", "crash", "{}")


@dataclass
class Sent:
    """A call that reached the server."""

    name: str
    arguments: dict
    answered: bool


def read(record: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()] if record.exists() else []


def calls(messages: list[dict]) -> list[Sent]:
    """The calls in their order. A call through `call_tool` is one of the tool that it names."""
    answers = {}
    for entry in messages:
        message = entry["message"]
        if entry["from"] == "server" and isinstance(message, dict) and "id" in message and "method" not in message:
            answers.setdefault((entry["session"], message["id"]), message)
    found = []
    for entry in messages:
        message = entry["message"]
        if entry["from"] == "client" and isinstance(message, dict) and message.get("method") == "tools/call":
            key = entry["session"], message["id"]
            answer = answers.get(key, {})
            result = answer.get("result") or {}
            name, arguments = unwrapped(message["params"].get("name", ""), message["params"].get("arguments"))
            found.append(Sent(name, arguments, "content" in result and not result.get("isError")))
    return found


def unwrapped(name: str, arguments) -> tuple[str, dict]:
    """The tool and the arguments of a call, also of one through another tool, as text, or doubled."""
    arguments = as_object(arguments)
    if any(name.endswith(each) for each in ("call_tool", "call_read_only_tool", "execute_tool")) and "name" in arguments:
        name, arguments = str(arguments["name"]), as_object(arguments.get("arguments"))
    while set(arguments) == {"name", "arguments"}:
        arguments = as_object(arguments["arguments"])
    for only in ("arguments", "args"):
        if set(arguments) == {only}:
            arguments = as_object(arguments[only])
    return name, {key: value for key, value in arguments.items() if value is not None}


def of_task(task: Task, sent: list[Sent], tried: bool, ended: bool) -> str:
    """The verdict about one task. `tried` means that the model wrote the call, `ended` that the framework ended as it should."""
    own = [call for call in sent if call.name == task.tool]
    complete = [task.arguments.items() <= call.arguments.items() for call in own]
    for number, (call, whole) in enumerate(zip(own, complete)):
        if call.answered:
            return ("ok" if number <= 1 else f"repeats {number}") if whole else "{}"
    if own:
        return "refused" if complete[-1] else "{}"
    if not ended:
        return "crash"
    return "not sent" if tried else "no tool"


def of_cell(tasks: list[Task], messages: list[dict], wrote: list[str], ended: bool) -> str:
    """The worst verdict of the tasks. `wrote` has the names of the tools that the model called, also through others."""
    sent = calls(messages)
    verdicts = [of_task(task, sent, any(same(name, task.tool) for name in wrote), ended) for task in tasks]
    return max(verdicts, key=rank)


def rank(verdict: str) -> tuple[int, int]:
    """Sorts verdicts; more repetitions are worse."""
    word, _, count = verdict.partition(" ") if verdict.startswith("repeats") else (verdict, "", "")
    return ORDER.index(word) if word in ORDER else len(ORDER), int(count or 0)


def version(messages: list[dict]) -> str | None:
    """The version of MCP that the two agreed on."""
    found = None
    for entry in messages:
        message = entry["message"] if isinstance(entry["message"], dict) else {}
        result, params = message.get("result"), message.get("params")
        if isinstance(result, dict) and "protocolVersion" in result:
            found = result["protocolVersion"]
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta and message.get("method") != "server/discover":
            found = meta["io.modelcontextprotocol/protocolVersion"]
    return found
