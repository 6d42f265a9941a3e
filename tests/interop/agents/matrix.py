"""Runs configurations against columns, and collects the verdicts."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import server
import upstream_servers as upstreams
from agents import install, verdict
from agents.configurations import COLUMNS, NODE, Column, Configuration, tasks
from agents.endpoint import Endpoint
from agents.http_recorder import recorded

HERE = pathlib.Path(__file__).parent
QUESTION = "Show the last three commits, who changed each line of the file src/file_1.rs, and the time."
# How long a process may report nothing: longer than a driver gives one cell.
SILENCE = 60


@dataclass
class Cell:
    """What became of one configuration in front of one server."""

    verdict: str
    mcp: str | None = None
    calls: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass
class Place:
    """What all runs share: a repository, the gateway's command line and the provider."""

    repository: str
    gateway: list[str]
    directory: pathlib.Path
    endpoint: Endpoint
    logs: pathlib.Path

    def command(self, column: Column, home: pathlib.Path) -> list[str]:
        if column.server == "git":
            return [server.BINARY, "--repo", self.repository]
        cache = home / "gateway"
        if not cache.exists():
            shutil.copytree(self.directory, cache)
        swapped = [word.replace(str(self.directory), str(cache)) for word in self.gateway]
        return swapped


@contextlib.contextmanager
def place(logs: pathlib.Path, wanted: list[Column]):
    """A repository, and the gateway with a cache of the lists of its servers, as it has after its first start."""
    logs.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        repository = stack.enter_context(server.repository())
        gateway, directory = [], pathlib.Path()
        if any(column.server == "gateway" for column in wanted):
            git = upstreams.python("git", "mcp-server-git", "--repository", repository, tool="", arguments={})
            clock = upstreams.python("time", "mcp-server-time", "--local-timezone", "UTC", tool="", arguments={})
            everything = upstreams.node("everything", "server-everything", "stdio", tool="", arguments={})
            entries = {one.name: one.entry() for one in (git, clock, everything)}
            gateway = stack.enter_context(upstreams.configured(entries))
            directory = pathlib.Path(gateway[gateway.index("--config") + 1]).parent
            subprocess.run([*gateway, "doctor"], check=True, capture_output=True, env=server.QUIET)
        yield Place(repository, gateway, directory, Endpoint(), logs)


def known(wanted: list[Column]) -> list[Column]:
    """The columns whose flags the server knows."""
    helped = subprocess.run([server.BINARY, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    return [column for column in wanted if column.needs in helped]


def environment(home: pathlib.Path) -> dict[str, str]:
    """A home of its own, keys that no provider would take, and nothing that asks others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PYTHON", "OPENAI", "VIRTUAL_ENV"))}
    keys = dict.fromkeys(["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"], "none")
    silent = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true", "MASTRA_TELEMETRY_DISABLED": "true"}
    silent |= {"MCP_USE_ANONYMIZED_TELEMETRY": "false", "AGNO_TELEMETRY": "false", "HAYSTACK_TELEMETRY_ENABLED": "false"}
    silent |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "FASTMCP_CHECK_FOR_UPDATES": "off", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **keys, **silent, "HOME": str(home), "NO_COLOR": "1"}


def run_configuration(one: Configuration, wanted: list[Column], at: Place) -> dict[str, Cell]:
    """All cells of a configuration. One process has them all, and a new one the rest if that ends early."""
    with tempfile.TemporaryDirectory(prefix="pd-agent-", ignore_cleanup_errors=True) as directory, contextlib.ExitStack() as stack:
        home = pathlib.Path(directory)
        cells = [prepared(one, column, at, home, stack) for column in wanted]
        ends: dict[str, str | None] = {}
        while rest := [cell for cell in cells if cell["column"] not in ends]:
            found = drive(one, rest, home, at)
            ends |= found
            if rest[0]["column"] not in found:
                ends[rest[0]["column"]] = "the process ended or reported nothing in time"
        return {column.name: judged(one, column, at, ends[column.name]) for column in wanted}


def prepared(one: Configuration, column: Column, at: Place, home: pathlib.Path, stack: contextlib.ExitStack) -> dict:
    """The server and the provider of one cell."""
    key = key_of(one, column)
    record, requests = at.logs / f"{key}.jsonl", at.logs / f"{key}.requests.jsonl"
    for file in (record, requests):
        file.unlink(missing_ok=True)
    command = at.command(column, home)
    if column.http:
        url, _ = stack.enter_context(server.listening(*command, flags=column.flags))
        where = {"command": None, "args": [], "url": stack.enter_context(recorded(url, record))}
    else:
        recorder = [str(HERE / "recorder.py"), str(record), *command, "serve", *column.flags]
        where = {"command": sys.executable, "args": recorder, "url": None}
    root = at.endpoint.open(key, tasks(column.server, at.repository), requests)
    model = {"root": root, "openai": f"{root}/v1", "anthropic": f"{root}/v1", "gemini": f"{root}/v1beta"}
    env = {"OPENAI_BASE_URL": model["openai"]}
    return {"column": column.name, "question": QUESTION, "server": where, "model": model, "variant": one.variant, "env": env}


def key_of(one: Configuration, column: Column) -> str:
    return f"{one.name}.{column.name.replace(' ', '_')}"


def drive(one: Configuration, cells: list[dict], home: pathlib.Path, at: Place) -> dict[str, str | None]:
    """Runs the driver for these cells. Returns for each that it has finished the error, if there was one."""
    (home / "cells.json").write_text(json.dumps(cells))
    outcomes = home / "outcomes.jsonl"
    outcomes.unlink(missing_ok=True)
    folder = install.folder(one.package)
    driver = HERE / "drivers" / one.driver
    if one.package in NODE:
        for script in (driver, HERE / "drive.mjs"):
            shutil.copy(script, home)
        with contextlib.suppress(FileExistsError):
            (home / "node_modules").symlink_to(folder / "node_modules")
        command = ["node", str(home / "drive.mjs"), str(home / driver.name)]
    else:
        command = [str(folder / "bin/python"), "-P", str(HERE / "drive.py"), str(driver)]
    with (at.logs / f"{one.name}.log").open("a") as log:
        process = subprocess.Popen(
            [*command, str(home / "cells.json"), str(outcomes)],
            cwd=home, env=environment(home), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )
        wait(process, outcomes)
    lines = outcomes.read_text(encoding="utf-8").splitlines() if outcomes.exists() else []
    return {line["column"]: line["error"] for line in map(json.loads, lines)}


def wait(process: subprocess.Popen, outcomes: pathlib.Path):
    """Ends a process, and the servers that it has left, once it reports nothing any more."""
    size, since = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - since < SILENCE:
        time.sleep(0.1)
        grown = outcomes.stat().st_size if outcomes.exists() else 0
        if grown != size:
            size, since = grown, time.monotonic()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def judged(one: Configuration, column: Column, at: Place, error: str | None) -> Cell:
    key = key_of(one, column)
    messages, conversation = verdict.read(at.logs / f"{key}.jsonl"), at.endpoint.conversations[key]
    wrote = [name for call in conversation.calls for name in (call.name, str(call.arguments.get("name", "")))]
    word = verdict.of_cell(conversation.tasks, messages, wrote, error is None)
    calls = [f"{call.name} {json.dumps(call.arguments)} {'answered' if call.answered else 'refused'}" for call in verdict.calls(messages)]
    return Cell(word, verdict.version(messages), calls, conversation.refused or error)


def run(chosen: list[Configuration], wanted: list[Column], logs: pathlib.Path, at_once: int, done) -> dict[str, dict[str, Cell]]:
    """Runs configurations beside each other, and calls `done` with each that has ended."""
    results: dict[str, dict[str, Cell]] = {}
    with place(logs, wanted) as at, ThreadPoolExecutor(at_once) as pool:
        def each(one: Configuration):
            began = time.monotonic()
            results[one.name] = run_configuration(one, wanted, at)
            done(one, results[one.name], time.monotonic() - began)

        list(pool.map(each, chosen))
    return results


def columns(ci: bool) -> list[Column]:
    return known([column for column in COLUMNS if column.ci or not ci])
