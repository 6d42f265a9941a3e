"""Views in Chromium, by the bridge of ext-apps: of our example alone, and of it and two reference servers behind the gateway."""

import contextlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import chromium
import server
from report import check, equal, exit_code

SOURCES = pathlib.Path(__file__).parent / "apps"
BOARD = os.environ.get("PD_BOARD") or "PD_BOARD must name the example's binary; `run` builds and sets it"
GATEWAY = os.environ.get("PD_GATEWAY") or "PD_GATEWAY must name the gateway's binary; `run` builds and sets it"
ORIGIN = "app.example"
MODES = ["legacy", "auto"]
CSP = "Content Security Policy"


def packages() -> pathlib.Path:
    return pathlib.Path(os.environ["PD_INTEROP_CACHE"]) / "apps/node_modules"


@contextlib.contextmanager
def host_pages():
    """Serves the page of the host. Yields the origin."""
    with tempfile.TemporaryDirectory(prefix="pd-host-") as directory:
        flags = ["--bundle", "--format=esm", "--platform=browser", "--target=es2022", "--log-level=warning"]
        environment = {**os.environ, "NODE_PATH": str(packages())}
        subprocess.run([packages() / ".bin/esbuild", SOURCES / "host.mjs", *flags, f"--outfile={directory}/host.js"], check=True, env=environment)
        shutil.copy(SOURCES / "host.html", directory)

        class Pages(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=directory)

            def log_message(self, *_):
                pass

        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        try:
            yield f"http://{ORIGIN}:{listener.server_port}"
        finally:
            listener.shutdown()
            listener.server_close()


class Host:
    """The page of the host, connected to a server."""

    def __init__(self, page: chromium.Page, origin: str, url: str, mode: str, theme: str = "light"):
        self.page = page
        page.open(f"{origin}/host.html?{urllib.parse.urlencode({'server': url, 'mode': mode, 'theme': theme})}")
        page.evaluate("new Promise(done => { const poll = () => window.host ? done() : setTimeout(poll, 20); poll() })")

    def __getattr__(self, name: str):
        return lambda *arguments: self.page.evaluate(f"host.{name}({', '.join(map(json.dumps, arguments))})")


def uses_board(say: str, host: Host, prefix: str):
    with check(f"{say}: the board is rendered, adds a card and moves it"):
        host.open(f"{prefix}show_board")
        host.until("document.querySelectorAll('section').length === 3")
        count = host.page.evaluate("frame.contentDocument.querySelectorAll('li').length")
        host.act("const form = document.querySelector('form'); form.elements.text.value = 'Water the plants'; form.requestSubmit()")
        host.until(f"document.querySelectorAll('li').length === {count + 1}")
        moved = "[...document.querySelectorAll('section')][1].querySelectorAll('li').length"
        before = host.page.evaluate(moved.replace("document", "frame.contentDocument"))
        host.act("document.querySelector('section:first-child button').click()")
        host.until(f"{moved} === {before + 1}")


def is_hidden(say: str, host: Host, prefix: str):
    with check(f"{say}: `move_card` is listed for hosts alone, and no model finds or calls it"):
        tools = {tool["name"]: tool for tool in host.connect(False)}
        assert f"{prefix}move_card" not in tools, list(tools)
        if f"{prefix}show_board" in tools:
            assert tools[f"{prefix}show_board"]["ui"], tools
        asked = [("find_tools", {"query": "move a card"}), ("describe_tools", {"names": [f"{prefix}move_card"]})]
        asked = [(name, arguments) for name, arguments in asked if name in tools]
        assert asked, list(tools)
        for name, arguments in asked:
            said = host.call(name, arguments)
            assert "Move a card to a column" not in json.dumps(said), said
        rendering = {tool["name"]: tool for tool in host.connect(True)}
        equal(rendering[f"{prefix}move_card"]["ui"], {"visibility": ["app"]})


def alone(page: chromium.Page, origin: str):
    with server.listening(BOARD, flags=("--allow-origin", origin)) as (url, _):
        for mode in MODES:
            say, host = f"apps: {mode}", Host(page, origin, url, mode)
            tools = {tool["name"]: tool for tool in host.connect(True)}
            with check(f"{say}: the tool and its page are listed"):
                uri = "ui://show_board/view.html"
                equal(tools["show_board"], {"name": "show_board", "ui": {"resourceUri": uri}, "flat": uri})
                listed = [one for one in host.resources() if one["uri"].startswith("ui://")]
                equal(listed, [{"uri": uri, "mimeType": "text/html;profile=mcp-app", "ui": None}])
            uses_board(say, host, "")
            is_hidden(say, host, "")
        for theme in ["light", "dark"]:
            with check(f"apps: axe-core finds no fault of the board in {theme} colors"):
                page.looks(theme)
                host = Host(page, origin, url, "auto", theme)
                host.connect(True)
                host.open("show_board")
                host.until("document.querySelectorAll('li').length > 0")
                axe = (packages() / "axe-core/axe.min.js").read_text()
                equal(host.faults(axe), [])


def reference_server(name: str) -> dict:
    return {"command": "node", "args": [str(packages() / "@modelcontextprotocol" / name / "dist/index.js"), "--stdio"]}


def behind_gateway(page: chromium.Page, origin: str, *listing: str):
    servers = {
        "board": {"command": BOARD, "args": ["serve"]},
        "clock": reference_server("server-basic-vanillajs"),
        "budget": reference_server("server-budget-allocator"),
    }
    with tempfile.TemporaryDirectory(prefix="pd-apps-") as directory:
        file = pathlib.Path(directory) / "servers.json"
        file.write_text(json.dumps({"mcpServers": servers}))
        with server.listening(GATEWAY, "--config", str(file), flags=("--allow-origin", origin, *listing)) as (url, _):
            for mode in MODES:
                say, host = f"apps: gateway {' '.join(listing) or 'as it is'}: {mode}", Host(page, origin, url, mode)
                with check(f"{say}: views of all servers are listed"):
                    wanted = {"board__show_board", "clock__get-time", "budget__get-budget-data"}
                    for _ in range(40):
                        views = {tool["name"] for tool in host.connect(True) if tool["ui"] and "resourceUri" in tool["ui"]}
                        if views >= wanted:
                            break
                        page.evaluate("new Promise(done => setTimeout(done, 500))")
                    equal(views, wanted)
                uses_board(say, host, "board__")
                with check(f"{say}: the clock of a reference server is rendered, and calls by the name that it knows"):
                    host.open("clock__get-time")
                    host.until("document.querySelector('#server-time')?.textContent.includes('T')")
                    host.act("document.querySelector('#server-time').textContent = ''; document.querySelector('#get-time-btn').click()")
                    host.until("document.querySelector('#server-time').textContent.includes('T')")
                with check(f"{say}: the budget of a reference server is rendered"):
                    host.open("budget__get-budget-data")
                    host.until("document.querySelectorAll('input[type=range]').length > 0")
                is_hidden(say, host, "board__")


if __name__ == "__main__":
    chromium.browser()
    with host_pages() as origin, chromium.page() as page:
        alone(page, origin)
        for listing in [(), ("--listing", "full"), ("--listing", "grouped"), ("--listing", "minimal"), ("--listing", "reveal")]:
            behind_gateway(page, origin, *listing)
    sys.exit(exit_code())
