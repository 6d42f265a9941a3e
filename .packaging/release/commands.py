"""Starts other programs, and installs pinned tools below target/dist-tools."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Mapping, Optional, Sequence

TOOLS = Path(__file__).resolve().parents[2] / "target" / "dist-tools"


class Failure(Exception):
    """An error whose text tells the reader what to do next."""


def program(name: str, install: str) -> str:
    """The path of a program. On Windows, npm is a script that only its full path starts."""
    path = shutil.which(name)
    if path is None:
        raise Failure(f"`{name}` is not on the PATH: install {install}")
    return path


def run(command: Sequence[str], cwd: Optional[Path] = None, env: Optional[Mapping[str, str]] = None,
        quiet: bool = False) -> str:
    """Runs a command to its end. With `quiet`, returns its output, and shows it only on failure."""
    captured = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if quiet else {}
    ended = subprocess.run(list(command), cwd=cwd, env={**os.environ, **(env or {})}, text=True,
                           check=False, **captured)
    if ended.returncode != 0:
        output = f"\n{ended.stdout}" if quiet else ""
        raise Failure(f"`{' '.join(command)}` ended with exit code {ended.returncode}{output}")
    return ended.stdout or ""


def python_tool(name: str, *requirements: str) -> Path:
    """Installs requirements into a virtual environment, once, and returns its Python."""
    home = TOOLS / name
    stamp = home / "requirements.txt"
    wanted = "\n".join(requirements)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (stamp.is_file() and stamp.read_text() == wanted):
        shutil.rmtree(home, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(home)])
        run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             *requirements])
        stamp.write_text(wanted)
    return python


def npm_tool(package: str, version: str, name: str) -> str:
    """Installs a package from npm, once, and returns the path of its program `name`."""
    home = TOOLS / name
    path = home / "node_modules" / ".bin" / (f"{name}.cmd" if os.name == "nt" else name)
    stamp = home / "version"
    if not (stamp.is_file() and stamp.read_text() == version):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        run([program("npm", "Node.js 20 or later"), "install", "--silent", "--no-fund",
             "--no-audit", "--prefix", str(home), f"{package}@{version}"])
        stamp.write_text(version)
    return str(path)
