#!/usr/bin/env python3
"""Compares what the tools of an MCP server cost a model, before and after a change.

The files are what `SERVER tokens --json` or `pd-gateway tokens --json` prints. The table goes to
standard output, to the summary of the step, and into a comment below the pull request. Exits with
1 if a limit is exceeded, and with 2 if an input is not valid.
"""

import argparse
import os
import sys
from typing import List, Optional

# A run by hand must not leave files in the repository.
sys.dont_write_bytecode = True

import comment  # noqa: E402
from counts import BadInput, read  # noqa: E402
from report import LISTINGS, Budget, Report, compare  # noqa: E402


def main(arguments: Optional[List[str]] = None) -> int:
    options = _options(arguments)
    try:
        if os.environ.get("GITHUB_EVENT_NAME") == "pull_request_target":
            raise BadInput(
                "Run this action on `pull_request`. A workflow on `pull_request_target` gives the "
                "code of a fork, which makes `head`, a token that can write."
            )
        base = read(options.base, "base") if options.base else None
        head = read(options.head, "head")
        budget = Budget(_limit(options.limit, "limit"), _limit(options.increase, "increase"))
        report = compare(head, base, options.listing, budget, options.title)
        wants_comment = _flag(options.comment, "comment")
    except BadInput as error:
        _error(str(error))
        return 2
    _publish(report, options.title, wants_comment)
    for excess in report.excesses:
        _error(excess + " The table in the summary of this step shows which tools changed.")
    return 1 if report.excesses else 0


def _options(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    environment = os.environ.get
    # The action passes inputs as variables, so that no shell reads their values.
    parser.add_argument("--head", default=environment("BUDGET_HEAD", ""), help="after the change")
    parser.add_argument("--base", default=environment("BUDGET_BASE", ""), help="before it")
    parser.add_argument("--limit", default=environment("BUDGET_LIMIT", ""), metavar="TOKENS")
    parser.add_argument("--increase", default=environment("BUDGET_INCREASE", ""), metavar="TOKENS")
    parser.add_argument(
        "--listing",
        default=environment("BUDGET_LISTING") or "auto",
        help=f"what clients list: {', '.join(LISTINGS)}",
    )
    parser.add_argument("--title", default=environment("BUDGET_TITLE") or "Token budget")
    parser.add_argument("--comment", default=environment("BUDGET_COMMENT") or "false")
    options = parser.parse_args(arguments)
    if not options.head:
        parser.error("`head` is missing: name the file that `SERVER tokens --json` printed")
    return options


def _limit(text: str, name: str) -> Optional[int]:
    digits = text.strip().replace(",", "").replace("_", "")
    if not digits:
        return None
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise BadInput(f"`{name}` has to be a number of tokens, such as 2000.")
    return int(digits)


def _flag(text: str, name: str) -> bool:
    if text not in ("true", "false"):
        raise BadInput(f"`{name}` has to be `true` or `false`.")
    return text == "true"


def _publish(report: Report, title: str, wants_comment: bool) -> None:
    sys.stdout.write(report.markdown)
    _append("GITHUB_STEP_SUMMARY", report.markdown)
    change = "" if report.change is None else report.change
    _append("GITHUB_OUTPUT", f"tokens={report.tokens}\nchange={change}\n")
    number = comment.pull_request() if wants_comment else None
    if number is None:
        return
    try:
        done = comment.write(number, title, report.markdown, report.is_changed)
        print(f"comment: {done}")
    except comment.NotWritten as error:
        # The table is in the summary, too, and the exit code is what protects the branch.
        _annotate("warning", f"The comment was not written: {error}.")


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def _error(message: str) -> None:
    _annotate("error", message)


def _annotate(level: str, message: str) -> None:
    """Prints a message, in GitHub as an annotation of the run."""
    line = " ".join(message.split()).replace("%", "%25")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print(f"::{level} title=Token budget::{line}", flush=True)
    else:
        print(f"{level}: {message}", file=sys.stderr)


if __name__ == "__main__":
    # On Windows, standard output has an older encoding, which has no arrow.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
