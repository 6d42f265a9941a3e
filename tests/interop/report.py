"""One line a check: `ok …` or `FAIL …`; `run` counts them."""

import contextlib
import signal
import traceback

SECONDS = 30
failed = False


@contextlib.contextmanager
def check(*words: str):
    """Reports what its block asserts, within a time. A failure is told and does not stop the checks that follow."""
    global failed
    said = " ".join(words)
    signal.alarm(SECONDS)
    try:
        yield
    except Exception as error:  # whatever a client throws is a failure of this check only
        failed = True
        where = traceback.extract_tb(error.__traceback__)[-1]
        told = str(error) or where.line
        print(f"FAIL {said} — {type(error).__name__}: {shortened(told)} ({where.name}:{where.lineno})", flush=True)
    else:
        print(f"ok {said}", flush=True)
    finally:
        signal.alarm(SECONDS)


def out_of_time(*_):
    raise TimeoutError(f"not done within {SECONDS} s")


signal.signal(signal.SIGALRM, out_of_time)


def equal(found, wanted):
    assert found == wanted, f"found {found!r}, wanted {wanted!r}"


def shortened(text: str, most: int = 600) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= most else f"{one_line[:most // 2]} … {one_line[-most // 2:]}"


def exit_code() -> int:
    return 1 if failed else 0
