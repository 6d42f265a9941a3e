"""Writes a call, or a text, as a reply of each provider's API: an object, or a text of events if the request wants a stream."""

import json
import time
import uuid

from agents.model import Call


def new_id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex[:16]}"


def events(*parts: dict | tuple[str, dict], end: str = "") -> str:
    lines = []
    for part in parts:
        kind, value = part if isinstance(part, tuple) else (None, part)
        lines.append((f"event: {kind}\n" if kind else "") + f"data: {json.dumps(value)}\n\n")
    return "".join(lines) + end


def chat(request: dict, call: Call | None, text: str, _path: str) -> dict | str:
    message, reason = {"role": "assistant", "content": text}, "stop"
    if call:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        tool_calls = [{"index": 0, "id": new_id("call"), "type": "function", "function": function}]
        message, reason = {"role": "assistant", "content": None, "tool_calls": tool_calls}, "tool_calls"
    head = {"id": new_id("chatcmpl"), "created": int(time.time()), "model": request.get("model", "gpt-5")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if not request.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    head["object"] = "chat.completion.chunk"
    choices = [{"index": 0, "delta": message, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": reason}]
    chunks = [{**head, "choices": choice} for choice in choices]
    return events(*chunks, {**head, "choices": [], "usage": usage}, end="data: [DONE]\n\n")


def responses(request: dict, call: Call | None, text: str, _path: str) -> dict | str:
    if call:
        item = {"type": "function_call", "id": new_id("fc"), "call_id": new_id("call"), "name": call.name}
        item |= {"arguments": json.dumps(call.arguments), "status": "completed"}
    else:
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": new_id("msg"), "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}}
    usage |= {"output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    absent = dict.fromkeys(["error", "incomplete_details", "instructions", "max_output_tokens", "previous_response_id", "user"])
    fixed = {"parallel_tool_calls": True, "store": False, "temperature": 1.0, "top_p": 1.0, "tool_choice": "auto", "tools": []}
    fixed |= {"reasoning": {"effort": None, "summary": None}, "text": {"format": {"type": "text"}}, "truncation": "disabled"}
    head = {"id": new_id("resp"), "object": "response", "created_at": int(time.time()), "model": request.get("model", "gpt-5")}
    reply = {**head, **absent, **fixed, "status": "completed", "output": [item], "usage": usage, "metadata": {}}
    return response_events(reply, item) if request.get("stream") else reply


def response_events(reply: dict, item: dict) -> str:
    place = {"item_id": item["id"], "output_index": 0}
    started = {**reply, "status": "in_progress", "output": [], "usage": None}
    parts = [("response.created", {"response": started}), ("response.in_progress", {"response": started})]
    if item["type"] == "function_call":
        empty = {**item, "arguments": "", "status": "in_progress"}
        parts += [
            ("response.output_item.added", {"output_index": 0, "item": empty}),
            ("response.function_call_arguments.delta", {**place, "delta": item["arguments"]}),
            ("response.function_call_arguments.done", {**place, "arguments": item["arguments"], "name": item["name"]}),
        ]
    else:
        part = item["content"][0]
        empty, place = {**item, "content": [], "status": "in_progress"}, {**place, "content_index": 0}
        parts += [
            ("response.output_item.added", {"output_index": 0, "item": empty}),
            ("response.content_part.added", {**place, "part": {**part, "text": ""}}),
            ("response.output_text.delta", {**place, "delta": part["text"], "logprobs": []}),
            ("response.output_text.done", {**place, "text": part["text"], "logprobs": []}),
            ("response.content_part.done", {**place, "part": part}),
        ]
    parts += [("response.output_item.done", {"output_index": 0, "item": item}), ("response.completed", {"response": reply})]
    return events(*((kind, {"type": kind, "sequence_number": number, **value}) for number, (kind, value) in enumerate(parts)))


def anthropic(request: dict, call: Call | None, text: str, _path: str) -> dict | str:
    if call:
        block, reason = {"type": "tool_use", "id": new_id("toolu"), "name": call.name, "input": call.arguments}, "tool_use"
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    else:
        block, reason = {"type": "text", "text": text}, "end_turn"
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    reply = {"id": new_id("msg"), "type": "message", "role": "assistant", "model": request.get("model"), "content": [block]}
    reply |= {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}
    if not request.get("stream"):
        return reply
    parts = [
        ("message_start", {"message": {**reply, "content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 5}}),
        ("message_stop", {}),
    ]
    return events(*((kind, {"type": kind, **value}) for kind, value in parts))


def gemini(_request: dict, call: Call | None, text: str, path: str) -> dict | list | str:
    part = {"functionCall": {"name": call.name, "args": call.arguments}} if call else {"text": text}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    reply = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-flash"}
    if "stream" not in path:
        return reply
    return events(reply) if "alt=sse" in path else [reply]


WRITERS = {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}
