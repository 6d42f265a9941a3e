"""Which processes a process has started, and whether they still run."""

import csv
import os
import subprocess
import time
from typing import Dict, Iterable, List, Tuple


def table() -> List[Tuple[int, int, str]]:
    """All processes that run: number, parent and command. Ended ones that await a reaper do not."""
    if os.path.isdir("/proc/self"):
        return linux_table()
    if os.name == "nt":
        script = ("Get-CimInstance Win32_Process | Select-Object ProcessId,ParentProcessId,Name"
                  " | ConvertTo-Csv -NoTypeInformation")
        text = subprocess.check_output(["powershell", "-NoProfile", "-Command", script], text=True)
        return [(int(row[0]), int(row[1]), row[2]) for row in list(csv.reader(text.split("\n")))[1:]
                if len(row) == 3]
    text = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid=,stat=,command="], text=True)
    rows = (line.split(None, 3) for line in text.splitlines())
    return [(int(row[0]), int(row[1]), row[3]) for row in rows
            if len(row) == 4 and not row[2].startswith("Z")]


def linux_table() -> List[Tuple[int, int, str]]:
    """Debian's small images have no `ps`."""
    rows = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The command is in parentheses, and may contain spaces.
                state, parent = file.read().rpartition(")")[2].split()[:2]
            with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                command = file.read().replace("\0", " ").strip()
        except OSError:
            continue  # the process ended meanwhile
        if state not in "ZX":
            rows.append((int(name), int(parent), command))
    return rows


def descendants(root: int) -> Dict[int, str]:
    """All processes that a process has started, directly or not, with their commands."""
    rows = table()
    found: Dict[int, str] = {}
    parents = {root}
    while parents:
        level = {pid: command for pid, parent, command in rows if parent in parents}
        found.update(level)
        parents = set(level)
    return found


def wait_for_end(pids: Iterable[int], seconds: float) -> Dict[int, str]:
    """Waits until the processes have ended, and returns those that still run."""
    wanted, end = set(pids), time.monotonic() + seconds
    while True:
        alive = {pid: command for pid, _, command in table() if pid in wanted}
        if not alive or time.monotonic() > end:
            return alive
        time.sleep(0.05)
