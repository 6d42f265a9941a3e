"""A real browser: pages on other origins list and call over both eras, and a page that is not allowed gets nothing."""

import contextlib
import http.server
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import server
from chromium import browser, running
from issuer import issuing
from login import free_port
from report import check, equal, exit_code

SOURCES = pathlib.Path(__file__).parent / "browser"
SECONDS = 25
BY_HAND = ["session", "inline", "errors"]
BY_SDK = ["sdk_v1_session", "sdk_v2_session", "sdk_v2_inline"]


def bundle(directory: pathlib.Path):
    """The page's script: ours, with the SDKs of the Node clients."""
    node = server.cache() / "node"
    esbuild = server.cache() / "browser/node_modules/.bin/esbuild"
    flags = ["--bundle", "--format=esm", "--platform=browser", "--target=es2022", "--log-level=warning"]
    environment = {**os.environ, "NODE_PATH": str(node / "node_modules")}
    subprocess.run([esbuild, SOURCES / "page.mjs", *flags, f"--outfile={directory}/page.js"], check=True, env=environment)
    shutil.copy(SOURCES / "page.html", directory)


@contextlib.contextmanager
def pages(directory: pathlib.Path):
    """Serves the page on whatever host. Yields the port, and what pages report."""
    reports = queue.Queue()

    class Pages(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(directory))

        def do_POST(self):
            reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    try:
        yield listener.server_port, reports
    finally:
        listener.shutdown()
        listener.server_close()


class Site:
    """A page on one origin."""

    def __init__(self, host: str, port: int, reports: queue.Queue):
        self.origin, self.reports = f"http://{host}:{port}", reports

    def runs(self, url: str, checks: list[str]):
        """Each check of the page is one of ours."""
        query = urllib.parse.urlencode({"server": url, "checks": ",".join(checks)})
        with running(f"{self.origin}/page.html?{query}"):
            for name in [*checks, "done"]:
                with check(f"browser: {self.origin.split(':')[1][2:]}: {name}"):
                    report = self.reports.get(timeout=SECONDS)
                    equal((report["name"], report["origin"]), (name, self.origin))
                    assert report["error"] is None, report["error"]


if __name__ == "__main__":
    browser()
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pd-page-")))
        bundle(directory)
        repo = stack.enter_context(server.repository())
        port, reports = stack.enter_context(pages(directory))
        app, evil, local = (Site(host, port, reports) for host in ("app.example", "evil.example", "localhost"))
        url, _ = stack.enter_context(server.http(repo, "--allow-origin", app.origin))
        app.runs(url, [*BY_HAND, *BY_SDK])
        evil.runs(url, ["refused"])
        unflagged, _ = stack.enter_context(server.http(repo))
        app.runs(unflagged, ["refused"])
        local.runs(unflagged, ["session", "inline"])
        issuer = stack.enter_context(issuing())
        address = f"127.0.0.1:{free_port()}"
        guard = ["--jwt-issuer", issuer.url, "--jwt-audience", f"http://{address}/mcp", "--allow-origin", app.origin]
        guarded, _ = stack.enter_context(server.http(repo, *guard, at=address))
        app.runs(guarded, ["challenge"])
    sys.exit(exit_code())
