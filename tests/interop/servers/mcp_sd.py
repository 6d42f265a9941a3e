"""The reference implementation of selective disclosure, as a server of both kinds: one tool has rows, the other takes them.

    mcp_sd.py ROWS.json PORT"""

import json
import sys

from mcp_sd import S2SPServer

ROWS = json.load(open(sys.argv[1], encoding="utf-8"))
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
