"""A workflow over servers that are not ours, behind the gateway: a file, a database, notes; in four ways."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

import server
import upstream_servers as upstreams
from report import check, equal, exit_code

WORKFLOWS = os.environ.get("PD_WORKFLOWS") or "PD_WORKFLOWS must name the example's binary; `run` builds and sets it"
WEEK = pathlib.Path(__file__).parents[2] / "examples/alerts/quakes.json"
COLUMNS = ("mag", "depth", "latitude", "longitude", "place")


def write_earthquakes(path: pathlib.Path) -> int:
    """Writes the week's earthquakes, a line each. Returns the number of strong ones."""
    rows = json.loads(WEEK.read_text())
    path.write_text("".join("\t".join(str(row[column]) for column in COLUMNS) + "\n" for row in rows))
    return sum(row["mag"] >= 4.5 for row in rows)


def main():
    with upstreams.twelve() as servers:
        [directory] = [one.command[-1] for one in servers if one.name == "filesystem"]
        files = pathlib.Path(directory)
        strong = write_earthquakes(files / "week.tsv")
        config = files / "servers.json"
        config.write_text(json.dumps({"mcpServers": {one.name: one.entry() for one in servers}}))
        command = [WORKFLOWS, "--workflow", "file-to-notes", "--rounds", "1", "--check"]
        command += ["--gateway", str(config), "--earthquakes", str(files / "week.tsv")]
        with check("gateway_workflow: a program reads a tenth of the tokens, in three round trips, and is right"):
            ran = subprocess.run(command, capture_output=True, text=True, env=server.QUIET)
            print(ran.stdout, file=sys.stderr)
            equal((ran.returncode, ran.stderr), (0, ""))
        with check("gateway_workflow: the database has the rows, and the notes have the regions"):
            with contextlib.closing(sqlite3.connect(files / "data.db")) as database:
                equal(database.execute("SELECT COUNT(*) FROM quakes").fetchone()[0], strong)
            notes = [json.loads(line) for line in (files / "memory.jsonl").read_text().splitlines()]
            equal(sum(note.get("entityType") == "region" for note in notes), 3)
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
