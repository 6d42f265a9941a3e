#!/usr/bin/env python3
"""Downloads `mcp-publisher`, the program that publishes to the registry of MCP servers.

    mcp_publisher.py DIRECTORY

In a workflow, later steps have it on their PATH. No package registry has it, so the version and the
hash are fixed here. The registry refuses a version that is too old with "invalid audience". Then
change both, and take the hash from the page of the release.
"""

import hashlib
import io
import os
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import List

VERSION = "1.8.1"
SHA256 = "a06c9096dcb9727c13555b6be26c7effa707b01f06a4c561ba7a3635443cf2cc"
URL = (
    "https://github.com/modelcontextprotocol/registry/releases/download/"
    f"v{VERSION}/mcp-publisher_linux_amd64.tar.gz"
)
PROGRAM = "mcp-publisher"


def main(arguments: List[str]) -> int:
    if len(arguments) != 1:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    try:
        with urllib.request.urlopen(URL, timeout=60) as reply:
            install(reply.read(), Path(arguments[0]))
        add_to_path(Path(arguments[0]))
    except (OSError, ValueError) as error:
        print(f"error: {URL}: {error}", file=sys.stderr)
        return 1
    return 0


def add_to_path(directory: Path) -> None:
    """Adds the directory to the PATH of the job's later steps."""
    path = os.environ.get("GITHUB_PATH")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{directory.resolve()}\n")


def install(archive: bytes, directory: Path, sha256: str = SHA256) -> None:
    """Checks the archive, and writes the program from it."""
    actual = hashlib.sha256(archive).hexdigest()
    if actual != sha256:
        raise ValueError(
            f"the archive has the hash {actual}, and not {sha256}. If the release is genuine, "
            "change VERSION and SHA256 in .github/scripts/mcp_publisher.py."
        )
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as files:
        try:
            program = files.extractfile(PROGRAM)
        except KeyError:
            program = None
        if program is None:
            raise ValueError(f"the archive has no file {PROGRAM}")
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / PROGRAM
        path.write_bytes(program.read())
    path.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
