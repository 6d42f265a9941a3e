"""Addresses that install the gateway in an editor by one click.

The addresses are https redirectors, because GitHub removes links of the schemes `cursor:` and
`vscode:` from Markdown.
"""

import base64
import json
from typing import Dict
from urllib.parse import quote, urlencode

SERVER = "gateway"
# uvx downloads the program at the first start.
CONFIG = {"command": "uvx", "args": ["pd-gateway", "serve"]}
CLAUDE_CODE = f"claude mcp add {SERVER} -- {CONFIG['command']} {' '.join(CONFIG['args'])}"


def cursor(config: dict) -> str:
    """Cursor reads the configuration as Base64 of JSON."""
    text = base64.b64encode(compact(config).encode()).decode()
    return "https://cursor.com/en/install-mcp?" + urlencode({"name": SERVER, "config": text})


def vs_code(config: dict, insiders: bool = False) -> str:
    """VS Code reads the configuration as JSON in the address."""
    host = "insiders.vscode.dev" if insiders else "vscode.dev"
    # `urlencode` would write a space as `+`, which VS Code does not decode.
    return (f"https://{host}/redirect/mcp/install?name={SERVER}"
            f"&config={quote(compact(config), safe='')}"
            + ("&quality=insiders" if insiders else ""))


def compact(config: dict) -> str:
    return json.dumps(config, separators=(",", ":"))


def all_links() -> Dict[str, str]:
    """What the readme shows, by the name of the client."""
    return {"Claude Code": CLAUDE_CODE, "Cursor": cursor(CONFIG), "VS Code": vs_code(CONFIG),
            "VS Code Insiders": vs_code(CONFIG, insiders=True)}
