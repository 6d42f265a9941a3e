"""The build folder of the container images. It has the finished programs, so that no emulation is
needed to build the image of another architecture."""

import shutil
from pathlib import Path
from typing import Dict, List

from .project import (IMAGE, LICENSES, MCP_NAME, PACKAGING, ROOT, is_prerelease, repository,
                      version, workspace)
from .targets import TARGETS, Target

# The suffix of the tag, and the file that builds the image.
VARIANTS: Dict[str, str] = {"": "Dockerfile", "-full": "Dockerfile.full"}


def prepare(dist: Path, target: Target, binary: Path) -> None:
    """Adds one architecture to the folder, with the files that build both images."""
    folder = dist / "image"
    program = folder / str(target.docker_arch) / binary.name
    program.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(binary, program)
    for name in VARIANTS.values():
        shutil.copy(PACKAGING / "oci" / name, folder / name)
    for name in LICENSES:
        shutil.copyfile(ROOT / name, folder / name)
    print(f"image/{target.docker_arch}/{binary.name}")


def architectures(dist: Path) -> List[str]:
    """The architectures that the folder has a program for."""
    known = (target.docker_arch for target in TARGETS if target.docker_arch)
    return [arch for arch in known if (dist / "image" / arch).is_dir()]


def labels(revision: str) -> Dict[str, str]:
    """Labels of both images. The registry of MCP servers requires the first one."""
    return {
        "io.modelcontextprotocol.server.name": MCP_NAME,
        "org.opencontainers.image.source": repository(),
        "org.opencontainers.image.licenses": workspace("license"),
        "org.opencontainers.image.version": version(),
        "org.opencontainers.image.revision": revision,
    }


def tags(suffix: str) -> List[str]:
    """The tags of one variant: the version, and the newest if it is not a prerelease."""
    newest = [] if is_prerelease() else [f"{IMAGE}:{'full' if suffix else 'latest'}"]
    return [f"{IMAGE}:{version()}{suffix}", *newest]
