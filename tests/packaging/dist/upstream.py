"""Real MCP servers from PyPI, which the gateway under test has to reach."""

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from release.commands import python_tool

TIME_SERVER = "mcp-server-time==2026.10.19"
# The pinned server needs this version of the SDK, too, so that both need one environment.
SDK = "mcp==2.3.0"
ZONE = "Asia/Tokyo"

# A server over streamable HTTP, of the official SDK. It serves the functions of the time server.
HTTP_SERVER = """
import sys
from datetime import datetime
from zoneinfo import ZoneInfo
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("time over HTTP")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def get_current_time(timezone: str) -> dict[str, str]:
    "Get current time in a specific timezone"
    now = datetime.now(ZoneInfo(timezone))
    return {"timezone": timezone, "datetime": now.isoformat()}

server.run("streamable-http", port=int(sys.argv[1]))
"""


class Upstream(NamedTuple):
    """A server as a client's file names it, and one call of it."""

    name: str
    entry: dict
    tool: str = "get_current_time"
    query: str = "current time in a timezone"
    arguments: dict = {"timezone": ZONE}
    # Whether the gateway starts the server as its child.
    is_child: bool = True
    stop: Optional[Callable[[], None]] = None

    @property
    def full_name(self) -> str:
        return f"{self.name}__{self.tool}"

    def write_claude_file(self, home: Path) -> Path:
        """Writes ~/.claude.json as Claude Code does, which keeps other settings there, too."""
        path = home / ".claude.json"
        path.write_text(json.dumps({
            "numStartups": 7, "theme": "dark", "mcpServers": {self.name: self.entry},
            "projects": {str(home): {"allowedTools": [], "mcpServers": {}}}}, indent=2),
            encoding="utf-8")
        return path


def server_programs() -> Path:
    """The programs of the server's environment, which stays for later runs."""
    return python_tool("time-server", TIME_SERVER, SDK).parent


def stdio_server() -> Upstream:
    """The reference server for time, started by the gateway."""
    programs = server_programs()
    return Upstream("time", {"type": "stdio", "command": str(programs / "mcp-server-time"),
                             "args": ["--local-timezone", "UTC"]})


def http_server(folder: Path) -> Upstream:
    """A server that runs already, for gateways that can start none."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = folder / "http_server.py"
    script.write_text(HTTP_SERVER, encoding="utf-8")
    process = subprocess.Popen([str(server_programs() / "python"), str(script), str(port)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop() -> None:
        process.kill()
        process.wait()

    wait_for_port(port, process)
    entry = {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}
    return Upstream("clock", entry, is_child=False, stop=stop)


def wait_for_port(port: int, process: subprocess.Popen, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    process.kill()
    raise AssertionError(f"the HTTP server did not listen on port {port}")
