"""An MCP server over stdio whose tool `ask` asks the user, and does not wait for the answer. With `cancel` it cancels its question before it ends the call."""

import json
import sys
import time


def send(message: dict):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "initialize":
        facts = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "asking", "version": "1"}}
        send({"id": id, "result": facts})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": [{"name": "ask", "description": "Ask the user", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        question = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}
        send({"id": "q", "method": "elicitation/create", "params": question})
        time.sleep(0.3)
        if params["arguments"].get("cancel"):
            send({"method": "notifications/cancelled", "params": {"requestId": "q"}})
            # The client must hear of it before the call ends.
            sys.stdin.readline()
        send({"id": id, "result": {"content": [{"type": "text", "text": "done"}]}})
    elif method and id is not None:
        send({"id": id, "error": {"code": -32601, "message": "unknown"}})
