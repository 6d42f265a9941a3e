"""The documents of `card`, judged by those who read them: ajv with the schemas of the registry and of the card, skillsaw's rules
for `server.json`, and the tool that packs MCPB bundles. The server card is also requested over HTTP, as a client does."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import server
from report import check, equal, exit_code

GATEWAY = os.environ.get("PD_GATEWAY") or "PD_GATEWAY must name the gateway's binary; `run` builds and sets it"
CARD_SCHEMA = pathlib.Path(__file__).parent / "cards/server_card.schema.json"
NAME = "io.github.pd-runtime/git"
PLACES = ["--remote", "https://git.example/mcp", "--repository", "https://github.com/pd-runtime/pd-runtime"]
PACKAGES = [
    "npm:@pd-runtime/git",
    "pypi:pd-git@0.1.0",
    "nuget:Pd.Git",
    "oci:ghcr.io/pd-runtime/git:0.1.0",
    f"mcpb:https://github.com/pd-runtime/pd-runtime/releases/download/v0.1.0/git-mcp.mcpb#sha256={'0a' * 32}",
]
AUTHOR = ["--as", "mcpb", "--author", "The pd-runtime authors"]
# The server in front of a repository, and the gateway in front of no file.
SERVERS = {"git": server.BINARY, "gateway": GATEWAY}


def registry_schema() -> pathlib.Path:
    """The released schema of the registry, which skillsaw has with its source, modelcontextprotocol/static at a9ba437d."""
    [schema] = (server.cache() / "cards/lib").glob("python3.*/site-packages/skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json")
    return schema


def card(binary: str, *arguments: str) -> dict:
    ended = subprocess.run([binary, "card", *arguments], capture_output=True, text=True, env=server.QUIET)
    equal((ended.returncode, ended.stderr), (0, ""))
    return json.loads(ended.stdout)


def errors(schema: pathlib.Path, document: dict, work: pathlib.Path) -> str:
    """What ajv says of a document."""
    path = work / "document.json"
    path.write_text(json.dumps(document))
    ended = subprocess.run(
        ["node", server.cache() / "node/ajv.mjs", schema, path], capture_output=True, text=True, env=server.QUIET
    )
    equal(ended.stderr, "")
    return ended.stdout


def linted(document: dict) -> tuple[int, str]:
    """What skillsaw says of an entry, which it knows by the name of its file."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "server.json").write_text(json.dumps(document))
        command = [server.cache() / "cards/bin/skillsaw", "lint", "--strict", "--no-custom-rules", "--no-plugins", "--no-progress", folder]
        ended = subprocess.run(command, capture_output=True, text=True, env=server.QUIET)
        return ended.returncode, ended.stdout


def mcpb(*arguments: str | pathlib.Path) -> tuple[int, str]:
    command = [server.cache() / "node/node_modules/.bin/mcpb", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=server.QUIET, stdin=subprocess.DEVNULL)
    return ended.returncode, ended.stdout + ended.stderr


def cards(work: pathlib.Path):
    for name, binary in SERVERS.items():
        with check("cards: the server card of", name, "fits the schemas of the card and of the registry"):
            document = card(binary, "--name", NAME, *PLACES)
            equal(errors(CARD_SCHEMA, document, work), "")
            # The card has the members of an entry, apart from `$schema`.
            equal(errors(registry_schema(), document, work), "")
    with check("cards: ajv notices a card without a name, and one with tools"):
        assert "name" in errors(CARD_SCHEMA, {**document, "name": "git"}, work)
        assert "additional" in errors(CARD_SCHEMA, {**document, "tools": []}, work)


def entries(work: pathlib.Path):
    packages = [word for package in PACKAGES for word in ("--package", package)]
    for name, binary in SERVERS.items():
        with check("cards: server.json of", name, "fits the schema and the rules of the registry"):
            document = card(binary, "--as", "server.json", "--name", NAME, *PLACES, *packages)
            equal([package["registryType"] for package in document["packages"]], ["npm", "pypi", "nuget", "oci", "mcpb"])
            equal(errors(registry_schema(), document, work), "")
            code, text = linted(document)
            assert code == 0 and "mcp-registry" in text, text
    with check("cards: both notice a wrong entry"):
        assert "description" in errors(registry_schema(), {**document, "description": "a" * 101}, work)
        code, text = linted({**document, "version": "^1.0"})
        assert code == 1 and "mcp-registry-server-json-valid" in text, text


def bundles(work: pathlib.Path):
    for name, binary in SERVERS.items():
        with check("cards: mcpb accepts the manifest of", name):
            (work / "manifest.json").write_text(json.dumps(card(binary, *AUTHOR, "--platform", "linux,darwin,win32", *PLACES[2:])))
            code, text = mcpb("validate", work / "manifest.json")
            equal((code, text.strip()), (0, "Manifest schema validation passes!"))
    with check("cards: mcpb refuses a manifest without an author"):
        manifest = card(server.BINARY, *AUTHOR)
        del manifest["author"]
        (work / "manifest.json").write_text(json.dumps(manifest))
        equal(mcpb("validate", work / "manifest.json")[0], 1)


def installed_bundle(work: pathlib.Path):
    """Packs a bundle, and starts what a host unpacks by the manifest's command."""
    folder, packed, unpacked = work / "bundle", work / "git.mcpb", work / "unpacked"
    (folder / "server").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(card(server.BINARY, *AUTHOR)))
    # The program of a debug build has a hundred megabytes, so the bundle has a script that runs it.
    program = folder / "server/git"
    program.write_text(f'#!/bin/sh\nexec "{server.BINARY}" "$@"\n')
    program.chmod(0o755)
    for arguments in (["pack", folder, packed], ["unpack", packed, unpacked]):
        code, text = mcpb(*arguments)
        assert code == 0, text
    manifest = json.loads((unpacked / "manifest.json").read_text())
    config = manifest["server"]["mcp_config"]
    command = [word.replace("${__dirname}", str(unpacked)) for word in (config["command"], *config["args"], "--listing", "full")]
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cards", "version": "0"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with server.repository() as repo:
        text = "".join(json.dumps(message) + "\n" for message in messages)
        ended = subprocess.run(command, input=text, capture_output=True, text=True, cwd=repo, env=server.QUIET, timeout=20)
    answers = {answer.get("id"): answer for answer in map(json.loads, ended.stdout.splitlines())}
    equal(answers[1]["result"]["serverInfo"]["version"], manifest["version"])
    listed = [tool["name"] for tool in answers[2]["result"]["tools"]]
    equal(set(tool["name"] for tool in manifest["tools"]) - set(listed), set())


def over_http(work: pathlib.Path):
    flags = ("--card-name", NAME, "--card-url", "https://git.example/mcp")
    with server.repository() as repo, server.http(repo, *flags) as (url, _):
        request = urllib.request.Request(f"{url}/server-card", headers={"Accept": "application/mcp-server-card+json"})
        with check("cards: over HTTP, the card is that of the command"), urllib.request.urlopen(request) as answer:
            document = json.load(answer)
            equal(answer.headers["content-type"], "application/mcp-server-card+json")
            equal(errors(CARD_SCHEMA, document, work), "")
            equal(document, card(server.BINARY, "--name", NAME, "--remote", "https://git.example/mcp"))
            tag = answer.headers["etag"]
        with check("cards: over HTTP, the ETag saves the second transfer"):
            request.add_header("If-None-Match", tag)
            try:
                raise AssertionError(f"status {urllib.request.urlopen(request).status}")
            except urllib.error.HTTPError as same:
                equal((same.code, same.headers["etag"], same.read()), (304, tag, b""))


def main():
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        cards(work)
        entries(work)
        bundles(work)
        with check("cards: an unpacked bundle has the tools of its manifest"):
            installed_bundle(work)
        over_http(work)
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
