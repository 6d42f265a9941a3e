"""Tests of the workflows: what they call exists, what they may do is least, and the gates bite.

`workflows.py` runs them. They need its tools, which it installs.
"""

import hashlib
import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import workflows  # noqa: E402

workflows.install()
sys.path.insert(0, str(workflows.TOOLS))

from ruamel.yaml import YAML  # noqa: E402

ROOT = workflows.ROOT
sys.path.insert(0, str(ROOT / ".github/scripts"))

import github_release  # noqa: E402
import mcp_publisher  # noqa: E402


def load(path: Path) -> Dict[str, Any]:
    # Of YAML 1.2, where `on` is a text and not a boolean.
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


LOADED = {path.name: load(path) for path in workflows.workflows()}


def jobs() -> Iterator[Tuple[str, Dict[str, Any]]]:
    for name, workflow in LOADED.items():
        for job, content in workflow["jobs"].items():
            yield f"{name}: {job}", content


def commands() -> Iterator[Tuple[str, List[str]]]:
    """Yields each line of each step, as words."""
    for where, job in jobs():
        for step in job["steps"]:
            for line in step.get("run", "").splitlines():
                yield where, shlex.split(line)


class Calls(unittest.TestCase):
    """A release runs what the repository has, and what `just dist-test` runs."""

    def test_scripts_exist(self) -> None:
        scripts = set()
        for where, words in commands():
            for word in words:
                if re.fullmatch(r"[\w./-]+\.(py|sh)|\.ci/\w+", word):
                    scripts.add(word)
                    self.assertTrue((ROOT / word).is_file(), f"{where}: there is no {word}")
        self.assertIn(".ci/run", scripts)
        self.assertIn(".packaging/dist.py", scripts)
        self.assertTrue(os.access(ROOT / ".ci/run", os.X_OK))

    def test_commands_of_dist_exist(self) -> None:
        calls = {
            tuple(words[words.index(".packaging/dist.py") + 1 :])
            for _, words in commands()
            if ".packaging/dist.py" in words
        }
        self.assertLessEqual(
            {"check-tag", "wheel", "platform", "merge", "test", "publish"},
            {call[0] for call in calls},
        )
        for call in sorted(calls):
            # argparse checks the words before `--help` ends the program, and options after that.
            words = [*(word.replace("$", "") for word in call), "--help"]
            command = [sys.executable, str(ROOT / ".packaging/dist.py"), *words]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, f"dist.py {' '.join(call)}: {ran.stderr}")
            for word in words:
                if word.startswith("-"):
                    self.assertIn(word, ran.stdout, f"dist.py {' '.join(call)}")

    def test_recipes_exist(self) -> None:
        text = (ROOT / "justfile").read_text(encoding="utf-8")
        recipes = set(re.findall(r"^([a-z][\w-]*)(?: [^:=]*)?:(?!=)", text, re.MULTILINE))
        called = {words[1] for _, words in commands() if words[:1] == ["just"]}
        self.assertLessEqual({"advisories", "latest"}, called)
        self.assertLessEqual(called, recipes)

    def test_steps_have_no_logic(self) -> None:
        for where, words in commands():
            self.assertFalse(
                {"if", "for", "while", "&&", "||", ";", "|"} & set(words), f"{where}: {words}"
            )


class Pins(unittest.TestCase):
    def test_one_action_has_one_pin(self) -> None:
        pins: Dict[str, Set[str]] = {}
        files = workflows.workflows() + workflows.examples()
        for path in files:
            text = path.read_text(encoding="utf-8")
            for action, pin in re.findall(r"uses: ([\w./-]+)@(.*)", text):
                pins.setdefault(action, set()).add(pin)
                if not action.startswith("pd-runtime/"):
                    self.assertRegex(pin, r"^[0-9a-f]{40} # v\d+\.\d+\.\d+$", action)
        self.assertIn("actions/checkout", pins)
        self.assertEqual({a: p for a, p in pins.items() if len(p) > 1}, {})

    def test_one_compiler_and_one_just(self) -> None:
        texts = [path.read_text(encoding="utf-8") for path in workflows.workflows()]
        texts.append((ROOT / ".ci/run").read_text(encoding="utf-8"))
        compilers = {v for text in texts for v in re.findall(r"RUSTUP_TOOLCHAIN: (\S+)", text)}
        justs = {v for text in texts for v in re.findall(r"rust-just==([\d.]+)", text)}
        self.assertEqual((len(compilers), len(justs)), (1, 1))

    def test_packages_are_pinned(self) -> None:
        for line in workflows.REQUIREMENTS.read_text(encoding="utf-8").splitlines():
            self.assertRegex(line, r"^[\w.-]+==[\d.]+$")


class Permissions(unittest.TestCase):
    def test_a_workflow_has_none_and_a_job_names_its_own(self) -> None:
        for name, workflow in LOADED.items():
            self.assertEqual(workflow["permissions"], {}, name)
            self.assertNotIn("pull_request_target", workflow["on"], name)
        for where, job in jobs():
            self.assertIn("permissions", job, where)
            self.assertIn("timeout-minutes", job, where)

    def test_pull_requests_only_read(self) -> None:
        for job in LOADED["ci.yml"]["jobs"].values():
            self.assertEqual(job["permissions"], {"contents": "read"})

    def test_whoever_writes_in_a_release_waits_for_tests_and_for_a_tag(self) -> None:
        release = LOADED["release.yml"]["jobs"]

        def before(name: str) -> Set[str]:
            needs = release[name].get("needs", [])
            needs = [needs] if isinstance(needs, str) else needs
            return set(needs).union(*(before(need) for need in needs))

        condition = "github.event_name == 'push' && !contains(github.ref_name, '-')"
        self.assertEqual(release["attest"]["if"], condition)
        self.assertLessEqual({"check", "build", "merge"}, before("attest"))
        writers = [n for n, job in release.items() if "write" in job["permissions"].values()]
        self.assertEqual(
            set(writers), {"attest", "github", "crates", "pypi", "npm", "image", "registry"}
        )
        for name in writers:
            if name == "attest":
                continue
            self.assertIn("attest", before(name))
            self.assertEqual(release[name].get("environment"), "release", name)
            # `always()` would run a job also after `attest` was skipped.
            self.assertNotIn("if", release[name])
        for name in ("crates", "pypi", "npm", "registry"):
            self.assertEqual(set(release[name]["permissions"]) - {"contents"}, {"id-token"})

    def test_secrets_are_not_stored(self) -> None:
        for path in workflows.workflows():
            self.assertNotIn("secrets.", path.read_text(encoding="utf-8"), path.name)


GOOD = """name: Good
on: push
permissions: {}
concurrency:
  group: good
  cancel-in-progress: true
jobs:
  good:
    name: Good
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - run: echo "$GITHUB_REF_NAME"
"""


class Gates(unittest.TestCase):
    """Each tool refuses a mistake, and passes the same workflow without it."""

    def check(self, tool: str, text: str) -> workflows.Checked:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / ".github/workflows/test.yml"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            commands = {
                "actionlint": lambda: workflows.actionlint([path]),
                "zizmor": lambda: workflows.zizmor([path], "--offline", "--persona", "auditor"),
                "schema": lambda: workflows.schema("github-workflows", [path]),
            }
            return workflows.run(workflows.Check(tool, commands[tool]()))

    def refuses(self, tool: str, old: str, new: str, words: str) -> None:
        self.assertIn(old, GOOD)
        checked = self.check(tool, GOOD.replace(old, new))
        self.assertNotEqual(checked.code, 0, tool)
        self.assertIn(words, checked.output)

    def test_a_good_workflow_passes(self) -> None:
        for tool in ("actionlint", "zizmor", "schema"):
            checked = self.check(tool, GOOD)
            self.assertEqual(checked.code, 0, checked)

    def test_an_action_without_a_hash(self) -> None:
        pin = "@3d3c42e5aac5ba805825da76410c181273ba90b1"
        self.refuses("zizmor", pin, "@v7", "unpinned-uses")

    def test_credentials_that_stay(self) -> None:
        self.refuses("zizmor", "persist-credentials: false", "fetch-depth: 1", "artipacked")

    def test_missing_permissions(self) -> None:
        self.refuses("zizmor", "permissions: {}\n", "", "excessive-permissions")

    def test_script_injection(self) -> None:
        title = '"${{ github.event.pull_request.title }}"'
        self.refuses("actionlint", '"$GITHUB_REF_NAME"', title, "untrusted")

    def test_a_shell_mistake(self) -> None:
        self.refuses("actionlint", '"$GITHUB_REF_NAME"', "$GITHUB_REF_NAME", "SC2086")

    def test_a_runner_that_does_not_exist(self) -> None:
        self.refuses("actionlint", "ubuntu-24.04", "ubuntu-24.05", "ubuntu-24.05")

    def test_a_key_that_does_not_exist(self) -> None:
        self.refuses("schema", "    timeout-minutes: 5", "    timeout: 5", "timeout")


class TokenBudget(unittest.TestCase):
    def test_inputs_reach_the_script_and_the_page_has_them(self) -> None:
        action = load(workflows.ACTIONS / "token-budget/action.yml")
        page = (workflows.ACTIONS / "token-budget/README.md").read_text(encoding="utf-8")
        script = (workflows.ACTIONS / "token-budget/budget.py").read_text(encoding="utf-8")
        (step,) = action["runs"]["steps"]
        for name in action["inputs"]:
            variable = f"BUDGET_{name.upper()}"
            self.assertEqual(step["env"][variable], f"${{{{ inputs.{name} }}}}")
            self.assertIn(f'"{variable}"', script)
            self.assertIn(f"\n| `{name}` |", page)
        self.assertNotIn("${{", step["run"])

    def test_the_table_of_the_page_is_what_it_prints(self) -> None:
        page = (workflows.ACTIONS / "token-budget/README.md").read_text(encoding="utf-8")
        golden = (HERE / "token_budget/edited.md").read_text(encoding="utf-8")
        table = golden.split("\n", 2)[2].rstrip()
        self.assertIn(re.sub("^> ?", "", table, flags=re.MULTILINE), re.sub("(?m)^> ?", "", page))

    def test_the_page_has_examples(self) -> None:
        self.assertEqual(len(workflows.examples()), 3)


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
        script = ROOT / ".github/scripts/github_release.py"
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
