"""Reads what `tokens --json` prints.

A pull request of a stranger can have made the file, so nothing in it is trusted: sizes are
bounded, numbers are checked, and names leave this module only through `code`.
"""

import json
import os
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, Optional

# The forms in which a server can list a tool, from the shortest.
FORMS = ("minimal", "outline", "full")
MAX_BYTES = 20_000_000
MAX_TOKENS = 10**9
# More than any name that MCP allows. It keeps a row of the table readable.
MAX_NAME = 128
# What stays as it is in a name: letters and digits, and these.
HARMLESS = "_-./:"


class BadInput(Exception):
    """An input that the caller has to correct. The message says how."""


@dataclass(frozen=True)
class Counts:
    """The tokens of a server's tools."""

    tokenizer: str
    tools: Dict[str, Dict[str, int]]
    total: Dict[str, int]
    # What a gateway lists, how many tokens its tools have in full, and the number of its servers.
    gateway: Optional[Dict[str, int]]

    def form(self, tool: str, form: str) -> Optional[int]:
        """Returns the tokens of a tool, or `None` for an unknown tool."""
        return self.tools[tool][form] if tool in self.tools else None


def code(text: str) -> str:
    """Renders text from a file as a code span that Markdown, HTML and the log cannot misread.

    Other characters than harmless ones are percent-encoded, so different names stay different.
    """
    encoded = urllib.parse.quote(text, safe=HARMLESS)
    return f"`{encoded if len(encoded) <= MAX_NAME else encoded[:MAX_NAME] + '…'}`"


def read(path: str, role: str) -> Counts:
    """Reads a file. `role` is the name of the input, for errors."""
    if not os.path.isfile(path):
        raise BadInput(
            f"`{role}`: no such file: {path}. Make it in an earlier step, with "
            f"`SERVER tokens --json > {path}`."
        )
    if os.path.getsize(path) == 0:
        raise BadInput(f"`{role}`: {path} is empty. The command that should fill it failed.")
    if os.path.getsize(path) > MAX_BYTES:
        raise BadInput(f"`{role}`: {path} has more than {MAX_BYTES:,} bytes.")
    try:
        with open(path, encoding="utf-8-sig") as file:
            document = json.load(file)
    # A number of thousands of digits is a ValueError, and brackets in brackets a RecursionError.
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"`{role}`: {path} is not JSON. Write only the standard output of `tokens --json` "
            "to the file; warnings are on standard error."
        ) from error
    try:
        return _counts(document)
    except BadInput as error:
        raise BadInput(
            f"`{role}`: {path} is not the output of `tokens --json`: {error}"
        ) from error


def _counts(document: Any) -> Counts:
    tokenizer = _member(document, "tokenizer", str, "a string")
    tools: Dict[str, Dict[str, int]] = {}
    for number, tool in enumerate(_member(document, "tools", list, "a list"), 1):
        name = _member(tool, "name", str, "a string")
        if name in tools:
            raise BadInput(f"two tools have the name {code(name)}.")
        tools[name] = _forms(tool, f"tool {number}")
    total = _forms(_member(document, "total", dict, "an object"), "`total`")
    gateway = None
    if "gateway" in document:
        gateway = _gateway(document["gateway"])
    return Counts(tokenizer, tools, total, gateway)


def _gateway(value: Any) -> Dict[str, int]:
    if value is None:
        raise BadInput(
            "`gateway` is null, so no server listed its tools. `pd-gateway --config FILE doctor` "
            "shows why."
        )
    return {key: _number(value, key, "`gateway`") for key in ("servers", "tools", "full", "listed")}


def _forms(value: Any, where: str) -> Dict[str, int]:
    return {form: _number(value, form, where) for form in FORMS}


def _member(value: Any, key: str, kind: type, name: str) -> Any:
    member = value.get(key) if isinstance(value, dict) else None
    if not isinstance(member, kind):
        raise BadInput(f"`{key}` has to be {name}.")
    return member


def _number(value: Any, key: str, where: str) -> int:
    number = value.get(key) if isinstance(value, dict) else None
    # `True` is an int in Python.
    if type(number) is not int or not 0 <= number <= MAX_TOKENS:
        raise BadInput(f"{where}: `{key}` has to be a number of tokens.")
    return number
