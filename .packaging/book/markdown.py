"""Reads Markdown as far as the book needs it: fenced blocks, headings, spans of code, and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Iterator

_FENCE = re.compile(r"^( *)(`{3,})([^`]*)$")
_HEADING = re.compile(r"^(#{1,6}) +(.*)$")
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.S)
_INLINE = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]*)\)")
_DEFINITION = re.compile(r"^\[([^\]]+)\]: (\S+)$", re.M)
_ATTRIBUTE = re.compile(r'\b(src|srcset|href)="([^"]*)"')
# A link of rustdoc to an item: brackets around code, without a target.
_INTRA_DOC = re.compile("(?<!\\])\\[(\ue000\\d+\ue001)\\](?![\\[(:])")


@dataclass
class Block:
    """A fenced block with its info string, or lines of prose."""

    lines: list[str]
    fence: str = ""
    info: str = ""
    indent: str = ""

    @property
    def is_code(self) -> bool:
        return bool(self.fence)

    def render(self) -> str:
        lines = self.lines
        if self.is_code:
            opening = f"{self.indent}{self.fence}{self.info}"
            lines = [opening, *lines, f"{self.indent}{self.fence}"]
        return "".join(line + "\n" for line in lines)


def blocks(text: str) -> Iterator[Block]:
    """Splits a page. A block ends with a line of at least as many backticks and nothing else."""
    prose: list[str] = []
    code: Block | None = None
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if code is not None:
            if fence and len(fence[2]) >= len(code.fence) and not fence[3].strip():
                yield code
                code = None
            else:
                code.lines.append(line)
        elif fence:
            yield Block(prose)
            prose = []
            code = Block([], fence[2], fence[3].strip(), fence[1])
        else:
            prose.append(line)
    if code is not None:
        raise ValueError(f"a block without an end: {code.lines[:1]}")
    yield Block(prose)


def map_prose(text: str, change: Callable[[str], str]) -> str:
    """Applies `change` to all text outside of fenced blocks."""
    parts = (b.render() if b.is_code else change(b.render()) for b in blocks(text))
    return "".join(parts)


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Yields the level and the text of each heading."""
    for block in blocks(text):
        if not block.is_code:
            found = (_HEADING.match(line) for line in block.lines)
            yield from ((len(h[1]), h[2].strip()) for h in found if h)


def slug(heading: str) -> str:
    """Returns the anchor that GitHub, rustdoc and mdBook give to a heading."""
    kept = (c for c in heading.lower() if c.isalnum() or c in " -_")
    return "".join(kept).strip().replace(" ", "-")


def nest(text: str, deeper: int = 0) -> str:
    """Moves headings so that the page has one title.

    The texts of Rust modules have several headings of the first level, because rustdoc adds the
    title.
    """
    titles = 0

    def change(prose: str) -> str:
        nonlocal titles
        lines = []
        for line in prose.splitlines():
            heading = _HEADING.match(line)
            if heading:
                titles += len(heading[1]) == 1
                level = max(1, len(heading[1]) + deeper + (titles > 1))
                line = f"{'#' * level} {heading[2]}"
            lines.append(line + "\n")
        return "".join(lines)

    return map_prose(text, change)


def plain_rust(text: str, is_rustdoc: bool) -> str:
    """Removes what only rustdoc reads in blocks of Rust: flags of the test, and hidden lines."""

    def change(block: Block) -> Block:
        language, _, flags = block.info.partition(",")
        is_rust = language == "rust" or (is_rustdoc and not block.info)
        if block.is_code and is_rust:
            block.info = "rust"
            shown = (line for line in block.lines if not is_hidden(line))
            block.lines = [re.sub(r"^( *)##", r"\1#", line) for line in shown]
        elif block.is_code and flags:
            block.info = language
        return block

    return "".join(change(block).render() for block in blocks(text))


def is_hidden(line: str) -> bool:
    """Returns whether rustdoc hides a line of an example."""
    return line.strip() == "#" or line.lstrip().startswith("# ")


def without_comments(text: str) -> str:
    return map_prose(text, lambda prose: _COMMENT.sub("", prose))


@dataclass
class Link:
    """A link of a page. An item of rustdoc without a target has the item's name as its target."""

    text: str
    target: str
    is_picture: bool = False
    is_intra_doc: bool = False


def map_links(text: str, resolve: Callable[[Link], Link]) -> str:
    """Replaces each link outside of code."""
    labels = {label for label, _ in _DEFINITION.findall(text)}

    def change(prose: str) -> str:
        spans: list[str] = []

        def hide(span: re.Match[str]) -> str:
            spans.append(span[0])
            return f"\ue000{len(spans) - 1}\ue001"

        def show(hidden: str) -> str:
            return re.sub("\ue000(\\d+)\ue001", lambda n: spans[int(n[1])], hidden)

        def inline(found: re.Match[str]) -> str:
            link = resolve(Link(show(found[2]), found[3], bool(found[1])))
            return f"{found[1]}[{link.text}]({link.target})"

        def definition(found: re.Match[str]) -> str:
            return f"[{show(found[1])}]: {resolve(Link('', found[2])).target}"

        def attribute(found: re.Match[str]) -> str:
            link = Link("", found[2], found[1] != "href")
            return f'{found[1]}="{resolve(link).target}"'

        def intra_doc(found: re.Match[str]) -> str:
            text = show(found[1])
            if text in labels:
                return found[0]
            link = resolve(Link(text, text.strip("`"), is_intra_doc=True))
            return f"[{link.text}]({link.target})"

        prose = _SPAN.sub(hide, prose)
        prose = _INTRA_DOC.sub(intra_doc, prose)
        prose = _INLINE.sub(inline, prose)
        prose = _DEFINITION.sub(definition, prose)
        return show(_ATTRIBUTE.sub(attribute, prose))

    return map_prose(text, change)
