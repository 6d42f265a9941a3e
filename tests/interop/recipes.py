"""The documented commands for the MCP Inspector's command line and for the conformance suite, as they are printed."""

import os
import pathlib
import re
import shlex
import subprocess

import conformance
import server
from inspector import COMMAND, ENVIRONMENT
from report import check, exit_code


EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def lines(page: str, prefix: str) -> list[str]:
    text = (pathlib.Path(__file__).parents[2] / "pd-runtime/docs" / page).read_text()
    return [line for line in text.splitlines() if line.startswith(prefix)]


def recipes() -> list[str]:
    """Returns the documented commands for the Inspector's command line."""
    return lines("editors.md", "npx @modelcontextprotocol/inspector --cli")


def run_recipe(recipe: str, repo: str) -> subprocess.CompletedProcess:
    """Runs a command as printed, in the repository that is served, with our binary in the place of the release build."""
    words = shlex.split(recipe)
    words = [*COMMAND[:2], *words[2:]]
    words = [server.BINARY if word == "target/release/examples/git" else word for word in words]
    return subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, cwd=repo)


def works(repo: str):
    with check("recipes: the documented commands list and call"):
        found = [shlex.split(recipe)[shlex.split(recipe).index("--method") + 1] for recipe in recipes()]
        assert found == ["tools/list", "tools/call"], found
    for recipe in recipes():
        with check(f"recipes: works as printed: {recipe}"):
            ran = run_recipe(recipe, repo)
            assert ran.returncode == 0, ran.stdout + ran.stderr


def testing():
    """The commands of the page about tests, with the example in the place of the author's server."""
    binary = os.environ.get("PD_TESTING") or "PD_TESTING must name the example's binary; `run` sets it"
    found = lines("testing.md", "npx @modelcontextprotocol/")
    with check("recipes: the page about tests has commands of both"):
        assert {re.split("[ @]", recipe)[2] for recipe in found} == {"modelcontextprotocol/inspector", "modelcontextprotocol/conformance"}
    with server.listening(binary) as (url, _):
        for recipe in found:
            words = [binary if word == "target/debug/rooms" else word for word in shlex.split(recipe)[2:]]
            words = [word.replace("http://127.0.0.1:8000/mcp", url) for word in words]
            program = COMMAND[:2] if "inspector" in recipe else conformance.SUITE[:2]
            with check(f"recipes: works as printed: {recipe}"):
                ran = subprocess.run([*program, *words], capture_output=True, text=True, env=ENVIRONMENT)
                assert ran.returncode == 0, ran.stdout + ran.stderr
    commands = lines("testing.md", "rooms ") + lines("testing.md", "cargo run -- ")
    with check("recipes: the page about tests has commands for CI"):
        assert len(commands) == 2, commands
    for recipe in commands:
        with check(f"recipes: works as printed: {recipe}"):
            words = shlex.split(recipe.removeprefix("cargo run -- ").removeprefix("rooms "))
            # The paths are relative to the package.
            ran = subprocess.run([binary, *words], capture_output=True, text=True, env={**os.environ, "CI": "true"}, cwd=EXAMPLES)
            assert ran.returncode == 0, ran.stdout + ran.stderr


if __name__ == "__main__":
    with server.repository() as repo:
        works(repo)
    testing()
    raise SystemExit(exit_code())
