"""Our agent's side against servers that are not ours: plain ones, the guide's two-stage server, FastMCP's search; and the tools
that it inserts into conversations, by the types of both providers' SDKs."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import server
from report import check, equal, exit_code

AGENT = os.environ.get("PD_AGENT") or "PD_AGENT must name the agent's binary; `run` builds and sets it"
HERE = pathlib.Path(__file__).parent
TWO_STAGE = HERE.parent / "benches/http/two_stage"


class Agent:
    """The program, one line an order."""

    def __init__(self, *words: str):
        self.words = words

    def __enter__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        if os.environ.get("PD_INTEROP_VERBOSE"):
            del pipes["stderr"]
        self.child = subprocess.Popen([AGENT, *self.words], text=True, **pipes)
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(5)
        self.child.kill()

    def __call__(self, do: str, **words):
        print(json.dumps({"do": do, **words}), file=self.child.stdin, flush=True)
        return json.loads(self.child.stdout.readline() or '{"error": "the agent ended"}')

    def call(self, name: str, /, **arguments) -> str:
        result = self("call", name=name, arguments=arguments)
        assert "content" in result and not result.get("isError"), result
        return result["content"][0]["text"]

    def names(self) -> list[str]:
        return [tool["name"] for tool in self("tools")]


def package(name: str) -> str:
    return str(server.cache() / "node/node_modules/@modelcontextprotocol" / name / "dist/index.js")


def everything():
    with check("agent: everything is a plain server, and passes through"):
        with Agent("node", package("server-everything"), "stdio") as agent:
            equal(agent("prompt"), "")
            tools = {tool["name"]: tool for tool in agent("tools")}
            assert tools["echo"]["inputSchema"]["required"] == ["message"], tools["echo"]
            equal(agent.call("echo", message="ho"), "Echo: ho")
            request = agent("anthropic")
            searches = any(tool["name"].startswith("tool_search") for tool in request)
            equal(searches, any(tool.get("defer_loading") for tool in request))
            equal(len(request), len(tools) + searches)


def filesystem():
    with check("agent: filesystem is a plain server, and passes through"), tempfile.TemporaryDirectory() as directory:
        real = pathlib.Path(directory).resolve()
        (real / "note.txt").write_text("read me")
        with Agent("node", package("server-filesystem"), str(real)) as agent:
            equal(agent("prompt"), "")
            equal(agent.call("read_text_file", path=str(real / "note.txt")), "read me")
            described = agent("describe", names=["write_file", "no_such_tool"])
            equal(list(described), ["write_file"])
            names = agent.names()
            equal(names.count("write_file"), 1)


@contextlib.contextmanager
def two_stage():
    python = server.cache() / "two_stage/bin/python"
    process = subprocess.Popen([python, TWO_STAGE / "server.py"], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def guides():
    with two_stage() as url:
        with check("agent: the guide's two-stage server is described before it is called"), Agent(url) as agent:
            prompt = agent("prompt")
            assert "2. FETCH" in prompt and "t000: List commits" in prompt, prompt
            equal(agent.names(), [])
            described = agent("describe", names=["t000", "t001"])
            equal(list(described), ["t000"])
            assert "revision" in described["t000"]["inputSchema"]["properties"], described
            equal(agent.names(), ["t000"])
            said = agent.call("t000", revision="main")
            assert "20 commits of main" in said, said
        with check("agent: the guide's two-stage server is called at once, and described on the way"), Agent(url) as agent:
            said = agent.call("t000", revision="main", limit=5)
            assert "5 commits of main" in said, said


def fastmcp():
    command = [sys.executable, str(HERE / "servers/fastmcp_search.py")]
    with check("agent: what FastMCP's search finds can be called"), Agent(*command) as agent:
        assert "Find them with search_tools" in agent("prompt"), agent("prompt")
        equal(agent.names(), ["search_tools"])
        agent.call("search_tools", query="greet a customer")
        assert "greet" in agent.names(), agent.names()
        equal(agent.call("greet", name="Ada"), "Welcome, Ada!")
    with check("agent: a tool that FastMCP does not list is described and called"), Agent(*command) as agent:
        described = agent("describe", names=["order"])
        equal(described["order"]["inputSchema"]["required"], ["article"])
        equal(agent.call("order", article="tea", count=2), "2 × tea")
        equal(agent.call("refund", amount=3), "3 back")


def ours():
    with server.repository() as repo:
        command = server.stdio_command(repo)
        for words in [command, ["--inline", *command]]:
            era = "inline" if words[0] == "--inline" else "session"
            with check("agent: our Git server,", era), Agent(*words) as agent:
                before = agent("anthropic")
                assert "log: " in agent("prompt")
                assert agent.call("log", limit=1)
                after = agent("anthropic")
                equal(after[: len(before)], before)
                equal([tool["name"] for tool in after[len(before) :]], ["log"])


# The type of a whole request in each provider's SDK.
REQUESTS = {
    "anthropic": ("@anthropic-ai/sdk", "Provider.Beta.Messages.MessageCreateParamsNonStreaming"),
    "openai": ("openai", "Provider.Responses.ResponseCreateParamsNonStreaming"),
}


def misfits(provider: str, request: dict) -> str:
    """What TypeScript's compiler says of a request, by the types of the provider's SDK."""
    module, kind = REQUESTS[provider]
    with tempfile.TemporaryDirectory(dir=server.cache() / "node") as directory:
        (pathlib.Path(directory) / "package.json").write_text('{"type": "module"}')
        text = f"import type Provider from '{module}';\nexport const request: {kind} = {json.dumps(request)};\n"
        (pathlib.Path(directory) / "request.ts").write_text(text)
        options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--noEmit", "request.ts"]
        tsc = str(server.cache() / "node/node_modules/.bin/tsc")
        return subprocess.run([tsc, *options], capture_output=True, text=True, cwd=directory).stdout


def typed_calls():
    """What a search finds is inserted into the conversation, and the whole conversation fits the SDK's types."""
    with server.repository() as repo:
        command = ["--insert", *server.stdio_command(repo, "--listing", "eager")]
        with check("agent: a found tool is inserted as Anthropic's SDK has it, and called by its name"), Agent(*command) as agent:
            tools = agent("anthropic")
            search = {"type": "tool_use", "id": "1", "name": "a__find_tools", "input": {"query": "list the commits"}}
            messages = [{"role": "user", "content": "What changed?"}, {"role": "assistant", "content": [search]}]
            messages.append({"role": "user", "content": [agent("answer_anthropic", call=search)]})
            messages.append(agent("anthropic_changes"))
            equal(messages[-1]["content"][0]["tool"]["definition"]["name"], "a__log")
            call = {"type": "tool_use", "id": "2", "name": "a__log", "input": {"limit": 1}}
            messages.append({"role": "assistant", "content": [call]})
            messages.append({"role": "user", "content": [agent("answer_anthropic", call=call)]})
            assert "Change 8" in json.dumps(messages[-1]), messages[-1]
            equal(agent("anthropic"), tools)
            request = {"model": "model", "max_tokens": 1, "betas": ["inline-tools-2026-09-15"], "tools": tools, "messages": messages}
            equal(misfits("anthropic", request), "")
            removal = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "a__log"}}
            messages.append({"role": "system", "content": [removal]})
            equal(misfits("anthropic", request), "")
            removal["tool"]["type"] = "tool"
            assert "error TS" in misfits("anthropic", request)
        with check("agent: a found tool is inserted as OpenAI's SDK has it, and called by its name"), Agent(*command) as agent:
            tools = agent("openai")
            arguments = json.dumps({"query": "list the commits"})
            search = {"type": "function_call", "call_id": "1", "name": "a__find_tools", "arguments": arguments}
            items = [{"role": "user", "content": "What changed?"}, search, agent("answer_openai", call=search)]
            items.append(agent("openai_changes"))
            equal(items[-1]["tools"][0]["name"], "a__log")
            call = {"type": "function_call", "call_id": "2", "name": "a__log", "arguments": '{"limit": 1}'}
            items += [call, agent("answer_openai", call=call)]
            assert "Change 8" in json.dumps(items[-1]), items[-1]
            equal(agent("openai"), tools)
            equal(misfits("openai", {"model": "model", "tools": tools, "input": items}), "")
            items[3]["role"] = "user"
            assert "error TS" in misfits("openai", {"model": "model", "tools": tools, "input": items})


if __name__ == "__main__":
    everything()
    filesystem()
    guides()
    fastmcp()
    ours()
    typed_calls()
    sys.exit(exit_code())
