"""The protocol's own conformance suite: the scenarios that need no fixture tools, against the Git server.

A check that the suite itself calls untestable here, because it wants one of its own tools, is passed over; a
recommendation that we do not follow is told as a note.
"""

import json
import pathlib
import subprocess
import tempfile

import server
from report import check, exit_code, shortened

SUITE = server.cache() / "node/node_modules/@modelcontextprotocol/conformance/dist/index.js"
SCENARIOS = {
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "server-session-lifecycle",
        "sep-2640-skills-enumeration",
        "sep-2640-skills-manifest",
        "sep-2640-skills-directory",
    ],
    "2026-07-28": [
        "server-stateless",
        "tools-list",
        "resources-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "http-header-validation",
        "sep-2640-skills-enumeration",
        "sep-2640-skills-manifest",
        "sep-2640-skills-directory",
    ],
}


def results(url: str, version: str, scenario: str) -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="pd-interop-") as directory:
        wanted = ["--url", url, "--spec-version", version, "--scenario", scenario, "-o", directory]
        # Extensions are in no version of the specification, and their scenarios run only so.
        subprocess.run(["node", str(SUITE), "server", *wanted, "--force"], capture_output=True)
        [file] = pathlib.Path(directory).glob("*/checks.json")
        return json.loads(file.read_text())


def tell(say: str, result: dict):
    message = shortened(result.get("errorMessage") or "", 200)
    match result["status"]:
        case "SUCCESS":
            with check(say):
                pass
        case "FAILURE" if not message.startswith("Not testable"):
            with check(say):
                raise AssertionError(message)
        case "WARNING" if not message.startswith("Not testable"):
            print(f"note {say} — {message}", flush=True)


with server.repository() as repo, server.http(repo) as (url, _):
    for version, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            with check(f"conformance: {version} {scenario}: runs"):
                for result in results(url, version, scenario):
                    tell(f"conformance: {version} {scenario}: {result['id']}", result)
raise SystemExit(exit_code())
