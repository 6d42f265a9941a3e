#!/usr/bin/env python3
"""Builds, checks and publishes what a release of pd-gateway consists of.

Workflows and `just dist` call this program alone, so that a release runs what a person can run.
"""

import argparse
import subprocess
import sys
from pathlib import Path

# Compiled modules do not belong beside the sources.
sys.dont_write_bytecode = True

from release import archive, image, mcpb, merge, npm, publish, wheel
from release.commands import Failure
from release.project import DEFAULT_DIST, ROOT, check_tag
from release.targets import TARGETS, Target, by_triple, host


def parser() -> argparse.ArgumentParser:
    """The command line. Every command takes the folder of artefacts."""
    folder = argparse.ArgumentParser(add_help=False)
    folder.add_argument("--dist", type=Path, default=DEFAULT_DIST, metavar="DIR",
                        help="the folder of artefacts (default: target/dist)")
    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("--target", metavar="TRIPLE", choices=[target.triple for target in TARGETS],
                        help="the platform (default: this machine's)")

    top = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    tag = commands.add_parser("check-tag", help="check a tag against the version and CHANGELOG.md")
    tag.add_argument("tag", metavar="TAG")
    build = commands.add_parser("wheel", parents=[folder, target],
                                help="build the wheel, and take the program from it")
    build.add_argument("--zig", action="store_true",
                       help="link with zig against glibc 2.17, for Linux systems since 2014")
    commands.add_parser("platform", parents=[folder, target],
                        help="pack the program of one platform: archive, npm, MCPB, image folder")
    commands.add_parser("merge", parents=[folder],
                        help="make what covers all platforms: npm launcher, hashes, manifests")
    test = commands.add_parser("test", parents=[folder],
                               help="install and run each artefact of this platform without Rust")
    test.add_argument("arguments", nargs="*", metavar="NAME",
                      help="the artefacts to test (default: all)")
    test.add_argument("--json", type=Path, metavar="FILE", help="write the measurements")
    release = commands.add_parser("publish", parents=[folder],
                                  help="publish what a registry does not have yet")
    release.add_argument("registry", choices=sorted(publish.REGISTRIES))
    release.add_argument("--dry-run", action="store_true",
                         help="check what would be published; works without a network")
    return top


def pack_platform(dist: Path, target: Target) -> None:
    """Packs the program of one platform in every form that contains the program itself."""
    binary = wheel.binary_path(dist, target)
    if not binary.is_file():
        raise Failure(f"{binary} does not exist: run `dist.py wheel --target {target.triple}` "
                      "first, or copy the program there")
    # Uploads between jobs of GitHub Actions lose the executable bit.
    binary.chmod(0o755)
    archive.pack(dist, target, binary)
    npm.pack_platform(dist, target, binary)
    mcpb.pack(dist, target, binary)
    if target.docker_arch:
        image.prepare(dist, target, binary)


def test_artifacts(arguments: argparse.Namespace) -> int:
    script = ROOT / "tests" / "packaging" / "dist_check.py"
    command = [sys.executable, str(script), "--dist", str(arguments.dist), *arguments.arguments]
    if arguments.json:
        command += ["--json", str(arguments.json)]
    return subprocess.run(command, check=False).returncode


def execute(arguments: argparse.Namespace) -> int:
    """Runs one command, and returns the exit code."""
    if arguments.command == "check-tag":
        check_tag(arguments.tag, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        return 0
    arguments.dist = arguments.dist.resolve()
    arguments.dist.mkdir(parents=True, exist_ok=True)
    if arguments.command == "test":
        return test_artifacts(arguments)
    if arguments.command == "publish":
        publish.REGISTRIES[arguments.registry](arguments.dist, arguments.dry_run)
    elif arguments.command == "merge":
        merge.merge(arguments.dist)
    else:
        target = by_triple(arguments.target) if arguments.target else host()
        if arguments.command == "wheel":
            wheel.build(arguments.dist, target, arguments.zig)
        else:
            pack_platform(arguments.dist, target)
    return 0


def main() -> int:
    arguments = parser().parse_args()
    try:
        return execute(arguments)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
