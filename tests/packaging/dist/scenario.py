"""What a user and a client do with every artefact, from the version to the end of the process."""

import os
import signal
import time
from typing import Dict, List

from . import processes
from .client import Client
from .environment import Environment
from .report import Report
from .upstream import ZONE, Upstream

META_TOOLS = {"find_tools", "describe_tools", "call_read_only_tool"}
# `serve` promises to end within two seconds; a busy machine and a launcher take some more.
SECONDS_TO_END = 15


class Scenario:
    """The checks of one artefact, by the command that starts its program."""

    def __init__(self, report: Report, name: str, environment: Environment, command: List[str],
                 version: str, exit_code: int = 0) -> None:
        self.report, self.name = report, name
        self.environment, self.command = environment, command
        self.version, self.exit_code = version, exit_code

    def run(self, upstream: Upstream) -> None:
        self.check_version()
        self.import_servers(upstream)
        self.serve(upstream, ["serve"])

    def check_version(self) -> None:
        with self.report.check(self.name, "--version"):
            output = self.environment.run([*self.command, "--version"])
            assert output.out.strip() == f"pd-gateway {self.version}", str(output)

    def import_servers(self, upstream: Upstream) -> None:
        """A dry run shows the servers of Claude Code's file; the real one writes the gateway's."""
        client_file = upstream.write_claude_file(self.environment.home)
        before = client_file.read_bytes()
        with self.report.check(self.name, "import --dry-run on a file of Claude Code"):
            self.assert_dry_run(upstream)
            assert client_file.read_bytes() == before, "import changed the client's file"
        with self.report.check(self.name, "import"):
            output = self.environment.run([*self.command, "import"])
            assert "the gateway: " in str(output) and "% saved" in str(output), str(output)

    def assert_dry_run(self, upstream: Upstream) -> None:
        output = str(self.environment.run([*self.command, "import", "--dry-run"]))
        for text in ("Claude Code", upstream.name, "dry run: nothing is written"):
            assert text in output, f"`{text}` is missing in:\n{output}"
        written = list(self.environment.home.rglob("servers.json"))
        assert not written, f"a dry run wrote {written}"

    def serve(self, upstream: Upstream, arguments: List[str]) -> None:
        """A client finds a tool, reads it, calls it, and ends the server."""
        client = Client([*self.command, *arguments], self.environment.variables,
                        self.environment.home)
        try:
            converse(self.report, self.name, client, upstream, self.version)
            self.end(client, upstream)
        finally:
            client.kill()

    def end(self, client: Client, upstream: Upstream) -> None:
        how = "end of input" if os.name == "nt" else "SIGTERM"
        with self.report.check(self.name, f"{how} ends it and its children"):
            started = processes.descendants(client.process.pid)
            if upstream.is_child:
                assert any(is_server(command) for command in started.values()), \
                    f"the server does not run; these do: {started}"
            self.stop(client, started)
            code = client.wait(SECONDS_TO_END)
            assert code == self.exit_code, f"the exit code is {code}{client.log()}"
            alive = processes.wait_for_end(started, seconds=5)
            assert not alive, f"these processes still run: {alive}"

    def stop(self, client: Client, started: Dict[int, str]) -> None:
        """Asks the process to end, as a host or a person does it."""
        del started  # subclasses need it
        if os.name == "nt":
            client.close_input()
        else:
            client.process.send_signal(signal.SIGTERM)


def is_server(command: str) -> bool:
    return "mcp-server-time" in command or "python" in command.lower()


def converse(report: Report, name: str, client: Client, upstream: Upstream, version: str) -> None:
    """The requests of one session."""
    with report.check(name, "serve: initialize"):
        info = client.initialize()["serverInfo"]
        assert (info["name"], info["version"]) == ("pd-gateway", version), info
    with report.check(name, "serve: tools/list has the meta-tools"):
        tools = {tool["name"] for tool in client.request("tools/list", {})["tools"]}
        assert META_TOOLS <= tools, tools
        assert upstream.full_name not in tools, "the listing has tools of the server"
    with report.check(name, "serve: find"):
        text = find(client, upstream)
        assert upstream.full_name in text, f"{text}{client.log()}"
    with report.check(name, "serve: describe"):
        text = text_of(client.call("describe_tools", names=[upstream.full_name]))
        assert "timezone" in text, text
    with report.check(name, "serve: call of a real server"):
        result = client.call("call_read_only_tool", name=upstream.full_name,
                             arguments=upstream.arguments)
        assert ZONE in text_of(result) and "+09:00" in text_of(result), result


def find(client: Client, upstream: Upstream, seconds: float = 120) -> str:
    """Searches again while the server starts, as the answer asks for. uvx downloads it first."""
    end = time.monotonic() + seconds
    while True:
        text = text_of(client.call("find_tools", query=upstream.query))
        if upstream.full_name in text or "try again" not in text or time.monotonic() > end:
            return text
        time.sleep(0.5)


def text_of(result: dict) -> str:
    return "\n".join(part.get("text", "") for part in result["content"])
