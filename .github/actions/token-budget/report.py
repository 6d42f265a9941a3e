"""Renders the comparison of two counts as Markdown."""

from dataclasses import dataclass
from typing import List, Optional, Tuple

from counts import FORMS, BadInput, Counts, code

# The steps of `Listing::AUTO`.
AUTO_FULL = 2_000
AUTO_OUTLINE = 10_000
# A comment has at most 65,536 characters. A row has at most 250.
MAX_ROWS = 100
# Without a base, the table has the largest tools.
LARGEST = 10

LISTINGS = ("auto", "listed") + FORMS


@dataclass(frozen=True)
class Budget:
    """What the workflow allows."""

    limit: Optional[int] = None
    increase: Optional[int] = None


@dataclass(frozen=True)
class Report:
    """The comparison."""

    markdown: str
    tokens: int
    change: Optional[int]
    # One sentence for each limit that the head exceeds.
    excesses: Tuple[str, ...]
    # Whether the list or a tool has other tokens than in the base.
    is_changed: bool


def compare(
    head: Counts, base: Optional[Counts], listing: str, budget: Budget, title: str
) -> Report:
    """Compares the head with the base, if there is one."""
    if base is not None:
        _check_pair(head, base)
    is_auto = listing == "auto"
    listing = _resolve(listing, head)
    tokens = _listed(head, listing)
    before = None if base is None else _listed(base, listing)
    changed = [] if base is None else _changed(head, base, listing)
    excesses = _excesses(tokens, before, budget)
    lines = [f"### {_plain(title)}", "", _headline(tokens, before, listing, budget), ""]
    if excesses:
        lines += [f"**{' '.join(excesses)}** {_advice(base, head)}", ""]
    for note in _gateway_notes(head, base) + (_auto_notes(head, base, listing) if is_auto else []):
        lines += [note, ""]
    lines += _table(head, base, listing, changed)
    if base is not None and not changed and tokens != before:
        lines += ["The difference is in the tools that the library or the gateway adds."]
    lines += ["", _footer(head, base)]
    return Report(
        markdown="\n".join(lines) + "\n",
        tokens=tokens,
        change=None if before is None else tokens - before,
        excesses=tuple(excesses),
        is_changed=bool(changed) or before != tokens,
    )


def _check_pair(head: Counts, base: Counts) -> None:
    if head.tokenizer != base.tokenizer:
        raise BadInput(
            f"`base` was counted by {code(base.tokenizer)} and `head` by {code(head.tokenizer)}. "
            "Make both files with the same version of the program."
        )
    if (head.gateway is None) != (base.gateway is None):
        raise BadInput(
            "One of `base` and `head` is from a gateway, the other from a server. Make both "
            "files with the same program."
        )


def _resolve(listing: str, head: Counts) -> str:
    """Returns the listing that clients of the head get."""
    if listing not in LISTINGS:
        raise BadInput(f"`listing` has to be one of {', '.join(LISTINGS)}.")
    if listing == "listed" and head.gateway is None:
        raise BadInput(
            "`listing: listed` needs files of `pd-gateway tokens --json`. For a server, set "
            f"`listing` to one of {', '.join(FORMS)}."
        )
    if listing != "auto":
        return listing
    if head.gateway is not None:
        return "listed"
    return "full" if head.total["full"] <= AUTO_FULL else "outline"


def _listed(counts: Counts, listing: str) -> int:
    if listing == "listed" and counts.gateway is not None:
        return counts.gateway["listed"]
    return counts.total[listing]


def _columns(listing: str) -> Tuple[str, ...]:
    """Returns the forms that the table compares: as listed, and as a description costs."""
    return ("full",) if listing in ("full", "listed") else (listing, "full")


def _changed(head: Counts, base: Counts, listing: str) -> List[str]:
    columns = _columns(listing)
    names = [
        name
        for name in {**base.tools, **head.tools}
        if any(head.form(name, form) != base.form(name, form) for form in columns)
    ]

    def growth(name: str) -> int:
        return (head.form(name, "full") or 0) - (base.form(name, "full") or 0)

    return sorted(names, key=lambda name: (-growth(name), name))


def _excesses(tokens: int, before: Optional[int], budget: Budget) -> List[str]:
    excesses = []
    if budget.limit is not None and tokens > budget.limit:
        excesses.append(
            f"The listing has {tokens:,} tokens, {tokens - budget.limit:,} over the limit of "
            f"{budget.limit:,}."
        )
    if budget.increase is not None and before is not None and tokens - before > budget.increase:
        excesses.append(
            f"The listing grows by {tokens - before:,} tokens. The limit of one change is "
            f"{budget.increase:,}."
        )
    return excesses


def _advice(base: Optional[Counts], head: Counts) -> str:
    first = "largest" if base is None else "first"
    shorter = f"Shorten the {first} tools of the table"
    if head.gateway is not None:
        shorter = "Remove servers or tools from the gateway's file"
    return f"{shorter}, or raise the limit in the workflow and say why."


def _headline(tokens: int, before: Optional[int], listing: str, budget: Budget) -> str:
    parts = [f"Listing: {_change(before, tokens)} tokens{_difference(before, tokens)}"]
    parts.append("what the gateway lists" if listing == "listed" else f"`{listing}`")
    if budget.limit is not None:
        parts.append(f"limit {budget.limit:,}")
    return ", ".join(parts)


def _change(before: Optional[int], after: int) -> str:
    return f"{after:,}" if before is None else f"{before:,} → {after:,}"


def _difference(before: Optional[int], after: int) -> str:
    if before is None:
        return ""
    change = after - before
    return f" ({'+' if change > 0 else '−' if change < 0 else '±'}{abs(change):,})"


def _gateway_notes(head: Counts, base: Optional[Counts]) -> List[str]:
    if base is None or head.gateway is None or base.gateway is None:
        return []
    servers, before = head.gateway["servers"], base.gateway["servers"]
    if servers >= before:
        return []
    return [
        f"Servers with known tools: {before:,} → {servers:,}. If a server did not start, "
        "`pd-gateway --config FILE doctor` shows why."
    ]


def _auto_notes(head: Counts, base: Optional[Counts], listing: str) -> List[str]:
    notes = []
    if listing == "outline" and head.total["outline"] > AUTO_OUTLINE:
        notes.append(
            f"The outline is over {AUTO_OUTLINE:,} tokens, so `Listing::AUTO` lists the tools in "
            "groups, in fewer tokens than these."
        )
    before = None if base is None else _resolve("auto", base)
    if before is not None and before != listing:
        notes.append(
            f"`Listing::AUTO` changes from `{before}` to `{listing}` at {AUTO_FULL:,} tokens in "
            f"full. Both numbers are of `{listing}`."
        )
    return notes


def _table(head: Counts, base: Optional[Counts], listing: str, changed: List[str]) -> List[str]:
    columns = _columns(listing)
    titles = ["in full" if form == "full" else f"in `{form}`" for form in columns]
    names = changed
    if base is None:
        names = sorted(head.tools, key=lambda name: (-head.tools[name]["full"], name))[:LARGEST]
    if not names:
        return ["No tool changed." if head.tools or base is not None else "There are no tools."]
    lines = ["| tool | " + " | ".join(titles) + " |", "|---|" + "---:|" * len(columns)]
    for name in names[:MAX_ROWS]:
        cells = [_cell(head, base, name, form) for form in columns]
        lines.append(f"| {code(name)} | " + " | ".join(cells) + " |")
    if len(names) > MAX_ROWS:
        lines += ["", f"{len(names) - MAX_ROWS:,} more tools changed."]
    if base is None and len(head.tools) > LARGEST:
        lines += ["", f"These are the largest {LARGEST} of {len(head.tools):,} tools."]
    return lines


def _cell(head: Counts, base: Optional[Counts], name: str, form: str) -> str:
    after = head.form(name, form)
    before = None if base is None else base.form(name, form)
    if after is None:
        return f"{before:,} → removed"
    if base is not None and before is None:
        return f"new → {after:,}"
    return f"{after:,}" if before == after else _change(before, after) + _difference(before, after)


def _footer(head: Counts, base: Optional[Counts]) -> str:
    before = None if base is None else base.total["full"]
    full = head.total["full"]
    number = len(head.tools)
    return (
        f"{number:,} tool{'' if number == 1 else 's'} in full: {_change(before, full)} tokens"
        f"{_difference(before, full)}. Counted by {code(head.tokenizer)}."
    )


def _plain(title: str) -> str:
    """Keeps a title on one line, without markup."""
    kept = "".join(c for c in title if c.isalnum() or c in " _-./:,()")
    return " ".join(kept.split())[:100] or "Token budget"
