"""A server over stdio that behaves as its modes say: `odd_upstream.py LOG MODE…`. Each start is a line of LOG."""

import json
import os
import sys
import time

log_path, *modes = sys.argv[1:]
with open(log_path, "a") as log:
    print("started", file=log)
TOOLS = [{"name": f"t{number}", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for number in range(6)]
first = True
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    with open(log_path, "a") as log:
        print(method, file=log)
    if first and method != "initialize":
        if "hangs" in modes:
            time.sleep(600)
        if "late" in modes:
            time.sleep(0.3)
        if "error" in modes or "at_initialize" in modes:
            print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}), flush=True)
        if "at_initialize" not in modes:
            sys.exit("Error: ExpectedInitializeRequest")
    elif not first and method == "initialize":
        sys.exit("Error: late initialize")
    first = False
    if id is None:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}
    elif method == "tools/list":
        cursor = message.get("params", {}).get("cursor")
        if "no_list" in modes:
            print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "no list"}}), flush=True)
            continue
        result = {"tools": TOOLS[:3]}
        if "repeats" in modes:
            result["nextCursor"] = "8"
        elif "empty" in modes:
            result["nextCursor"] = ""
        elif "numbers" in modes:
            result = {"tools": TOOLS[cursor:]} if isinstance(cursor, int) else {**result, "nextCursor": 3}
        elif "fails" in modes and cursor:
            print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "Invalid cursor"}}), flush=True)
            continue
        elif "fails" in modes:
            result["nextCursor"] = "a"
        elif "twice" in modes:
            result = {"tools": [TOOLS[0], TOOLS[0], {**TOOLS[0], "description": "another"}]}
    else:
        result = {"content": [{"type": "text", "text": str(os.getpid())}]}
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
    if "exits" in modes and method == "tools/call":
        sys.exit(0)
