"""The implementation guide's Python client, loader and unit tests, with SDK 1.30 and SDK 2.3 as their defaults are.

SDK 1.30 opens sessions. SDK 2.3 speaks 2026-07-28, where a connection is no session: the guide's client passes unmodified with
`serve --remember-connection`, and otherwise with one more line that copies the ticket.
"""

import pathlib
import subprocess
import sys
import tempfile

import export
import raw_http
import server

CHECKS = pathlib.Path(__file__).parent / "guide/run_checks.py"
SESSION, INLINE = "2025-11-25", "2026-07-28"


def run(python: str, *words: str) -> bool:
    """Runs checks in the environment of one SDK. They print their own lines."""
    interpreter = server.cache() / python / "bin/python"
    return subprocess.run([interpreter, CHECKS, *words], env=server.QUIET).returncode == 0


def tools(repo: str) -> list[str]:
    with server.http(repo) as (url, _):
        _, _, answer = raw_http.inline(url, "tools/list", {})
    return [tool["name"] for tool in answer["result"]["tools"] if tool["name"] != "describe_tools"]


def stdio(repo: str, *flags: str) -> list[str]:
    return ["stdio", *server.stdio_command(repo, *flags)]


def main():
    with server.repository() as repo, tempfile.TemporaryDirectory(prefix="pd-guide-") as directory:
        export.exported(repo, "tool-descriptions", pathlib.Path(directory))
        tool_names = tools(repo)
        outcomes = [
            run("python_v1", "units", directory, *tool_names),
            run("python", "units", directory, *tool_names),
            run("python_v1", "workflow", SESSION, "unmodified", *stdio(repo)),
            run("python", "workflow", INLINE, "unmodified", *stdio(repo, "--remember-connection")),
            run("python", "workflow", INLINE, "copies_ticket", *stdio(repo)),
            run("python", "workflow", INLINE, "refused", *stdio(repo)),
        ]
        with server.http(repo) as (url, _):
            outcomes += [
                run("python_v1", "workflow", SESSION, "unmodified", "http", url),
                run("python", "workflow", INLINE, "copies_ticket", "http", url),
                run("python", "workflow", INLINE, "refused", "http", url),
            ]
    sys.exit(0 if all(outcomes) else 1)


if __name__ == "__main__":
    main()
