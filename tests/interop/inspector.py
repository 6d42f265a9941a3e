"""The MCP Inspector's command line. Each request is a process of its own, and so a session of its own."""

import json
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


# By default, a session that begins with a call is admitted.
LITERAL = ["--listing", "minimal", "--session-per-call", "refuse"]

if __name__ == "__main__":
    with server.repository() as repo:
        for era in ERAS:
            checks(Inspector(era, ["--", *server.stdio_command(repo, *LITERAL)]), f"inspector {era} stdio:", remembers=False)
            with server.http(repo, *LITERAL) as (url, _):
                checks(Inspector(era, [url]), f"inspector {era} http:", remembers=era == "inline")
    raise SystemExit(exit_code())
