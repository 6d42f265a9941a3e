"""A page of `report` in Chromium: it shows what the other commands print, works by keyboard, and stays a page whatever texts it has.

    report_page.py git | catalog | hostile
"""

import base64
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import chromium
import report_numbers as numbers
import report_sources as sources
import server
from report import check, equal, exit_code

CATALOG = [os.environ.get("PD_CATALOG") or "PD_CATALOG must name the catalog's binary; `run` builds and sets it"]
MOST_BYTES = 1_000_000
AXE = "browser/node_modules/axe-core/axe.min.js"
VISIBLE = "[...document.querySelectorAll('.tool')].filter(one => !one.hidden).map(one => one.id.slice(5))"


@contextlib.contextmanager
def opened(say: str, program: list[str], *flags: str):
    """Writes a page and opens it."""
    with tempfile.TemporaryDirectory(prefix="pd-report-") as directory, chromium.page() as page:
        file = pathlib.Path(directory) / "report.html"
        with check(f"report: {say}: is written in one file of less than a megabyte"):
            subprocess.run([*program, "report", file, *flags], check=True, capture_output=True, env=server.QUIET)
            size = file.stat().st_size
            print(f"note report: {say}: {size:,} bytes", flush=True)
            assert size < MOST_BYTES, size
        page.looks("light")
        page.open(file.as_uri())
        yield page, file.as_uri()
        with check(f"report: {say}: reports no error and requests nothing else"):
            equal(page.errors, [])
            equal({request.split("?")[0].split("#")[0] for request in page.requests}, {file.as_uri()})


def shows_what_commands_print(say: str, page, program: list[str], said: numbers.Printed, listing: str):
    shown = page.evaluate(numbers.SHOWN)
    with check(f"report: {say}: its tables are what `tokens`, `check` and `audit` print"):
        expected = numbers.tables(said)
        equal(set(shown["tables"]), set(expected) | {"Tokens by listing"} | ({"Pairs that search confuses"} & set(shown["tables"])))
        for name, rows in expected.items():
            equal((name, shown["tables"][name][1:]), (name, rows))
    with check(f"report: {say}: its sentences are what they print"):
        equal([one for one in shown["sentences"] if not one.startswith(numbers.STANDING)], numbers.sentences(said))
    with check(f"report: {say}: its charts and cards are what they print"):
        measured = {name: values for name, values in shown["bars"].items() if name.startswith("Tokens to find")}
        figures = {name: values for name, values in shown["bars"].items() if values and name not in measured and "each tool" not in name}
        equal(figures, numbers.bars(said))
        equal(sorted(shown["cells"]), sorted(f"{row['name']}: {numbers.counted(row['full'], 'token')}" for row in said.tokens["tools"]))
        costs = {row["name"]: f"{row['minimal']:,} of {numbers.counted(row['full'], 'token')}" for row in said.tokens["tools"]}
        equal(shown["lines"], costs)
        equal(list(shown["cards"].values()), cards(said, shown["tables"]))
    with check(f"report: {say}: its listings cost what `tokens` and `tour` print"):
        listings(said, shown["tables"]["Tokens by listing"], next(iter(measured.values())), listing)
    with check(f"report: {say}: its tour has the steps of `tour`"):
        equal(shown["steps"], numbers.steps(said.tour))
    with check(f"report: {say}: `find` ranks the confusable pairs so"):
        for row in shown["tables"].get("Pairs that search confuses", [])[1:6]:
            # The pairs come from the index of the registry, and `find` from that of the server. Their scores differ by
            # less than one in a hundred.
            percent = int(row[2].removesuffix(" %"))
            assert abs(percent - nearness(program, *row)) <= 1, row


def cards(said: numbers.Printed, tables: dict) -> list[str]:
    total, remarks = said.tokens["total"], said.check["remarks"]
    saved = 100 * (1 - total["minimal"] / total["full"])
    pairs = len(tables.get("Pairs that search confuses", [[]])) - 1
    return [f"{total['full']:,}", f"{total['minimal']:,}", f"{saved:.1f} %", f"{len(said.tokens['tools']):,}", f"{len(remarks):,}", f"{pairs:,}"]


def listings(said: numbers.Printed, table: list[list[str]], bars: list[str], own: str):
    """Each sum is that of its row. The server's own listing and the call cost what `tour` counts."""
    heads, *rows = table
    rows = {row[0]: dict(zip(heads[1:], (int(cell.replace(",", "")) for cell in row[1:]))) for row in rows}
    for name, row in rows.items():
        equal((name, row["sum"]), (name, sum(row.values()) - row["sum"]))
    equal(bars, [f"{row['sum']:,}" for row in rows.values()])
    # The full list also has `describe_tools`.
    assert 0 < rows["in full"]["the list of tools"] - said.tokens["total"]["full"] < 300, rows
    # The way of the specification comes last.
    steps = {step["name"]: step["tokens"] for step in reversed(said.tour["steps"]) if step["is_counted"]}
    equal(rows[own]["the list of tools"], steps["list"])
    equal({row["the call and its result"] for row in rows.values()}, {steps["call"]})
    if own == "in outline":
        equal(steps["list"], said.tokens["total"]["outline"])


def nearness(program: list[str], tool: str, other: str, _, request: str, *__) -> float:
    hits = numbers.printed(program, "find", "--json", "--limit", "40", "--", request)["tools"]
    scores = {hit["name"]: hit["score"] for hit in hits}
    return 100 * scores[other] / scores[tool]


def filters(say: str, page, word: str, groups: bool):
    with check(f"report: {say}: the filter shows the tools that have the words"):
        everything = page.evaluate(VISIBLE)
        page.evaluate("document.activeElement.blur()")
        page.press("/")
        page.write(word)
        found = page.evaluate(VISIBLE)
        assert word in found and len(found) < len(everything), found
        equal(page.evaluate("document.querySelector('#tools [role=status]').textContent"), f"{len(found):,} of {numbers.counted(len(everything), 'tool')}")
        page.write(" xyzzy")
        equal(page.evaluate(VISIBLE), [])
        page.evaluate("{ const filter = document.getElementById('filter'); filter.value = ''; filter.dispatchEvent(new Event('input')) }")
        equal(page.evaluate(VISIBLE), everything)
    if groups:
        with check(f"report: {say}: the group shows its tools"):
            choose = "{ const group = document.getElementById('group'); group.selectedIndex = %d; group.dispatchEvent(new Event('change')) }"
            page.evaluate(choose % 1)
            shown = page.evaluate(VISIBLE)
            assert 0 < len(shown) < len(everything), shown
            page.evaluate(choose % 0)


def follows_links(say: str, page, url: str, tool: str):
    seen = f"""(() => {{
      const one = document.getElementById("tool-{tool}"), box = one.getBoundingClientRect();
      return [one.open, !one.hidden, box.top >= 0 && box.top < innerHeight, one.contains(document.activeElement), one.querySelectorAll("h3").length > 1];
    }})()"""
    with check(f"report: {say}: a link opens its tool"):
        page.open("about:blank")
        page.open(f"{url}#tool-{tool}")
        page.evaluate("new Promise(done => setTimeout(done, 50))")
        equal(page.evaluate(seen), [True] * 5)
    with check(f"report: {say}: a link opens its tool although the filter hides it"):
        page.evaluate("location.hash = ''; { const filter = document.getElementById('filter'); filter.value = 'xyzzy'; filter.dispatchEvent(new Event('input')) }")
        equal(page.evaluate(VISIBLE), [])
        page.evaluate(f"new Promise(done => {{ addEventListener('hashchange', () => done()); location.hash = 'tool-{tool}' }})")
        equal(page.evaluate(seen), [True] * 5)
        page.open(f"{url}?")


def works_by_keyboard(say: str, page, url: str):
    page.open(url)
    where = "[document.activeElement.className.baseVal ?? document.activeElement.className, document.activeElement.textContent.trim()]"
    with check(f"report: {say}: the tabulator key goes through the page, and arrow keys through the chart"):
        first = page.evaluate("document.querySelectorAll('nav a').length")
        visited = []
        for _ in range(first + 6):
            page.press("Tab")
            visited.append(page.evaluate(where))
        equal(visited[0], ["skip", "Skip to the content"])
        equal(sum(name == "cell" for name, _ in visited), 1)
        page.evaluate("document.querySelector('.cell').focus()")
        page.press("ArrowRight")
        equal(page.evaluate("[...document.querySelectorAll('.cell')].indexOf(document.activeElement)"), 1)
    with check(f"report: {say}: the enter key opens a tool"):
        page.evaluate("document.querySelector('.tool > summary').focus()")
        page.press("Enter")
        assert page.evaluate("new Promise(done => setTimeout(done, 50)).then(() => document.querySelector('.tool').open && document.querySelector('.tool h3') !== null)")


def replays(say: str, page, tour: dict):
    with check(f"report: {say}: the tour is replayed step by step with a running counter"):
        press = "[...document.querySelectorAll('#tour button')].find(one => one.textContent === '%s').click()"
        look = "[document.querySelectorAll('.tour > li:not([hidden])').length, document.querySelector('#tour [role=status]').textContent, document.querySelector('#tour .value').textContent]"
        page.evaluate(press % "Replay step by step")
        total = 0
        for place, step in enumerate(tour["steps"][:-1], 1):
            total += step["tokens"] if step["is_counted"] else 0
            equal(page.evaluate(look), [place, f"Step {place} of {len(tour['steps'])}: {total:,} tokens so far.", f"{total:,}"])
            page.evaluate(press % "Next step")
        equal(page.evaluate(look), [len(tour["steps"]), "", f"{tour['total_tokens']:,}"])


def is_accessible(say: str, page):
    """The rules of axe-core, among them contrast, in both themes and with a tool opened."""
    script = (server.cache() / AXE).read_text()
    page.evaluate(script)
    page.evaluate("{ const tool = document.querySelector('.tool'); tool.fill(); tool.open = true }")
    for theme in ("light", "dark"):
        page.looks(theme)
        with check(f"report: {say}: axe-core finds no fault in {theme} colors"):
            equal(page.evaluate(FAULTS), [])
            # Text on the cells of the chart, which axe-core cannot judge.
            faint = [pair for pair in page.evaluate(ON_CELLS) if pair[1] < 4.5]
            equal(faint, [])
    page.looks("light")


# Cells of the chart cut names to their width, so what is seen is not always a part of what is read out.
FAULTS = """axe.run({ resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: false } } })
  .then(found => found.violations.map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html + node.failureSummary)]))"""

ON_CELLS = """(() => {
  const light = color => { const [r, g, b] = color.match(/[0-9.]+/g).map(Number).map(part => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const contrast = (one, two) => { const [low, high] = [light(one), light(two)].sort((a, b) => a - b); return (high + 0.05) / (low + 0.05) };
  const fill = element => getComputedStyle(element).fill;
  const written = [...document.querySelectorAll(".cell")].filter(cell => cell.querySelector("text"));
  return written.map(cell => [cell.textContent, contrast(fill(cell.querySelector("text")), fill(cell.querySelector("rect")))]);
})()"""


def fits(say: str, page):
    for width in (390, 800):
        with check(f"report: {say}: fits a window of {width} pixels"):
            page.looks("light", width)
            page.evaluate("new Promise(done => setTimeout(done, 100))")
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            small = page.evaluate("[...document.querySelectorAll('svg text')].filter(one => one.getBoundingClientRect().height < 10).length")
            equal(small, 0)
    with check(f"report: {say}: sentences of tables are not cut on a phone"):
        page.looks("light", 390)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.fill?.(); one.open = true })")
        cut = "[...document.querySelectorAll('.scroll')].filter(one => one.querySelector('.sentence') && one.scrollWidth > one.clientWidth)"
        equal(page.evaluate(f"{cut}.map(one => one.getAttribute('aria-label'))"), [])
    page.looks("light")
    with check(f"report: {say}: is printed"):
        printed = base64.b64decode(page.send("Page.printToPDF")["data"])
        assert printed.startswith(b"%PDF") and len(printed) > 50_000, len(printed)


def visit(say: str, program: list[str], tool: str, listing: str = "in outline", **files: str):
    """All checks of a page of a server with this listing. The tool is read-only."""
    flags = [part for name, path in files.items() for part in (f"--{name}", path)]
    with opened(say, program, "--tool", tool, *flags) as (page, url):
        said = numbers.Printed.by(program, tool, **files)
        shows_what_commands_print(say, page, program, said, listing)
        filters(say, page, tool, bool(page.evaluate("document.getElementById('group') !== null")))
        works_by_keyboard(say, page, url)
        replays(say, page, said.tour)
        follows_links(say, page, url, tool)
        is_accessible(say, page)
        fits(say, page)


def git():
    with server.repository() as repo, tempfile.TemporaryDirectory(prefix="pd-report-") as directory:
        program = [server.BINARY, "--repo", repo]
        audit, lock = pathlib.Path(directory, "audit.jsonl"), pathlib.Path(directory, "tools.lock")
        sources.record_use(repo, audit)
        sources.lock_before_changes(program, lock)
        visit("git", program, "log", audit=str(audit), lock=str(lock))


def catalog():
    with tempfile.TemporaryDirectory(prefix="pd-report-") as directory:
        file = pathlib.Path(directory) / "six.json"
        sources.captured_catalog(file)
        visit("catalog", [*CATALOG, str(file)], "search_code", "eager")


def hostile():
    """Texts of tools and callers are shown as they are, and run nothing."""
    with tempfile.TemporaryDirectory(prefix="pd-report-") as directory:
        file, audit = pathlib.Path(directory, "hostile.json"), pathlib.Path(directory, "audit.jsonl")
        sources.hostile_catalog(file)
        sources.hostile_audit(audit)
        with opened("hostile", [*CATALOG, str(file)], "--audit", str(audit)) as (page, url):
            page.evaluate("document.querySelectorAll('.tool').forEach(tool => { tool.fill(); tool.open = true })")
            with check("report: hostile: no text becomes an element or runs"):
                equal(page.evaluate("[document.scripts.length, document.images.length, typeof window.hacked]"), [3, 0, "undefined"])
                assert page.evaluate("document.body.innerText").count("onerror='window.hacked = 1'") > 9
            with check("report: hostile: no text reorders what is around it"):
                equal(page.evaluate("(document.title + document.body.innerText).match(/[\\u202e\\u0007]/gu)"), None)
            with check("report: hostile: a schema without an end has a table with one"):
                rows = page.evaluate("document.querySelectorAll('#tool-list table tr').length")
                assert 100 < rows < 400, rows
            with check("report: hostile: an odd address opens no tool"):
                page.open(f"{url}?#tool-%")
                equal(page.evaluate("document.querySelectorAll('.tool[open]').length"), 0)
            follows_links("hostile", page, url, "list")


if __name__ == "__main__":
    chromium.browser()
    {"git": git, "catalog": catalog, "hostile": hostile}[sys.argv[1]]()
    sys.exit(exit_code())
