"""The protocol's conformance suite through the gateway, beside the same run without it.

    gateway_conformance.py REVISION ERA

The upstream is the example `conformance`: in the era `modern` over HTTP, in the era `legacy` over stdio, where it does not know
`server/discover`. What cannot be as without the gateway is below, with a reason each. A difference that is not, or no longer, there fails.
"""

import contextlib
import os
import sys
import time

import conformance
import server
import upstream_servers as upstreams
import wires
from gateway import PLAINLY
from report import check, exit_code

SESSIONS_ONLY = "the fixture asks in sessions only, and the gateway speaks 2026-07-28 with it"
ROUNDS = "the fixture requires input as a result, which a server of sessions does not have"
SHARED = "the gateway's one session declares sampling for all clients; the upstream does not learn what one client can do"
TASKS = "a server of sessions has no tasks of this extension"
OF_TASKS = {
    f"tasks-{name}": TASKS
    for name in (
        "capability-negotiation",
        "dispatch-and-envelope",
        "lifecycle",
        "mrtr-composition",
        "mrtr-input",
        "request-headers",
        "request-state-removal",
        "wire-fields",
    )
}
OF_ROUNDS = {
    f"input-required-result-{name}": ROUNDS
    for name in (
        "basic-elicitation",
        "basic-list-roots",
        "basic-sampling",
        "capability-check",
        "ignore-extra-params",
        "missing-input-response",
        "multi-round",
        "multiple-input-requests",
        "non-tool-request",
        "request-state",
        "result-type",
        "tampered-state",
    )
}
EXPECTED = {
    ("2025-11-25", "legacy"): {},
    ("2025-11-25", "modern"): {
        "elicitation-sep1034-defaults": SESSIONS_ONLY,
        "elicitation-sep1330-enums": SESSIONS_ONLY,
        "tools-call-elicitation": SESSIONS_ONLY,
        "tools-call-sampling": SESSIONS_ONLY,
    },
    ("2026-07-28", "modern"): {},
    ("2026-07-28", "legacy"): {"server-stateless": SHARED, **OF_ROUNDS, **OF_TASKS},
}


@contextlib.contextmanager
def through_the_gateway(era: str, direct: str):
    fixtures = [os.environ["PD_CONFORMANCE"], "serve"]
    shim = str(upstreams.HERE / "upstreams/legacy_only.py")
    entry = {"url": direct} if era == "modern" else {"command": sys.executable, "args": [shim, *fixtures]}
    # The lock would hold the tool that a scenario adds.
    with upstreams.configured({"fixtures": {**entry, "pd": {"prefix": "", "trust": "all"}}}) as gateway:
        with server.listening(*gateway, flags=PLAINLY) as (url, _):
            for _ in range(100):
                if len(wires.Http(url)("tools/list")["tools"]) > 1:
                    break
                time.sleep(0.1)
            yield url


def differences(direct: dict, gateway: dict) -> dict[str, list[str]]:
    """The scenarios that fail through the gateway alone, or without it alone, and how."""
    found = {}
    for scenario in direct.keys() | gateway.keys():
        one, other = (conformance.failures(told.get(scenario, [])) for told in (direct, gateway))
        if bool(one) != bool(other):
            found[scenario] = other or ["passes, and does not without the gateway"]
    return found


def main(revision: str, era: str):
    expected = EXPECTED[revision, era]
    with server.fixtures() as (direct, _), through_the_gateway(era, direct) as url:
        told = [conformance.run(target, "--requirements", revision) for target in (direct, url)]
        for scenario in differences(*told).keys() ^ expected.keys():
            # It waits for as little as half a second, which a busy machine may not give it.
            for results, target in zip(told, (direct, url)):
                results |= conformance.run(target, "--scenario", scenario, "--spec-version", revision)
        found = differences(*told)
    say = f"gateway: conformance {revision}, {era} upstream:"
    for scenario in sorted(told[0]):
        if scenario in expected:
            with check(f"{say} {scenario} differs as expected"):
                assert scenario in found, "it passes now; remove it from the list"
                print(f"note {say} {scenario}: {expected[scenario]}: {found[scenario][0]}", flush=True)
        else:
            with check(f"{say} {scenario} is as without the gateway"):
                assert scenario not in found, "; ".join(found[scenario])
    with check(f"{say} every expected difference was looked at"):
        assert expected.keys() <= told[0].keys() and len(told[0]) > 25, sorted(told[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
    raise SystemExit(exit_code())
