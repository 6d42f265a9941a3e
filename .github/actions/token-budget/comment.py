"""Writes the report below the pull request, as one comment that later runs update."""

import json
import os
import re
import urllib.error
import urllib.request
from typing import Any, Optional

# The author of comments that are made with the token of a workflow. A stranger can copy the
# marker into a comment, and cannot be this author.
AUTHOR = "github-actions[bot]"
PAGE = 100
MAX_PAGES = 30


class NotWritten(Exception):
    """The comment could not be written. The message says why."""


def marker(title: str) -> str:
    """Returns the invisible line by which a later run finds its comment."""
    return f"<!-- token-budget: {re.sub('[^a-z0-9]+', '-', title.lower()).strip('-')} -->"


def pull_request() -> Optional[int]:
    """Returns the number of the pull request, if its comment may be written.

    A pull request of a fork has a token that can only read. The check is by the repository of the
    head, because nothing that the head contains can change it.
    """
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    if os.environ.get("GITHUB_EVENT_NAME") != "pull_request" or not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        event = json.load(file)
    request = event.get("pull_request") or {}
    head = ((request.get("head") or {}).get("repo") or {}).get("full_name")
    number = request.get("number")
    if head is None or head != os.environ.get("GITHUB_REPOSITORY") or type(number) is not int:
        return None
    return number


def write(number: int, title: str, markdown: str, is_changed: bool) -> str:
    """Updates or creates the comment, and returns what it did.

    Without a change, it creates no comment: a pull request without changed tools stays quiet.
    """
    first_line = marker(title)
    body = {"body": f"{first_line}\n{markdown}"}
    old = _find(number, first_line)
    if old is not None:
        _request("PATCH", f"issues/comments/{old}", body)
        return "updated"
    if not is_changed:
        return "not needed"
    _request("POST", f"issues/{number}/comments", body)
    return "created"


def _find(number: int, first_line: str) -> Optional[int]:
    for page in range(1, MAX_PAGES + 1):
        path = f"issues/{number}/comments?per_page={PAGE}&page={page}"
        comments = _request("GET", path)
        for comment in comments:
            is_ours = (comment.get("user") or {}).get("login") == AUTHOR
            if is_ours and (comment.get("body") or "").startswith(first_line):
                return int(comment["id"])
        if len(comments) < PAGE:
            break
    return None


def _request(method: str, path: str, body: Optional[Any] = None) -> Any:
    token = os.environ.get("GITHUB_TOKEN")
    if not token:
        raise NotWritten("GITHUB_TOKEN is not set")
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
        f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "token-budget",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        if error.code in (403, 404):
            raise NotWritten(
                f"GitHub answered {error.code}. Give the job `permissions: pull-requests: write`, "
                "or set `comment: false`"
            ) from error
        raise NotWritten(f"GitHub answered {error.code}") from error
    except (OSError, ValueError) as error:
        raise NotWritten(f"GitHub did not answer: {error}") from error
