"""An endpoint for the clients of four providers' APIs: OpenAI Chat and Responses, Anthropic Messages and Gemini.

The first part of a request's path names the conversation. The scripted model of `model.py` answers.
"""

import gzip
import json
import pathlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

import agents.prose as prose
import agents.replies as replies
import agents.requests as requests
from agents.http_recorder import Server, read_body
from agents.model import Call, Task, Tool, next_call, pick, under_grammar

PARTS = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."


@dataclass
class Conversation:
    """What one run of a framework asks its provider."""

    tasks: list[Task]
    record: pathlib.Path
    tools: list[Tool] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    refused: str | None = None


class Endpoint:
    """Serves conversations by their keys."""

    def __init__(self):
        self.conversations: dict[str, Conversation] = {}
        handler = type("Provider", (Provider,), {"conversations": self.conversations})
        self.server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def open(self, key: str, tasks: list[Task], record: pathlib.Path) -> str:
        self.conversations[key] = Conversation(tasks, record)
        return f"http://127.0.0.1:{self.server.server_port}/{key}"


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    conversations: dict[str, Conversation] = {}

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(200, {"object": "list", "data": [{"id": "gpt-5", "object": "model", "created": 0, "owned_by": "nobody"}]})

    def do_POST(self):
        body = read_body(self)
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        conversation = self.conversations.get(self.path.strip("/").split("/")[0])
        api = requests.api_of(self.path)
        if conversation is None or api is None:
            self.send(404, {"error": {"message": "no such conversation or API"}})
            return
        request = json.loads(body)
        with conversation.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(request) + "\n")
        if api == "gemini" and not requests.has_a_part_for_each_call(request):
            conversation.refused = PARTS
            self.send(400, {"error": {"code": 400, "message": PARTS, "status": "INVALID_ARGUMENT"}})
            return
        self.answer(conversation, api, request)

    def answer(self, conversation: Conversation, api: str, request: dict):
        tools, steps = requests.READERS[api](request)
        call = None
        if tools or steps:
            conversation.tools = tools
            call = next_call(conversation.tasks, tools, steps)
        if call is not None:
            call = under_grammar(api, pick(tools, call.name), call)
            conversation.calls.append(call)
        elif pick(tools, "final_answer"):
            call = Call("final_answer", {"answer": "Done."})
        text = "Done."
        if api == "chat" and prose.is_dspy(request):
            call, text = None, prose.dspy_reply(request, call)
        parts = replies.WRITERS[api](request, call, text, self.path)
        if isinstance(parts, str):
            self.send_text(200, "text/event-stream", parts)
        else:
            self.send(200, parts)

    def send(self, status: int, value):
        self.send_text(status, "application/json", json.dumps(value))

    def send_text(self, status: int, kind: str, text: str):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
