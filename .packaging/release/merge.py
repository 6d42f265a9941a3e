"""What covers all platforms: the npm launcher, the manifests of package managers, and hashes."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Dict, List, Optional

from . import npm, registry
from .commands import Failure
from .project import NAME, PACKAGING, base_name, download_url, repository, version, workspace
from .targets import TARGETS, Target

# What a person or a program downloads from the release. The templates contain hashes of these.
RELEASED = ("*.whl", "*.tgz", "*.tar.xz", "*.zip", "*.mcpb")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def merge(dist: Path) -> None:
    """Makes every artefact that no platform makes alone, for the platforms in `dist`."""
    npm.pack_launcher(dist)
    archives = {target: dist / (base_name(target) + target.archive_suffix) for target in TARGETS}
    present = {target: sha256(path) for target, path in archives.items() if path.is_file()}
    absent = [target.triple for target in TARGETS if target not in present]
    if absent:
        print(f"no archive of {', '.join(absent)}: formula and manifests leave them out",
              file=sys.stderr)
    write(dist / f"{NAME}.rb", formula(present))
    scoop = scoop_manifest(present)
    if scoop:
        write(dist / f"{NAME}.json", scoop)
    bundles = {target: dist / (base_name(target) + ".mcpb") for target in TARGETS}
    hashes = {target: sha256(path) for target, path in bundles.items() if path.is_file()}
    write(dist / "server.json", registry.server_json(hashes))
    write(dist / "SHA256SUMS", checksums(dist))


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
    print(path.name)


def fill(template: str, values: Dict[str, str]) -> str:
    """Replaces each `@key@` of a template, which must contain all keys."""
    text = (PACKAGING / "templates" / template).read_text(encoding="utf-8")
    for key, value in values.items():
        if f"@{key}@" not in text:
            raise Failure(f"{template} does not contain @{key}@")
        text = text.replace(f"@{key}@", value)
    return text


def formula(hashes: Dict[Target, str]) -> str:
    """The Homebrew formula. Homebrew runs on macOS and Linux."""
    blocks = []
    for system, method in (("darwin", "on_macos"), ("linux", "on_linux")):
        targets = [target for target in hashes if target.npm_os == system]
        if targets:
            inner = "\n".join(formula_block(target, hashes[target]) for target in targets)
            blocks.append(f"  {method} do\n{inner}\n  end\n")
    return fill("homebrew.rb.in", {"version": version(), "homepage": repository(),
                                   "platforms": "\n".join(blocks)})


def formula_block(target: Target, digest: str) -> str:
    method = {"x64": "on_intel", "arm64": "on_arm"}[target.npm_cpu]
    url = download_url(base_name(target) + target.archive_suffix)
    return (f'    {method} do\n      url "{url}"\n      sha256 "{digest}"\n    end')


def scoop_manifest(hashes: Dict[Target, str]) -> Optional[str]:
    """The Scoop manifest, or nothing without a Windows archive."""
    target: Optional[Target] = next((one for one in hashes if one.npm_os == "win32"), None)
    if target is None:
        return None
    name = base_name(target)
    return fill("scoop.json.in", {
        "version": version(), "homepage": repository(), "license": scoop_license(),
        "url": download_url(name + target.archive_suffix), "hash": hashes[target], "folder": name,
        "next_url": download_url(name + target.archive_suffix).replace(version(), "$version"),
        "next_folder": name.replace(version(), "$version"),
    })


def scoop_license() -> str:
    """Scoop separates alternatives by `|`."""
    return "|".join(workspace("license").split(" OR "))


def released_files(dist: Path) -> List[Path]:
    return sorted(path for pattern in RELEASED for path in dist.glob(pattern))


def checksums(dist: Path) -> str:
    """Hashes of all released files, in the format of `sha256sum --check`."""
    files = [*released_files(dist), dist / "server.json"]
    return "".join(f"{sha256(path)}  {path.name}\n" for path in files)


def read_server_json(dist: Path) -> dict:
    return json.loads((dist / "server.json").read_text(encoding="utf-8"))
