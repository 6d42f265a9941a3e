#!/usr/bin/env python3
"""Installs and runs each artefact of this platform where neither cargo nor rustc exists.

`dist.py test` starts this program. It needs Python with venv, Node.js and, for the images,
Docker or root with Debian's packages. Its name is not one of a unit test, because it takes minutes
and needs artefacts.
"""

import argparse
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import List

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
# `dist` is the package beside this file; .packaging has a program of the same name.
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / ".packaging")]

from dist import files, image
from dist.installs import CHECKS, Release
from dist.report import Report
from release.commands import Failure
from release.targets import host

ALL = ["files", *CHECKS, *image.CHECKS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "target" / "dist", metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(ALL)
    if unknown:
        parser.error(f"no such artefact: {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
    report = Report()
    # A container's user must be able to enter the folder of the tests.
    with tempfile.TemporaryDirectory(prefix="pd-dist-") as folder:
        os.chmod(folder, 0o755)
        check_all(report, arguments.dist.resolve(), Path(folder).resolve(), arguments.names or ALL)
    report.print_table()
    if arguments.json:
        report.write_json(arguments.json)
    if report.failures:
        print(f"\nfailed: {', '.join(report.failures)}", file=sys.stderr)
    return 1 if report.failures else 0


def check_all(report: Report, dist: Path, folder: Path, names: List[str]) -> None:
    """Runs the named checks in their order."""
    release = Release(report, dist, host(), folder)
    for name in names:
        if name == "files":
            with report.artefact(name, lambda: dist / "SHA256SUMS"):
                files.check(release, name)
        elif name in CHECKS:
            check, attribute = CHECKS[name]
            with report.artefact(name, partial(getattr, release, attribute)):
                check(release, name)
        else:
            image.check(release, name)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"error: {failure}")
