"""The documented commands for the MCP Inspector's command line, as they are printed."""

import pathlib
import shlex
import subprocess

import server
from inspector import COMMAND, ENVIRONMENT
from report import check, exit_code


def recipes() -> list[str]:
    """Returns the documented commands for the Inspector's command line."""
    page = (pathlib.Path(__file__).parents[2] / "pd-runtime/docs/editors.md").read_text()
    return [line for line in page.splitlines() if line.startswith("npx @modelcontextprotocol/inspector --cli")]


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
    with check("recipes: the refusal of a call says that the gate has to be off"):
        [calling] = [recipe for recipe in recipes() if "tools/call" in recipe]
        ran = run_recipe(calling.replace(" --gate off", ""), repo)
        assert ran.returncode == 5 and "start the server with `--gate off`" in ran.stdout, ran.stdout + ran.stderr


if __name__ == "__main__":
    with server.repository() as repo:
        works(repo)
    raise SystemExit(exit_code())
