#!/usr/bin/env python3
"""Creates the GitHub release of a tag with all artefacts, and completes one that exists.

    github_release.py TAG DIRECTORY…

The files are those directly in the directories. The release stays a draft until it has all of them,
because files of a published release can be immutable. Needs `gh` and GH_TOKEN.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional

ROOT = Path(__file__).resolve().parents[2]


class Failure(Exception):
    """The release could not be made. The message says what to do."""


def main(arguments: List[str]) -> int:
    if len(arguments) < 2:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    try:
        release(arguments[0], [Path(directory) for directory in arguments[1:]])
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    return 0


def release(tag: str, directories: List[Path]) -> None:
    """Creates what is missing of the release."""
    files = _files(directories)
    state = _state(tag)
    if state is None:
        notes = changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), tag)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "notes.md"
            path.write_text(notes, encoding="utf-8")
            # GitHub would create a tag that is missing, at the newest commit.
            _gh("create", tag, "--verify-tag", "--draft", "--title", tag, "--notes-file", str(path))
        state = {"assets": [], "isDraft": True}
    present = {asset["name"] for asset in state["assets"]}
    missing = [path for name, path in files.items() if name not in present]
    if missing and not state["isDraft"]:
        names = ", ".join(path.name for path in missing)
        raise Failure(
            f"the release {tag} is published and lacks {names}. Make the next patch version: "
            "people may have the published files already."
        )
    for path in missing:
        _gh("upload", tag, str(path))
    if state["isDraft"]:
        _gh("edit", tag, "--draft=false")
    print(f"{tag}: {len(missing)} files uploaded, {len(present)} were there")


def changes(changelog: str, tag: str) -> str:
    """Returns the section of a version, without its heading."""
    version = re.escape(tag.removeprefix("v"))
    heading = rf"^## \[?v?{version}\]?(?![\w.-])[^\n]*$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found.group(1).strip():
        raise Failure(f"CHANGELOG.md has no section for {tag}. Add it, and make the tag again.")
    return found.group(1).strip() + "\n"


def _files(directories: List[Path]) -> Dict[str, Path]:
    files: Dict[str, Path] = {}
    for directory in directories:
        if not directory.is_dir():
            raise Failure(f"no such directory: {directory}")
        for path in sorted(directory.iterdir()):
            if not path.is_file():
                continue
            if path.name in files:
                raise Failure(f"two files have the name {path.name}")
            files[path.name] = path
    if not files:
        raise Failure("the directories have no files. `dist.py merge` makes them.")
    return files


def _state(tag: str) -> Optional[Dict]:
    """Returns the release, or `None` if GitHub has none."""
    ran = subprocess.run(
        ["gh", "release", "view", tag, "--json", "assets,isDraft"],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == 0:
        return json.loads(ran.stdout)
    # Another error, such as a token without rights, must not look like a missing release.
    if "release not found" in ran.stderr:
        return None
    raise Failure(f"`gh release view {tag}` failed: {ran.stderr.strip()}")


def _gh(*arguments: str) -> None:
    ran = subprocess.run(["gh", "release", *arguments], check=False)
    if ran.returncode != 0:
        raise Failure(f"`gh release {' '.join(arguments)}` failed. Run this job again.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
