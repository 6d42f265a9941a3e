"""Runs one framework, by its driver, against one server after the other.

    drive.py DRIVER CELLS OUTCOMES    files: Python with a function `ask`; JSON; a line of JSON for each cell

A driver's `ask` gets the question, the server (`command` and `args`, or `url`), the addresses of the model and the
variant of the framework that is wanted. It does what the framework's documentation shows first.
"""

import asyncio
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback
from types import SimpleNamespace

SECONDS = 40
driver, cells, outcomes = sys.argv[1:]


def leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def report(cell: dict, error: BaseException | None, answer=None):
    if error is not None:
        traceback.print_exception(error)
    told = None if error is None else f"{type(leaf(error)).__name__}: {leaf(error)}"[:400]
    with open(outcomes, "a", encoding="utf-8") as file:
        file.write(json.dumps({"column": cell["column"], "error": told, "answer": str(answer)[:400]}) + "\n")


def arguments(cell: dict) -> tuple:
    os.environ.update(cell["env"])
    return cell["question"], SimpleNamespace(**cell["server"]), SimpleNamespace(**cell["model"]), cell["variant"]


async def one_after_the_other(ask, each: list[dict]):
    for cell in each:
        try:
            report(cell, None, await asyncio.wait_for(ask(*arguments(cell)), SECONDS))
        except (Exception, asyncio.CancelledError) as error:
            report(cell, error)


def out_of_time(*_):
    raise TimeoutError(f"not done within {SECONDS} s")


def without_loop(ask, each: list[dict]):
    signal.signal(signal.SIGALRM, out_of_time)
    for cell in each:
        signal.alarm(SECONDS)
        try:
            report(cell, None, ask(*arguments(cell)))
        except (Exception, SystemExit) as error:
            report(cell, error)
        finally:
            signal.alarm(0)


with open(cells, encoding="utf-8") as file:
    every = json.load(file)
os.environ.update(every[0]["env"])
try:
    spec = importlib.util.spec_from_file_location("driver", driver)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
except Exception as error:
    for cell in every:
        report(cell, error)
    raise SystemExit(1)
if inspect.iscoroutinefunction(module.ask):
    asyncio.run(one_after_the_other(module.ask, every))
else:
    without_loop(module.ask, every)
# Threads and children of a framework that stay do not hold up the next configuration.
sys.stdout.flush()
os._exit(0)
