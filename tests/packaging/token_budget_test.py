"""Tests of the action token-budget: the tables, the limits, the comment, and hostile files.

The files in `token_budget/` were printed by `tokens --json` of the Git server before and after an
edit of two tools, and of the gateway with one and with two servers. `UPDATE_EXPECT=1` rewrites the
expected Markdown.
"""

import contextlib
import copy
import io
import json
import os
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Dict, List, Tuple
from unittest import mock

HERE = Path(__file__).resolve().parent
ACTION = HERE.parents[1] / ".github/actions/token-budget"
DATA = HERE / "token_budget"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ACTION))

import budget  # noqa: E402
import comment  # noqa: E402


def load(name: str) -> Dict[str, Any]:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


class Case(unittest.TestCase):
    """Runs the script as the action does: inputs are variables."""

    maxDiff = None

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.environment: Dict[str, str] = {}

    def file(self, name: str, content: Any) -> str:
        path = self.directory / f"{name}.json"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_action(self, **inputs: Any) -> Tuple[int, str, str]:
        """Returns the exit code, standard output and standard error."""
        environment = dict(self.environment)
        for name, value in inputs.items():
            if name in ("head", "base") and not isinstance(value, str):
                value = self.file(name, value)
            elif name in ("head", "base") and "/" not in value:
                value = str(DATA / f"{value}.json")
            environment[f"BUDGET_{name.upper()}"] = value
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.dict(os.environ, environment, clear=True):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = budget.main([])
        return code, out.getvalue(), err.getvalue()

    def refused(self, words: str, **inputs: Any) -> str:
        code, out, err = self.run_action(**inputs)
        self.assertEqual(code, 2, err)
        self.assertEqual(out, "", "nothing is compared")
        self.assertIn(words, err)
        return err


class Tables(Case):
    def expect(self, name: str, code: int = 0, **inputs: Any) -> None:
        actual, out, _ = self.run_action(**inputs)
        self.assertEqual(actual, code)
        golden = DATA / f"{name}.md"
        if os.environ.get("UPDATE_EXPECT"):
            golden.write_text(out, encoding="utf-8")
        self.assertEqual(out, golden.read_text(encoding="utf-8"))

    def test_two_edited_tools_of_a_server(self) -> None:
        self.expect("edited", base="base", head="head", limit="2000")

    def test_the_full_listing_has_one_column(self) -> None:
        self.expect("edited_full", base="base", head="head", listing="full")

    def test_a_list_over_both_limits_fails(self) -> None:
        self.expect("over", code=1, base="base", head="head", limit="1,800", increase="2")

    def test_one_server_more_behind_a_gateway(self) -> None:
        self.expect("gateway", base="gateway_base", head="gateway_head", limit="200")

    def test_one_server_less_behind_a_gateway_is_pointed_out(self) -> None:
        self.expect("gateway_lost", base="gateway_head", head="gateway_base")

    def test_without_a_base_the_largest_tools(self) -> None:
        self.expect("alone", head="head", title="The Git server")

    def test_new_and_removed_tools_and_names_that_try_to_escape(self) -> None:
        head = load("head")
        head["tools"] = head["tools"][2:]
        names = [
            "a|b`c\n| `d` | 1 |",
            "<img src=x onerror=alert(1)> @everyone [x](https://example.com)",
            "::error::\u202ename",
            "x" * 200,
        ]
        for number, name in enumerate(names):
            tool = {"name": name, "minimal": 1, "outline": 2, "full": 30 + number}
            head["tools"].append(tool)
        self.expect("hostile", base="base", head=head)

    def test_no_change(self) -> None:
        self.expect("same", base="base", head="base")

    def test_a_listing_that_changes_its_step(self) -> None:
        small, large = load("base"), load("base")
        small["total"]["full"] = 1_990
        large["total"]["outline"] = 10_500
        self.expect("step", base=small, head=large)

    def test_a_long_table_is_cut(self) -> None:
        head = load("base")
        for number in range(150):
            name = f"tool_{number}"
            head["tools"].append({"name": name, "minimal": 1, "outline": 2, "full": 3})
        _, out, _ = self.run_action(base="base", head=head)
        self.assertEqual(out.count("| new → 3 |"), 100)
        self.assertIn("50 more tools changed.", out)
        self.assertLess(len(out), 65_536)


class Limits(Case):
    def test_the_error_says_how_much_and_where_to_look(self) -> None:
        code, _, err = self.run_action(head="base", limit="1881")
        self.assertEqual(code, 1)
        self.assertIn("1,882 tokens, 1 over the limit of 1,881", err)
        self.assertIn("summary", err)

    def test_exactly_the_limit_passes(self) -> None:
        self.assertEqual(self.run_action(head="base", limit="1_882")[0], 0)

    def test_each_listing_has_its_own_number(self) -> None:
        for listing, tokens in [("minimal", 1127), ("outline", 1882), ("full", 11226)]:
            below, at = str(tokens - 1), str(tokens)
            self.assertEqual(self.run_action(head="base", listing=listing, limit=below)[0], 1)
            self.assertEqual(self.run_action(head="base", listing=listing, limit=at)[0], 0)

    def test_a_gateway_is_measured_by_what_it_lists(self) -> None:
        self.assertEqual(self.run_action(head="gateway_base", limit="155")[0], 1)
        self.assertEqual(self.run_action(head="gateway_base", limit="156")[0], 0)

    def test_a_small_server_is_measured_in_full(self) -> None:
        head = load("base")
        head["total"]["full"] = 2_000
        self.assertIn("2,000 tokens, `full`", self.run_action(head=head)[1])
        head["total"]["full"] = 2_001
        self.assertIn("1,882 tokens, `outline`", self.run_action(head=head)[1])

    def test_a_limit_that_is_not_a_number(self) -> None:
        for limit in ("many", "-1", "1.5", "9" * 30, "²"):
            self.refused("`limit` has to be a number of tokens", head="base", limit=limit)
        self.refused("`increase` has to be", head="base", increase="+5")


class BadInput(Case):
    def test_a_file_that_is_missing(self) -> None:
        self.refused("no such file", head=str(self.directory / "none.json"))
        self.refused("`base`", head="base", base=str(self.directory / "none.json"))

    def test_no_head(self) -> None:
        err = io.StringIO()
        with mock.patch.dict(os.environ, {}, clear=True), contextlib.redirect_stderr(err):
            self.assertRaises(SystemExit, budget.main, [])
        self.assertIn("`head` is missing", err.getvalue())

    def test_a_file_that_is_not_json(self) -> None:
        self.refused("is empty", head=self.file("head", ""))
        for text in ("warning: x\n{}", "[" * 100_000, "9" * 10_000, "\ufffe\x00"):
            words = "`tokens --json`"
            self.refused(words, head=self.file("head", text))

    def test_json_of_another_form(self) -> None:
        for document in ([], None, {}, {"tokenizer": "o", "tools": {}}):
            self.refused("is not the output of", head=document)

    def test_numbers_that_are_not_tokens(self) -> None:
        for value in (-1, 1.5, True, "1", None, 10**12):
            head = load("base")
            head["tools"][0]["full"] = value
            self.refused("tool 1: `full` has to be a number of tokens", head=head)

    def test_two_tools_of_one_name(self) -> None:
        head = load("base")
        head["tools"].append(head["tools"][0])
        self.refused("two tools have the name `status`", head=head)

    def test_two_tokenizers(self) -> None:
        other = load("base")
        other["tokenizer"] = "cl100k\n::set-output name=x::y"
        err = self.refused("with the same version", head=other, base="base")
        self.assertIn("`cl100k%0A::set-output%20name%3Dx::y`", err)

    def test_a_gateway_and_a_server(self) -> None:
        self.refused("One of `base` and `head` is from a gateway", head="base", base="gateway_base")

    def test_a_gateway_without_a_server_that_started(self) -> None:
        head = load("gateway_base")
        head["gateway"] = None
        self.refused("doctor", head=head)

    def test_listings_that_do_not_exist(self) -> None:
        self.refused("`listing` has to be one of auto, listed", head="base", listing="grouped")
        self.refused("`listing: listed` needs", head="base", listing="listed")

    def test_pull_request_target_is_refused(self) -> None:
        self.environment["GITHUB_EVENT_NAME"] = "pull_request_target"
        self.refused("on `pull_request`", head="base")

    def test_an_error_is_one_annotation_in_github(self) -> None:
        self.environment["GITHUB_ACTIONS"] = "true"
        code, out, _ = self.run_action(head=self.file("a%0A::error::b", "x"))
        self.assertEqual(code, 2)
        self.assertEqual(len(out.splitlines()), 1)
        self.assertTrue(out.startswith("::error title=Token budget::"), out)
        self.assertIn("%250A::error", out)


class Files(Case):
    def test_the_summary_and_the_outputs(self) -> None:
        summary, output = self.directory / "summary", self.directory / "output"
        summary.write_text("before\n")
        self.environment.update(GITHUB_STEP_SUMMARY=str(summary), GITHUB_OUTPUT=str(output))
        code, out, _ = self.run_action(base="base", head="head", limit="10")
        self.assertEqual(code, 1, "the summary is written over the limit, too")
        self.assertEqual(summary.read_text(encoding="utf-8"), "before\n" + out)
        self.assertRegex(output.read_text(), r"\Atokens=\d+\nchange=-?\d+\n\Z")


class GitHub(BaseHTTPRequestHandler):
    """Answers as GitHub's API does, as far as the action asks."""

    def reply(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        server: Any = self.server
        server.requests.append((self.command, self.path, body, self.headers["Authorization"]))
        answer: Any = {"id": 9}
        if self.command == "GET":
            page = int(self.path.rsplit("page=", 1)[1])
            answer = server.comments[(page - 1) * 100 : page * 100]
        elif server.is_read_only:
            return self.send_error(403)
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = reply

    def log_message(self, *_: Any) -> None:
        """Keeps the output of the tests quiet."""


class Comments(Case):
    def setUp(self) -> None:
        super().setUp()
        self.server: Any = HTTPServer(("127.0.0.1", 0), GitHub)
        self.server.requests, self.server.comments = [], []
        self.server.is_read_only = False
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.event = {"pull_request": {"number": 7, "head": {"repo": {"full_name": "me/server"}}}}
        self.environment = {
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": "me/server",
            "GITHUB_API_URL": f"http://127.0.0.1:{self.server.server_port}",
            "GITHUB_TOKEN": "secret",
        }

    def comment(self, head: str = "head", **inputs: Any) -> Tuple[int, str, List[Any]]:
        self.environment["GITHUB_EVENT_PATH"] = self.file("event", self.event)
        inputs = {"base": "base", "comment": "true", **inputs}
        code, out, err = self.run_action(head=head, **inputs)
        self.assertNotIn("secret", out + err)
        return code, out + err, self.server.requests

    def test_the_first_run_creates_it(self) -> None:
        code, out, requests = self.comment()
        self.assertEqual(code, 0)
        self.assertEqual([request[:2] for request in requests][1:],
                         [("POST", "/repos/me/server/issues/7/comments")])
        body = requests[1][2]["body"]
        self.assertTrue(body.startswith("<!-- token-budget: token-budget -->\n### Token budget\n"))
        self.assertEqual(requests[1][3], "Bearer secret")
        self.assertIn("comment: created", out)

    def test_a_later_run_updates_its_own_and_nobody_elses(self) -> None:
        text = comment.marker("Token budget") + "\nold"
        stranger = {"id": 1, "user": {"login": "stranger"}, "body": text}
        other = {"id": 2, "user": {"login": comment.AUTHOR}, "body": comment.marker("Other")}
        filler = [{"id": 3, "user": None, "body": None}] * 100
        own = {"id": 4, "user": {"login": comment.AUTHOR}, "body": text}
        self.server.comments = [stranger, other] + filler + [own]
        # Also without a change, so that an old table does not stay.
        _, _, requests = self.comment(head="base")
        self.assertEqual(requests[-1][:2], ("PATCH", "/repos/me/server/issues/comments/4"))
        self.assertEqual(len(requests), 3, "two pages, and the update")

    def test_no_change_and_no_comment_stays_quiet(self) -> None:
        self.assertEqual([request[0] for request in self.comment(head="base")[2]], ["GET"])

    def test_two_servers_have_two_comments(self) -> None:
        self.assertNotEqual(comment.marker("Server A"), comment.marker("Server B"))
        self.assertEqual(comment.marker("A --> <b>"), "<!-- token-budget: a-b -->")

    def test_a_fork_and_other_events_get_none(self) -> None:
        fork = copy.deepcopy(self.event)
        fork["pull_request"]["head"]["repo"] = {"full_name": "stranger/server"}
        gone = copy.deepcopy(self.event)
        gone["pull_request"]["head"]["repo"] = None  # type: ignore[assignment]
        for event in (fork, gone, {}):
            self.event = event
            code, out, requests = self.comment()
            self.assertEqual((code, requests), (0, []))
            self.assertIn("Listing:", out)
        self.environment["GITHUB_EVENT_NAME"] = "push"
        self.assertEqual(self.comment()[2], [])

    def test_without_the_input_there_is_none(self) -> None:
        self.assertEqual(self.comment(comment="false")[2], [])
        self.refused("`comment` has to be `true` or `false`", head="base", comment="yes")

    def test_a_token_that_can_only_read_is_a_warning(self) -> None:
        self.server.is_read_only = True
        code, out, _ = self.comment()
        self.assertEqual(code, 0)
        self.assertIn("pull-requests: write", out)
        self.assertEqual(self.comment(limit="10")[0], 1, "the limit still counts")

    def test_no_network_is_a_warning(self) -> None:
        self.environment["GITHUB_API_URL"] = "http://127.0.0.1:9"
        code, out, _ = self.comment()
        self.assertEqual(code, 0)
        self.assertIn("did not answer", out)


if __name__ == "__main__":
    unittest.main()
