"""The chapters of the book: which part of which page of the repository each one is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import markdown

_ENTRY = re.compile(r"^( *- )?\[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)$")


class BookError(Exception):
    """A mistake in the summary or in a page, in words for the one who edits it."""


@dataclass
class Chapter:
    """A page of the repository, or one of its sections."""

    title: str
    source: str
    section: str
    path: str
    text: str = ""
    anchors: dict[str, str] = field(default_factory=dict)


class Chapters:
    """All chapters, in the order of the summary."""

    def __init__(self, root: Path, summary: str) -> None:
        self.all: list[Chapter] = []
        self._lines: list[str] = []
        for line in summary.splitlines():
            self._lines.append(self._read_line(line))
        for source in {chapter.source for chapter in self.all}:
            self._cut(source, (root / source).read_text(encoding="utf-8"))

    @property
    def summary(self) -> str:
        """The summary with the paths of the chapters, for mdBook."""
        return "\n".join(self._lines) + "\n"

    def find(self, source: str, anchor: str = "") -> tuple[Chapter, str] | None:
        """Returns the chapter that contains a heading of a page, and the anchor there."""
        chapters = [chapter for chapter in self.all if chapter.source == source]
        if not chapters:
            return None
        if not anchor:
            return next((c for c in chapters if not c.section), chapters[0]), ""
        for chapter in chapters:
            if anchor in chapter.anchors:
                return chapter, "" if anchor == chapter.section else anchor
        raise BookError(f"{source} has no heading `#{anchor}`")

    def _read_line(self, line: str) -> str:
        entry = _ENTRY.match(line)
        if not entry:
            if "](" in line:
                raise BookError(f"SUMMARY.md: `{line.strip()}` is not `- [Title](page.md#section)`")
            return line
        mark, title, source, section = entry[1] or "", entry[2], entry[3], entry[4] or ""
        path = f"{Path(source).stem}/{section}.md" if section else f"{Path(source).stem.lower()}.md"
        # The first page is the one that mdBook calls `index.html`.
        path = path if self.all else "README.md"
        self.all.append(Chapter(title, source, section, path))
        return f"{mark}[{title}]({path})"

    def _cut(self, source: str, text: str) -> None:
        """Gives each chapter of a page its text. A section without an entry stays in the page."""
        text = self._titled(source, markdown.without_comments(text))
        sections = _sections(markdown.nest(text))
        for chapter in (c for c in self.all if c.source == source and c.section):
            if chapter.section not in sections:
                raise BookError(f"SUMMARY.md: {source} has no section `#{chapter.section}`")
            chapter.text = markdown.nest(sections.pop(chapter.section), deeper=-1)
        for chapter in (c for c in self.all if c.source == source and not c.section):
            chapter.text = "".join(sections.values())
        for chapter in (c for c in self.all if c.source == source):
            found = (text for _, text in markdown.headings(chapter.text))
            chapter.anchors = {markdown.slug(text): text for text in found}

    def _titled(self, source: str, text: str) -> str:
        """Adds a title to the text of a Rust module that begins with its first section."""
        title = next((c.title for c in self.all if c.source == source and not c.section), "")
        first = [heading for level, heading in markdown.headings(text) if level == 1]
        is_titled = not title or len(first) == 1 or title in first[:1]
        return text if is_titled else f"# {title}\n\n{text}"


def _sections(text: str) -> dict[str, str]:
    """Splits a page before each heading of the second level. The first part has the key ``."""
    sections: dict[str, str] = {}
    current = ""
    for block in markdown.blocks(text):
        lines = [block.render()] if block.is_code else [line + "\n" for line in block.lines]
        for line in lines:
            if not block.is_code and line.startswith("## "):
                current = markdown.slug(line[3:])
            sections[current] = sections.get(current, "") + line
    return sections
