#!/usr/bin/env python3
"""Asks a model of yours, once, for words by which people look for tools, and keeps those that help.

    words.py --ask 'COMMAND' --requests requests.jsonl OVERLAY -- SERVER…

COMMAND reads a prompt on standard input and writes the model's answer: `llm`, `claude -p`, `ollama run
qwen3`. SERVER is a server with our command line, or `pd-gateway --config FILE`. Nothing else is started,
and nothing is sent anywhere but to COMMAND.

The requests are those of `check --requests`. Every other one chooses: a word stays only if `check` finds
more of them with it and loses none. The others measure what that is worth. The words are written to
OVERLAY as files that `--overlay OVERLAY` reads. Members that a file has already stay as they are.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

BATCH = 20
PROMPT = """For each of these tools, write what people type who need it and do not know its name.
Answer with one JSON object and nothing else. Its keys are the names of the tools, and each value is
{"aliases": [up to 5 words or short phrases that the texts below do not have],
 "use_when": "one sentence that begins with `Use it`"}.

"""


def run(command: list, **options) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(command, text=True, capture_output=True, **options)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error}")


def described(server: list) -> dict:
    """The descriptions of all tools, by name."""
    with tempfile.TemporaryDirectory() as folder:
        exported = run([*server, "export", "--format", "tool-descriptions", folder])
        if exported.returncode:
            sys.exit(f"`export` of the server failed: {exported.stderr.strip()}")
        files = [json.loads(path.read_text()) for path in sorted(Path(folder).rglob("*.json"))]
    return {file["name"]: file.get("description", "") for file in files if "name" in file}


def asked(command: list, tools: dict, answers: Path) -> dict:
    """The words of the model by tool. A tool with an answer is not asked about again."""
    known = json.loads(answers.read_text()) if answers.exists() else {}
    missing = [name for name in tools if name not in known]
    for start in range(0, len(missing), BATCH):
        names = missing[start : start + BATCH]
        print(f"asking about {start + len(names)} of {len(missing)} tools", file=sys.stderr)
        listed = "\n".join(f"- {name}: {tools[name]}" for name in names)
        answer = run(command, input=PROMPT + listed)
        if answer.returncode:
            sys.exit(f"the model's command failed: {answer.stderr.strip()}")
        words = first_object(answer.stdout)
        # A tool that the model left out has an answer, too, or each run would ask again.
        known |= {name: words[name] if isinstance(words.get(name), dict) else {} for name in names}
        answers.write_text(json.dumps(known, indent=1, ensure_ascii=False))
    return known


def first_object(text: str) -> dict:
    """The JSON object in an answer, which may have a sentence or a fence around it."""
    for place, letter in enumerate(text):
        if letter == "{":
            try:
                found, _ = json.JSONDecoder().raw_decode(text[place:])
            except ValueError:
                continue
            return found if isinstance(found, dict) else {}
    return {}


class Trial:
    """What `check` finds with the words so far."""

    def __init__(self, server: list, overlay: Path, requests: list):
        self.server, self.overlay = server, overlay
        self.requests = {half: requests[start::2] for half, start in (("chosen by", 0), ("measured", 1))}

    def count(self, half: str, missed: set) -> int:
        """How many of the requests in the file are missed, without those that tools declare."""
        return sum(json.loads(line)["text"] in missed for line in self.requests[half])

    def missed(self, half: str) -> set:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(line + "\n" for line in self.requests[half])
            file.flush()
            checked = run([*self.server, "check", "--json", "--requests", file.name, "--within", "1", "--overlay", str(self.overlay)])
        try:
            found = json.loads(checked.stdout)["requests"]["missed"]
        except (ValueError, KeyError, TypeError):
            sys.exit(f"`check` failed: {checked.stderr.strip() or checked.stdout.strip()}")
        # With what tools declare (`found_by`), which a word must not lose either.
        return {missed["request"] for missed in found}


def file_of(overlay: Path, name: str) -> Path:
    return overlay / f"{name}.json"


def write(path: Path, members: dict):
    if members:
        path.write_text(json.dumps(members, indent=2, ensure_ascii=False) + "\n")
    elif path.exists():
        path.unlink()


def candidates(words: dict, before: dict, description: str):
    """The members of a file with one more word each, from the model's words."""
    for alias in words.get("aliases", []) if isinstance(words.get("aliases"), list) else []:
        if isinstance(alias, str) and alias.strip() and alias not in before.get("aliases", []):
            yield "alias", alias, lambda members, alias=alias: {**members, "aliases": [*members.get("aliases", []), alias]}
    use = words.get("use_when")
    if isinstance(use, str) and use.strip():
        yield "when to use", use, lambda members: {**members, "description": f"{members.get('description', description)}\n\n{use.strip()}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ask", required=True, metavar="COMMAND", help="the command that asks the model")
    parser.add_argument("--requests", required=True, type=Path, metavar="FILE", help="JSON Lines, as for `check --requests`")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="where the answers are kept (default: OVERLAY with .answers.json)")
    parser.add_argument("overlay", type=Path)
    parser.add_argument("server", nargs="+")
    options = parser.parse_args()
    lines = [line for line in options.requests.read_text().splitlines() if line.strip()]
    if len(lines) < 2:
        sys.exit(f"{options.requests} has {len(lines)} requests; half of them choose the words, so write at least two")
    options.overlay.mkdir(parents=True, exist_ok=True)
    answers = options.answers or options.overlay.with_suffix(".answers.json")
    tools = described(options.server)
    words = asked(shlex.split(options.ask), tools, answers)
    trial = Trial(options.server, options.overlay, lines)
    missed = {half: trial.missed(half) for half in trial.requests}
    before = {half: trial.count(half, found) for half, found in missed.items()}
    # Only a tool that should be found and is not can help.
    chosen_by = [json.loads(line) for line in trial.requests["chosen by"]]
    wanted = {tool for request in chosen_by if request["text"] in missed["chosen by"] for tool in request["relevant"]}
    kept = 0
    for name in sorted(wanted & words.keys() & tools.keys()):
        path = file_of(options.overlay, name)
        members = json.loads(path.read_text()) if path.exists() else {}
        for kind, text, added in candidates(words[name], members, tools[name]):
            tried = added(members)
            write(path, tried)
            now = trial.missed("chosen by")
            if now < missed["chosen by"]:
                print(f"kept: {name}, {kind}: {text}")
                members, missed["chosen by"], kept = tried, now, kept + 1
            else:
                write(path, members)
    missed["measured"] = trial.missed("measured")
    after = {half: trial.count(half, found) for half, found in missed.items()}
    print(f"{kept} texts kept in {options.overlay}; every other request chose them, and the rest measures them")
    for half, requests in trial.requests.items():
        print(f"{half}: {len(requests)} requests, {before[half]} not first before, {after[half]} now")


if __name__ == "__main__":
    main()
