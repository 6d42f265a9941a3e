"""The environment of a user without Rust: a fresh home directory, and a PATH without a compiler."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Sequence

COMPILERS = ("cargo", "rustc", "rustup", "maturin")
# Where package managers find packages, and how they check its certificate. A machine with mirrors
# sets these. Nothing else of the tester's environment reaches a test.
KEPT = ("PIP_", "UV_", "NPM_CONFIG_", "SSL_CERT_", "REQUESTS_CA_", "NODE_EXTRA_CA_", "HTTP_PROXY",
        "HTTPS_PROXY", "NO_PROXY", "SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "LANG")


class Missing(Exception):
    """A program that a check needs is not on this machine."""


def path_without_compilers(mirror: Path) -> str:
    """The PATH of this process without Rust.

    A folder that contains a compiler and other programs is replaced by links to the others.
    """
    folders: List[str] = []
    for folder in dict.fromkeys(os.environ["PATH"].split(os.pathsep)):
        if not any(shutil.which(name, path=folder) for name in COMPILERS):
            folders.append(folder)
        elif shutil.which("sh", path=folder):
            folders.append(str(linked_folder(Path(folder), mirror / str(len(folders)))))
    return os.pathsep.join(folders)


def linked_folder(source: Path, links: Path) -> Path:
    links.mkdir(parents=True)
    for program in source.iterdir():
        if program.stem not in COMPILERS:
            (links / program.name).symlink_to(program)
    return links


class Environment:
    """A home directory, and the variables that go with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.variables = self.fresh_variables()
        self.assert_no_compiler()

    def fresh_variables(self) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if name.upper().startswith(KEPT)}
        real = Path.home()
        # A mirror is often in a file of the real home directory.
        files = {"NPM_CONFIG_USERCONFIG": real / ".npmrc",
                 "PIP_CONFIG_FILE": real / ".config" / "pip" / "pip.conf",
                 "UV_CONFIG_FILE": real / ".config" / "uv" / "uv.toml"}
        for name, path in files.items():
            if path.is_file():
                kept.setdefault(name, str(path))
        home = {"HOME": str(self.home)}
        if os.name == "nt":
            home = {"USERPROFILE": str(self.home),
                    "APPDATA": str(self.home / "AppData" / "Roaming"),
                    "LOCALAPPDATA": str(self.home / "AppData" / "Local")}
        return {**kept, **home, "PATH": path_without_compilers(self.folder / "path"),
                "PIP_DISABLE_PIP_VERSION_CHECK": "1", "npm_config_update_notifier": "false"}

    def assert_no_compiler(self) -> None:
        found = [name for name in COMPILERS if shutil.which(name, path=self.variables["PATH"])]
        assert not found, f"the PATH has {found}"

    def with_path(self, folder: Path) -> "Environment":
        """The same environment with one more folder on the PATH, as after an installation."""
        other = object.__new__(Environment)
        other.folder, other.home = self.folder, self.home
        path = os.pathsep.join([str(folder), self.variables["PATH"]])
        other.variables = {**self.variables, "PATH": path}
        return other

    def run(self, command: Sequence[str], code: int = 0, **options) -> "Output":
        """Runs a command to its end, and compares its exit code."""
        ended = subprocess.run(resolve(command, self.variables["PATH"]), env=self.variables,
                               cwd=options.pop("cwd", self.home), text=True, check=False,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=600, **options)
        output = Output(ended.stdout, ended.stderr)
        assert ended.returncode == code, \
            f"{' '.join(command)} ended with {ended.returncode}, not {code}:\n{output}"
        return output


class Output:
    """What a command wrote."""

    def __init__(self, out: str, err: str) -> None:
        self.out, self.err = out, err

    def __str__(self) -> str:
        return self.out + self.err


def resolve(command: Sequence[str], path: str) -> List[str]:
    """Replaces the program's name by its path. Windows does not search the PATH of `env`."""
    program = shutil.which(command[0], path=path)
    if program is None:
        raise Missing(f"`{command[0]}` is not on the PATH")
    return [program, *command[1:]]


def scripts(venv: Path) -> Path:
    return venv / ("Scripts" if os.name == "nt" else "bin")


def make_venv(folder: Path) -> Path:
    """A virtual environment without packages, and the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return scripts(folder)
