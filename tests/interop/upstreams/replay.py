"""An MCP server over stdio that replays a captured list of tools: `replay.py FILE`. A call returns its own params."""

import json
import pathlib
import sys

TOOLS = json.loads(pathlib.Path(sys.argv[1]).read_text())


def answer(method: str, params: dict) -> dict | None:
    match method:
        case "initialize":
            info = {"name": pathlib.Path(sys.argv[1]).stem, "version": "1"}
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            called = {"name": params["name"], "arguments": params.get("arguments")}
            return {"content": [{"type": "text", "text": json.dumps(called)}]}
        case "ping":
            return {}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request and "method" in request:
        result = answer(request["method"], request.get("params", {}))
        refusal = {"code": -32601, "message": f"no such method: {request['method']}"}
        outcome = {"result": result} if result is not None else {"error": refusal}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}), flush=True)
