"""An MCP server over stdio that asks the user: `asking.py legacy|modern`. The arguments of a call say how often, and with which URL."""

import json
import sys

mode = sys.argv[1]
TOOLS = [{"name": name, "description": "Ask the user", "inputSchema": {"type": "object"}} for name in ("ask", "refuse", "sample")]
# The calls that wait for answers, each with the questions that are left, and how many were answered.
waiting = {}


def send(message: dict):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def question(arguments: dict) -> dict:
    message = "pd-gateway needs your password"
    if "url" in arguments:
        return {"mode": "url", "message": message, "url": arguments["url"], "elicitationId": "e"}
    return {"message": message, "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}


def finish(id, text):
    send({"id": id, "result": {"content": [{"type": "text", "text": text}], **({"resultType": "complete"} if mode == "modern" else {})}})


def ask_next(call: dict):
    """Asks one question after the other, as a server before 2026-07-28 does."""
    call["asked"] += 1
    if call["asked"] > call["arguments"].get("count", 1):
        return finish(call["id"], f"answered {call['answered']}")
    waiting[f"q{call['id']}"] = call
    method = "sampling/createMessage" if call["name"] == "sample" else "elicitation/create"
    params = {"messages": [], "maxTokens": 1, "includeContext": "allServers"} if call["name"] == "sample" else question(call["arguments"])
    send({"id": f"q{call['id']}", "method": method, "params": params})


def call(message: dict):
    id, params = message["id"], message["params"]
    arguments = params.get("arguments", {})
    if params["name"] == "refuse":
        elicitations = [question(arguments)] * arguments.get("count", 1)
        send({"id": id, "error": {"code": -32042, "message": "Log in first", "data": {"elicitations": elicitations}}})
    elif mode == "legacy":
        ask_next({"id": id, "name": params["name"], "arguments": arguments, "asked": 0, "answered": 0})
    else:
        done = int(params.get("requestState") or 0)
        if done >= arguments.get("rounds", 1):
            return finish(id, f"answered {done} rounds")
        required = {str(number): {"method": "elicitation/create", "params": question(arguments)} for number in range(arguments.get("count", 1))}
        send({"id": id, "result": {"resultType": "input_required", "inputRequests": required, "requestState": str(done + 1)}})


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method is None:
        open_call = waiting.pop(message["id"])
        open_call["answered"] += "result" in message
        ask_next(open_call)
    elif method == "server/discover" and mode == "modern":
        send({"id": message["id"], "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "public"}})
    elif method == "initialize" and mode == "legacy":
        info = {"name": "asking", "version": "1"}
        send({"id": message["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/list":
        send({"id": message["id"], "result": {"tools": TOOLS}})
    elif method == "tools/call":
        call(message)
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "unknown"}})
