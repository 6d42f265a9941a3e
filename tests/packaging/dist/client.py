"""A small MCP client over standard input and output. It shares no code with the gateway."""

import json
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import Dict, List, Optional

from .environment import resolve

PROTOCOL = "2025-11-25"


class Client:
    """One running server, and the requests to it."""

    def __init__(self, command: List[str], variables: Dict[str, str], cwd: Path) -> None:
        self.errors: List[str] = []
        self.lines: "queue.Queue[Optional[str]]" = queue.Queue()
        self.last_id = 0
        self.process = subprocess.Popen(
            resolve(command, variables["PATH"]), env=variables, cwd=cwd, text=True,
            encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        for target in (self.read_output, self.read_errors):
            threading.Thread(target=target, daemon=True).start()

    def read_output(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def read_errors(self) -> None:
        self.errors.extend(self.process.stderr)

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict, seconds: float = 60) -> dict:
        """Sends a request, and returns its result."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer to {method} in {seconds} s{self.log()}") from None
            assert line is not None, f"the output ended before the answer to {method}{self.log()}"
            answer = json.loads(line)
            if answer.get("id") == self.last_id and "method" not in answer:
                assert "result" in answer, f"{method}: {answer.get('error')}{self.log()}"
                return answer["result"]

    def log(self) -> str:
        return "\n" + "".join(self.errors[-20:]) if self.errors else ""

    def initialize(self) -> dict:
        result = self.request("initialize", {
            "protocolVersion": PROTOCOL, "capabilities": {},
            "clientInfo": {"name": "release-test", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments) -> dict:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), f"{tool}: {result}"
        return result

    def close_input(self) -> None:
        self.process.stdin.close()

    def wait(self, seconds: float) -> int:
        """The exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the process did not end in {seconds} s{self.log()}") from None

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
