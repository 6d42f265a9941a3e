"""The entry in the registry of MCP servers, and the registry's rules for it.

The registry checks these rules when an entry is published, and its JSON Schema states only some of
them. A violation found at that moment comes after everything else was published.
"""

import json
import re
from typing import Dict, List
from urllib.parse import urlparse

from .commands import Failure
from .project import (IMAGE, MCP_NAME, NAME, PACKAGING, base_name, description, download_url,
                      python_version, repository, version)
from .targets import Target

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
LONGEST_DESCRIPTION = 100
IMAGE_HOSTS = ("docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com")
BUNDLE_HOSTS = ("github.com", "www.github.com", "gitlab.com", "www.gitlab.com")
RANGE = re.compile(r"[\^~<>=*| ]|(^|\.)x(\.|$)|^latest$")


def server_json(bundle_hashes: Dict[Target, str]) -> str:
    """The entry with the packages that exist, checked against the rules."""
    template = json.loads((PACKAGING / "templates" / "server.json").read_text(encoding="utf-8"))
    template.update(name=MCP_NAME, description=description().rstrip("."), version=version(),
                    websiteUrl=repository())
    template["repository"] = {"url": repository(), "source": "github"}
    for package in template["packages"]:
        if package["registryType"] == "oci":
            package["identifier"] = f"{IMAGE}:{version()}"
        else:
            spell = python_version if package["registryType"] == "pypi" else str
            package.update(identifier=NAME, version=spell(version()))
    template["packages"] += [bundle(target, digest) for target, digest in bundle_hashes.items()]
    errors = violations(template)
    if errors:
        raise Failure("server.json breaks rules of the registry: " + "; ".join(errors))
    return json.dumps(template, indent=2) + "\n"


def bundle(target: Target, digest: str) -> dict:
    return {"registryType": "mcpb", "identifier": download_url(base_name(target) + ".mcpb"),
            "version": version(), "fileSha256": digest, "transport": {"type": "stdio"}}


def violations(server: dict) -> List[str]:
    """Every rule of the registry that an entry breaks, as a sentence."""
    errors = []
    if server.get("$schema") != SCHEMA:
        errors.append(f"`$schema` is not {SCHEMA}")
    if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server.get("name", "")):
        errors.append("`name` is not NAMESPACE/NAME of letters, digits, `.`, `-` and `_`")
    if not 1 <= len(server.get("description", "")) <= LONGEST_DESCRIPTION:
        errors.append(f"`description` does not have 1 to {LONGEST_DESCRIPTION} characters")
    if is_range(server.get("version", "")):
        errors.append("`version` is not one version")
    if not server.get("packages"):
        errors.append("`packages` is empty")
    for index, package in enumerate(server.get("packages", [])):
        of_type = RULES.get(package.get("registryType"), unknown_type)
        errors += [f"packages[{index}]: {error}"
                   for error in [*of_type(package), *of_all(package, server)]]
    return errors


def is_range(text: str) -> bool:
    return not text or RANGE.search(text) is not None


def of_all(package: dict, server: dict) -> List[str]:
    errors = []
    if package.get("transport", {}).get("type") not in ("stdio", "streamable-http", "sse"):
        errors.append("`transport.type` is missing")
    wanted = server.get("version", "")
    if package.get("registryType") == "pypi":
        wanted = python_version(wanted)
    if "version" in package and package["version"] != wanted:
        errors.append("`version` is not the server's version")
    return errors


def of_package(package: dict) -> List[str]:
    """npm and PyPI: a name and a version. Files of these have hashes in their registries."""
    errors = [] if package.get("identifier") else ["`identifier` is missing"]
    if is_range(package.get("version", "")):
        errors.append("`version` is not one version")
    return errors + unexpected(package, "fileSha256")


def of_image(package: dict) -> List[str]:
    """OCI: one reference with a tag, from a public host, and nothing beside it."""
    reference = package.get("identifier", "")
    errors = []
    if reference.split("/")[0] not in IMAGE_HOSTS:
        errors.append(f"the image is not on one of {', '.join(IMAGE_HOSTS)}")
    if not re.search(r"[^/]:[\w.-]+$|@sha256:[0-9a-f]{64}$", reference):
        errors.append("`identifier` has no tag")
    if reference != reference.lower():
        errors.append("`identifier` has upper-case letters")
    return errors + unexpected(package, "registryBaseUrl", "version", "fileSha256")


def of_bundle(package: dict) -> List[str]:
    """MCPB: an address on GitHub or GitLab that contains "mcp", and the file's hash."""
    address = urlparse(package.get("identifier", ""))
    errors = []
    if address.scheme != "https" or address.netloc not in BUNDLE_HOSTS:
        errors.append(f"`identifier` is not an https address on one of {', '.join(BUNDLE_HOSTS)}")
    if "mcp" not in address.path.lower():
        errors.append('the address does not contain "mcp"')
    if not re.fullmatch(r"[0-9a-f]{64}", package.get("fileSha256", "")):
        errors.append("`fileSha256` is not 64 lower-case hexadecimal digits")
    return errors + unexpected(package, "registryBaseUrl")


def unknown_type(package: dict) -> List[str]:
    return [f"`registryType` is {package.get('registryType')!r}, which has no rules here"]


def unexpected(package: dict, *keys: str) -> List[str]:
    return [f"`{key}` is not allowed for {package['registryType']}" for key in keys
            if key in package]


RULES = {"npm": of_package, "pypi": of_package, "oci": of_image, "mcpb": of_bundle}
