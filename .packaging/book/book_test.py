"""Tests of the book: what its links become, and that the checker finds each kind of dead link."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import markdown
from build import ROOT, render, workspace_value
from check import Checker
from links import Resolver
from pages import BookError, Chapter, Chapters
from rust_items import NoSuchItem, RustItems

REPOSITORY = workspace_value("repository")
ITEMS = RustItems(ROOT, "1.2.3")
DOCS_RS = "https://docs.rs/pd-runtime/1.2.3/pd_runtime"
SUMMARY = """
[Start](pd-runtime/gateway/README.md)

- [The gateway](pd-runtime/gateway/docs/gateway.md)
  - [Import](pd-runtime/gateway/docs/gateway.md#import)
- [Serving](pd-runtime/docs/serving.md)
- [Code mode](pd-runtime/docs/code-mode.md)
- [Telemetry](pd-runtime/docs/telemetry.md)
"""


class Links(unittest.TestCase):
    def setUp(self) -> None:
        self.chapters = Chapters(ROOT, SUMMARY)
        self.resolver = Resolver(ROOT, REPOSITORY, self.chapters, ITEMS)

    def rendered(self, source: str, text: str, section: str = "") -> str:
        """Renders a text in the place of a chapter."""
        of_source = (c for c in self.chapters.all if c.source == source and c.section == section)
        chapter = next(of_source)
        return render(
            Chapter(chapter.title, source, section, chapter.path, text), self.resolver, ITEMS
        ).rstrip("\n")

    def test_pages_of_the_book_lead_to_chapters(self) -> None:
        gateway = "pd-runtime/gateway/docs/gateway.md"
        for text, expected in (
            ("[x](../../docs/telemetry.md#metrics)", "[x](telemetry.md#metrics)"),
            ("[below](#import)", "[Import](gateway/import.md)"),
            ("[x](#import)", "[x](gateway/import.md)"),
            ("[x](#states)", "[x](gateway.md#states)"),
            ("[x](crate::code)", "[x](code-mode.md)"),
            ("[x](crate::_docs::serving#hosts)", "[x](serving.md#hosts)"),
            (f"[x]({REPOSITORY}/blob/main/{gateway}#import)", "[x](gateway/import.md)"),
            ("[a][b]\n\n[b]: ../../docs/code-mode.md", "[a][b]\n\n[b]: code-mode.md"),
        ):
            self.assertEqual(self.rendered(gateway, text), expected)
        back = self.rendered(gateway, "[x](gateway.md#configuration)", section="import")
        self.assertEqual(back, "[x](../gateway.md#configuration)")

    def test_items_lead_to_docs_rs(self) -> None:
        serving = "pd-runtime/docs/serving.md"
        for text, expected in (
            ("[`x`](crate::PdServer)", f"[`x`]({DOCS_RS}/struct.PdServer.html)"),
            ("[`crate::PdServer`]", f"[`crate::PdServer`]({DOCS_RS}/struct.PdServer.html)"),
            ("[x](crate::serve::router)", f"[x]({DOCS_RS}/serve/fn.router.html)"),
            (
                "[x](crate::audit::JsonLines::reopen)",
                f"[x]({DOCS_RS}/audit/struct.JsonLines.html#method.reopen)",
            ),
            ("[x](macro@crate::registry)", f"[x]({DOCS_RS}/macro.registry.html)"),
            ("[x](testing.md)", f"[x]({DOCS_RS}/_docs/testing/index.html)"),
            ("[x](pd_tool.md#a)", f"[x]({DOCS_RS}/attr.pd_tool.html#a)"),
            ("[x](../../examples/deploy)", f"[x]({REPOSITORY}/tree/main/examples/deploy)"),
            ("[x](https://semver.org)", "[x](https://semver.org)"),
        ):
            self.assertEqual(self.rendered(serving, text), expected)

    def test_code_keeps_what_looks_like_a_link(self) -> None:
        serving = "pd-runtime/docs/serving.md"
        for text in ("`[x](gone.md)`", "```text\n[x](crate::Gone)\n```", "`a[b](c)` and `[`"):
            self.assertEqual(self.rendered(serving, text), text)

    def test_a_link_to_nothing_is_an_error_with_the_page(self) -> None:
        pages = ("gone.md", "telemetry.md#gone", "#gone")
        for target in (*pages, "crate::Gone", "crate::PdServer::gone"):
            with self.assertRaisesRegex(BookError, "serving.md: the link `"):
                self.rendered("pd-runtime/docs/serving.md", f"[x]({target})")

    def test_pictures_are_copied(self) -> None:
        text = self.rendered("pd-runtime/docs/serving.md", "![x](pictures/tour.svg)")
        self.assertEqual(text, "![x](pictures/tour.svg)")
        html = '<img src="../../docs/pictures/tour.svg" alt="x">'
        text = self.rendered("pd-runtime/gateway/docs/gateway.md", html, section="import")
        self.assertEqual(text, '<img src="../pictures/tour.svg" alt="x">')
        self.assertEqual(self.resolver.pictures, {"pd-runtime/docs/pictures/tour.svg"})

    def test_a_page_has_one_title(self) -> None:
        for chapter in self.chapters.all:
            levels = [level for level, _ in markdown.headings(chapter.text)]
            self.assertEqual(levels[:1], [1], chapter.source)
            self.assertEqual(levels.count(1), 1, chapter.source)

    def test_a_section_that_is_gone_is_an_error(self) -> None:
        with self.assertRaisesRegex(BookError, "no section `#gone`"):
            Chapters(ROOT, "- [Gone](pd-runtime/gateway/docs/gateway.md#gone)\n")


class Code(unittest.TestCase):
    def test_readers_see_no_hints_for_rustdoc(self) -> None:
        text = "```rust,no_run\n# use x;\nlet a = 1;\n#\n## [x]\n#[test]\n```\n"
        expected = "```rust\nlet a = 1;\n# [x]\n#[test]\n```\n"
        self.assertEqual(markdown.plain_rust(text, False), expected)
        bare = "```\n# hidden\nshown\n```\n"
        self.assertEqual(markdown.plain_rust(bare, True), "```rust\nshown\n```\n")
        self.assertEqual(markdown.plain_rust(bare, False), bare)
        shell = "```sh\n# a comment\n```\n"
        self.assertEqual(markdown.plain_rust(shell, True), shell)


class DeadLinks(unittest.TestCase):
    def faults(self, link: str) -> list[str]:
        with tempfile.TemporaryDirectory() as directory:
            book = Path(directory)
            page = f'<h2 id="here">x</h2><a href="{link}">x</a>'
            (book / "index.html").write_text(page, encoding="utf-8")
            (book / "other.html").write_text('<h2 id="there">x</h2>', encoding="utf-8")
            return Checker(book, ROOT, REPOSITORY, ITEMS).check().faults

    def test_living_links_pass(self) -> None:
        for link in (
            "#here",
            "other.html#there",
            f"{DOCS_RS}/struct.PdServer.html#method.adopt",
            "https://docs.rs/pd-runtime",
            f"{REPOSITORY}/blob/main/SECURITY.md#on-a-network",
            f"{REPOSITORY}/issues",
            "https://semver.org",
        ):
            self.assertEqual(self.faults(link), [])

    def test_each_kind_of_dead_link_is_found(self) -> None:
        for link in (
            "#gone",
            "gone.html",
            "other.html#gone",
            "gateway.md",
            "crate::PdServer",
            f"{DOCS_RS}/struct.Gone.html",
            f"{DOCS_RS}/gone/index.html",
            f"{DOCS_RS}/struct.PdServer.html#method.gone",
            f"{REPOSITORY}/blob/main/GONE.md",
            f"{REPOSITORY}/blob/main/SECURITY.md#gone",
        ):
            self.assertEqual(len(self.faults(link)), 1, link)

    def test_links_are_compared_with_generated_documentation(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            docs = Path(directory)
            (docs / "pd_runtime").mkdir()
            page = docs / "pd_runtime/struct.PdServer.html"
            page.write_text('<h4 id="method.adopt"></h4>', encoding="utf-8")
            checker = Checker(docs, ROOT, REPOSITORY, ITEMS, docs)
            for link, is_dead in (
                ("struct.PdServer.html#method.adopt", False),
                ("struct.PdServer.html#method.other", True),
                ("struct.Registry.html", True),
            ):
                fault = checker._rustdoc_fault(f"{DOCS_RS}/{link}")
                self.assertEqual(fault is not None, is_dead, link)

    def test_an_empty_book_fails(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            faults = Checker(Path(directory), ROOT, REPOSITORY, ITEMS).check().faults
            self.assertEqual(len(faults), 1)


class Items(unittest.TestCase):
    def test_an_item_that_is_gone_has_no_address(self) -> None:
        for path in ("crate::Gone", "crate::PdServer::gone", "crate::_docs::gone"):
            with self.assertRaises(NoSuchItem):
                ITEMS.url(path)


if __name__ == "__main__":
    unittest.main()
