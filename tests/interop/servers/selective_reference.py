"""The reference implementation of selective disclosure, as a server of both kinds: one tool has rows, the other takes them.

    selective_reference.py ROWS.json PORT [COLUMN THAT NOBODY KNOWS…]"""

import json
import sys

from mcp_sd import S2SPServer

ROWS = json.load(open(sys.argv[1], encoding="utf-8"))
for column in sys.argv[3:]:
    for row in ROWS:
        row[column] = float("nan")  # as such tables have for what nobody measured; no JSON, but Python writes it
server = S2SPServer("reference", s2sp_port=int(sys.argv[2]))


@server.sd_resource_tool()
async def quakes(min_magnitude: float = 0) -> list[dict]:
    """Earthquakes of a week."""
    return [dict(row) for row in ROWS if row["mag"] >= min_magnitude]


@server.sd_consumer_tool()
async def look(rows: list[dict]) -> str:
    """Say what came."""
    return json.dumps(rows)


server.run()
