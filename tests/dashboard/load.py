"""Servers and clients for the run behind the dashboard: load, mistakes, and what goes wrong.

Two Git servers stand for replicas without a common ticket key. A gateway has three servers behind
it. Clients do what models and hosts do, also what they should not do.
"""

import contextlib
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Dict, Iterator, List, Tuple

from client import Client, Server

HERE = pathlib.Path(__file__).resolve().parent
READS: List[Tuple[str, Dict[str, Any]]] = [
    ("status", {}),
    ("log", {"limit": 5}),
    ("blame", {"path": "src/file_1.rs"}),
    ("branches", {}),
    ("churn", {}),
    ("show", {"revision": "HEAD"}),
]
QUERIES = ["who changed a line", "history of a file", "unsaved work", "largest files"]
# Words that no tool has.
HOPELESS = ["qqzx vvkw", "zzyx wqk"]
COUNTS = "const {tickets} = await tools.shop.list_tickets({}); return tickets.length"
PROGRAM = f"await tools.describe('shop__list_tickets'); {COUNTS}"
WRITES = "return await tools.call('shop__close_ticket', {id: 1})"
MADE_UP = "return await tools.call('shop__sell_everything', {})"
# The limit of the second Git server. The greedy client passes it.
CALLS_PER_MINUTE = "120"


class Scene:
    """The servers of a run, and the switches of those behind the gateway."""

    def __init__(self, git: str, gateway: str, directory: pathlib.Path) -> None:
        self.switches = {name: directory / name for name in ("shop", "mail")}
        for path in self.switches.values():
            path.mkdir()
        repository = directory / "repository"
        make_repository(repository)
        command = [git, "--repo", str(repository)]
        limit = ("--max-calls-per-minute", CALLS_PER_MINUTE)
        flags = ("--listing", "grouped", "--no-state")
        entries = {name: self.upstream(name) for name in self.switches}
        entries["git"] = {"command": git, "args": [*command[1:], "serve", "--no-state"]}
        config = directory / "servers.json"
        config.write_text(json.dumps({"mcpServers": entries}))
        proxy = [gateway, "--config", str(config), "--cache", str(directory / "cache")]
        proxy += ["--upstream-lock", str(directory / "upstreams.lock")]
        self.servers = {
            "git-1": Server(command, *flags),
            "git-2": Server(command, *flags, *limit),
            "gateway": Server(proxy, "--code", "--no-state"),
        }

    def upstream(self, name: str) -> Dict[str, Any]:
        program = [str(HERE / "upstream.py"), str(self.switches[name])]
        return {"command": sys.executable, "args": program, "pd": {"selective": name == "shop"}}

    def jobs(self) -> Dict[str, Dict[str, str]]:
        addresses = {name: server.metrics_address for name, server in self.servers.items()}
        return {
            "git": {name: addresses[name] for name in ("git-1", "git-2")},
            "gateway": {"gateway": addresses["gateway"]},
        }

    def url(self, name: str) -> str:
        return self.servers[name].url

    def git(self) -> str:
        return self.url(random.choice(["git-1", "git-2"]))


def make_repository(path: pathlib.Path) -> None:
    lines = []
    for number in range(1, 120):
        name, text = f"src/file_{number % 3}.rs", f"// {number}\n"
        lines += [
            "commit refs/heads/main",
            f"committer Ada <ada@example.org> {1_750_000_000 + 3600 * number} +0000",
            f"data 6\nChange\nM 100644 inline {name}\ndata {len(text)}\n{text}",
        ]
    git = ["git", "-C", str(path)]
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    history = "\n".join([*lines, "done\n"]).encode()
    subprocess.run([*git, "fast-import", "--quiet"], input=history, check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard", "main"], check=True)


# What one client does once. Each begins anew, as a conversation does.


def converse(scene: Scene, address: str) -> None:
    """A model in a session: it lists, searches, calls, and errs now and then."""
    client = Client(scene.git(), address)
    client("tools/list")
    client.call("find_tools", query=random.choice(QUERIES))
    for name, arguments in random.sample(READS, 3):
        client.call_described(name, **arguments)
        for _ in range(random.randint(1, 4)):
            client.call(name, **arguments)
            time.sleep(0.05)
    if random.random() < 0.4:
        client.call("log", limit="many")
    if random.random() < 0.3:
        client.call("find_tools", query=random.choice(HOPELESS))
        client.call("git_log")
    client.close()


def ask_once(scene: Scene, address: str) -> None:
    """A model with requests of 2026-07-28: each has a ticket."""
    client = Client(scene.git(), address, in_session=False)
    client("tools/list")
    client("tools/describe", names=["status", "log"])
    for name, arguments in random.sample(READS, 2):
        client.call_described(name, **arguments)


def call_in_new_sessions(scene: Scene, address: str) -> None:
    """A host that opens a session for each call, and lists in another one."""
    url = scene.url("git-1")
    Client(url, address, name="host")("tools/list")
    for name, arguments in random.sample(READS, 2):
        Client(url, address, name="host").call(name, **arguments)


def use_a_foreign_ticket(scene: Scene, address: str) -> None:
    """A client whose proxy sends it to a replica with another ticket key."""
    first, second = (
        Client(scene.url(name), address, in_session=False) for name in ("git-1", "git-2")
    )
    tickets = re.findall(r"\d{15,18}", json.dumps(first("tools/describe", names=["owners"])))
    second.call("owners", disclosure_ticket=tickets[0] if tickets else "123456789012345678")


def handle_tickets(scene: Scene, address: str) -> None:
    """A model at the gateway: rows, mail, Git, and a mistake."""
    client = Client(scene.url("gateway"), address)
    client("tools/list")
    client.call("find_tools", query="open tickets")
    answer = client.call_described("shop__list_tickets", abstract_domains="number,title")
    take_rows(json.dumps(answer))
    for _ in range(3):
        client.call_described("mail__search_mail", text="invoice")
        client.call_described("git__log", limit=3)
    client.call_described("shop__close_ticket", id=random.choice([7, 7, "seven"]))
    client.close()


def take_rows(answer: str) -> None:
    for url in re.findall(r"http://[\w.:]+/s2sp/data/[\w-]+", answer)[:1]:
        # The second read finds nothing: a URL is valid once.
        for _ in range(random.choice([1, 1, 2])):
            with contextlib.suppress(urllib.error.HTTPError):
                query = {"columns": ["body"]}
                request = urllib.request.Request(url, json.dumps(query).encode(), method="POST")
                urllib.request.urlopen(request, timeout=5).read()


def run_programs(scene: Scene, address: str) -> None:
    """A model that writes programs, also ones that may not run."""
    client = Client(scene.url("gateway"), address)
    for code in (PROGRAM, COUNTS, random.choice([WRITES, MADE_UP])):
        client.call("run_code", code=code)
    client.close()


def export(scene: Scene, address: str) -> None:
    """A call that takes longer than most hosts like."""
    client = Client(scene.url("gateway"), address)
    client.call_described("mail__export_mail")
    client.close()


def give_up(scene: Scene, address: str) -> None:
    """A client that leaves before the answer."""
    client = Client(scene.url("git-1"), address, in_session=False)
    ticket = client.ticket("churn")
    with contextlib.suppress(OSError):
        client.call("churn", 0.01, disclosure_ticket=ticket)


# Each action, the number of its clients, and the pause of a client between two conversations.
ACTIONS: List[Any] = [
    (converse, 5, 0.4),
    (ask_once, 2, 0.5),
    (call_in_new_sessions, 1, 0.8),
    (use_a_foreign_ticket, 1, 1.0),
    (handle_tickets, 3, 0.4),
    (run_programs, 1, 0.8),
    (export, 1, 3.0),
    (give_up, 1, 1.5),
]
BROKEN = (OSError, http.client.HTTPException)


def repeat(
    action: Callable, scene: Scene, address: str, pause: float, stop: threading.Event
) -> None:
    while not stop.wait(pause * random.uniform(0.5, 1.5)):
        # A server may be down at this moment: that is part of the run.
        with contextlib.suppress(*BROKEN):
            action(scene, address)


def be_greedy(scene: Scene, until: float) -> None:
    """An agent in a loop, which passes the limit of its calls."""
    client = Client(scene.url("git-2"), "127.0.0.99", in_session=False)
    while time.monotonic() < until:
        with contextlib.suppress(*BROKEN):
            client.call("status")


@contextlib.contextmanager
def staged(git: str, gateway: str) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="pd-load-") as directory:
        scene = Scene(git, gateway, pathlib.Path(directory))
        try:
            yield scene
        finally:
            for server in scene.servers.values():
                server.stop()


def play(scene: Scene, seconds: float) -> None:
    """Runs the clients for so long. In between, things go wrong."""
    stop = threading.Event()
    threads: List[threading.Thread] = []
    for action, count, pause in ACTIONS:
        for _ in range(count):
            # Addresses of their own, because limits count anonymous callers by address.
            address = f"127.0.0.{10 + len(threads)}"
            arguments = (action, scene, address, pause, stop)
            threads.append(threading.Thread(target=repeat, args=arguments, daemon=True))
    begun = time.monotonic()
    for thread in threads:
        thread.start()

    def wait(share: float) -> None:
        time.sleep(max(0.0, begun + share * seconds - time.monotonic()))

    down = scene.switches["mail"] / "down"
    wait(0.30)
    down.touch()
    wait(0.50)
    down.unlink()
    wait(0.52)
    loops = [
        threading.Thread(target=be_greedy, args=(scene, begun + 0.67 * seconds)) for _ in range(3)
    ]
    for loop in loops:
        loop.start()
    wait(0.70)
    scene.servers["git-1"].stop()
    wait(0.78)
    scene.servers["git-1"].start()
    wait(0.82)
    (scene.switches["shop"] / "changed").touch()
    wait(1.0)
    stop.set()
    for thread in threads:
        thread.join(20)
