"""Our server as a process, and a repository for it to serve."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

BINARY = os.environ.get("PD_GIT") or "PD_GIT must name the server's binary; `run` builds and sets it"
QUIET = {**os.environ, "RUST_LOG": "error"}


@contextlib.contextmanager
def repository(commits: int = 8, files: int = 3):
    """A repository of one author with one commit an hour, a tag on the first and a branch beside `main`."""
    with tempfile.TemporaryDirectory(prefix="pd-interop-") as directory:
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", directory], check=True)
        subprocess.run(["git", "-C", directory, "fast-import", "--quiet"], input=history(commits, files), check=True)
        subprocess.run(["git", "-C", directory, "reset", "--quiet", "--hard", "main"], check=True)
        yield directory


def history(commits: int, files: int) -> bytes:
    lines = []
    for number in range(1, commits + 1):
        name, text, message = f"src/file_{number % files}.rs", f"// {number}\n", f"Change {number}"
        lines += [
            "commit refs/heads/main",
            f"committer Ada <ada@example.org> {1_750_000_000 + 3600 * number} +0000",
            f"data {len(message)}\n{message}",
            f"M 100644 inline {name}\ndata {len(text)}\n{text}",
        ]
        if number == 1:
            lines += ["reset refs/tags/v1\nfrom refs/heads/main\n", "reset refs/heads/side\nfrom refs/heads/main\n"]
            lines += ["reset refs/heads/main\nfrom refs/tags/v1\n"]
    return "\n".join([*lines, "done\n"]).encode()


def gated(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The checks assert the gate, which is on for each session, and the minimal list, unless they name others."""
    listing = () if {"--listing", "--code"} & set(flags) else ("--listing", "minimal")
    sessions = () if "--session-per-call" in flags else ("--session-per-call", "refuse")
    return (*listing, *sessions, *flags)


def stdio_command(repo: str, *flags: str) -> list[str]:
    # One client's refused calls must not admit those of the next one.
    return [BINARY, "--repo", repo, "serve", "--no-state", *gated(flags)]


def http(repo: str, *flags: str, at: str = "127.0.0.1:0"):
    """Serves the repository over HTTP."""
    return listening(BINARY, "--repo", repo, flags=gated(flags), at=at)


def fixtures():
    """Serves the fixtures of the conformance suite over HTTP."""
    return listening(os.environ.get("PD_CONFORMANCE") or "PD_CONFORMANCE must name the fixtures' binary; `run` sets it")


@contextlib.contextmanager
def listening(*server: str, flags: tuple[str, ...] = (), at: str = "127.0.0.1:0"):
    """Serves on a free port, or there. Yields the URL and the process, which may have ended when the block does."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([*server, "serve", "--http", at, *flags], stderr=log, env=QUIET)
        try:
            yield address(process, log), process
        finally:
            process.kill()
            process.wait()


def address(process: subprocess.Popen, log) -> str:
    """The one plain line that the server writes to standard error once it can be reached."""
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and process.poll() is None:
        for line in written(log).splitlines(keepends=True):
            if line.startswith("http://") and line.endswith("\n"):
                return line.strip()
        time.sleep(0.02)
    raise RuntimeError(f"the server did not say where it serves: {written(log)}")


def written(log) -> str:
    """What is in the file so far. The writer shares its position, which a seek would move: it would write over its own words."""
    return os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace")


def cache() -> pathlib.Path:
    """Where `run` installs what it needs."""
    return pathlib.Path(os.environ["PD_INTEROP_CACHE"])
