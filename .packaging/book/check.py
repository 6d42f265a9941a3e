"""Proves that no link and no anchor of the built book is dead."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import markdown
from rust_items import RustItems

# What a browser does not request as a file of the book.
_OTHER_SCHEMES = ("mailto:", "data:", "javascript:")


class _Page(HTMLParser):
    """The anchors and the links of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key) and tag != "meta":
                self.ids.add(str(values[key]))
        is_hint = tag == "link" and values.get("rel") in ("canonical", "preconnect")
        for key in ("href", "src"):
            if values.get(key) and not is_hint:
                self.links.append(str(values[key]))


@dataclass
class Report:
    """How many links there are of each kind, and which of them are dead."""

    internal: int = 0
    docs_rs: int = 0
    repository: int = 0
    elsewhere: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.internal} links in the book, {self.docs_rs} to docs.rs, "
            f"{self.repository} to the repository: {len(self.faults)} dead; "
            f"{len(self.elsewhere)} other addresses were not requested"
        )


class Checker:
    """Checks the links of all pages below a directory."""

    def __init__(
        self,
        book: Path,
        root: Path,
        repository: str,
        items: RustItems,
        rustdoc: Path | None = None,
    ) -> None:
        self._book = book.resolve()
        self._root = root
        self._repository = repository
        self._items = items
        self._rustdoc = rustdoc
        # mdBook writes the page that a server sends for a missing file with a base of `/`.
        files = (file for file in self._book.rglob("*.html") if file.name != "404.html")
        self._pages = {file: _Page(file.read_text(encoding="utf-8")) for file in sorted(files)}

    def check(self) -> Report:
        report = Report()
        if not self._pages:
            report.faults.append(f"{self._book} has no pages")
        for file, page in self._pages.items():
            for link in dict.fromkeys(page.links):
                fault = self._fault(file, link, report)
                if fault:
                    report.faults.append(f"{file.relative_to(self._book)}: {link}: {fault}")
        return report

    def _fault(self, file: Path, link: str, report: Report) -> str | None:
        if link.startswith("https://docs.rs/"):
            report.docs_rs += 1
            return self._items.check_url(link) or self._rustdoc_fault(link)
        if link.startswith(self._repository):
            report.repository += 1
            return self._repository_fault(link)
        if "://" in link:
            report.elsewhere.add(link)
            return None
        if link.startswith(_OTHER_SCHEMES):
            return None
        if "::" in link:
            return "a path of Rust, which only rustdoc follows"
        report.internal += 1
        return self._internal_fault(file, link)

    def _internal_fault(self, file: Path, link: str) -> str | None:
        path, _, anchor = link.partition("#")
        target = file
        if path:
            target = (file.parent / urllib.parse.unquote(path)).resolve()
            if target.is_dir():
                target = target / "index.html"
        if not target.is_file():
            return "no such file in the book"
        page = self._pages.get(target)
        anchor = urllib.parse.unquote(anchor)
        if anchor and (page is None or anchor not in page.ids):
            return f"the page has no anchor `{anchor}`"
        return None

    def _rustdoc_fault(self, link: str) -> str | None:
        """Compares a link with the documentation that `cargo doc` generated, if there is any."""
        path, _, anchor = link.partition("#")
        parts = path.split("/", 5)
        if self._rustdoc is None or len(parts) < 6 or not parts[3].startswith("pd-"):
            return None
        file = self._rustdoc / parts[5]
        if not file.is_file():
            return f"`cargo doc` generates no `{parts[5]}`"
        if anchor and anchor not in _Page(file.read_text(encoding="utf-8")).ids:
            return f"the page of `cargo doc` has no anchor `{anchor}`"
        return None

    def _repository_fault(self, link: str) -> str | None:
        path, _, anchor = link[len(self._repository) :].partition("#")
        parts = path.strip("/").split("/", 2)
        # Other parts of the site, such as the list of issues or of releases.
        if len(parts) < 3 or parts[0] not in ("blob", "tree", "raw", "edit"):
            return None
        file = self._root / parts[2]
        if not file.exists():
            return "no such file in the repository"
        if anchor and file.suffix == ".md":
            text = file.read_text(encoding="utf-8")
            if anchor not in {markdown.slug(heading) for _, heading in markdown.headings(text)}:
                return f"the file has no heading `{anchor}`"
        return None
