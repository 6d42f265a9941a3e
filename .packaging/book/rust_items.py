"""Addresses of items on docs.rs, and the modules that show pages of Markdown.

`cargo test -p pd-tests --test source` keeps `public_items.txt` equal to what the crates export, so
the book needs no generated documentation.
"""

from __future__ import annotations

import re
from pathlib import Path

_SOURCES = {
    "pd_runtime": "pd-runtime/src",
    "pd_gateway": "pd-runtime/gateway/src",
    "pd_schema": "pd-runtime/schema/src",
}
_DEFINED = re.compile(
    r"^\s*pub (?:const |async |unsafe )*(struct|enum|trait|union|type|fn|const|static|mod) (\w+)",
    re.M,
)
# A block of a type at the left margin, and its methods, public fields and variants.
_BLOCK = re.compile(
    r"^(?:pub (?:struct|enum|trait)|impl(?:<[^{]*?>)?(?: [\w:<>, ]+ for)?) (\w+)[^{;]*\{\n(.*?)^\}",
    re.M | re.S,
)
_MEMBER = re.compile(
    r"^    (?:(?:pub )?(?:const |async |unsafe )*fn (\w+)|pub (\w+):|([A-Z]\w*)(?=[,({ ]|$))", re.M
)
_MACRO = re.compile(
    r"#\[proc_macro(?:_(derive|attribute))?(?:\((\w+)[^\]]*)?\]"
    r"(?:\s*(?:///[^\n]*|#\[[^\]]*\]))*\s*pub fn (\w+)"
)
_PAGE = re.compile(r'(?:page!|include_str!)\("(?:\.\./docs/)?([\w/-]+\.md)"\)\]\n')
_DOCS_RS = re.compile(r"https://docs\.rs/([\w-]+)(?:/[^/]+/(\w+)(?:/(.*))?)?$")


class NoSuchItem(Exception):
    """A path or an address that leads to no public item."""


class RustItems:
    """The public items of the crates."""

    def __init__(self, root: Path, version: str) -> None:
        self._version = version
        listed = root / "tests/tests/source/public_items.txt"
        self.paths = set(listed.read_text(encoding="utf-8").split())
        self.paths.update(_SOURCES)
        for name, source in _SOURCES.items():
            self.paths |= _items_of_modules(name, root / source, self.paths)
        texts = {
            name: "\n".join(_read(file) for file in sorted((root / source).rglob("*.rs")))
            for name, source in _SOURCES.items()
        }
        self._kinds = {
            name: {found[2]: found[1] for found in _DEFINED.finditer(text)}
            for name, text in texts.items()
        }
        self._members = {name: _members(text) for name, text in texts.items()}
        self._macros = _macros(_read(root / "pd-macros/src/lib.rs"))
        self.pages = _pages(root)

    def module_of(self, page: str) -> str | None:
        """Returns the path of the item that shows a page of `docs` as its documentation."""
        return self.pages.get(page)

    def page_of(self, path: str) -> str | None:
        """Returns the page that an item shows as its documentation."""
        path = _normal(path, "pd_runtime").split("#")[0]
        return next((page for page, item in self.pages.items() if item == path), None)

    def url(self, path: str, crate: str = "pd_runtime") -> str:
        """Returns the address of `crate::A::b` or `macro@crate::a#heading` on docs.rs."""
        is_macro = path.startswith(("macro@", "derive@"))
        path, _, heading = _normal(path, crate).partition("#")
        names = path.split("::")
        crate = names[0]
        base = f"https://docs.rs/{crate.replace('_', '-')}/{self._version}/{crate}"
        anchor = f"#{heading}" if heading else ""
        if path in self.paths:
            page = self._page(crate, names[1:], is_macro)
            return "/".join([base, *page]) + anchor
        owner = "::".join(names[:-1])
        if owner in self.paths and self._has_member(crate, *names[-2:]):
            kind = "variant" if names[-1][0].isupper() else "method"
            return "/".join([base, *self._page(crate, names[1:-1], False)]) + f"#{kind}.{names[-1]}"
        raise NoSuchItem(f"`{path}` is not a public item")

    def check_url(self, url: str) -> str | None:
        """Returns what is wrong with an address on docs.rs, if anything is."""
        url, _, anchor = url.partition("#")
        found = _DOCS_RS.match(url)
        if not found:
            return "not an address of a crate's documentation"
        crate = found[1].replace("-", "_")
        if crate not in _SOURCES and crate != "pd_macros":
            return None
        names = [name for name in (found[3] or "").split("/") if name and name != "index.html"]
        if names and names[-1].endswith(".html"):
            names[-1] = names[-1].split(".")[1]
        path = "::".join([crate, *names])
        if found[2] not in (None, crate) or (crate in _SOURCES and path not in self.paths):
            return f"`{path}` is not a public item"
        kind, _, member = anchor.partition(".")
        if kind in ("method", "variant") and not self._has_member(crate, names[-1], member):
            return f"`{path}::{member}` is not a public item"
        return None

    def _page(self, crate: str, names: list[str], is_macro: bool) -> list[str]:
        """Returns the parts of an item's page below its crate."""
        if not names:
            return ["index.html"]
        *modules, name = names
        kind = self._kinds[crate].get(name)
        macro = self._macros.get(name)
        if macro and (is_macro or (not modules and macro != "derive")):
            return [*modules, f"{macro}.{name}.html"]
        inside = "::".join([crate, *names, ""])
        if kind == "mod" or any(path.startswith(inside) for path in self.paths):
            return [*names, "index.html"]
        if kind in (None, "static"):
            raise NoSuchItem(f"the kind of `{'::'.join(names)}` is not known")
        return [*modules, f"{'constant' if kind == 'const' else kind}.{name}.html"]

    def _has_member(self, crate: str, owner: str, name: str) -> bool:
        return f"{owner}::{name}" in self._members[crate]


def _normal(path: str, crate: str) -> str:
    """Returns a path without rustdoc's marks of kinds, and with the name of its crate."""
    path = re.sub(r"^\w+@", "", path).replace("()", "").replace("!", "")
    return re.sub(r"^(crate|self)(?=::|$)", crate, path)


def _members(text: str) -> set[str]:
    return {
        f"{block[1]}::{found[1] or found[2] or found[3]}"
        for block in _BLOCK.finditer(text)
        for found in _MEMBER.finditer(block[2])
    }


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _items_of_modules(crate: str, module: Path, paths: set[str]) -> set[str]:
    """Returns what public modules define and reexport.

    The list of public items has no modules that another module reexports, and not all crates.
    """
    items = set()
    library = _read(module / "lib.rs")
    modules = {path.split("::", 1)[1] for path in paths if path.startswith(f"{crate}::")}
    for name in modules | set(re.findall(r"^pub mod (\w+)", library, re.M)):
        found = re.search(rf"^pub use ([\w:]+::{name});", library, re.M)
        file = module.joinpath(*(found[1] if found else name).split("::")).with_suffix(".rs")
        if not file.is_file():
            continue
        text = _read(file)
        names = re.findall(r"^pub (?:\w+ )*(?:struct|enum|trait|fn) (\w+)", text, re.M)
        for used in re.findall(r"^pub use ([^;]+);", text, re.M):
            names += re.findall(r"(\w+)(?=[,}\s]*$|,)", used)
        items.update(f"{crate}::{name}::{item}" for item in names)
        items.add(f"{crate}::{name}")
    return items


def _macros(text: str) -> dict[str, str]:
    """Returns the kind of each procedural macro, as names of pages on docs.rs have it."""
    kinds = {"derive": "derive", "attribute": "attr", None: "macro"}
    return {found[2] or found[3]: kinds[found[1]] for found in _MACRO.finditer(text)}


def _pages(root: Path) -> dict[str, str]:
    """Returns the item of each page that is included as documentation, by the page's path."""
    source = root / "pd-runtime/src"
    pages = {}
    for file, module in (("lib.rs", "pd_runtime"), ("_docs.rs", "pd_runtime::_docs")):
        text = _read(source / file)
        for found in _PAGE.finditer(text):
            item = re.match(r"\s*pub (?:mod (\w+)|use pd_macros::(\w+))", text[found.end() :])
            if item:
                # The pages of mistakes are in a module of their own.
                inner = "mistakes::" if found[1].startswith("mistakes/") else ""
                name = item[1] or item[2]
                name = name if name == "mistakes" else inner + name
                pages[f"pd-runtime/docs/{found[1]}"] = f"{module}::{name}"
    for file in source.glob("*.rs"):
        found = re.search(r'#!\[doc = include_str!\("\.\./docs/([\w-]+\.md)"\)\]', _read(file))
        if found:
            pages[f"pd-runtime/docs/{found[1]}"] = f"pd_runtime::{file.stem}"
    return pages
