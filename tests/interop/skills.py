"""The server's skills, written to disk as a host may do it, and judged by the reference validator of Agent Skills."""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import skills_ref
import yaml

import raw_http
import server
from report import check, equal, exit_code


def result(url: str, method: str, **params) -> dict:
    _, _, answer = raw_http.inline(url, method, params)
    return answer["result"]


def read(url: str, file: dict) -> bytes:
    """A file as its manifest promised it."""
    [contents] = result(url, "resources/read", uri=file["uri"])["contents"]
    data = contents["text"].encode() if "text" in contents else base64.b64decode(contents["blob"])
    equal(len(data), file["size"])
    equal("sha256:" + hashlib.sha256(data).hexdigest(), file["digest"])
    return data


def materialize(url: str, skill: dict, root: pathlib.Path) -> pathlib.Path:
    for file in skill["resources"]:
        path = root / file["uri"].removeprefix("skill://")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read(url, file))
    return root / skill["uri"].removeprefix("skill://").removesuffix("/SKILL.md")


def valid(directory: pathlib.Path, frontmatter: dict):
    equal(skills_ref.validate(directory), [])
    text = (directory / "SKILL.md").read_text()
    equal(yaml.safe_load(text.split("---\n")[1]), frontmatter)


def through_typescript(repo: str, mode: str) -> list[dict]:
    """What the TypeScript client's own `SkillsClient` lists and reads; it verifies every file."""
    command = ["node", str(server.cache() / "node/typescript_skills.mjs"), mode, *server.stdio_command(repo)]
    ran = subprocess.run(command, capture_output=True, text=True, env=server.QUIET)
    equal((ran.returncode, ran.stderr), (0, ""))
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main():
    with server.repository() as repo, server.http(repo) as (url, _), tempfile.TemporaryDirectory() as root:
        with check("skills: are declared and listed"):
            extensions = result(url, "server/discover")["capabilities"]["extensions"]
            equal(extensions["io.modelcontextprotocol/skills"], {"directoryRead": True})
            skills = result(url, "skills/list")["skills"]
            assert {"history", "compare"} <= {skill["frontmatter"]["name"] for skill in skills}, skills
        for skill in skills:
            name = skill["frontmatter"]["name"]
            with check("skills:", name, "has the files that its manifest promises, and is a valid skill"):
                valid(materialize(url, skill, pathlib.Path(root)), skill["frontmatter"])
            with check("skills:", name, "is the same by itself and in its directory"):
                equal(result(url, "skills/get", uri=skill["uri"])["skill"], skill)
                directory = skill["uri"].removesuffix("/SKILL.md")
                files = [child["uri"] for child in result(url, "resources/directory/read", uri=directory)["resources"]]
                equal(files, [skill["uri"], f"{directory}/references"])
                files = result(url, "resources/directory/read", uri=files[1])["resources"]
                equal([file["uri"] for file in files], [file["uri"] for file in skill["resources"][1:]])
        with check("skills: history carries a file of its author's own"):
            [skill] = [skill for skill in skills if skill["frontmatter"]["name"] == "history"]
            own = "skill://history/references/revisions.md"
            assert own in [file["uri"] for file in skill["resources"]], skill
            [contents] = result(url, "resources/read", uri=own)["contents"]
            equal(contents["mimeType"], "text/markdown")
            assert contents["text"].startswith("# Revisions\n"), contents
            manual = pathlib.Path(root, "history/SKILL.md").read_text()
            assert "- [`references/revisions.md`](references/revisions.md)\n" in manual, manual
        for mode in ("legacy", "auto"):
            with check("skills: the TypeScript client verifies every file,", mode):
                read = through_typescript(repo, mode)
                equal([skill["frontmatter"] for skill in read], [skill["frontmatter"] for skill in skills])
                assert all(skill["verified"] for skill in read), read
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
