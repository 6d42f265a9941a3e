"""The platforms of a release. Packages and manifests derive their platforms from this table."""

import platform
from typing import NamedTuple, Optional

from .commands import Failure


class Target(NamedTuple):
    """One platform, by the name that each ecosystem has for it."""

    triple: str
    npm_os: str
    npm_cpu: str
    npm_libc: Optional[str] = None
    docker_arch: Optional[str] = None

    @property
    def exe(self) -> str:
        return ".exe" if self.npm_os == "win32" else ""

    @property
    def archive_suffix(self) -> str:
        return ".zip" if self.npm_os == "win32" else ".tar.xz"

    @property
    def npm_suffix(self) -> str:
        """The end of the npm package's name, as `process.platform` and `process.arch` have it."""
        return f"{self.npm_os}-{self.npm_cpu}"


TARGETS = (
    Target("x86_64-unknown-linux-gnu", "linux", "x64", "glibc", "amd64"),
    Target("aarch64-unknown-linux-gnu", "linux", "arm64", "glibc", "arm64"),
    Target("x86_64-apple-darwin", "darwin", "x64"),
    Target("aarch64-apple-darwin", "darwin", "arm64"),
    Target("x86_64-pc-windows-msvc", "win32", "x64"),
)


def by_triple(triple: str) -> Target:
    return next(target for target in TARGETS if target.triple == triple)


def host() -> Target:
    """The platform of this machine. Works without rustc, because tests run where none is."""
    systems = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}
    machines = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    system = systems.get(platform.system())
    machine = machines.get(platform.machine().lower())
    for target in TARGETS:
        if (target.npm_os, target.npm_cpu) == (system, machine):
            return target
    raise Failure(f"no release is built for {platform.system()} on {platform.machine()}; "
                  "the platforms are in .packaging/release/targets.py")
