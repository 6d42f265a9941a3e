"""An MCP server of 2025-06-18 whose tools have the schemas of a file: `odd_schemas.py FILE`. A call returns its arguments."""

import json
import sys

tools = json.load(open(sys.argv[1]))
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    match request["method"]:
        case "initialize":
            info = {"name": "odd", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            result = {"tools": tools}
        case "tools/call":
            params = request["params"]
            result = {"content": [{"type": "text", "text": json.dumps(params.get("arguments", {}))}]}
            if params["name"].startswith("structured_"):
                result["structuredContent"] = params["arguments"]["content"]
        case _:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "unknown"}}), flush=True)
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
