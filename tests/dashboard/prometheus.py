"""Prometheus and promtool, from Debian's package without an installation, and Prometheus' API."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterator, List

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTRACTED = ROOT / "target/prometheus"
DEPLOY = ROOT / "examples/deploy"


def program(name: str) -> str:
    """`promtool` or `prometheus`: named by `PD_PROMTOOL`, installed, or taken from the package."""
    named = os.environ.get(f"PD_{name.upper()}") or shutil.which(name)
    extracted = EXTRACTED / "usr/bin" / name
    if not named and not extracted.is_file():
        extract()
    return named or str(extracted)


def extract() -> None:
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise SystemExit("install Prometheus, so that `prometheus` and `promtool` are on PATH")
    # The package is unpacked and not installed: its installation would start a service.
    EXTRACTED.mkdir(parents=True, exist_ok=True)
    download = ["apt-get", "download", "--quiet", "prometheus"]
    # The first try fails on a machine without lists of packages, or with old ones.
    if subprocess.run(download, cwd=EXTRACTED, capture_output=True).returncode != 0:
        subprocess.run(["apt-get", "update", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(download, cwd=EXTRACTED, check=True, stdout=subprocess.DEVNULL)
    package = max(EXTRACTED.glob("prometheus_*.deb"), key=lambda path: path.stat().st_mtime)
    subprocess.run(["dpkg-deb", "--extract", str(package), str(EXTRACTED)], check=True)


def promtool(*arguments: str) -> str:
    """Runs promtool. Returns what it prints, or fails with it."""
    run = subprocess.run([program("promtool"), *arguments], capture_output=True, text=True)
    output = run.stdout + run.stderr
    assert run.returncode == 0, f"promtool {' '.join(arguments)}\n{output}"
    return output


class Prometheus:
    """The API of a server that runs."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **parameters: Any) -> Any:
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def instant(self, expression: str, at: float) -> List[Dict[str, Any]]:
        data = self.get("query", query=expression, time=at)
        if data["resultType"] == "scalar":
            return [{"metric": {}, "value": data["result"]}]
        return data["result"]

    def range(self, expression: str, start: float, end: float, step: float) -> List[Dict[str, Any]]:
        return self.get("query_range", query=expression, start=start, end=end, step=step)["result"]


def config(jobs: Dict[str, Dict[str, str]], interval: int, rules: str) -> str:
    """A configuration in JSON, which is YAML, too: for each job its addresses, by instance."""
    scrape = [
        {
            "job_name": job,
            "static_configs": [
                {"targets": [address], "labels": {"instance": instance}}
                for instance, address in targets.items()
            ],
        }
        for job, targets in jobs.items()
    ]
    times = {"scrape_interval": f"{interval}s", "evaluation_interval": f"{interval}s"}
    return json.dumps({"global": times, "rule_files": [rules], "scrape_configs": scrape})


@contextlib.contextmanager
def scraping(jobs: Dict[str, Dict[str, str]], interval: int) -> Iterator[Prometheus]:
    """Scrapes these targets and evaluates the alert rules, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="pd-prometheus-") as directory:
        file = pathlib.Path(directory) / "prometheus.json"
        file.write_text(config(jobs, interval, str(DEPLOY / "prometheus-rules.yml")))
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [program("prometheus"), f"--config.file={file}"]
        command += [f"--storage.tsdb.path={directory}/data", f"--web.listen-address={address}"]
        with open(pathlib.Path(directory) / "log", "w+") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            try:
                wait_until_ready(f"http://{address}", process, log.name)
                yield Prometheus(f"http://{address}")
            finally:
                process.terminate()
                process.wait(30)


def wait_until_ready(url: str, process: subprocess.Popen, log: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2):
                return
        time.sleep(0.1)
    raise AssertionError(f"Prometheus does not run: {pathlib.Path(log).read_text()}")
