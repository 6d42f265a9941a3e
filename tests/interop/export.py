"""What the server exports, judged by those it is made for: TypeScript's compiler and Node, the reference validator of Agent
Skills, and the request types of the providers' own SDKs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import skills_ref

import raw_http
import server
from report import check, equal, exit_code

CATALOG = os.environ.get("PD_CATALOG") or "PD_CATALOG must name the catalog's binary; `run` builds and sets it"
# What other servers list.
CAPTURED = sorted((pathlib.Path(__file__).parents[1] / "data").glob("*.json"))
CLIENTS = pathlib.Path(__file__).parent / "clients"
# What a request is checked as; `tools` is what was exported.
REQUESTS = {
    "anthropic": (
        "import type Provider from '@anthropic-ai/sdk';",
        "Provider.MessageCreateParamsNonStreaming",
        "model: 'model', max_tokens: 1, messages: [],",
    ),
    "openai": (
        "import type Provider from 'openai';",
        "Provider.Responses.ResponseCreateParamsNonStreaming",
        "model: 'model', input: '',",
    ),
}
STRICT = ["--strict", "--target", "es2022", "--module", "nodenext", "--noUncheckedIndexedAccess"]
# They hold for more than was promised: whoever compiles stricter than `--strict` can use the files, too.
STRICTER = ["--exactOptionalPropertyTypes", "--verbatimModuleSyntax", "--noPropertyAccessFromIndexSignature"]


def ran(*command: str, cwd: pathlib.Path | None = None) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, env=server.QUIET, cwd=cwd)
    equal((ended.returncode, f"{ended.stdout}{ended.stderr}" if ended.returncode else ""), (0, ""))
    return ended.stdout


def exported(repo: str, form: str, directory: pathlib.Path):
    ran(server.BINARY, "--repo", repo, "export", "--format", form, str(directory))


def compiled(cwd: pathlib.Path, *arguments: str) -> str:
    """What the compiler says; the SDKs' own declarations are theirs to mend."""
    tsc = str(server.cache() / "node/node_modules/.bin/tsc")
    ended = subprocess.run([tsc, *STRICT, *STRICTER, "--skipLibCheck", *arguments], capture_output=True, text=True, cwd=cwd)
    return ended.stdout


def typescript(repo: str, work: pathlib.Path):
    with check("export: typescript compiles under tsc --strict"):
        exported(repo, "typescript", work / "git")
        equal(compiled(work, "--noEmit", "git/index.ts"), "")
    for script in ("chain.ts", "other_servers.ts"):
        (work / script).write_text((CLIENTS / script).read_text())
    with check("export: typescript fits the clients of both SDKs, and a wrong argument is refused"):
        equal(compiled(work, "--outDir", "out", "chain.ts", "other_servers.ts"), "")
        (work / "wrong.ts").write_text("import { history } from './git/index.js';\nawait history.log({ limit: 'many' });\n")
        assert "TS2322" in compiled(work, "--noEmit", "wrong.ts")
    for era in ("session", "inline"):
        with check("export: typescript chains two tools by a real client,", era):
            chained(json.loads(ran("node", "out/chain.js", era, *server.stdio_command(repo), cwd=work)), era)
    with check("export: typescript calls servers of other kinds"):
        of_other_servers(json.loads(ran("node", "out/other_servers.js", cwd=work)))


def chained(told: dict, era: str):
    equal(told["subject"], "Change 8")
    equal((told["author"], told["files"], told["commits"]), ("Ada", ["src/file_2.rs"], 8))
    equal((told["code"], type(told["text"])), ("REVISION_NOT_FOUND", str))
    # Each tool is refused once, with its description; from then on it is called at once.
    proof = ["disclosure_ticket"] if era == "inline" else []

    def asked(name: str, *arguments: str, proven: bool = True) -> str:
        return " ".join([name, ",".join(sorted([*arguments, *(proof if proven else [])]))]).strip()

    equal(
        told["requests"],
        [
            asked("log", "limit", proven=False),
            asked("log", "limit"),
            asked("show", "revision", proven=False),
            asked("show", "revision"),
            asked("log"),
            asked("uncommitted", proven=False),
            asked("uncommitted"),
            asked("show", "revision"),
        ],
    )


def of_other_servers(told: dict):
    wanted = {
        "resource": {"a": 1, "disclosure_ticket": "42"},
        "meta_tool": {"a": 1, "disclosure_ticket": "42"},
        "nothing_to_read": {"a": 1, "disclosure_ticket": "42"},
        "in_meta": "done",
        "stubborn": ["TOOL_DESCRIPTION_REQUIRED", "t: read it"],
        "text": "plain",
        "blocks": [{"type": "image", "data": "", "mimeType": "image/png"}],
        "nothing": "",
        "wrapped": [1],
        "not_wrapped": [1],
        "own_result": {"result": 1},
        "failed": [None, "t: out of order"],
        "failed_block": [None, 't: [{"type":"image","data":"","mimeType":"image/png"}]'],
    }
    for case, outcome in wanted.items():
        equal((case, told[case]), (case, outcome))


def skills(repo: str, work: pathlib.Path):
    with check("export: skills are of every group, every bundle and the top level"):
        exported(repo, "skills", work)
        names = {path.name for path in work.iterdir() if path.is_dir()}
        equal(names, {"git", "history", "trees", "compare", "refs", "insight", "who-broke-it"})
    for name in sorted(names):
        with check("export: the skill", name, "is valid"):
            equal(skills_ref.validate(work / name), [])
            manual = (work / name / "SKILL.md").read_text()
            links = [part.split(")")[0] for part in manual.split("](")[1:]]
            assert links and all((work / name / link).is_file() for link in links), links


def request(provider: str, tools: list[dict], name: str, work: pathlib.Path) -> str:
    """What the compiler says of a request with these tools."""
    head, kind, rest = REQUESTS[provider]
    text = f"{head}\nexport const request: {kind} = {{ {rest} tools: {json.dumps(tools)} }};\n"
    (work / f"{name}.ts").write_text(text)
    return compiled(work, "--noEmit", f"{name}.ts")


def tools_in(directory: pathlib.Path) -> list[dict]:
    return json.loads((directory / "tools.json").read_text())["tools"]


def providers(repo: str, work: pathlib.Path):
    for provider in REQUESTS:
        with check("export:", provider, "tools fit the request type of its SDK"):
            exported(repo, provider, work / provider)
            equal(request(provider, tools_in(work / provider), provider, work), "")
        with check("export:", provider, "a tool that does not fit is noticed"):
            assert "error TS" in request(provider, [*tools_in(work / provider), {"nam": "x"}], "wrong", work)


def captured(work: pathlib.Path):
    """Schemas that others wrote."""
    for file in CAPTURED:
        with check("export: the tools of", file.stem, "compile, and fit both providers' requests"):
            for form in ("typescript", *REQUESTS):
                ran(CATALOG, str(file), "export", "--format", form, str(work / file.stem / form))
            equal(compiled(work, "--noEmit", f"{file.stem}/typescript/index.ts"), "")
            for provider in REQUESTS:
                equal(request(provider, tools_in(work / file.stem / provider), f"{file.stem}-{provider}", work), "")


def descriptions(repo: str, work: pathlib.Path):
    with check("export: tool descriptions are what the resource answers"), server.http(repo) as (url, _):
        exported(repo, "tool-descriptions", work)
        files = {path.stem: json.loads(path.read_text()) for path in work.glob("*.json")}
        equal(len(files), 30)
        _, _, answer = raw_http.inline(url, "resources/read", {"uri": f"resource:///tool_descriptions?tools={','.join(files)}"})
        answered = json.loads(answer["result"]["contents"][0]["text"])
        for description in answered.values():
            del description["inputSchema"]["properties"]["disclosure_ticket"]
            description["inputSchema"]["required"].remove("disclosure_ticket")
            for example in description.get("examples", []):
                del example["input"]["disclosure_ticket"]
        for name, file in files.items():
            file["inputSchema"].setdefault("required", [])
            equal(file, answered[name])


def main():
    # Beside the installed packages, where compiler and Node look for them.
    with server.repository() as repo, tempfile.TemporaryDirectory(dir=server.cache() / "node") as directory:
        work = pathlib.Path(directory)
        (work / "package.json").write_text('{"type": "module"}')
        typescript(repo, work)
        skills(repo, work / "skills")
        providers(repo, work)
        descriptions(repo, work / "descriptions")
        captured(work)
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
