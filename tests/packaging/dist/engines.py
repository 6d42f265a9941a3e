"""Two ways to build and run a container image: Docker, and Debian's buildah as root.

buildah needs no daemon. Where base images cannot be pulled, small Debian systems take their place.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

from .environment import Missing

Mounts = Dict[Path, str]
PACKAGES = ("buildah", "skopeo", "mmdebstrap")


class Config(NamedTuple):
    """What an image says about itself."""

    entrypoint: List[str]
    command: List[str]
    user: str
    labels: Dict[str, str]


class Docker:
    """Builds on the real base images."""

    stand_ins = False

    def build(self, folder: Path, file: str, tag: str, arch: str, full: bool) -> None:
        del full
        call("docker", "build", "--quiet", f"--platform=linux/{arch}", "--tag", tag,
             "--file", str(folder / file), str(folder))

    def config(self, tag: str) -> Config:
        return config_of(json.loads(call("docker", "image", "inspect", tag))[0]["Config"])

    def size(self, tag: str) -> int:
        return int(call("docker", "image", "inspect", "--format", "{{.Size}}", tag))

    def command(self, tag: str, arguments: Optional[List[str]], mounts: Mounts) -> List[str]:
        volumes = [f"--volume={source}:{target}:ro" for source, target in mounts.items()]
        # The HTTP server of the test listens on this machine's loopback address.
        return ["docker", "run", "--rm", "--interactive", "--network=host", *volumes, tag,
                *(arguments or [])]

    def remove(self, tag: str) -> None:
        call("docker", "image", "rm", "--force", tag)


class Buildah:
    """Builds on stand-ins, and runs in chroot isolation, which works inside a container, too."""

    stand_ins = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.containers: Dict[str, str] = {}

    def buildah(self, *arguments: str) -> str:
        # vfs needs no kernel module and no FUSE.
        return call("buildah", "--storage-driver", "vfs", *arguments)

    def stand_in(self, name: str, *packages: str) -> str:
        """A small Debian system in the place of a base image."""
        tag, archive = f"localhost/pd-{name}", self.folder / f"{name}.tar"
        # `extract` has no package manager; an image that installs packages needs one.
        variant = "apt" if "apt" in packages else "extract"
        include = ",".join(package for package in packages if package != "apt")
        # `extract` runs no script of a package, and one of them would write this file.
        certificates = ('mkdir -p "$1"/etc/ssl/certs && cat "$1"/usr/share/ca-certificates/*/*.crt '
                        '> "$1"/etc/ssl/certs/ca-certificates.crt')
        hooks = [f"--extract-hook={certificates}"] if variant == "extract" else []
        call("mmdebstrap", "--quiet", f"--variant={variant}", f"--include={include}", *hooks,
             "bookworm", str(archive))
        container = self.buildah("from", "scratch").strip()
        self.buildah("add", "--quiet", container, str(archive), "/")
        self.buildah("commit", "--quiet", container, tag)
        self.buildah("rm", container)
        archive.unlink()
        return tag

    def tools_image(self, tag: str, *programs: Path) -> str:
        """An image with programs of this machine, at its top as in uv's image."""
        container = self.buildah("from", "scratch").strip()
        self.buildah("add", "--quiet", container, *map(str, programs), "/")
        self.buildah("commit", "--quiet", container, tag)
        self.buildah("rm", container)
        return tag

    def build(self, folder: Path, file: str, tag: str, arch: str, full: bool) -> None:
        if full:
            base = self.stand_in("debian", "apt", "ca-certificates")
            programs = [self.folder / name for name in ("uv", "uvx")]
            uv = self.tools_image("localhost/pd-uv", *programs)
            arguments = ["--build-arg", f"BASE={base}", "--build-arg", f"UV={uv}"]
        else:
            base = self.stand_in("distroless", "libc6", "libgcc-s1", "ca-certificates")
            arguments = ["--build-arg", f"BASE={base}"]
        self.buildah("bud", "--isolation", "chroot", "--pull-never", "--quiet", *arguments,
                     "--build-arg", f"TARGETARCH={arch}", "--tag", tag,
                     "--file", str(folder / file), str(folder))

    def config(self, tag: str) -> Config:
        inspected = json.loads(self.buildah("inspect", "--type", "image", tag))
        return config_of(inspected["OCIv1"]["config"])

    def size(self, tag: str) -> int:
        archive = self.folder / "image.tar"
        self.buildah("push", "--quiet", tag, f"oci-archive:{archive}")
        size = archive.stat().st_size
        archive.unlink()
        return size

    def command(self, tag: str, arguments: Optional[List[str]], mounts: Mounts) -> List[str]:
        """`buildah run` ignores the image's entry point, so the command repeats it."""
        container = self.containers.get(tag) or self.buildah("from", "--pull-never", tag).strip()
        self.containers[tag] = container
        config = self.config(tag)
        volumes = [f"--volume={source}:{target}:ro" for source, target in mounts.items()]
        return ["buildah", "--storage-driver", "vfs", "run", "--isolation", "chroot", *volumes,
                container, "--", *config.entrypoint,
                *(config.command if arguments is None else arguments)]

    def remove(self, tag: str) -> None:
        container = self.containers.pop(tag, None)
        if container:
            self.buildah("rm", container)
        self.buildah("rmi", "--force", tag)


def config_of(config: dict) -> Config:
    return Config(config.get("Entrypoint") or [], config.get("Cmd") or [], config.get("User", ""),
                  config.get("Labels") or {})


def call(*command: str) -> str:
    ended = subprocess.run(command, text=True, check=False, capture_output=True)
    assert ended.returncode == 0, f"{' '.join(command)}:\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def choose(folder: Path):
    """Docker if its daemon answers, otherwise buildah, which Debian has as a package."""
    if shutil.which("docker") and subprocess.run(
            ["docker", "version"], check=False, capture_output=True).returncode == 0:
        return Docker()
    missing = [name for name in PACKAGES if not shutil.which(name)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "--no-install-recommends",
                        *missing], check=True, stdout=subprocess.DEVNULL)
    elif missing or os.geteuid() != 0:
        raise Missing("the image needs a running Docker, or root with these packages: "
                      + f"apt-get install {' '.join(PACKAGES)}")
    return Buildah(folder)
