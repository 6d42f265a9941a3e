"""The protocol's own conformance suite.

`conformance.py git`: skills, and what a server without a handler of its author's own must answer, against the Git server.
`conformance.py 2026-07-28`: all that this revision of MCP requires, against the example `conformance`, whose gate is on.

A check that the suite itself calls untestable here, because it wants one of its own tools, is passed over; a
recommendation that we do not follow, and a scenario that the suite runs and does not score, are told as a note where they
fail.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import server
from raw_http import inline
from report import check, equal, exit_code, shortened

PACKAGE = server.cache() / "node/node_modules/@modelcontextprotocol/conformance"
SUITE = ["node", str(PACKAGE / "dist/index.js"), "server"]
SKILLS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"]
SCENARIOS = {"2025-11-25": SKILLS, "2026-07-28": ["server-stateless", *SKILLS]}


def git():
    with server.repository() as repo, server.http(repo) as (url, _):
        for version, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                with check(f"conformance: git {version} {scenario}: runs"):
                    # Extensions are in no version of the specification, and their scenarios run only so.
                    wanted = ["--spec-version", version, "--scenario", scenario, "--force"]
                    [results] = run(url, *wanted).values()
                    for result in results:
                        tell(f"conformance: git {version} {scenario}: {result['id']}", result)


def requirements(revision: str):
    """One run of all scenarios, since a run costs more than most of them."""
    with server.fixtures() as (url, _):
        told = run(url, "--requirements", revision)
        scored = scored_scenarios(revision)
        for scenario in scored:
            say = f"conformance: {revision} {scenario}"
            found = failures(told.get(scenario, []))
            if found:
                # It waits for as little as half a second, which a busy machine may not give it.
                print(f"note {say} — once more, after {found[0]}", flush=True)
                found = failures(run(url, "--scenario", scenario, "--spec-version", revision)[scenario])
            with check(say):
                assert not found, "; ".join(found)
        for scenario in sorted(told.keys() - set(scored)):
            for failure in failures(told[scenario]):
                print(f"note conformance: {revision} {scenario} (not scored) — {failure}", flush=True)
        with check(f"conformance: {revision}: the gate was on"):
            equal(refusals(url), ["TOOL_DESCRIPTION_REQUIRED"] * 2)


def run(url: str, *wanted: str) -> dict[str, list[dict]]:
    """What the suite checked, by scenario."""
    with tempfile.TemporaryDirectory(prefix="pd-interop-") as directory:
        subprocess.run([*SUITE, "--url", url, *wanted, "-o", directory], capture_output=True)
        files = pathlib.Path(directory).glob("*/checks.json")
        return {scenario_of(file.parent.name): json.loads(file.read_text()) for file in files}


def scenario_of(directory: str) -> str:
    """A directory is called after the suite's command, the scenario and the time."""
    return re.fullmatch(r"server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z", directory)[1]


def scored_scenarios(revision: str) -> list[str]:
    listed = re.search(r"^server:\n((?:  - .+\n)+)", (PACKAGE / f"requirements/{revision}.yaml").read_text(), re.M)
    return re.findall(r"- (\S+)", listed[1])


def failures(results: list[dict]) -> list[str]:
    """What failed, or was not as recommended. A scenario that checked nothing failed, too."""
    if not results:
        return ["nothing was checked"]
    failed = [result for result in results if result["status"] in ("FAILURE", "WARNING")]
    return [f"{result['id']}: {shortened(result.get('errorMessage') or '', 200)}" for result in failed]


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


def refusals(url: str) -> list[str]:
    """What the fixtures' server answers to calls of tools that nobody described."""
    calls = {"count_words": {"text": "one two"}, "convert_temperature": {"fahrenheit": 98.6}}
    answered = [inline(url, "tools/call", {"name": name, "arguments": given})[2] for name, given in calls.items()]
    return [json.loads(answer["result"]["content"][0]["text"].split("\n\n", 1)[0])["error"]["code"] for answer in answered]


if __name__ == "__main__":
    [what] = sys.argv[1:]
    git() if what == "git" else requirements(what)
    raise SystemExit(exit_code())
