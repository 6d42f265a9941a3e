"""The parts of `run` that the files changed since a commit can affect, by the table `paths`.

    paths.py --since COMMIT PARTS NAMED   prints these parts
    paths.py --check PARTS NAMED          checks the table

PARTS and NAMED have a part a line. Those of NAMED run only if they are named. `run` calls this
program. It needs no installed package.
"""

import ast
import pathlib
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Row:
    pattern: str
    words: tuple[str, ...]

    def matches(self, path: str) -> bool:
        return fnmatchcase(path, self.pattern)


def table() -> list[Row]:
    lines = (HERE / "paths").read_text(encoding="utf-8").splitlines()
    rows = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return [Row(pattern, tuple(word.strip() for word in words.split(","))) for pattern, words in rows]


def row_of(path: str, rows: list[Row]) -> Row | None:
    return next((row for row in rows if row.matches(path)), None)


def words_of(part: str) -> str:
    """Returns a part as it is named on the command line of `run`."""
    return part.removeprefix("scenario.py ").replace(".py --", "_", 1).replace(".py", "", 1)


def affected(paths: list[str], rows: list[Row], parts: list[str], named: list[str]) -> list[str]:
    """Returns the parts that these files can affect."""
    words = set()
    for path in paths:
        row = row_of(path, rows)
        words |= set(row.words if row else ["all"])
    begins = lambda part: any(words_of(part).startswith(word) for word in words)
    return [part for part in parts if "all" in words or begins(part)] + [part for part in named if begins(part)]


def git(*arguments: str) -> list[str] | None:
    """Returns the paths that a command of Git prints, or nothing if it fails."""
    ran = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return None if ran.returncode else [path for path in ran.stdout.split("\0") if path]


def changed(commit: str) -> list[str] | None:
    """Returns the files that changed since a commit, or nothing if Git does not know the commit.

    A shallow clone has neither old commits nor the one at which the branches parted.
    """
    # A renamed file counts under both names.
    options = ("--name-only", "--no-renames", "-z")
    lists = [
        git("diff", *options, "--end-of-options", f"{commit}...HEAD"),
        git("diff", *options, "HEAD"),
        git("ls-files", "--others", "--exclude-standard", "-z"),
    ]
    return None if None in lists else sorted(set().union(*lists))


def since(commit: str, parts: list[str], named: list[str]):
    paths = changed(commit)
    if paths is None:
        print(f"Git does not know the files since {commit}: all parts run", file=sys.stderr)
        selected = parts
    else:
        selected = affected(paths, table(), parts, named)
        counts = f"{len(selected)} of {len(parts + named)} parts run"
        print(f"{len(paths)} files changed since {commit}: {counts}", file=sys.stderr)
    print("\n".join(selected))


def imported(script: pathlib.Path, found: set[pathlib.Path]) -> set[pathlib.Path]:
    """Returns a script and the modules of this directory that it imports, also indirectly."""
    found.add(script)
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for module in (HERE / f"{name.split('.')[0]}.py" for name in names):
            if module.exists() and module not in found:
                imported(module, found)
    return found


def unreached(rows: list[Row], parts: list[str], named: list[str]) -> list[str]:
    """Returns the modules of parts that a change of the module does not run."""
    faults = []
    for part in parts + named:
        for module in sorted(imported(HERE / part.split()[0], set())):
            path = module.relative_to(ROOT).as_posix()
            # A row with `all` is enough for a part that runs only if it is named.
            row = row_of(path, rows)
            is_enough = part in named and row and "all" in row.words
            if not is_enough and part not in affected([path], rows, parts, named):
                faults.append(f"paths: the row of {path} lacks `{part}`, which imports it")
    return faults


def check(parts: list[str], named: list[str]) -> list[str]:
    """Returns what is wrong with the table."""
    rows, faults = table(), []
    for row in rows:
        for word in set(row.words) - {"all", "none"}:
            if not any(words_of(part).startswith(word) for part in parts + named):
                faults.append(f"paths: `{row.pattern}` names no part by `{word}`")
        if len(row.words) > 1 and {"all", "none"} & set(row.words):
            faults.append(f"paths: `{row.pattern}` has `all` or `none` beside other words")
    tracked = git("ls-files", "-z") or []
    deciding = {path: row_of(path, rows) for path in tracked}
    reached = set(deciding.values())
    faults += [f"paths: no file reaches the row `{row.pattern}`" for row in rows if row not in reached]
    faults += [f"paths: no row matches {path}" for path, row in deciding.items() if row is None]
    faults += unreached(rows, parts, named)
    if affected(["no/such/file"], rows, parts, named) != parts:
        faults.append("paths: a file without a row does not run all parts")
    if affected(["no/such/page.md"], rows, parts, named):
        faults.append("paths: a page runs parts")
    return faults if tracked else ["paths: Git lists no files"]


def main(command: str, *arguments: str) -> int:
    *options, parts, named = arguments
    lines = lambda text: [line for line in text.splitlines() if line]
    if command == "--since":
        since(*options, lines(parts), lines(named))
        return 0
    faults = check(lines(parts), lines(named))
    print("\n".join(faults) or "paths: every file has a row, and every row has a file and parts")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
