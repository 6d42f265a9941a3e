"""Code mode through clients that are not ours: programs that call tools, over each transport and in both eras."""

import json
import sys

import scenario
import server
from report import check, equal, exit_code

CLIENTS = [("python_mcp", "session"), ("python_mcp", "inline"), ("typescript_v1", "session"), ("typescript_v2", "inline")]
COUNT = """
await tools.describe('log');
const { items } = await tools.log({ limit: 100 });
const counts = {};
for (const { author } of items) counts[author] = (counts[author] ?? 0) + 1;
return counts;
"""
MANY = """
for (const name of ['log', 'show']) await tools.describe(name);
const { items } = await tools.log({ limit: 5 });
const shown = await Promise.all(items.map(({ id }) => tools.show({ revision: id })));
return shown.map(({ message }) => message.trim());
"""


def text(result: dict) -> str:
    assert not result.get("isError"), result
    return result["content"][0]["text"]


def checks(client: scenario.Client, say: str):
    with check(say, "lists three tools"):
        names = [tool["name"] for tool in client.ask("tools/list")["tools"]]
        equal(names, ["find_tools", "describe_tools", "run_code"])
    with check(say, "reads a signature"):
        assert "log({" in text(client.call("describe_tools", {"names": ["log"]})), client
    with check(say, "runs a program of one call"):
        equal(json.loads(text(client.call("run_code", {"code": COUNT}))), {"Ada": 8})
    with check(say, "reports progress of a program of many calls"):
        result = client.ask_with({"progress": True}, "tools/call", name="run_code", arguments={"code": MANY})
        equal(json.loads(text(result)), [f"Change {number}" for number in (8, 7, 6, 5, 4)])
        reports, expected = [report[0] for report in result["reports"]], [1, 2, 3, 4, 5, 6]
        # The TypeScript SDKs (1 and 2.4.0) handle notifications after the response that they read together with them, and
        # forget their handler then.
        equal(reports, expected[: len(reports)] if "typescript" in say else expected)
        assert reports, result
    with check(say, "reads the error of a program, with its line"):
        error = scenario.error_of(client.call("run_code", {"code": "\nnull.x"}))["error"]
        equal((error["code"], error["line"]), ("PROGRAM_FAILED", 2))
    with check(say, "is told that loops end, and runs the next program"):
        result = client.call("run_code", {"code": "for (;;);", "timeout_ms": 300})
        assert "Timeout" in scenario.error_of(result)["error"]["message"], result
        equal(text(client.call("run_code", {"code": "return 1 + 1"})), "2")


def main():
    with server.repository() as repo:
        for name, era in CLIENTS:
            for transport in ("stdio", "http"):
                say = f"code {name} {era} {transport}:"
                with check(say, "connects and closes"), scenario.endpoint(repo, transport, ("--code",)) as target:
                    client = scenario.Client(name, era, [transport, *target])
                    try:
                        checks(client, say)
                        client.close()
                    finally:
                        client.process.kill()
    sys.exit(exit_code())


if __name__ == "__main__":
    main()
