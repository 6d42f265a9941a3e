"""A scripted model. It calls the tools of its tasks by the schemas that it was sent, and sends the calls that answers show."""

import json
import re
from dataclasses import dataclass

# Calls that the model spends on one task before it goes on with the next one.
MOST = 4
CALLERS = ("call_read_only_tool", "call_tool", "execute_tool")


@dataclass(frozen=True)
class Task:
    """One call that the model wants to make, and the text by which it knows the answer."""

    tool: str
    arguments: dict
    query: str
    answer: str

    def is_answered(self, result: str) -> bool:
        return re.search(self.answer, result) is not None


@dataclass(frozen=True)
class Tool:
    """A tool as the provider is sent it. `strict` is None if the request does not say."""

    name: str
    schema: dict
    strict: bool | None = None


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict


@dataclass(frozen=True)
class Step:
    """A call of the conversation, and its result as the model reads it."""

    name: str
    arguments: str
    result: str


def next_call(tasks: list[Task], tools: list[Tool], steps: list[Step]) -> Call | None:
    """Returns the next call of the conversation, or None if all tasks are done or given up."""
    position = 0
    for task in tasks:
        own: list[Step] = []
        while len(own) < MOST and not (own and task.is_answered(own[-1].result)):
            call = call_for(task, tools, own)
            if call is None:
                break
            if position >= len(steps):
                return call
            own.append(steps[position])
            position += 1
    return None


def call_for(task: Task, tools: list[Tool], own: list[Step]) -> Call | None:
    if not own:
        return direct(task, tools, task.arguments) or meta(tools, "find_tools", {"query": task.query})
    last = own[-1]
    if same(last.name, "find_tools"):
        return the_call(task, tools, {}) if task.tool in last.result else None
    if same(last.name, "describe_tools"):
        return the_call(task, tools, ticket(last.result))
    shown = shown_call(last.result)
    if shown is not None:
        return as_shown(task, tools, shown)
    described = any(same(step.name, "describe_tools") for step in own)
    if "DESCRIPTION_REQUIRED" in last.result and not described:
        return meta(tools, "describe_tools", {"names": [task.tool]})
    return None


def the_call(task: Task, tools: list[Tool], more: dict) -> Call | None:
    arguments = {**task.arguments, **more}
    return direct(task, tools, arguments) or through(task.tool, tools, arguments)


def direct(task: Task, tools: list[Tool], arguments: dict) -> Call | None:
    tool = pick(tools, task.tool)
    return Call(tool.name, by_schema(tool, arguments)) if tool else None


def meta(tools: list[Tool], name: str, arguments: dict) -> Call | None:
    """The call of a tool that finds or describes others, with what its schema requires besides."""
    tool = pick(tools, name)
    if tool is None:
        return None
    properties = properties_of(tool.schema, tool.schema)
    missing = [each for each in tool.schema.get("required") or [] if each not in arguments]
    return Call(tool.name, {**arguments, **{each: properties.get(each, {}).get("enum", [None])[-1] for each in missing}})


def through(name: str, tools: list[Tool], arguments: dict, caller: str | None = None) -> Call | None:
    """The call of a tool that is not listed."""
    for each in (caller, *CALLERS) if caller else CALLERS:
        tool = pick(tools, each)
        if tool:
            form = arguments_form(tool.schema)
            return Call(tool.name, {"name": name, "arguments": json.dumps(arguments) if form == "string" else arguments})
    return None


def as_shown(task: Task, tools: list[Tool], shown: dict) -> Call | None:
    """The call that an answer shows. The values that the model meant stay: it knows them better than an example does."""
    name, arguments, caller = shown["name"], as_object(shown["arguments"]), None
    while any(same(name, each) for each in CALLERS) and "name" in arguments:
        caller, name, arguments = name, arguments["name"], as_object(arguments.get("arguments"))
    if not same(name, task.tool):
        tool = pick(tools, name)
        return Call(tool.name, arguments) if tool else None
    arguments = {**arguments, **task.arguments}
    if caller:
        return through(task.tool, tools, arguments, caller)
    return direct(task, tools, arguments) or through(task.tool, tools, arguments)


def as_object(value) -> dict:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def by_schema(tool: Tool, arguments: dict) -> dict:
    """Arguments as the schema wants them. One text for all of them is a property `arguments` or `args` that stands alone."""
    properties = properties_of(tool.schema, tool.schema)
    [only] = properties if len(properties) == 1 else [None]
    if only in ("arguments", "args") and "string" in types(tool.schema, properties[only]) and only not in arguments:
        return {only: json.dumps(arguments)}
    return arguments


def arguments_form(schema: dict) -> str:
    """Whether `arguments` of a caller is declared as an object or as a text."""
    declared = properties_of(schema, schema).get("arguments", {})
    found = types(schema, declared)
    return "string" if "string" in found and "object" not in found else "object"


def types(root: dict, schema: dict) -> set[str]:
    schema = resolved(root, schema)
    own = schema.get("type", [])
    found = {kind.lower() for kind in ([own] if isinstance(own, str) else own)}
    for alternative in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        found |= types(root, alternative)
    return found


def resolved(root: dict, schema) -> dict:
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        schema = root
        for part in reference.removeprefix("#").strip("/").split("/"):
            schema = schema.get(part, {}) if isinstance(schema, dict) else {}
    return {}


def properties_of(root: dict, schema) -> dict:
    """The properties of an object, also of one that may be null."""
    schema = resolved(root, schema)
    for alternative in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if "object" in types(root, alternative):
            return properties_of(root, alternative)
    return schema.get("properties") or {}


def under_grammar(api: str, tool: Tool | None, call: Call) -> Call:
    """What a provider's grammar lets through. It is made of a strict schema; the Responses API makes a schema strict if `strict` is missing."""
    strict = tool and (tool.strict is True or (api == "responses" and tool.strict is None))
    return Call(call.name, cut(tool.schema, tool.schema, call.arguments)) if strict else call


def cut(root: dict, schema, value):
    """Without properties that are not declared, and with null for required ones that are missing."""
    if not isinstance(value, dict):
        return value
    properties = properties_of(root, schema)
    kept = {name: cut(root, properties[name], part) for name, part in value.items() if name in properties}
    for name in resolved(root, schema).get("required") or []:
        if name not in kept and "null" in types(root, properties.get(name, {})):
            kept[name] = None
    return kept


def pick(tools: list[Tool], name: str) -> Tool | None:
    """The tool of this name, which a framework may have put its server's name before."""
    found = [tool for tool in tools if same(tool.name, name)]
    return min(found, key=lambda tool: (tool.name != name, len(tool.name)), default=None)


def same(listed: str, name: str) -> bool:
    plain, wanted = (re.sub(r"[^a-z0-9]+", "_", each.lower()) for each in (listed, name))
    return plain == wanted or plain.endswith(f"_{wanted}")


def shown_call(text: str) -> dict | None:
    """The last call of a text, which a framework may have quoted once or more."""
    for _ in range(4):
        found, end = None, -1
        for match in re.finditer(r'\{\s*"name":', text):
            if match.start() < end:
                continue
            try:
                value, length = json.JSONDecoder().raw_decode(text[match.start() :])
            except ValueError:
                continue
            if "arguments" in value:
                found, end = value, match.start() + length
        if found:
            return found
        text = text.replace('\\\\"', '\\"').replace('\\"', '"').replace("\\n", "\n")
    return None


def ticket(text: str) -> dict:
    """The proof that a description was read, which a description of MCP 2026-07-28 contains."""
    found = re.search(r"disclosure_ticket[^0-9]{1,60}?(\d{18})", text)
    return {"disclosure_ticket": found[1]} if found else {}
