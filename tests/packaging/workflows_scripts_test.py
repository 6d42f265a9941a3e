"""Tests of the scripts that only the release workflow calls, with a program instead of `gh`."""

import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Tuple
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / ".github/scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))

import github_release  # noqa: E402
import mcp_publisher  # noqa: E402

FAKE_GH = """#!{python}
import json, os, sys
state = os.environ["STATE"]
with open(state) as file:
    release = json.load(file)
command, arguments = sys.argv[2], sys.argv[3:]
release["log"].append(command)
code = 0
if command == "view":
    if release["broken"]:
        code = print("HTTP 403", file=sys.stderr) or 1
    elif release["release"] is None:
        code = print("release not found", file=sys.stderr) or 1
    else:
        print(json.dumps(release["release"]))
elif command == "create":
    assert "--verify-tag" in arguments and "--draft" in arguments, arguments
    with open(arguments[arguments.index("--notes-file") + 1]) as notes:
        release["notes"] = notes.read()
    release["release"] = {{"isDraft": True, "assets": []}}
elif command == "upload":
    release["release"]["assets"].append({{"name": os.path.basename(arguments[1])}})
elif command == "edit":
    release["release"]["isDraft"] = False
with open(state, "w") as file:
    json.dump(release, file)
sys.exit(code)
"""


class GitHubRelease(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.state = self.directory / "state.json"
        self.write(None)
        gh = self.directory / "bin/gh"
        gh.parent.mkdir()
        gh.write_text(FAKE_GH.format(python=sys.executable), encoding="utf-8")
        gh.chmod(gh.stat().st_mode | stat.S_IXUSR)
        self.dist = self.directory / "dist"
        (self.dist / "image").mkdir(parents=True)
        for name in ("a.tar.xz", "SHA256SUMS", "image/program"):
            (self.dist / name).write_text("x", encoding="utf-8")

    def write(self, release: Any, broken: bool = False) -> None:
        state = {"release": release, "log": [], "broken": broken}
        self.state.write_text(json.dumps(state), encoding="utf-8")

    def run_script(self, tag: str = "v0.1.0") -> Tuple[int, str, Dict[str, Any]]:
        environment = {**os.environ, "STATE": str(self.state)}
        environment["PATH"] = f"{self.directory / 'bin'}{os.pathsep}{os.environ['PATH']}"
        script = SCRIPTS / "github_release.py"
        ran = subprocess.run(
            [sys.executable, str(script), tag, str(self.dist)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return ran.returncode, ran.stderr, json.loads(self.state.read_text(encoding="utf-8"))

    def test_a_new_release_is_published_when_it_has_all_files(self) -> None:
        code, error, state = self.run_script()
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(state["log"], ["view", "create", "upload", "upload", "edit"])
        self.assertEqual(state["release"]["isDraft"], False)
        names = {asset["name"] for asset in state["release"]["assets"]}
        self.assertEqual(names, {"a.tar.xz", "SHA256SUMS"})
        self.assertIn("`#[pd_tool]`", state["notes"])

    def test_a_second_run_completes_a_draft_and_leaves_a_release(self) -> None:
        self.write({"isDraft": True, "assets": [{"name": "a.tar.xz"}]})
        self.assertEqual(self.run_script()[2]["log"], ["view", "upload", "edit"])
        self.assertEqual(self.run_script()[2]["log"][3:], ["view"])

    def test_a_published_release_that_lacks_a_file_is_an_error(self) -> None:
        self.write({"isDraft": False, "assets": [{"name": "a.tar.xz"}]})
        code, error, _ = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("lacks SHA256SUMS. Make the next patch version", error)

    def test_another_error_of_github_creates_nothing(self) -> None:
        self.write(None, broken=True)
        code, error, state = self.run_script()
        self.assertEqual((code, state["log"]), (1, ["view"]))
        self.assertIn("HTTP 403", error)

    def test_a_version_without_changes_is_an_error(self) -> None:
        code, error, state = self.run_script("v9.9.9")
        self.assertEqual((code, state["log"]), (1, ["view"]))
        self.assertIn("CHANGELOG.md has no section for v9.9.9", error)

    def test_the_section_of_a_version(self) -> None:
        text = "# Changelog\n\n## 0.2.0\n\n- new\n\n## 0.1.0 (2026)\n\n- old\n"
        self.assertEqual(github_release.changes(text, "v0.2.0"), "- new\n")
        self.assertEqual(github_release.changes(text, "v0.1.0"), "- old\n")
        self.assertRaises(github_release.Failure, github_release.changes, text, "v0.1")


class McpPublisher(unittest.TestCase):
    def test_only_the_archive_with_the_hash_is_installed(self) -> None:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name in ("LICENSE", "mcp-publisher"):
                entry = tarfile.TarInfo(name)
                entry.size = 4
                archive.addfile(entry, io.BytesIO(b"code"))
        data = packed.getvalue()
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "new"
            with self.assertRaisesRegex(ValueError, "the archive has the hash"):
                mcp_publisher.install(data, path)
            self.assertFalse(path.exists())
            mcp_publisher.install(data, path, hashlib.sha256(data).hexdigest())
            self.assertEqual([file.name for file in path.iterdir()], ["mcp-publisher"])
            self.assertTrue(os.access(path / "mcp-publisher", os.X_OK))
            github_path = Path(directory) / "github_path"
            with mock.patch.dict(os.environ, GITHUB_PATH=str(github_path)):
                mcp_publisher.add_to_path(path)
            self.assertEqual(github_path.read_text(encoding="utf-8"), f"{path.resolve()}\n")


if __name__ == "__main__":
    unittest.main()
