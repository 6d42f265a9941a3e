"""Checks all workflows, actions and dependabot.yml, without asking GitHub.

    workflows.py            actionlint with shellcheck, zizmor, the schemas, and the tests
    workflows.py --online   zizmor alone, which asks GitHub about the pinned commits; needs GH_TOKEN

The example workflows in README files are checked, too. The tools are installed from PyPI into
target/workflows, once for each version of workflows_requirements.txt.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = ROOT / "target/workflows"
TOOLS = TARGET / "packages"
REQUIREMENTS = HERE / "workflows_requirements.txt"
WORKFLOWS = ROOT / ".github/workflows"
ACTIONS = ROOT / ".github/actions"
# A tag of our own repository may be named in examples: readers look for the newest version.
EXAMPLES_CONFIG = """rules:
  unpinned-uses:
    config:
      policies:
        "pd-runtime/*": ref-pin
        "*": hash-pin
"""


class Check(NamedTuple):
    name: str
    command: List[str]


class Checked(NamedTuple):
    name: str
    code: int
    output: str


def install() -> None:
    """Installs the tools, if they are not the required ones."""
    stamp = TOOLS / "installed"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(TOOLS, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--root-user-action=ignore", "--target", str(TOOLS)]
    subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
    stamp.write_text(wanted, encoding="utf-8")


def environment() -> Dict[str, str]:
    """Returns the environment of the tools, some of which are Python programs."""
    return {**os.environ, "PYTHONPATH": str(TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}


def run(check: Check) -> Checked:
    ran = subprocess.run(
        check.command,
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Checked(check.name, ran.returncode, ran.stdout)


def actionlint(files: List[Path]) -> List[str]:
    shellcheck = str(TOOLS / "bin/shellcheck")
    return [str(TOOLS / "bin/actionlint"), "-no-color", "-shellcheck", shellcheck, *paths(files)]


def zizmor(inputs: List[Path], *options: str) -> List[str]:
    return [str(TOOLS / "bin/zizmor"), "--no-progress", "--quiet", *options, *paths(inputs)]


def schema(name: str, files: List[Path]) -> List[str]:
    builtin = ["--builtin-schema", f"vendor.{name}"]
    return [sys.executable, "-m", "check_jsonschema", *builtin, *paths(files)]


def paths(files: List[Path]) -> List[str]:
    return [str(file) for file in files]


def workflows() -> List[Path]:
    return sorted(WORKFLOWS.glob("*.y*ml"))


def actions() -> List[Path]:
    return sorted(ACTIONS.glob("*/action.y*ml"))


def examples() -> List[Path]:
    """Writes the workflows of README files to files of their own."""
    directory = TARGET / "examples"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / "zizmor.yml").write_text(EXAMPLES_CONFIG, encoding="utf-8")
    files = []
    for page in sorted(ACTIONS.glob("*/README.md")):
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for number, block in enumerate(blocks, 1):
            file = directory / f"{page.parent.name}-{number}.yml"
            file.write_text(block, encoding="utf-8")
            files.append(file)
    return files


def offline() -> List[Check]:
    shown = examples()
    config = str(TARGET / "examples/zizmor.yml")
    auditor = ["--offline", "--persona", "auditor"]
    unittest = [sys.executable, "-m", "unittest", "--quiet"]
    return [
        Check("actionlint", actionlint(workflows() + shown)),
        Check("zizmor", zizmor([ROOT / ".github"], *auditor)),
        Check("zizmor of examples", zizmor(shown, "--offline", "--config", config)),
        Check("schema of workflows", schema("github-workflows", workflows() + shown)),
        Check("schema of actions", schema("github-actions", actions())),
        Check("schema of dependabot.yml", schema("dependabot", [ROOT / ".github/dependabot.yml"])),
        Check("tests of the workflows", [*unittest, str(HERE / "workflows_test.py")]),
        Check("tests of the scripts", [*unittest, str(HERE / "workflows_scripts_test.py")]),
        Check("tests of the packages", [*unittest, str(HERE / "dist_rules_test.py")]),
        Check("tests of token-budget", [*unittest, str(HERE / "token_budget_test.py")]),
    ]


def main(arguments: List[str]) -> int:
    install()
    if arguments == ["--online"]:
        if not os.environ.get("GH_TOKEN"):
            print("error: set GH_TOKEN, with which zizmor asks GitHub", file=sys.stderr)
            return 2
        checks = [Check("zizmor", zizmor([ROOT / ".github"], "--persona", "auditor"))]
    elif arguments:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    else:
        checks = offline()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, checks))
    for result in results:
        print(f"{'ok  ' if result.code == 0 else 'FAIL'} {result.name}")
        if result.code != 0:
            print(result.output)
    return 1 if any(result.code for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
