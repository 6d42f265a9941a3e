"""The MCP Inspector's command line. Each request is a process of its own, and so a session of its own."""

import json
import pathlib
import shlex
import subprocess

import scenario
import server
from report import check, exit_code

COMMAND = ["node", str(server.cache() / "node/node_modules/.bin/inspector"), "--cli", "--format", "json", "--quiet"]
# It keeps files in the home directory.
ENVIRONMENT = {**server.QUIET, "HOME": str(server.cache())}
ERAS = {"session": "legacy", "inline": "modern"}


class Inspector(scenario.Client):
    def __init__(self, era: str, target: list[str]):
        self.options, self.target = ["--protocol-era", ERAS[era]], target

    def ask(self, method: str, uri: str | None = None, name: str | None = None, arguments: dict | None = None) -> dict:
        wanted = ["--method", method]
        wanted += ["--uri", uri] if uri else []
        wanted += ["--tool-name", name, "--tool-args-json", json.dumps(arguments)] if name else []
        command = [*COMMAND, *self.options, *wanted, *self.target]
        ran = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
        # 5 means that the tool failed; the result is there all the same.
        assert ran.returncode in (0, 5), ran.stderr
        return json.loads(ran.stdout)["result"]


def checks(client: Inspector, say: str, remembers: bool):
    with check(say, "lists name, summary and the open schema"):
        scenario.minimal_list(client)
    with check(say, "lists the resource and its template"):
        scenario.resource_and_template(client)
    with check(say, "is refused before reading"):
        scenario.refusal(client, "log")
    with check(say, "reads the full description"):
        log = scenario.full_description(client, "log")
    if remembers:
        with check(say, "calls with the ticket that another process read"):
            scenario.good_call(client, log)
        with check(say, "is told of all bad arguments by JSON pointer"):
            scenario.bad_arguments(client, log)
    else:
        with check(say, "reading opens no tool to another session"):
            scenario.refusal(client, "log")


def recipes() -> list[str]:
    """The README's commands for the Inspector's command line."""
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    return [line for line in readme.splitlines() if line.startswith("npx @modelcontextprotocol/inspector --cli")]


def run_recipe(recipe: str, repo: str) -> subprocess.CompletedProcess:
    """Runs a command as printed, in the repository that is served, with our binary in the place of the release build."""
    words = shlex.split(recipe)
    words = [*COMMAND[:2], *words[2:]]
    words = [server.BINARY if word == "target/release/examples/git" else word for word in words]
    return subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, cwd=repo)


def recipes_work(repo: str):
    with check("inspector: the README lists and calls"):
        found = [shlex.split(recipe)[shlex.split(recipe).index("--method") + 1] for recipe in recipes()]
        assert found == ["tools/list", "tools/call"], found
    for recipe in recipes():
        with check(f"inspector: works as printed: {recipe}"):
            ran = run_recipe(recipe, repo)
            assert ran.returncode == 0 and "isError" not in ran.stdout, ran.stdout + ran.stderr
    with check("inspector: the refusal of a call says that the gate has to be off"):
        [calling] = [recipe for recipe in recipes() if "tools/call" in recipe]
        ran = run_recipe(calling.replace(" --gate off", ""), repo)
        assert ran.returncode == 5 and "start the server with `--gate off`" in ran.stdout, ran.stdout + ran.stderr


with server.repository() as repo:
    recipes_work(repo)
    for era in ERAS:
        checks(Inspector(era, ["--", *server.stdio_command(repo)]), f"inspector {era} stdio:", remembers=False)
        with server.http(repo) as (url, _):
            checks(Inspector(era, [url]), f"inspector {era} http:", remembers=era == "inline")
raise SystemExit(exit_code())
