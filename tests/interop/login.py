"""Clients that are told nothing but our URL find out by themselves who issues tokens, get one, and use it."""

import contextlib
import socket
import subprocess
import sys

import server
from issuer import issuing
from raw_http import inline
from report import check, equal, exit_code
from scenario import interpreter


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def logs_in(client: str, issuer, url: str):
    with check(f"login: {client} finds the issuer and gets in"):
        issuer.authorizations.clear()
        ended = subprocess.run([*interpreter(client), url], capture_output=True, text=True, timeout=25, env=server.QUIET)
        assert ended.returncode == 0, ended.stderr
        assert "log" in ended.stdout.split(), ended.stdout
        [asked] = issuer.authorizations
        equal(asked["resource"], url)


def refusals(issuer, url: str):
    with check("login: nobody and somebody else's token are told where to get one"):
        for headers in ({}, {"Authorization": f"Bearer {issuer.signed('https://elsewhere.example')}"}):
            status, answered, _ = inline(url, "tools/list", {}, **headers)
            equal(status, 401)
            where = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
            assert f'resource_metadata="{where}"' in answered["WWW-Authenticate"], answered["WWW-Authenticate"]
    with check("login: PyJWT's token opens the door"):
        equal(inline(url, "tools/list", {}, Authorization=f"Bearer {issuer.signed(url)}")[0], 200)


if __name__ == "__main__":
    with contextlib.ExitStack() as stack:
        repo, issuer = stack.enter_context(server.repository()), stack.enter_context(issuing())
        address = f"127.0.0.1:{free_port()}"
        url = f"http://{address}/mcp"
        guard = ["--jwt-issuer", issuer.url, "--jwt-audience", url]
        stack.enter_context(server.http(repo, *guard, at=address))
        for client in ("python_login", "typescript_login"):
            logs_in(client, issuer, url)
        refusals(issuer, url)
    sys.exit(exit_code())
