"""Runs the implementation guide's tests with the interpreter's SDK.

    run_checks.py units DIRECTORY TOOL…          the loader on an exported directory, and the session authorization
    run_checks.py workflow VERSION CASE http URL | stdio COMMAND ARGUMENT…

VERSION is the protocol version that the SDK must agree on by default. CASE is `unmodified`, `copies_ticket` for the one line
that copies the ticket, or `refused` for the guide's client where it must fail, with a refusal that says what to do.
"""

import asyncio
import importlib.metadata
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# The guide's loader and session authorization, which the two-stage server of the benches is made of.
sys.path.append(str(pathlib.Path(__file__).parents[2] / "benches/http/two_stage"))

import guide_tests as tests
from connect import ToolCallFailed, connect_mcp_server
from report import check, equal, exit_code

SDK = "guide: mcp " + importlib.metadata.version("mcp")


def units(directory: str, *tools: str):
    with check(SDK, "the loader reads an exported directory, and offers the tools alone"):
        tests.test_tool_loader(pathlib.Path(directory), list(tools))
    with check(SDK, "session authorization"):
        tests.test_session_auth()


def workflow(version: str, case: str, transport: str, *target: str):
    with check(SDK, transport, case, "speaks", version, "by default"):
        equal(run(read_protocol_version(transport, *target)), version)
    match case:
        case "refused":
            with check(SDK, transport, "without a ticket, the refusal names it"):
                run(run_until_refused(transport, *target))
        case "unmodified" | "copies_ticket":
            with check(SDK, transport, case, "progressive disclosure workflow"):
                run(run_workflow(case == "copies_ticket", transport, *target))
            with check(SDK, transport, case, "examples run as they are written"):
                run(run_examples(transport, *target))
        case _:
            raise ValueError(f"{case} is not a case; write unmodified, copies_ticket or refused")


def run(test) -> object:
    """Runs a test. The SDKs raise its failure in groups, one for each of their tasks."""
    try:
        return asyncio.run(test)
    except BaseExceptionGroup as group:
        raise first_of(group) from None


def first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def read_protocol_version(*server: str) -> str:
    async with connect_mcp_server(*server) as connected:
        return connected.protocol_version


async def run_workflow(copies_ticket: bool, *server: str):
    async with connect_mcp_server(*server) as connected:
        await tests.test_progressive_disclosure_workflow(connected, copies_ticket)
    # Another connection has read nothing.
    async with connect_mcp_server(*server) as connected:
        assert "TOOL_DESCRIPTION_REQUIRED" in await tests.failure_of(connected.call_tool("log", {}))


async def run_examples(*server: str):
    async with connect_mcp_server(*server) as connected:
        await tests.test_examples_run_as_they_are_written(connected)


async def run_until_refused(*server: str):
    async with connect_mcp_server(*server) as connected:
        try:
            await tests.test_progressive_disclosure_workflow(connected, copies_ticket=False)
        except ToolCallFailed as failed:
            error = json.loads(str(failed).split("\n\n", 1)[0])["error"]
            equal(error["code"], "TOOL_DESCRIPTION_REQUIRED")
        else:
            raise AssertionError("the workflow passed without a ticket")


if __name__ == "__main__":
    {"units": units, "workflow": workflow}[sys.argv[1]](*sys.argv[2:])
    sys.exit(exit_code())
