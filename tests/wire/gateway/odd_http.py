"""A server over streamable HTTP that prints its port: `odd_http.py STATUS`. `/STATUS/expire` ends all sessions. `/moved` redirects
to `/mcp` with 307, `/found` with 302, and `/away` with 307 to another origin."""

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

status = int(sys.argv[1])
sessions = set()
HINTS = {"readOnlyHint": True}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body=None, **headers):
        data = json.dumps(body).encode() if body else b""
        self.send_response(code)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        self.reply(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/expire":
            return sessions.clear() or self.reply(200)
        if self.path == "/moved":
            return self.reply(307, location="/mcp")
        if self.path == "/found":
            return self.reply(302, location="/mcp?key=secret")
        if self.path == "/away":
            return self.reply(307, location="http://user:pass@other.example/mcp?key=secret")
        if self.path.startswith("/denied"):
            return self.reply(401)
        method, id = message["method"], message.get("id")
        if method == "server/discover":
            return self.reply(400)
        if method == "initialize":
            session = uuid.uuid4().hex
            sessions.add(session)
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "o", "version": "1"}}
            return self.reply(200, {"jsonrpc": "2.0", "id": id, "result": result}, mcp_session_id=session)
        if self.headers["mcp-session-id"] not in sessions:
            error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
            return self.reply(status, {"jsonrpc": "2.0", "error": error, "id": id if status == 200 else None})
        if id is None:
            return self.reply(202)
        if method == "tools/list":
            schema = {"type": "object"}
            result = {"tools": [{"name": "read", "inputSchema": schema, "annotations": HINTS}, {"name": "write", "inputSchema": schema}, {"name": "bad", "inputSchema": schema}]}
        elif message["params"]["name"] == "bad":
            return self.reply(400)
        else:
            result = {"content": [{"type": "text", "text": str(len(sessions))}]}
        self.reply(200, {"jsonrpc": "2.0", "id": id, "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
