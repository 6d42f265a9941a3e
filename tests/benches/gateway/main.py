"""What a gateway costs: time and CPU of a call beside the upstream itself, a relay that copies lines, FastMCP's proxy, mcp-proxy and
mcp-hub, the first list after the start, memory, and how many processes a hundred clients need. All in one run; a goal that is missed is a failure.

    main.py GATEWAY GIT RELAY MODULES  the release builds of the two examples, the relay, and the `node_modules` of the peers
                                       from npm; needs Linux, and `fastmcp` on PYTHONPATH
"""

import contextlib
import http.client
import itertools
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).parent
TESTS = HERE.parents[1]
PLAINLY = ["--listing", "full", "--gate", "off"]
ROUNDS, CALLS, SLOW_CALLS = 20, 100, 10
TICKS = os.sysconf("SC_CLK_TCK")
QUIET = {**os.environ, "RUST_LOG": "error"}
# The entries of the twelve servers: 210 tools, about as many as twelve servers in real use have.
LISTS = ["playwright", "notion", "chrome-devtools", "context7", *["mcp-git"] * 4, *["mcp-slack-archived"] * 4]
goals = []


class Line:
    """A session over stdio."""

    def __init__(self, name: str, command: list[str]):
        self.name, self.ids, self.times = name, itertools.count(1), []
        self.began = time.perf_counter()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=QUIET, **pipes)
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params) -> dict:
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == number and "method" not in answer:
                assert "result" in answer, (self.name, answer)
                return answer["result"]
        raise EOFError(f"{self.name} ended")

    def call(self, tool: str):
        began = time.perf_counter()
        result = self.ask("tools/call", name=tool, arguments={})
        self.times.append(time.perf_counter() - began)
        assert not result.get("isError"), result

    def median(self) -> float:
        return statistics.median(self.times)

    def cpu(self) -> float:
        return process_cpu(self.process.pid)

    def close(self):
        self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()


class HttpLine:
    """A session over streamable HTTP: one connection, one request at a time."""

    def __init__(self, name: str, url: str):
        self.name, self.ids, self.times = name, itertools.count(1), []
        parts = urllib.parse.urlsplit(url)
        self.path = parts.path + (f"?{parts.query}" if parts.query else "")
        self.connection = http.client.HTTPConnection(parts.netloc, timeout=10)
        self.open_session()

    def open_session(self):
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})
        self.headers["MCP-Protocol-Version"] = "2025-11-25"
        self.post({"method": "notifications/initialized"})

    def post(self, message: dict) -> str:
        self.connection.request("POST", self.path, json.dumps({"jsonrpc": "2.0", **message}), self.headers)
        response = self.connection.getresponse()
        if session := response.getheader("Mcp-Session-Id"):
            self.headers["Mcp-Session-Id"] = session
        return response.read().decode()

    def ask(self, method: str, **params) -> dict:
        text = self.post({"id": next(self.ids), "method": method, "params": params})
        for line in text.splitlines():
            data = line.removeprefix("data:").strip()
            if data.startswith("{") and "method" not in (answer := json.loads(data)):
                assert "result" in answer, (self.name, answer)
                return answer["result"]
        raise EOFError(f"{self.name} answered {text[:300]!r}")

    call, median = Line.call, Line.median

    def close(self):
        self.connection.close()


class SseLine(HttpLine):
    """A session over HTTP+SSE, the transport of 2024-11-05."""

    def __init__(self, name: str, url: str):
        parts = urllib.parse.urlsplit(url)
        self.stream = http.client.HTTPConnection(parts.netloc, timeout=10)
        self.stream.request("GET", parts.path, headers={"Accept": "text/event-stream"})
        self.events = self.stream.getresponse()
        super().__init__(name, urllib.parse.urljoin(url, self.data("endpoint")))

    def data(self, event: str) -> str:
        is_wanted = False
        for line in self.events:
            line = line.decode().strip()
            if line.startswith("event:"):
                is_wanted = line.removeprefix("event:").strip() == event
            elif line.startswith("data:") and is_wanted:
                return line.removeprefix("data:").strip()
        raise EOFError("the stream has ended")

    def ask(self, method: str, **params) -> dict:
        number = next(self.ids)
        self.post({"id": number, "method": method, "params": params})
        while True:
            answer = json.loads(self.data("message"))
            if answer.get("id") == number and "method" not in answer:
                assert "result" in answer, (self.name, answer)
                return answer["result"]

    def close(self):
        super().close()
        self.stream.close()


def process_cpu(pid: int) -> float:
    """CPU seconds of a process itself, without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rss(pid: int) -> float:
    """MiB."""
    [line] = [line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def children(pid: int) -> list[str]:
    """The command lines of the processes that a process has started."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found.append(pathlib.Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "))
    return found


@contextlib.contextmanager
def configured(gateway: str, entries: dict[str, dict]):
    with tempfile.TemporaryDirectory(prefix="pd-bench-") as directory:
        config = pathlib.Path(directory) / "mcp.json"
        config.write_text(json.dumps({"mcpServers": entries}))
        yield [gateway, "--config", str(config), "--cache", f"{directory}/cache"]


def goal(name: str, value: float, most: float, unit: str):
    goals.append(value <= most)
    print(f"  {'met   ' if value <= most else 'MISSED'}  {name}: {value:.3g} {unit}, goal {most:g} {unit}")


def calls(gateway: str, git: list[str], relay: str):
    """Contestants take turns, so that what else the machine does hits all alike."""
    command, *arguments = git
    proxy = [sys.executable, str(HERE / "fastmcp_proxy.py")]
    with configured(gateway, {"git": {"command": command, "args": arguments}}) as through:
        direct, ours = Line("upstream itself", git), Line("gateway", [*through, "serve", *PLAINLY])
        limit = Line("relay of lines", [relay, *git])
        connected, default = Line("FastMCP, connected", [*proxy, "connected", *git]), Line("FastMCP, default", [*proxy, "default", *git])
        tools = {direct: "branches", limit: "branches", ours: "git__branches", connected: "branches", default: "branches"}
        for line, tool in tools.items():
            line.ask("tools/list")
            for _ in range(3 if line is default else 200):
                line.call(tool)
            line.times.clear()
        before = {line: line.cpu() for line in tools}
        for _ in range(ROUNDS):
            for line, tool in tools.items():
                for _ in range(1 if line is default else SLOW_CALLS if line is connected else CALLS):
                    line.call(tool)
        spent = {line: (line.cpu() - before[line]) / len(line.times) for line in tools}
        print("\na call over stdio                median    added   ratio     CPU per call, of this process alone")
        for line in tools:
            added = line.median() - direct.median()
            print(f"  {line.name:24} {1e6 * line.median():9,.0f} µs {1e6 * added:+9,.0f} {line.median() / direct.median():6.2f} x {1e6 * spent[line]:9,.0f} µs {spent[line] / spent[direct]:6.2f} x")
        added = {line: line.median() - direct.median() for line in (limit, ours)}
        goal("added by the gateway at the median", 1e6 * added[ours], 200, "µs")
        # A relay adds little, so what it adds is no less than what the clock can tell apart.
        goal("added by the gateway beside the relay", added[ours] / max(added[limit], 5e-6), 2, "x")
        goal("CPU of the gateway beside the upstream's own", spent[ours] / spent[direct], 2, "x")
        memory(ours)
        for line in tools:
            line.close()


def calls_over_http(gateway: str, git: list[str], modules: pathlib.Path):
    """Clients over HTTP, the upstream over stdio. Contestants take turns."""
    command, *arguments = git
    entries = {"git": {"command": command, "args": arguments}}
    with contextlib.ExitStack() as stack:
        through = stack.enter_context(configured(gateway, entries))
        config = through[through.index("--config") + 1]
        ports = [free_port() for _ in range(3)]
        ours = [*through, "serve", "--http", f"127.0.0.1:{ports[0]}", *PLAINLY, "--max-calls-per-minute", "1000000"]
        proxy = ["node", modules / ".bin/mcp-proxy", "--host", "127.0.0.1", "--port", str(ports[1]), "--server", "stream", "--", *git]
        hub = ["node", modules / ".bin/mcp-hub", "--port", str(ports[2]), "--config", config]
        spawned = [stack.enter_context(serving(one)) for one in (ours, proxy, hub)]
        kinds = [("gateway", HttpLine, "git__branches"), ("mcp-proxy (npm)", HttpLine, "branches"), ("mcp-hub (npm)", SseLine, "git__branches")]
        lines = {}
        for (name, kind, tool), port in zip(kinds, ports):
            lines[connected(lambda: kind(name, f"http://127.0.0.1:{port}/mcp"), tool)] = tool
        for line, tool in lines.items():
            for _ in range(200):
                line.call(tool)
            line.times.clear()
        cpu = [process_cpu(process.pid) for process in spawned]
        for turn in range(ROUNDS):
            for line, tool in lines.items():
                # One session may make 1,000 calls at once, and 50 a second after them.
                if turn % 5 == 0 and type(line) is HttpLine:
                    line.open_session()
                for _ in range(CALLS):
                    line.call(tool)
        print("\na call over HTTP, the upstream over stdio    median   CPU per call, of this process alone")
        for line, process, before in zip(lines, spawned, cpu):
            spent = (process_cpu(process.pid) - before) / len(line.times)
            print(f"  {line.name:36} {1e6 * line.median():9,.0f} µs {1e6 * spent:9,.0f} µs")
            line.close()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def serving(command: list):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=QUIET)
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()


def connected(connect, tool: str):
    """Connects as soon as the server offers the tool."""
    for _ in range(150):
        with contextlib.suppress(OSError, EOFError, AssertionError, http.client.HTTPException):
            line = connect()
            if any(offered["name"] == tool for offered in line.ask("tools/list")["tools"]):
                return line
            line.close()
        time.sleep(0.2)
    raise RuntimeError(f"nobody offers {tool}")


def memory(line: Line):
    before, done = rss(line.process.pid), len(line.times)
    while len(line.times) < 10_000:
        line.call("git__branches")
    print(f"\nmemory of the gateway: {before:.1f} MiB after {done:,} calls, {rss(line.process.pid):.1f} MiB after 10,000")


def first_list(gateway: str):
    replay = str(TESTS / "interop/upstreams/replay.py")
    entries = {
        f"server_{number}": {"command": sys.executable, "args": [replay, str(TESTS / f"data/{name}.json")]}
        for number, name in enumerate(LISTS)
    }
    with configured(gateway, entries) as through:
        subprocess.run([*through, "doctor"], capture_output=True, env=QUIET, check=True)
        measured = {}
        for flags in ([], PLAINLY):
            times, started = [], []
            for _ in range(15):
                line = Line("gateway", [*through, "serve", *flags])
                tools = line.ask("tools/list")["tools"]
                times.append(time.perf_counter() - line.began)
                time.sleep(0.2)
                started += children(line.process.pid)
                line.close()
            measured[len(tools)] = statistics.median(times)
            assert not started, started
        print(f"\nfirst tools/list after the start of the process, {len(entries)} servers with cached lists, 0 child processes")
        for tools, seconds in measured.items():
            print(f"  {tools:4} tools listed {1e3 * seconds:9.1f} ms")
        goal("first list", 1e3 * next(iter(measured.values())), 20, "ms")


def hundred_clients(gateway: str, git: list[str]):
    command, *arguments = git
    with configured(gateway, {"git": {"command": command, "args": arguments}}) as through, tempfile.TemporaryFile("w+") as log:
        subprocess.run([*through, "doctor"], capture_output=True, env=QUIET, check=True)
        process = subprocess.Popen([*through, "serve", "--http", "127.0.0.1:0", *PLAINLY], stderr=log, env=QUIET)
        try:
            url, failures = address(log), []
            began = time.perf_counter()
            clients = [threading.Thread(target=client, args=(url, failures)) for _ in range(100)]
            for one in clients:
                one.start()
            for one in clients:
                one.join()
            took = time.perf_counter() - began
            upstreams = [line for line in children(process.pid) if command in line and "serve" in line]
            assert not failures, failures[:3]
            print(f"\n100 HTTP clients with a session and 10 calls each: {took:.2f} s, {len(upstreams)} upstream process, {rss(process.pid):.1f} MiB")
            goal("upstream processes of 100 clients", len(upstreams), 1, "")
        finally:
            process.kill()
            process.wait()


def address(log) -> str:
    for _ in range(200):
        # Not by a seek: the gateway shares the position, and would write over its own words.
        for line in os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace").splitlines(keepends=True):
            if line.startswith("http://") and line.endswith("\n"):
                return line.strip()
        time.sleep(0.05)
    raise RuntimeError("the gateway did not say where it serves")


def client(url: str, failures: list):
    try:
        parts = urllib.parse.urlsplit(url)
        connection, headers = http.client.HTTPConnection(parts.netloc), {}
        standing = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

        def post(method: str, params: dict, **more) -> str:
            message = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
            connection.request("POST", parts.path, message, {**standing, **headers})
            response = connection.getresponse()
            headers.update({"Mcp-Session-Id": response.getheader("Mcp-Session-Id") or headers.get("Mcp-Session-Id", "")})
            return response.read().decode()

        post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}, id=1)
        headers["MCP-Protocol-Version"] = "2025-11-25"
        post("notifications/initialized", {})
        for number in range(10):
            text = post("tools/call", {"name": "git__branches", "arguments": {}}, id=2 + number)
            assert '"structuredContent"' in text and '"isError":true' not in text, text[:300]
    except Exception as error:  # told by the main thread
        failures.append(repr(error))


def main(gateway: str, git: str, relay: str, modules: str):
    with tempfile.TemporaryDirectory(prefix="pd-repo-") as repo:
        for words in (["init", "--quiet", "--initial-branch=main"], ["commit", "--quiet", "--allow-empty", "-m", "One"]):
            subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", repo, *words], check=True)
        served = [str(pathlib.Path(git).resolve()), "--repo", repo, "serve", *PLAINLY]
        gateway = str(pathlib.Path(gateway).resolve())
        calls(gateway, served, str(pathlib.Path(relay).resolve()))
        calls_over_http(gateway, served, pathlib.Path(modules).resolve())
        first_list(gateway)
        hundred_clients(gateway, served)
    return 0 if all(goals) else 1


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
