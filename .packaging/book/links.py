"""Leads the links of a page to the book, to docs.rs or to the repository."""

from __future__ import annotations

import posixpath
from pathlib import Path

from markdown import Link
from pages import BookError, Chapter, Chapters
from rust_items import NoSuchItem, RustItems

_CRATES = ("crate::", "pd_runtime::", "pd_gateway::", "pd_schema::")
_RUST_MARKS = (*_CRATES, "macro@", "mod@", "struct@")
# Texts that are wrong where the section is on another page.
_PLACES = ("below", "above")


class Resolver:
    """Finds where the links of one chapter lead in the book."""

    def __init__(self, root: Path, repository: str, chapters: Chapters, items: RustItems) -> None:
        self._root = root
        self._repository = repository
        self._chapters = chapters
        self._items = items
        # The files of pictures in the repository, which the book copies.
        self.pictures: set[str] = set()

    def resolve(self, chapter: Chapter, link: Link) -> Link:
        try:
            return self._resolve(chapter, link)
        except (BookError, NoSuchItem) as error:
            raise BookError(f"{chapter.source}: the link `{link.target}`: {error}") from None

    def _resolve(self, chapter: Chapter, link: Link) -> Link:
        target = link.target
        if link.is_intra_doc or target.startswith(_RUST_MARKS):
            return self._item(chapter, link)
        path, _, anchor = target.partition("#")
        for kind in ("blob", "tree", "raw"):
            prefix = f"{self._repository}/{kind}/main/"
            if path.startswith(prefix):
                return self._file(chapter, link, path[len(prefix) :], anchor)
        if "://" in target or target.startswith("mailto:"):
            return link
        directory = posixpath.dirname(chapter.source)
        file = posixpath.normpath(posixpath.join(directory, path)) if path else chapter.source
        return self._file(chapter, link, file, anchor)

    def _item(self, chapter: Chapter, link: Link) -> Link:
        crate = "pd_gateway" if "/gateway/" in chapter.source else "pd_runtime"
        path, _, heading = link.target.partition("#")
        page = self._items.page_of(path)
        found = self._chapters.find(page, heading) if page else None
        if found:
            link.target = _relative(chapter, *found)
        else:
            link.target = self._items.url(link.target, crate)
        return link

    def _file(self, chapter: Chapter, link: Link, file: str, anchor: str) -> Link:
        file = file.rstrip("/")
        if not (self._root / file).exists():
            raise BookError(f"the repository has no file `{file}`")
        if link.is_picture:
            self.pictures.add(file)
            link.target = f"{_up(chapter)}pictures/{posixpath.basename(file)}"
            return link
        found = self._chapters.find(file, anchor)
        if found:
            if link.text in _PLACES and found[0] is not chapter:
                link.text = found[0].anchors[anchor]
            link.target = _relative(chapter, *found)
            return link
        item = self._items.module_of(file)
        if item:
            link.target = self._items.url(f"macro@{item}" + (f"#{anchor}" if anchor else ""))
            return link
        kind = "tree" if (self._root / file).is_dir() else "blob"
        suffix = f"#{anchor}" if anchor else ""
        link.target = f"{self._repository}/{kind}/main/{file}{suffix}"
        return link


def _up(chapter: Chapter) -> str:
    return "../" * chapter.path.count("/")


def _relative(chapter: Chapter, target: Chapter, anchor: str) -> str:
    suffix = f"#{anchor}" if anchor else ""
    if target is chapter and anchor:
        return suffix
    start = posixpath.dirname(chapter.path) or "."
    return posixpath.relpath(target.path, start) + suffix
