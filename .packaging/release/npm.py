"""The npm packages: one for each platform with the program, and a launcher that depends on all.

npm installs only the platform package that fits `os`, `cpu` and `libc`. No package has an install
script, because many users switch those off.
"""

import json
import shutil
from pathlib import Path

from .commands import program, run
from .project import (GATEWAY, MCP_NAME, NAME, PACKAGING, copy_texts, description, empty_folder,
                      manifest_value, repository, version)
from .targets import TARGETS, Target

SCOPE = "@pd-runtime"


def platform_name(target: Target) -> str:
    return f"{SCOPE}/{NAME}-{target.npm_suffix}"


def file_name(package: str) -> str:
    """The file that `npm pack` writes for a package."""
    return f"{package.replace('@', '').replace('/', '-')}-{version()}.tgz"


def common() -> dict:
    """The fields that all packages have."""
    return {
        "version": version(),
        "license": manifest_value("license", "workspace.package",
                                  PACKAGING.parent / "Cargo.toml"),
        "homepage": f"{repository()}#readme",
        "repository": {"type": "git", "url": f"git+{repository()}.git"},
    }


def platform_manifest(target: Target) -> dict:
    """The package.json of one platform."""
    manifest = {
        "name": platform_name(target),
        "description": f"The program {NAME} for {target.triple}. Install {NAME} instead.",
        **common(),
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        "files": ["bin", "LICENSE-*"],
        # The launcher resolves the program by this path.
        "exports": {f"./bin/{NAME}{target.exe}": f"./bin/{NAME}{target.exe}"},
        "preferUnplugged": True,
    }
    if target.npm_libc:
        manifest["libc"] = [target.npm_libc]
    return manifest


def launcher_manifest() -> dict:
    """The package.json of the launcher. Versions are exact: the two parts must fit together."""
    return {
        "name": NAME,
        "description": description(),
        **common(),
        "mcpName": MCP_NAME,
        "keywords": ["mcp", "llm", "tools", "gateway", "proxy"],
        "bin": {NAME: f"bin/{NAME}.js"},
        "files": ["bin", "LICENSE-*"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {platform_name(target): version() for target in TARGETS},
    }


def pack_platform(dist: Path, target: Target, binary: Path) -> None:
    """Packs the package with the program of one platform."""
    folder = empty_folder(dist / "npm" / target.npm_suffix)
    (folder / "bin").mkdir()
    copy_texts(folder)
    shutil.copy(binary, folder / "bin" / f"{NAME}{target.exe}")
    (folder / "README.md").write_text(
        f"# {platform_name(target)}\n\n"
        f"The program of [{NAME}](https://www.npmjs.com/package/{NAME}) for {target.triple}.\n"
        f"Install `{NAME}`, which selects the package of your platform.\n", encoding="utf-8")
    pack(dist, folder, platform_manifest(target))


def pack_launcher(dist: Path) -> None:
    """Packs the package that people install."""
    folder = empty_folder(dist / "npm" / "launcher")
    (folder / "bin").mkdir()
    copy_texts(folder)
    shutil.copy(PACKAGING / "npm" / f"{NAME}.js", folder / "bin" / f"{NAME}.js")
    pack(dist, folder, launcher_manifest())


def pack(dist: Path, folder: Path, manifest: dict) -> None:
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    run([program("npm", "Node.js 20 or later"), "pack", "--silent", "--pack-destination",
         str(dist)], cwd=folder, quiet=True)
    shutil.rmtree(dist / "npm")
    print(file_name(manifest["name"]))
