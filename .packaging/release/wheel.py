"""The wheel. It is built first, because every other artefact contains its program."""

import os
import shutil
import zipfile
from pathlib import Path

from .commands import Failure, python_tool, run
from .project import GATEWAY, NAME, python_version, version
from .targets import Target

MATURIN = "maturin==1.16.0"
ZIG = "ziglang==0.17.1"


def binary_path(dist: Path, target: Target) -> Path:
    return dist / "bin" / target.triple / f"{NAME}{target.exe}"


def build(dist: Path, target: Target, zig: bool) -> None:
    """Builds the wheel of one platform, and puts the program beside it."""
    python = python_tool("maturin", MATURIN, *([ZIG] if zig else []))
    command = [str(python), "-m", "maturin", "build", "--release", "--target", target.triple,
               "--manifest-path", str(GATEWAY / "Cargo.toml")]
    if zig:
        # glibc 2.17 is the oldest one that Rust itself supports.
        command += ["--zig", "--compatibility", "manylinux2014"]
    staging = dist / "wheel" / target.triple
    shutil.rmtree(staging, ignore_errors=True)
    # maturin looks for zig's Python package in the Python that is first on the PATH.
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    run([*command, "--out", str(staging)], env={"PATH": path, "CARGO_INCREMENTAL": "0"})
    wheels = list(staging.glob("*.whl"))
    if len(wheels) != 1:
        raise Failure(f"maturin wrote {len(wheels)} wheels to {staging}; one was expected")
    built = Path(shutil.copy(wheels[0], dist))
    shutil.rmtree(dist / "wheel")
    extract(built, binary_path(dist, target))


def extract(wheel: Path, binary: Path) -> None:
    """Takes the program out of a wheel."""
    inside = f"pd_gateway-{python_version(version())}.data/scripts/{binary.name}"
    binary.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as contents:
        if inside not in contents.namelist():
            raise Failure(f"{wheel.name} does not contain {inside}")
        with contents.open(inside) as source, binary.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    binary.chmod(0o755)
    print(f"{wheel.name}\n{binary}")
