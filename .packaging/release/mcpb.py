"""The MCPB bundle, which Claude Desktop and other hosts install by a double click."""

import json
import os
import shutil
from pathlib import Path

from .commands import npm_tool, run
from .project import (NAME, PACKAGING, base_name, copy_texts, description, empty_folder,
                      repository, timestamp, version)
from .targets import Target

MCPB = ("@anthropic-ai/mcpb", "2.1.2", "mcpb")


def manifest(target: Target) -> dict:
    """The bundle's manifest.json, from the template and what differs by platform and version."""
    template = json.loads((PACKAGING / "mcpb" / "manifest.json").read_text(encoding="utf-8"))
    program = f"server/{NAME}{target.exe}"
    template.update(version=version(), description=description().rstrip("."),
                    homepage=repository(), support=f"{repository()}/issues")
    template["repository"] = {"type": "git", "url": f"{repository()}.git"}
    template["server"]["entry_point"] = program
    template["server"]["mcp_config"]["command"] = "${__dirname}/" + program
    template["compatibility"]["platforms"] = [target.npm_os]
    return template


def pack(dist: Path, target: Target, binary: Path) -> None:
    """Validates and packs the bundle of one platform with the format's own tool."""
    folder = empty_folder(dist / "mcpb" / target.triple)
    (folder / "server").mkdir()
    copy_texts(folder)
    shutil.copy(binary, folder / "server" / binary.name)
    (folder / "manifest.json").write_text(json.dumps(manifest(target), indent=2) + "\n",
                                          encoding="utf-8")
    for path in folder.rglob("*"):
        os.utime(path, (timestamp(), timestamp()))
    bundle = dist / (base_name(target) + ".mcpb")
    tool = npm_tool(*MCPB)
    run([tool, "validate", str(folder / "manifest.json")], quiet=True)
    run([tool, "pack", str(folder), str(bundle)], quiet=True)
    shutil.rmtree(folder.parent)
    print(bundle.name)
