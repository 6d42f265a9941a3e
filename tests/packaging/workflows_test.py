"""Tests of the workflows: what they call exists, what they may do is least, and the gates bite.

`workflows.py` runs them. They need its tools, which it installs.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import workflows  # noqa: E402

workflows.install()
sys.path.insert(0, str(workflows.TOOLS))

from ruamel.yaml import YAML  # noqa: E402

ROOT = workflows.ROOT


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
                    self.assertTrue((ROOT / word).is_file(), f"{where}: no such file: {word}")
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

    def test_the_step_runs_as_github_runs_it(self) -> None:
        (step,) = load(workflows.ACTIONS / "token-budget/action.yml")["runs"]["steps"]
        # The quote would end a word if the shell read the value.
        inputs = {"HEAD": str(HERE / "token_budget/head.json"), "TITLE": "A 'server'; exit 3"}
        environment = {f"BUDGET_{name}": value for name, value in inputs.items()}
        environment["GITHUB_ACTION_PATH"] = str(workflows.ACTIONS / "token-budget")
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env={"PATH": os.environ["PATH"], **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
        self.assertIn("### A server exit 3\n", ran.stdout.decode())

    def test_the_table_of_the_page_is_what_it_prints(self) -> None:
        page = (workflows.ACTIONS / "token-budget/README.md").read_text(encoding="utf-8")
        golden = (HERE / "token_budget/edited.md").read_text(encoding="utf-8")
        table = golden.split("\n", 2)[2].rstrip()
        self.assertIn(re.sub("^> ?", "", table, flags=re.MULTILINE), re.sub("(?m)^> ?", "", page))

    def test_the_page_has_examples(self) -> None:
        self.assertEqual(len(workflows.examples()), 3)


class Releasing(unittest.TestCase):
    PAGE = ROOT / ".packaging/README.md"

    def test_links_lead_to_files_and_headings(self) -> None:
        text = self.PAGE.read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
        links = re.findall(r"\]\(([^)]+)\)", text)
        self.assertGreater(len(links), 3)
        for link in links:
            if link.startswith("#"):
                self.assertIn(link[1:], anchors)
            else:
                self.assertTrue((self.PAGE.parent / link).exists(), link)

    def test_the_page_names_the_jobs_the_workflow_and_the_environment(self) -> None:
        text = self.PAGE.read_text(encoding="utf-8")
        for job in LOADED["release.yml"]["jobs"].values():
            self.assertIn(job["name"].split(" (")[0], text)
            self.assertIn(job.get("environment", "release"), text)
        self.assertIn("| workflow file | `release.yml` |", text)
        self.assertIn("| environment | `release` |", text)


if __name__ == "__main__":
    unittest.main()
