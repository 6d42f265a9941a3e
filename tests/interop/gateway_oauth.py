"""The gateway logs in at the Python SDK's own authorization server, and keeps, renews and drops the tokens."""

import contextlib
import json
import os
import pathlib
import re
import secrets
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import server
import uvicorn
import wires
from login import free_port
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, TokenError, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken
from report import check, equal, exit_code
from upstream_servers import GATEWAY, Session

PLAINLY = ("--listing", "full", "--gate", "off")
LONG = 3600


class Provider:
    """An authorization server in memory. Everybody who opens the URL of a login is `user`."""

    def __init__(self, issuer: str):
        self.issuer = issuer
        self.user, self.life = "ada", LONG
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}
        self.refreshes, self.authorized = 0, []

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        self.authorized.append(params)
        if self.user is None:
            return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state)
        asked = params.model_dump(exclude={"state"})
        asked["scopes"] = params.scopes or []
        code = AuthorizationCode(code=secrets.token_urlsafe(), expires_at=time.time() + 60, client_id=client.client_id, subject=self.user, **asked)
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state, iss=self.issuer)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self.issued(authorization_code)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        # Rotated: each refresh token is good for one renewal.
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshes += 1
        return self.issued(refresh_token)

    async def load_access_token(self, token):
        found = self.access.get(token)
        return found if found and found.expires_at > time.time() else None

    async def revoke_token(self, token):
        for tokens in (self.access, self.refresh):
            for other in [one for one, known in tokens.items() if known.subject == token.subject]:
                del tokens[other]

    def issued(self, grant) -> OAuthToken:
        kept = {"client_id": grant.client_id, "scopes": grant.scopes, "resource": grant.resource, "subject": grant.subject}
        access, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + self.life, **kept)
        self.refresh[refresh] = RefreshToken(token=refresh, **kept)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=self.life, scope=" ".join(grant.scopes))


@contextlib.contextmanager
def upstream():
    """Serves MCP and the authorization server at one origin."""
    url = f"http://127.0.0.1:{free_port()}"
    provider = Provider(url)
    auth = AuthSettings(
        issuer_url=url,
        resource_server_url=f"{url}/mcp",
        required_scopes=["notes"],
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["notes"]),
        revocation_options=RevocationOptions(enabled=True),
    )
    served = MCPServer("notes", log_level="ERROR", auth_server_provider=provider, auth=auth)

    @served.tool()
    def whoami() -> str:
        """Returns the user of the token."""
        return get_access_token().subject

    config = uvicorn.Config(served.streamable_http_app(), port=int(url.rsplit(":", 1)[1]), log_level="error")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    try:
        yield provider, f"{url}/mcp"
    finally:
        running.should_exit = True
        thread.join(10)


class Desk:
    """A gateway's files, and the commands on them."""

    def __init__(self, directory: str, url: str):
        self.root = pathlib.Path(directory)
        self.config = self.root / "servers.json"
        self.config.write_text(json.dumps({"mcpServers": {"web": {"url": url}}}))
        self.env = {**server.QUIET, "XDG_STATE_HOME": str(self.root / "state")}
        self.command = [GATEWAY, "--config", str(self.config), "--cache", str(self.root / "cache")]

    def run(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([*self.command, *words], capture_output=True, text=True, env=self.env, timeout=25)

    def login(self, *words: str) -> tuple[int, str]:
        """Logs in, with a browser that follows redirects and knows nothing of the gateway."""
        child = subprocess.Popen([*self.command, "login", "web", "--no-browser", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.env)
        lines = []
        for line in child.stdout:
            lines.append(line)
            if line.strip().startswith("http"):
                with urllib.request.urlopen(line.strip(), timeout=10) as page:
                    assert b"You can close this page" in page.read()
        return child.wait(10), "".join(lines)

    def tokens(self) -> dict[str | None, dict]:
        files = sorted((self.root / "state/pd-gateway/oauth").glob("*.json"))
        return {one["principal"]: one for one in map(json.loads, (file.read_text() for file in files))}

    @contextlib.contextmanager
    def gateway(self):
        connection = Session([*self.command, "serve", *PLAINLY], self.env)
        try:
            connection.initialize("2025-11-25", {})
            yield connection
        finally:
            connection.child.kill()
            connection.child.wait()


def told(result: dict) -> str:
    return "".join(block.get("text", "") for block in result["content"])


def whoami(ask) -> str:
    """The user that the server sees, or what is wrong."""
    return told(ask("tools/call", name="web__whoami", arguments={}))


def before(desk: Desk):
    with check("gateway_oauth: doctor names the server that needs a login, and the command"):
        ran = desk.run("doctor")
        equal(ran.returncode, 1)
        assert re.search(r"^web +needs login .*`pd-gateway login web`$", ran.stdout, re.M), ran.stdout


def logs_in(desk: Desk, provider: Provider, url: str):
    with check("gateway_oauth: a login that the user denies says so, and keeps nothing"):
        provider.user = None
        status, output = desk.login()
        assert status == 1 and "refused the login: access_denied" in output, output
        equal(desk.tokens(), {})
    with check("gateway_oauth: login registers, uses PKCE and the resource, and ends with one line"):
        provider.user = "ada"
        status, output = desk.login()
        equal(status, 0)
        equal(output.splitlines()[-1], "ok logged in at `web`: scopes notes, renewed by itself")
        asked = provider.authorized[-1]
        equal((asked.resource, asked.scopes), (url, ["notes"]))
        assert asked.redirect_uri.host == "127.0.0.1" and asked.code_challenge, asked
    with check("gateway_oauth: tokens are in files that only their owner reads, and in nothing that is printed"):
        directory = desk.root / "state/pd-gateway/oauth"
        equal(stat.S_IMODE(directory.stat().st_mode), 0o700)
        [file] = directory.iterdir()
        equal(stat.S_IMODE(file.stat().st_mode), 0o600)
        listed = desk.run("login", "--list").stdout
        assert "`web`: scopes notes" in listed, listed
        hidden = [desk.tokens()[None][key] for key in ("access_token", "refresh_token")]
        others = [path.read_text() for path in desk.root.rglob("*") if path.is_file() and path != file]
        for secret in hidden:
            assert not any(secret in text for text in [output, listed, *others]), "a token is where it should not be"


def calls(desk: Desk, provider: Provider):
    with desk.gateway() as ask, desk.gateway() as other:
        with check("gateway_oauth: a call has the token of the login"):
            until_listed(ask)
            until_listed(other)
            equal(whoami(ask), "ada")
        with check("gateway_oauth: a token that the server no longer takes is renewed, and the call is sent again"):
            provider.access.clear()
            equal((whoami(ask), provider.refreshes), ("ada", 1))
        with check("gateway_oauth: another process uses the renewed token, and renews none itself"):
            equal((whoami(other), provider.refreshes), ("ada", 1))
        with check("gateway_oauth: a token that expires is renewed by one of two processes at a time"):
            provider.life = 2
            provider.access.clear()
            for _ in range(3):
                equal((whoami(ask), whoami(other)), ("ada", "ada"))
                time.sleep(1.2)
            assert provider.refreshes > 2, provider.refreshes
        with check("gateway_oauth: a login that was revoked is dropped, and the next one works without a restart"):
            provider.access.clear()
            provider.refresh.clear()
            refused = ask("tools/call", name="web__whoami", arguments={})
            assert refused["isError"] and "run `pd-gateway login web`" in told(refused), refused
            assert "UPSTREAM_LOGIN_REQUIRED" in json.dumps(refused), refused
            equal(desk.tokens(), {})
            provider.life = LONG
            provider.user = "eve"
            equal(desk.login()[0], 0)
            equal((whoami(ask), whoami(other)), ("eve", "eve"))


def until_listed(ask):
    deadline = time.monotonic() + 15
    while not any(tool["name"] == "web__whoami" for tool in ask("tools/list")["tools"]):
        assert time.monotonic() < deadline, "the server lists nothing"
        time.sleep(0.1)


def principals(desk: Desk, provider: Provider):
    with check("gateway_oauth: two principals have their own tokens"):
        provider.user = "bob"
        status, output = desk.login("--principal", "idp|bob")
        assert status == 0 and "`web` for `idp|bob`: scopes notes" in output, output
        tokens = desk.tokens()
        users = {principal: provider.access[one["access_token"]].subject for principal, one in tokens.items()}
        equal(users, {None: "eve", "idp|bob": "bob"})
        equal(desk.run("call", "web__whoami").stdout.strip(), "eve")
    with check("gateway_oauth: the tokens of one are removed and revoked, and those of the other stay"):
        removed = desk.run("login", "web", "--principal", "idp|bob", "--remove").stdout
        assert "are removed and revoked" in removed, removed
        equal(list(desk.tokens()), [None])
        equal({token.subject for token in provider.refresh.values()}, {"eve"})
        ran = desk.run("login", "web", "--principal", "idp|bob", "--remove")
        assert ran.returncode == 1 and "has no such tokens" in ran.stderr, ran.stderr


def another_url(desk: Desk, url: str):
    with check("gateway_oauth: an entry with another URL has none of the tokens"):
        desk.config.write_text(json.dumps({"mcpServers": {"web": {"url": url.replace("127.0.0.1", "localhost")}}}))
        ran = desk.run("doctor")
        assert "pd-gateway login web" in ran.stdout, ran.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pd-oauth-") as directory, upstream() as (provider, url):
        desk = Desk(directory, url)
        before(desk)
        logs_in(desk, provider, url)
        calls(desk, provider)
        principals(desk, provider)
        another_url(desk, url)
    sys.exit(exit_code())
