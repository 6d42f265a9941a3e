"""A server over stdio whose lists, or whose end, are as its mode says: `odd_upstream.py MODE`."""

import json
import os
import sys
import time

mode = sys.argv[1]
TOOLS = [{"name": f"t{number}", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for number in range(6)]


def page(cursor) -> dict:
    match mode:
        case "repeats":
            return {"tools": TOOLS[:3], "nextCursor": "8"}
        case "empty":
            return {"tools": TOOLS[:3], "nextCursor": ""}
        case "numbers":
            return {"tools": TOOLS[cursor:]} if isinstance(cursor, int) else {"tools": TOOLS[:3], "nextCursor": 3}
        case "fails":
            return {"tools": TOOLS[:3], "nextCursor": "a"}
        case "twice":
            return {"tools": [TOOLS[0], TOOLS[0], {**TOOLS[0], "description": "another"}]}
    return {"tools": TOOLS[:3]}


for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    outcome = {"result": {"content": [{"type": "text", "text": str(os.getpid())}]}}
    if method == "server/discover":
        outcome = {"error": {"code": -32601, "message": "no"}}
    elif method == "initialize":
        info = {"name": "odd", "version": "1"}
        outcome = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}}
    elif method == "tools/list":
        cursor = message.get("params", {}).get("cursor")
        is_failed = mode == "fails" and cursor
        outcome = {"error": {"code": -32602, "message": "Invalid cursor"}} if is_failed else {"result": page(cursor)}
    print(json.dumps({"jsonrpc": "2.0", "id": id, **outcome}), flush=True)
    if mode == "exits" and method == "tools/call":
        sys.exit(0)
    if mode == "lingers" and method == "tools/call":
        # Its output ends before it does.
        os.close(1)
        time.sleep(0.3)
        os._exit(0)
