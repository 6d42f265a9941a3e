"""The images: built as a release builds them, started by their own entry points."""

import os
import platform
import shutil
import signal
from pathlib import Path
from typing import Dict, List, Optional

from release import image
from release.project import MCP_NAME, version

from . import engines
from .client import Client
from .installs import Release
from .scenario import Scenario
from .upstream import TIME_SERVER, Upstream, http_server

CHECKS = {"image": "", "image-full": "-full"}
HOME = "/home/nonroot"
# The image has the same file. This machine may trust the authority of a mirror, too.
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def check(release: Release, name: str) -> None:
    """Builds one image and runs the scenario in it. Only Linux runs Linux containers by itself."""
    if platform.system() != "Linux":
        release.report.skip(name, "needs Linux")
        return
    folder = release.folder / name
    folder.mkdir()
    suffix, tag = CHECKS[name], f"localhost/pd-gateway-test{CHECKS[name]}"
    with release.report.artefact(name, lambda: None):
        engine = engines.choose(folder)
        try:
            with release.report.check(name, f"build {image.VARIANTS[suffix]}"):
                if suffix and engine.stand_ins:
                    for program in ("uv", "uvx"):
                        shutil.copy(release.python_tools() / program, folder / program)
                engine.build(release.dist / "image", image.VARIANTS[suffix], tag,
                             str(release.target.docker_arch), bool(suffix))
            release.report.rows[name]["bytes"] = engine.size(tag)
            check_config(release, name, engine.config(tag))
            run(release, name, engine, tag)
        finally:
            engine.remove(tag)


def check_config(release: Release, name: str, config: engines.Config) -> None:
    with release.report.check(name, "the registry's label, and a user without rights"):
        label = "io.modelcontextprotocol.server.name"
        assert config.labels.get(label) == MCP_NAME, config.labels
        assert config.user.split(":")[0] not in ("", "0", "root"), config.user


def run(release: Release, name: str, engine, tag: str) -> None:
    """The distroless image reaches servers over HTTP. The full one starts a server by uvx."""
    if CHECKS[name]:
        entry = {"command": "uvx", "args": [TIME_SERVER, "--local-timezone", "UTC"],
                 "env": mirror_variables()}
        upstream = Upstream("time", entry, is_child=engine.stand_ins)
    else:
        upstream = http_server(release.folder / name)
    try:
        ImageScenario(release, name, engine, tag).run(upstream)
    finally:
        if upstream.stop:
            upstream.stop()


class ImageScenario(Scenario):
    """The scenario with files of the user's home mounted where the image's user has its home."""

    def __init__(self, release: Release, name: str, engine, tag: str) -> None:
        environment = release.environment(f"{name}-home")
        super().__init__(release.report, name, environment, [], version())
        self.engine, self.tag = engine, tag

    def in_image(self, arguments: Optional[List[str]], mounts: engines.Mounts) -> List[str]:
        if CERTIFICATES.is_file():
            mounts = {**mounts, CERTIFICATES: str(CERTIFICATES)}
        return self.engine.command(self.tag, arguments, mounts)

    def run(self, upstream: Upstream) -> None:
        client_file = upstream.write_claude_file(self.environment.home)
        client_file.chmod(0o644)  # the image's user is another one
        mounts = {client_file: f"{HOME}/.claude.json"}
        self.command = self.in_image([], mounts)
        self.check_version()
        with self.report.check(self.name, "import --dry-run on a file of Claude Code"):
            self.assert_dry_run(upstream)
        configuration = self.environment.home / ".config" / "pd-gateway"
        configuration.mkdir(parents=True)
        shutil.copy(client_file, configuration / "servers.json")
        self.command = self.in_image(None, {configuration: f"{HOME}/.config/pd-gateway"})
        # The image's own command is `serve`.
        self.serve(upstream, [])

    def stop(self, client: Client, started: Dict[int, str]) -> None:
        """`docker run` passes SIGTERM on to the program. buildah kills the program instead."""
        if not self.engine.stand_ins:
            super().stop(client, started)
            return
        program = self.engine.config(self.tag).entrypoint[0]
        inside = [pid for pid, command in started.items() if command.startswith(program)]
        assert len(inside) == 1, f"{program} is not exactly one of these processes: {started}"
        os.kill(inside[0], signal.SIGTERM)


def mirror_variables() -> Dict[str, str]:
    """What uv in the image needs on a machine that has mirrors, or a certificate authority."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("UV_")
            and name != "UV_CONFIG_FILE"}
    if "PIP_INDEX_URL" in os.environ:
        kept.setdefault("UV_DEFAULT_INDEX", os.environ["PIP_INDEX_URL"])
    if CERTIFICATES.is_file():
        kept.setdefault("SSL_CERT_FILE", str(CERTIFICATES))
    return kept
