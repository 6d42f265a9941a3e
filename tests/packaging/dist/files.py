"""What a machine reads of a release: hashes and the manifests of package managers."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

from release import merge, registry

from .installs import Release


def check(release: Release, name: str) -> None:
    report, dist = release.report, release.dist
    with report.check(name, "SHA256SUMS has each released file, with its hash"):
        lines = dict(reversed(line.split("  ")) for line
                     in (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
        assert set(lines) == {path.name for path in merge.released_files(dist)} | {"server.json"}
        for file, digest in lines.items():
            assert hash_of(dist / file) == digest, file
    with report.check(name, "hashes of the manifests are those of their files"):
        for file in ("server.json", "pd-gateway.rb", "pd-gateway.json"):
            if (dist / file).is_file():
                compare_hashes(dist, (dist / file).read_text(encoding="utf-8"))
    with report.check(name, "server.json keeps the rules of the registry"):
        errors = registry.violations(merge.read_server_json(dist))
        assert not errors, errors
    if (dist / "pd-gateway.json").is_file():
        with report.check(name, "Scoop's manifest is JSON"):
            json.loads((dist / "pd-gateway.json").read_text(encoding="utf-8"))
    if shutil.which("ruby"):
        with report.check(name, "Ruby reads the formula"):
            subprocess.run(["ruby", "-c", str(dist / "pd-gateway.rb")], check=True,
                           stdout=subprocess.DEVNULL)


def compare_hashes(dist: Path, text: str) -> None:
    """Each hash follows the address of its file."""
    pairs = re.findall(r'/download/[^/"]+/([^"]+)"[^}]*?"([0-9a-f]{64})"', text)
    assert len(pairs) == len(re.findall(r'"[0-9a-f]{64}"', text)) > 0, text
    for file, digest in pairs:
        assert hash_of(dist / file) == digest, file


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
