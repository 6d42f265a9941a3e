"""Publishes what each registry does not have yet, so that a release that failed can run again.

No command contains a secret. GitHub's workflow is a trusted publisher of crates.io, PyPI and npm;
for the first release of a crate, the environment has a token (`CARGO_REGISTRY_TOKEN`).
With `--dry-run`, nothing asks a registry what it has, so that the check works offline.
"""

import json
import os
import shlex
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Callable, Dict, List
from urllib.parse import quote

from . import image, merge, npm, registry
from .commands import Failure, program, python_tool, run
from .project import MCP_NAME, NAME, ROOT, is_prerelease, version
from .targets import TARGETS

TWINE = "twine==7.0.0"


def fetch(url: str) -> str:
    """The text at an address, or nothing if the registry does not know it."""
    request = urllib.request.Request(url, headers={"User-Agent": f"{NAME} release"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            return ""
        raise Failure(f"{url} answers {error.code}: try again") from error
    except OSError as error:
        raise Failure(f"{url} cannot be reached: {error}") from error


def wanted_crates() -> List[str]:
    """The crates of the workspace that may be published."""
    metadata = json.loads(subprocess.check_output(
        [program("cargo", "Rust"), "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT))
    return [package["name"] for package in metadata["packages"] if package["publish"] != []]


def crate_exists(name: str) -> bool:
    """Whether crates.io has this version. The index has one line of JSON for each version."""
    index = fetch(f"https://index.crates.io/{name[:2]}/{name[2:4]}/{name}")
    return any(json.loads(line)["vers"] == version() for line in index.splitlines())


def crates(dist: Path, dry_run: bool) -> None:
    """Publishes the crates. Cargo orders them, and waits until the index has each."""
    del dist  # crates are packed from the sources
    cargo = [program("cargo", "Rust"), "publish", "--locked"]
    if dry_run:
        run([*cargo, "--workspace", "--dry-run", "--no-verify"], cwd=ROOT)
        return
    missing = [name for name in wanted_crates() if not crate_exists(name)]
    if not missing:
        print(f"crates.io has {version()} of all crates")
        return
    # Compiling once more here could outlive a token of thirty minutes; the release has built them.
    packages = [argument for name in missing for argument in ("--package", name)]
    run([*cargo, "--no-verify", *packages], cwd=ROOT)


def npm_packages() -> List[str]:
    """Platform packages come first: npm silently leaves out optional packages that do not exist."""
    return [*(npm.platform_name(target) for target in TARGETS), NAME]


def npm_registry(dist: Path, dry_run: bool) -> None:
    command = program("npm", "Node.js 22.14 or later with npm 11.5.1 or later")
    files = {name: dist / npm.file_name(name) for name in npm_packages()}
    missing = [path.name for path in files.values() if not path.is_file()]
    if missing and not dry_run:
        raise Failure(f"{dist} lacks {', '.join(missing)}: a launcher without all platform "
                      "packages would fail for their users")
    options = ["--access", "public", "--tag", "next" if is_prerelease() else "latest"]
    for name, path in files.items():
        if not path.is_file():
            print(f"{path.name} is not in {dist}")
        elif dry_run:
            run([command, "publish", str(path), *options, "--dry-run"])
        elif npm_exists(command, name):
            print(f"npm has {name} {version()}")
        else:
            run([command, "publish", str(path), *options])


def npm_exists(command: str, name: str) -> bool:
    view = subprocess.run([command, "view", f"{name}@{version()}", "version", "--json"],
                          text=True, check=False, capture_output=True)
    if view.returncode == 0:
        return bool(view.stdout.strip())
    if "E404" in view.stdout + view.stderr:
        return False
    raise Failure(f"npm cannot tell whether {name} {version()} exists: {view.stderr.strip()}")


def pypi(dist: Path, dry_run: bool) -> None:
    """Uploads the wheels. Twine gets a token from GitHub by itself, and skips wheels that exist."""
    wheels = [str(path) for path in sorted(dist.glob("*.whl"))]
    if not wheels:
        raise Failure(f"{dist} has no wheel: run `dist.py wheel`")
    twine = [str(python_tool("twine", TWINE)), "-m", "twine"]
    run([*twine, "check", "--strict", *wheels])
    if not dry_run:
        run([*twine, "upload", "--non-interactive", "--skip-existing", *wheels])


def images(dist: Path, dry_run: bool) -> None:
    """Builds both images for all architectures of the folder, and pushes them."""
    found = image.architectures(dist)
    wanted = [target.docker_arch for target in TARGETS if target.docker_arch]
    if found != wanted and not dry_run:
        raise Failure(f"{dist / 'image'} has programs for {found}; {wanted} are needed")
    if not found:
        raise Failure(f"{dist / 'image'} has no program: run `dist.py platform` on Linux")
    for suffix, file in image.VARIANTS.items():
        command = build_command(dist, suffix, file, found)
        if dry_run:
            print(shlex.join(command))
        elif image_exists(image.tags(suffix)[0]):
            print(f"the registry has {image.tags(suffix)[0]}")
        else:
            run(command)


def build_command(dist: Path, suffix: str, file: str, architectures: List[str]) -> List[str]:
    revision = os.environ.get("GITHUB_SHA") or subprocess.check_output(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    labels = [f"--label={key}={value}" for key, value in image.labels(revision).items()]
    tags = [f"--tag={tag}" for tag in image.tags(suffix)]
    platforms = ",".join(f"linux/{arch}" for arch in architectures)
    return ["docker", "buildx", "build", "--push", "--provenance=mode=max", "--sbom=true",
            f"--platform={platforms}", *labels, *tags, f"--file={dist / 'image' / file}",
            str(dist / "image")]


def image_exists(tag: str) -> bool:
    docker = program("docker", "Docker with buildx")
    inspect = subprocess.run([docker, "buildx", "imagetools", "inspect", tag], text=True,
                             check=False, capture_output=True)
    if inspect.returncode == 0:
        return True
    if "not found" in inspect.stderr or "denied" in inspect.stderr:
        return False
    raise Failure(f"docker cannot tell whether {tag} exists: {inspect.stderr.strip()}")


def mcp_registry(dist: Path, dry_run: bool) -> None:
    """Publishes server.json. The registry then downloads the packages to check their owner."""
    path = dist / "server.json"
    if not path.is_file():
        raise Failure(f"{path} does not exist: run `dist.py merge`")
    errors = registry.violations(merge.read_server_json(dist))
    if errors:
        raise Failure(f"{path} breaks rules of the registry: {'; '.join(errors)}")
    print(f"{path} keeps the rules of the registry")
    if dry_run:
        return
    address = "https://registry.modelcontextprotocol.io/v0.1/servers/"
    if fetch(f"{address}{quote(MCP_NAME, safe='')}/versions/{version()}"):
        print(f"the registry has {MCP_NAME} {version()}")
        return
    publisher = program("mcp-publisher", "it from the releases of modelcontextprotocol/registry")
    # The publisher reads server.json in the current directory, and writes its token there, too.
    folder = dist / "registry"
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / "server.json")
    try:
        run([publisher, "validate"], cwd=folder)
        run([publisher, "login", "github-oidc"], cwd=folder)
        run([publisher, "publish"], cwd=folder)
    finally:
        shutil.rmtree(folder)


REGISTRIES: Dict[str, Callable[[Path, bool], None]] = {
    "crates": crates, "npm": npm_registry, "pypi": pypi, "image": images, "registry": mcp_registry,
}
