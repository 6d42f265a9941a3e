"""An MCP server of 2025-06-18 that does not survive another first request: `first_request.py LOG MODE`. Its starts and requests are lines of LOG."""

import json
import os
import sys
import time

log_path, mode = sys.argv[1:]
if os.path.exists(log_path + ".mode"):
    # An update of the server, whose entry stays as it is.
    mode = open(log_path + ".mode").read()
no_lists = os.path.exists(log_path + ".no_lists")


def log(line: str):
    with open(log_path, "a") as file:
        print(line, file=file)


def answer(request: dict, **outcome):
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}), flush=True)


def end():
    sys.exit('Error: ExpectedInitializeRequest("server/discover")')


log("started")
discovered = False
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    log(method)
    if method == "server/discover":
        discovered = True
        match mode:
            case "ends":
                end()
            case "ends_late":
                time.sleep(0.3)
                end()
            case "closes_output":
                os.close(1)
                time.sleep(60)
            case "answers_and_ends":
                answer(request, error={"code": -32600, "message": "expected initialize"})
                end()
            case "answers_unknown_and_ends":
                answer(request, error={"code": -32601, "message": "unknown method"})
                end()
            case "writes_garbage_and_ends":
                print("thread 'main' panicked", flush=True)
                end()
            case "ends_at_initialize":
                answer(request, result={"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
                continue
            case "hangs":
                time.sleep(600)
            case _:
                answer(request, error={"code": -32601, "message": "unknown method"})
    elif method == "initialize":
        if mode == "ends_at_initialize":
            end()
        if discovered and mode == "ends_after_both":
            end()
        if discovered and mode == "refuses":
            answer(request, error={"code": -32600, "message": "initialize must be the first request"})
            continue
        info = {"name": "first", "version": "1"}
        answer(request, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        if no_lists:
            answer(request, error={"code": -32603, "message": "not yet"})
            continue
        tools = [{"name": "echo", "description": "Return a text", "inputSchema": {"type": "object"}}]
        answer(request, result={"tools": tools, "resultType": "complete"})
    elif method == "tools/call":
        answer(request, result={"content": [{"type": "text", "text": "echoed"}], "resultType": "complete"})
