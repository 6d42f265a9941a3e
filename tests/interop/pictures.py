"""README's pictures, from the real thing: the tour in a terminal, and the page of `report` of the Git server.

    pictures.py TOUR DIRECTORY

TOUR is the binary that `cargo run` runs, and `PD_GIT` names the Git server. `just pictures` calls this.
"""

import base64
import io
import pathlib
import re
import subprocess
import sys
import tempfile

from rich.console import Console
from rich.text import Text

import chromium
import server

MOST_BYTES = 200_000
# The width of the page in CSS pixels. A picture begins with the first section, and ends below the chart of all tools.
WIDTH = 1040
PART = """(() => {
  const [start, end] = [document.querySelector("h2"), document.querySelector(".cell").closest("svg")].map(one => one.getBoundingClientRect());
  return { x: 0, y: start.top - 16, width: innerWidth, height: end.bottom - start.top + 26, scale: 1 };
})()"""


def tour(binary: str, repo: str) -> str:
    """The output in a terminal, as SVG."""
    environment = {**server.QUIET, "CLICOLOR_FORCE": "1"}
    printed = subprocess.run([binary, "--repo", repo], capture_output=True, text=True, check=True, env=environment)
    output = Text.from_ansi(printed.stdout.rstrip())
    console = Console(record=True, width=max(map(len, output.plain.splitlines())) + 1, file=io.StringIO(), force_terminal=True)
    console.print(output, no_wrap=True)
    picture = console.export_svg(title="cargo run", unique_id="tour")
    # Viewers do not load fonts for a picture, so it must not ask for one.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def report(repo: str, theme: str) -> bytes:
    """The beginning of the report, as PNG."""
    with tempfile.TemporaryDirectory(prefix="pd-report-") as directory, chromium.page() as page:
        file = pathlib.Path(directory) / "report.html"
        subprocess.run([server.BINARY, "--repo", repo, "report", file], check=True, capture_output=True, env=server.QUIET)
        page.looks(theme, WIDTH)
        page.open(file.as_uri())
        page.evaluate("document.documentElement.style.scrollbarWidth = 'none'")
        page.looks(theme, WIDTH)
        picture = page.send("Page.captureScreenshot", format="png", clip=page.evaluate(PART), captureBeyondViewport=True)
        return base64.b64decode(picture["data"])


def write(path: pathlib.Path, picture: bytes):
    path.write_bytes(picture)
    print(f"{path}: {len(picture):,} bytes")
    assert len(picture) < MOST_BYTES, path


def main(binary: str, directory: str):
    pictures = pathlib.Path(directory)
    pictures.mkdir(parents=True, exist_ok=True)
    # Its commits are always the same, so the numbers change only with the programs.
    with server.repository() as repo:
        write(pictures / "tour.svg", tour(binary, repo).encode())
        for theme in ("light", "dark"):
            write(pictures / f"report-{theme}.png", report(repo, theme))


if __name__ == "__main__":
    main(*sys.argv[1:])
