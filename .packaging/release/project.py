"""What a release knows of the project: its version, texts, files and addresses."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .commands import Failure
from .targets import Target

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / ".packaging"
DEFAULT_DIST = ROOT / "target" / "dist"
GATEWAY = ROOT / "pd-runtime" / "gateway"
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")
NAME = "pd-gateway"
# The registry of MCP servers, the image's label, npm's `mcpName` and the readme contain this name.
# All of them must agree, because the registry compares them as a proof of ownership.
MCP_NAME = "io.github.pd-runtime/pd-gateway"
IMAGE = "ghcr.io/pd-runtime/pd-gateway"


def manifest_value(key: str, section: str, manifest: Path) -> str:
    """The text of a key in one section of a Cargo.toml. Python 3.9 has no reader of TOML."""
    text = manifest.read_text(encoding="utf-8")
    body = re.search(rf"^\[{re.escape(section)}\]$(.*?)(?=^\[|\Z)", text, re.M | re.S)
    found = body and re.search(rf'^{re.escape(key)} = "([^"]*)"', body.group(1), re.M)
    if not found:
        raise Failure(f"{manifest} has no text `{key}` in [{section}]")
    return found.group(1)


def workspace(key: str) -> str:
    return manifest_value(key, "workspace.package", ROOT / "Cargo.toml")


def version() -> str:
    return workspace("version")


def is_prerelease() -> bool:
    """Whether the version is one like 1.0.0-rc.1, which nobody gets without asking for it."""
    return "-" in version()


def python_version(text: str) -> str:
    """A version as Python's packages spell it: 1.0.0-rc.1 is 1.0.0rc1 there."""
    short = {"alpha": "a", "beta": "b", "rc": "rc"}
    return re.sub(r"-(alpha|beta|rc)\.?(\d+)$", lambda found: short[found[1]] + found[2], text)


def repository() -> str:
    return workspace("repository")


def description() -> str:
    return manifest_value("description", "package", GATEWAY / "Cargo.toml")


def base_name(target: Target) -> str:
    """The name of the archive and the bundle of a platform, without a suffix."""
    return f"{NAME}-{version()}-{target.triple}"


def download_url(file: str) -> str:
    """Where a file of this version's release can be downloaded."""
    return f"{repository()}/releases/download/v{version()}/{file}"


def timestamp() -> int:
    """The time of files in archives: that of the last commit, so that two builds are equal."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    log = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # ZIP archives begin in 1980.
    return int(log.stdout) if log.returncode == 0 and log.stdout.strip() else 315_532_800


def copy_texts(folder: Path) -> None:
    """Copies the readme and the licences, as files and not as symbolic links."""
    shutil.copyfile(GATEWAY / "README.md", folder / "README.md")
    for name in LICENSES:
        shutil.copyfile(ROOT / name, folder / name)


def empty_folder(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def check_tag(tag: str, changelog: str) -> None:
    """Refuses a tag that is not the workspace's version, or that the changelog does not describe."""
    if tag != f"v{version()}":
        raise Failure(f"the tag is {tag}, but Cargo.toml has version {version()}: "
                      f"push the tag v{version()}, or change `workspace.package.version`")
    heading = re.search(rf"^## \[?{re.escape(version())}\]?(.*)$", changelog, re.M)
    if not heading:
        raise Failure(f"CHANGELOG.md has no section `## {version()}`: write what changed")
    if "unreleased" in heading[1]:
        raise Failure(f"CHANGELOG.md calls {version()} unreleased: write the date there, and remove "
                      "\"not published yet\" from the pages that `cargo test -p pd-tests --test source` "
                      "names")
    print(f"{tag} is the version of Cargo.toml, and CHANGELOG.md has a section for it")
