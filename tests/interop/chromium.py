"""Chromium without a window, and its pages by the DevTools protocol."""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
SECONDS = 25
KEYS = {"Tab": 9, "Enter": 13, "Home": 36, "End": 35, "ArrowRight": 39, "/": 191}


def browser() -> str:
    """`PD_CHROMIUM`, or what is installed."""
    found = os.environ.get("PD_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        print("FAIL browser: no Chromium; `apt-get install chromium-headless-shell`, or name one by PD_CHROMIUM")
        sys.exit(1)
    return found


@contextlib.contextmanager
def running(url: str, *flags: str):
    """Runs a browser that opens a page. Yields its profile. Names below `example` lead to this machine, as a site's name leads to the site."""
    with tempfile.TemporaryDirectory(prefix="pd-browser-", ignore_cleanup_errors=True) as profile:
        standing = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-port=0",  # or it ends once the page is loaded
            f"--user-data-dir={profile}",
            "--host-resolver-rules=MAP *.example 127.0.0.1",
        ]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        # Debian's command is a shell script, which leaves the browser behind when it ends: all of the group has to.
        process = subprocess.Popen([browser(), *standing, *flags, url], **silent, start_new_session=True)
        try:
            yield pathlib.Path(profile)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def page():
    """An empty page in a browser of its own."""
    with running("about:blank") as profile, connect(debugger(profile), max_size=None) as socket:
        yield Page(socket)


def debugger(profile: pathlib.Path) -> str:
    """The address at which the browser takes orders for its page."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, StopIteration, IndexError):
            port = (profile / "DevToolsActivePort").read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=5) as answer:
                return next(one["webSocketDebuggerUrl"] for one in json.load(answer) if one["type"] == "page")
        time.sleep(0.05)
    raise TimeoutError("the browser did not start")


class Page:
    """A page. It notes what goes wrong, and what is requested from the network."""

    def __init__(self, socket):
        self.socket, self.ids = socket, itertools.count(1)
        self.errors, self.requests, self.loaded = [], [], False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params) -> dict:
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = self.receive()
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def receive(self) -> dict:
        message = json.loads(self.socket.recv(SECONDS))
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(params["exceptionDetails"])
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.errors.append(params["args"])
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.errors.append(params["entry"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Page.loadEventFired":
                self.loaded = True
        return message

    def open(self, url: str):
        self.loaded = False
        self.send("Page.navigate", url=url)
        # The fragment alone loads no page.
        while not self.loaded and self.evaluate("document.readyState") != "complete":
            self.receive()

    def evaluate(self, script: str):
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str):
        text = {"Enter": "\r", "/": "/"}.get(key)
        down = {"key": key, "windowsVirtualKeyCode": KEYS[key], **({"text": text} if text else {})}
        self.send("Input.dispatchKeyEvent", type="keyDown", **down)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=KEYS[key])

    def write(self, text: str):
        self.send("Input.insertText", text=text)

    def looks(self, theme: str, width: int = 1200, height: int = 900, scale: float = 1):
        """Sets the theme and the size of the window, in CSS pixels."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
