"""One line for each check, and a table at the end."""

import json
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional

from .environment import Missing


class Report:
    """What was checked of each artefact, with its size and the time that the checks took."""

    def __init__(self) -> None:
        self.rows: Dict[str, dict] = {}
        self.failures: List[str] = []

    @contextmanager
    def artefact(self, name: str, find: Callable[[], Optional[Path]]) -> Iterator[None]:
        """The checks of one artefact. A failure ends them, and the next artefact follows."""
        began = time.monotonic()
        row = {"bytes": None, "checks": 0, "seconds": 0.0, "outcome": "ok"}
        self.rows[name] = row
        try:
            file = find()
            if file:
                if not file.is_file():
                    raise Missing(f"{file} does not exist: run `just dist`")
                row["bytes"] = file.stat().st_size
            yield
        except Missing as missing:
            row["outcome"] = "missing"
            self.fail(name, str(missing))
        except Exception:  # whatever fails here is the artefact's failure
            row["outcome"] = "failed"
            self.fail(name, traceback.format_exc(limit=-3))
        row["seconds"] = round(time.monotonic() - began, 1)

    def fail(self, name: str, text: str) -> None:
        self.failures.append(name)
        print(f"FAIL {name}: {text}", flush=True)

    @contextmanager
    def check(self, name: str, what: str) -> Iterator[None]:
        """One check. The line of a failed check precedes the reason."""
        began = time.monotonic()
        try:
            yield
        except BaseException:
            print(f"FAIL {name}: {what}", flush=True)
            raise
        self.rows[name]["checks"] += 1
        print(f"ok   {name}: {what} ({time.monotonic() - began:.1f} s)", flush=True)

    def skip(self, name: str, why: str) -> None:
        self.rows[name] = {"bytes": None, "checks": 0, "seconds": 0.0, "outcome": f"skipped: {why}"}
        print(f"skip {name}: {why}", flush=True)

    def print_table(self) -> None:
        print(f"\n{'artefact':<22} {'MB':>6} {'checks':>6} {'seconds':>8}  outcome")
        for name, row in self.rows.items():
            size = f"{row['bytes'] / 1e6:.1f}" if row["bytes"] else ""
            print(f"{name:<22} {size:>6} {row['checks']:>6} {row['seconds']:>8}  {row['outcome']}")

    def write_json(self, path: Path) -> None:
        path.write_text(json.dumps({"platform": sys.platform, "artefacts": self.rows}, indent=2)
                        + "\n", encoding="utf-8")
