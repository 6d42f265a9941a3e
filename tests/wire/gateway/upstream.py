"""An MCP server over stdio that behaves as its modes say: `upstream.py LOG MODE…`. Each message that it reads is a line of LOG."""

import json
import os
import signal
import subprocess
import sys
import time

log_path, *modes = sys.argv[1:]
if os.path.exists(log_path + ".modes"):
    # Modes that are no part of the entry, so that it stays the same entry.
    modes += open(log_path + ".modes").read().split()
OBJECT = {"type": "object"}
TOOLS = [
    {"name": "echo", "description": "Return what was sent. All of it.", "inputSchema": OBJECT, "unknownKey": 1},
    {"name": "environment", "description": "List the names of variables", "inputSchema": OBJECT},
    {"name": "count", "description": "Report progress three times", "inputSchema": OBJECT},
    {"name": "wait", "description": "Never answer", "inputSchema": OBJECT},
    {"name": "crash", "description": "End without an answer", "inputSchema": OBJECT},
    {"name": "huge", "description": "Answer with a long line", "inputSchema": OBJECT},
    {"name": "link", "description": "Return a link", "inputSchema": OBJECT},
    {"name": "deep", "description": "Answer with deep JSON", "inputSchema": OBJECT},
    {"name": "grow", "description": "List one more tool", "inputSchema": OBJECT},
    {"name": "refuse", "description": "Answer with an error", "inputSchema": OBJECT},
]
if "bad_tools" in modes:
    TOOLS += [
        {"name": "no_schema", "description": "Has no schema"},
        {"name": "not_an_object", "description": "Takes a list", "inputSchema": {"type": "array"}},
        {"name": "recursive", "description": "Has no end", "inputSchema": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}},
        {"name": "hidden", "description": "Do this\u2063, and more", "inputSchema": OBJECT},
        {"name": "large", "description": "x" * 300_000, "inputSchema": OBJECT},
        {"name": "x" * 90, "description": "Has a long name", "inputSchema": OBJECT},
        {"name": "with.dots/and more", "description": "Has other characters", "inputSchema": OBJECT},
    ]
QUESTION = {"message": "Who are you?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
if "input" in modes:
    TOOLS.append({"name": "ask", "description": "Ask the user for a name", "inputSchema": OBJECT})
if "tasks" in modes:
    TOOLS.append({"name": "later", "description": "Return a task", "inputSchema": OBJECT})
    CREATED = {"taskId": "t-1", "createdAt": "2026-07-28T10:00:00Z", "lastUpdatedAt": "2026-07-28T10:00:00Z", "ttlMs": None}
if "slow" in modes:
    TOOLS.append({"name": "slow", "description": "Answer after three seconds", "inputSchema": OBJECT})
if "flaky" in modes:
    TOOLS.append({"name": "flaky", "description": "Fail once", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}})
if "notifies" in modes:
    TOOLS += [
        {"name": name, "description": description, "inputSchema": OBJECT}
        for name, description in [
            ("remember", "Count its calls in this process"),
            ("touch", "Change the resource memo://one"),
            ("add_prompt", "Add a prompt"),
            ("log", "Log two messages"),
            ("roots", "List the roots of the client"),
        ]
    ]
PROMPT = {"name": "greet", "title": "A greeting", "arguments": [{"name": "who", "required": True}]}
if "no_tools" in modes:
    TOOLS.clear()
LATE_TOOLS = []
if "late_tools" in modes:
    LATE_TOOLS = TOOLS
    TOOLS = []
FIXED = json.load(open(log_path + ".fixed")) if "fixed" in modes else {}
PROMPTS = [PROMPT]
asked = None
waiting = {}
subscribed = set()
# The id of each `subscriptions/listen`, with its filter.
listening = {}
remembered = 0
CAPABILITIES = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
if "notifies" in modes:
    CAPABILITIES |= {"prompts": {"listChanged": True}, "resources": {"subscribe": True}, "logging": {}}


def log(line: str):
    with open(log_path, "a") as file:
        print(line, file=file)


def send(message: dict):
    if "garbage" in modes:
        print("starting …\n{ not json\n\n[]", flush=True)
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def listed() -> list:
    """The tools, with what a test has written: a definition's changes by name, or null for a tool that is gone."""
    changes = json.load(open(log_path + ".tools")) if os.path.exists(log_path + ".tools") else {}
    known = {tool["name"]: tool for tool in TOOLS}
    new = [{"name": name, "inputSchema": OBJECT} for name in changes if name not in known]
    return [{**tool, **changes.get(tool["name"], {})} for tool in TOOLS + new if changes.get(tool["name"], {}) is not None]


def answer(request: dict, result: dict):
    if "wrong_ids" in modes:
        send({"id": 987654, "result": {}})
        send({"id": None, "result": {}})
        send({"id": str(request["id"]), "result": result})
    else:
        send({"id": request["id"], "result": result})


def text(value) -> dict:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def call(request: dict):
    params = request["params"]
    match params["name"]:
        case "echo":
            answer(request, {**text(params), "structuredContent": {"params": params}, "_meta": {"kept": True}})
        case "environment":
            answer(request, text(sorted(os.environ)))
        case "count":
            token = params["_meta"]["progressToken"]
            for step in (1, 2, 3):
                progress = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"}
                send({"method": "notifications/progress", "params": progress})
            answer(request, text("counted"))
        case "crash":
            print("\x1b[31mout of memory", file=sys.stderr, flush=True)
            os._exit(7)
        case "huge":
            answer(request, text("x" * (33 * 1024 * 1024)))
        case "deep":
            print('{"jsonrpc": "2.0", "id": ' + str(request["id"]) + ', "result": ' + "[" * 5000 + "]" * 5000 + "}", flush=True)
        case "link":
            answer(request, {"content": [{"type": "resource_link", "uri": "odd://issued", "name": "issued"}]})
        case "grow":
            TOOLS.append({"name": "grown", "description": "Is new", "inputSchema": OBJECT})
            answer(request, text("grown"))
            send({"method": "notifications/tools/list_changed"})
        case "ask" if "modern" in modes and "inputResponses" not in params:
            required = {"who": {"method": "elicitation/create", "params": {**QUESTION, "mode": "form"}}}
            answer(request, {"resultType": "input_required", "inputRequests": required, "requestState": "round 1"})
        case "ask" if "modern" in modes:
            answer(request, text([params["inputResponses"], params["requestState"], params["_meta"]["io.modelcontextprotocol/clientCapabilities"]]))
        case "ask":
            waiting[f"e{request['id']}"] = request
            send({"id": f"e{request['id']}", "method": "elicitation/create", "params": QUESTION})
        case "flaky" if not os.path.exists(log_path + ".crashed"):
            open(log_path + ".crashed", "w").close()
            os._exit(7)
        case "remember":
            global remembered
            remembered += 1
            answer(request, text(remembered))
        case "touch":
            notify("notifications/resources/updated", {"uri": "memo://one", "title": "kept"}, "memo://one")
            answer(request, text("touched"))
        case "add_prompt":
            PROMPTS.append({"name": "part", "title": "A farewell"})
            notify("notifications/prompts/list_changed", {}, "promptsListChanged")
            answer(request, text("added"))
        case "log":
            for level in ("debug", "warning"):
                send({"method": "notifications/message", "params": {"level": level, "logger": "s", "data": {"at": level}}})
            answer(request, text(params["_meta"].get("io.modelcontextprotocol/logLevel") if "_meta" in params else None))
        case "roots":
            waiting[f"r{request['id']}"] = request
            send({"id": f"r{request['id']}", "method": "roots/list"})
        case "later" if "io.modelcontextprotocol/tasks" in params["_meta"]["io.modelcontextprotocol/clientCapabilities"].get("extensions", {}):
            answer(request, {"resultType": "task", **CREATED, "status": "working", "unknownKey": [1]})
        case "refuse":
            send({"id": request["id"], "error": {"code": -32050, "message": "no", "data": {"why": [1]}}})
        case "slow":
            time.sleep(3)
            answer(request, text("slow"))
        case "wait":
            pass
        case name:
            answer(request, text(name))


def notify(method: str, params: dict, kind: str):
    """Notifies the client: without a subscription before 2026-07-28, and in each that has the kind since then."""
    if "modern" not in modes:
        if kind == "promptsListChanged" or kind in subscribed:
            send({"method": method, "params": params})
        return
    for id, wanted in listening.items():
        if wanted.get(kind) or kind in wanted.get("resourceSubscriptions", []):
            send({"method": method, "params": {**params, "_meta": {"io.modelcontextprotocol/subscriptionId": id}}})


def handle(message: dict):
    global asked
    method = message.get("method")
    if method is None and message.get("id") in waiting:
        answer(waiting.pop(message["id"]), text(message.get("result") or message["error"]))
    elif method is None:
        # The answer to our own request; the client's list waited for it.
        answer(asked, {"tools": listed()})
    elif method == "server/discover" and "mute" in modes:
        pass
    elif method == "server/discover" and ("modern" in modes or "both" in modes):
        answer(message, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, "ttlMs": 0, "cacheScope": "public"})
    elif method == "initialize" and "only_2024" in modes and message["params"]["protocolVersion"] != "2024-11-05":
        data = {"supported": ["2024-11-05"], "requested": message["params"]["protocolVersion"]}
        send({"id": message["id"], "error": {"code": -32602, "message": "Unsupported protocol version", "data": data}})
    elif method == "initialize" and "modern" not in modes:
        info = {"name": "script", "version": "1", "title": "A script\nfor tests"}
        version = "2024-11-05" if "only_2024" in modes else "2025-06-18"
        answer(message, {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": info, "instructions": "Be kind.", **FIXED.get("initialize", {})})
    elif f"{method} {message.get('params', {}).get('name', '')}".strip() in FIXED:
        answer(message, FIXED[f"{method} {message.get('params', {}).get('name', '')}".strip()])
    elif method == "tools/list" and "failing_list" in modes:
        send({"id": message["id"], "error": {"code": -32603, "message": "no list today"}})
    elif method == "tools/list" and "asks" in modes:
        asked = message
        send({"id": 1, "method": "roots/list"})
    elif method == "tools/list":
        answer(message, {"tools": listed()})
    elif method == "tools/call":
        call(message)
    elif method == "prompts/list":
        answer(message, {"prompts": PROMPTS})
    elif method == "subscriptions/listen":
        listening[message["id"]] = message["params"]["notifications"]
        meta = {"io.modelcontextprotocol/subscriptionId": message["id"]}
        send({"method": "notifications/subscriptions/acknowledged", "params": {"notifications": message["params"]["notifications"], "_meta": meta}})
    elif method == "notifications/cancelled":
        listening.pop(message["params"]["requestId"], None)
    elif method == "resources/subscribe" and "notifies" in modes:
        subscribed.add(message["params"]["uri"])
        answer(message, {})
    elif method == "resources/unsubscribe":
        subscribed.discard(message["params"]["uri"])
        answer(message, {})
    elif method == "tasks/get":
        done = {"content": [{"type": "text", "text": "done"}], "unknownKey": 2}
        answer(message, {"resultType": "complete", **CREATED, "status": "completed", "result": done})
    elif method in ("tasks/update", "tasks/cancel"):
        answer(message, {"resultType": "complete"})
    elif method == "logging/setLevel":
        answer(message, {})
    elif method == "prompts/get":
        params = message["params"]
        content = {"type": "text", "text": f"{params['name']}: {params['arguments']['who']}"}
        answer(message, {"messages": [{"role": "user", "content": content}]})
        if LATE_TOOLS:
            TOOLS.extend(LATE_TOOLS)
            LATE_TOOLS.clear()
            send({"method": "notifications/tools/list_changed"})
    elif method == "completion/complete":
        params = message["params"]
        answer(message, {"completion": {"values": [json.dumps(params["ref"]), params["argument"]["value"] + "da"]}})
    elif method == "resources/list":
        answer(message, {"resources": [{"uri": "memo://one", "name": "one"}, {"name": "has no URI"}]})
    elif method == "resources/templates/list":
        answer(message, {"resourceTemplates": [{"uriTemplate": "memo://{id}/text", "name": "text"}]})
    elif method == "resources/read":
        answer(message, {"contents": [{"uri": message["params"]["uri"], "text": "read"}]})
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": f"unknown method {method}"}})


if "parent" in modes:
    # Its child does not end with it.
    child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log(f"pids {os.getpid()} {child.pid}")
if "stubborn" in modes:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"])
    log(f"pids {os.getpid()} {child.pid}")
log("started")
for line in sys.stdin:
    log(line.rstrip("\n"))
    handle(json.loads(line))
log("ended")
while "stubborn" in modes:
    signal.pause()
