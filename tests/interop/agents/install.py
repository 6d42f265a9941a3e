"""Installs frameworks into the cache: each in an environment of its own, once for each content of its list of versions."""

import contextlib
import fcntl
import json
import pathlib
import re
import shutil
import subprocess
import sys

import server
from agents.configurations import NODE

HERE = pathlib.Path(__file__).parent
UV = "uv==0.13.9"
NPM = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
# The servers behind the gateway, where `run gateway` has them, too.
SHARED = {
    "upstreams": HERE.parent / "upstreams/requirements.txt",
    "upstreams_node": HERE.parent / "upstreams/package.json",
}


def folder(package: str) -> pathlib.Path:
    return server.cache() / package if package in SHARED else server.cache() / "agents" / package


def pins(package: str) -> pathlib.Path:
    if package in SHARED:
        return SHARED[package]
    return HERE / "node" / package / "package.json" if package in NODE else HERE / "requirements" / f"{package}.txt"


def version(package: str, distribution: str) -> str:
    text = pins(package).read_text(encoding="utf-8")
    if package in NODE:
        return json.loads(text)["dependencies"][distribution]
    return re.findall(rf"^{re.escape(distribution)}==(.+)$", text, re.M)[0]


@contextlib.contextmanager
def alone(name: str):
    """Waits for others that install the same into this cache."""
    directory = server.cache() / "agents"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*command: str, at: pathlib.Path | None = None):
    ran = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=600)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} … ended with {ran.returncode}: {ran.stderr[-500:]}")


def uv() -> str:
    """uv installs an environment several times as fast as pip."""
    directory = server.cache() / "agents" / "uv"
    with alone("uv"):
        if not (directory / "bin/uv").exists():
            run(sys.executable, "-m", "venv", str(directory))
            run(str(directory / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", UV)
    return str(directory / "bin/uv")


def install(package: str):
    """Installs what the list of versions names, unless that is installed."""
    directory, wanted = folder(package), pins(package)
    with alone(package):
        marker = directory / ".installed"
        if marker.exists() and marker.read_bytes() == wanted.read_bytes():
            return
        print(f"installing into {directory}", file=sys.stderr)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        if wanted.name == "package.json":
            shutil.copy(wanted, directory)
            run(*NPM, at=directory)
        else:
            run(uv(), "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(directory))
            # The lists are complete, and some leave out what a package wants for other ends than MCP.
            run(uv(), "pip", "install", "--quiet", "--no-deps", "--python", str(directory / "bin/python"), "-r", str(wanted))
        shutil.copy(wanted, marker)
