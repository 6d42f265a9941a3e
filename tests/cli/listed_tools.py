"""An MCP server over stdio with the definitions, instructions and title of a JSON file: `listed_tools.py FILE`."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    served = json.load(open(sys.argv[1]))
    answers = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "listed", "version": "1", **served.get("info", {})},
            "instructions": served.get("instructions", ""),
        },
        "tools/list": {"tools": served["tools"]},
        "tools/call": {"content": [{"type": "text", "text": "called"}]},
        "ping": {},
    }
    outcome = {"result": answers[message["method"]]} if message["method"] in answers else None
    outcome = outcome or {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)
