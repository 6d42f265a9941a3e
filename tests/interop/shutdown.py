"""Being told to stop: calls under way are answered, and the server ends with 0."""

import http.client
import json
import select
import subprocess
import threading
import time
import urllib.parse
from contextlib import contextmanager

import raw_http
import server
from report import check, equal, exit_code
from scenario import succeeded, ticket_of

CALLS = 2
# Seconds: enough for a request to begin, too few for a slow call to end.
HEAD_START = 0.1
SLOW = {"name": "churn", "arguments": {"commits": 10_000}}


class Pipe:
    """A session over stdio, line by line."""

    def __init__(self, process: subprocess.Popen):
        self.process = process
        self.ask(0, "initialize", raw_http.INITIALIZE)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask(0, "tools/call", {"name": "describe_tools", "arguments": {"names": ["churn"]}})

    def say(self, message: dict):
        print(json.dumps(message), file=self.process.stdin, flush=True)

    def ask(self, number: int, method: str, params: dict):
        self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        json.loads(self.process.stdout.readline())

    def begin_calls(self):
        for number in range(1, CALLS + 1):
            self.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": SLOW})
        time.sleep(HEAD_START)
        equal(select.select([self.process.stdout], [], [], 0)[0], [])

    def all_answered(self):
        """Reads to the end of the output."""
        answers = [json.loads(line) for line in self.process.stdout]
        equal(sorted(answer["id"] for answer in answers), list(range(1, CALLS + 1)))
        for answer in answers:
            succeeded(answer["result"])
        equal(self.process.wait(), 0)

    def ends_at_once(self):
        began = time.monotonic()
        equal(self.process.wait(), 0)
        assert time.monotonic() - began < 2, f"it took {time.monotonic() - began:.1f} s"


@contextmanager
def stdio(repo: str):
    pipe, command = subprocess.PIPE, server.stdio_command(repo)
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=server.QUIET)
    try:
        yield Pipe(process)
    finally:
        process.kill()


def terminated_on_stdio(repo: str):
    with stdio(repo) as pipe:
        pipe.begin_calls()
        pipe.process.terminate()
        pipe.all_answered()


def left_on_stdio(repo: str):
    with stdio(repo) as pipe:
        pipe.begin_calls()
        pipe.process.stdin.close()
        pipe.all_answered()


def idle_on_stdio(repo: str):
    with stdio(repo) as pipe:
        pipe.process.terminate()
        pipe.ends_at_once()
    with stdio(repo) as pipe:
        pipe.process.stdin.close()
        pipe.ends_at_once()


def subscribed_on_stdio(repo: str):
    """A subscription has no answer to wait for."""
    with stdio(repo) as pipe:
        wanted = {"notifications": {"toolsListChanged": True}, "_meta": raw_http.INLINE}
        pipe.ask(1, "subscriptions/listen", wanted)
        time.sleep(HEAD_START)
        pipe.process.stdin.close()
        pipe.ends_at_once()


def terminated_on_http(repo: str):
    with server.http(repo) as (url, process):
        read = raw_http.inline(url, "resources/read", {"uri": "resource:///tool_descriptions?tools=churn"})
        proof = ticket_of(json.loads(read[2]["result"]["contents"][0]["text"])["churn"])
        slow = {**SLOW, "arguments": {**SLOW["arguments"], **proof}}
        answers = []
        calling = [
            threading.Thread(target=lambda: answers.append(raw_http.inline(url, "tools/call", slow)))
            for _ in range(CALLS)
        ]
        for thread in calling:
            thread.start()
        time.sleep(HEAD_START)
        equal(answers, [])
        process.terminate()
        for thread in calling:
            thread.join()
        equal(len(answers), CALLS)
        for status, _, message in answers:
            equal(status, 200)
            succeeded(message["result"])
        equal(process.wait(), 0)


def open_stream_on_http(repo: str):
    """A stream that would stay open for ever does not keep the server."""
    with server.http(repo) as (url, process):
        parts = urllib.parse.urlsplit(url)
        stream = http.client.HTTPConnection(parts.hostname, parts.port)
        stream.request("GET", parts.path, headers={"Accept": "text/event-stream", **raw_http.session(url)})
        equal(stream.getresponse().status, 200)
        began = time.monotonic()
        process.terminate()
        equal(process.wait(), 0)
        assert time.monotonic() - began < 3, f"it took {time.monotonic() - began:.1f} s"


with server.repository(commits=4_000, files=200) as repo:
    with check("shutdown: SIGTERM on stdio: calls under way are answered"):
        terminated_on_stdio(repo)
    with check("shutdown: the client leaves stdio: calls under way are answered"):
        left_on_stdio(repo)
    with check("shutdown: an idle server on stdio ends at once"):
        idle_on_stdio(repo)
    with check("shutdown: the client leaves stdio: a subscription does not keep the server"):
        subscribed_on_stdio(repo)
    with check("shutdown: SIGTERM on HTTP: calls under way are answered"):
        terminated_on_http(repo)
    with check("shutdown: SIGTERM on HTTP: an open stream does not keep the server"):
        open_stream_on_http(repo)
raise SystemExit(exit_code())
