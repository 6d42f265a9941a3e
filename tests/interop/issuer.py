"""An issuer of tokens, as small as MCP clients accept: it registers whoever asks, and lets everybody be Ada."""

import base64
import contextlib
import hashlib
import http.server
import json
import secrets
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ed25519


class Issuer:
    """What it was asked for, and what it knows of."""

    def __init__(self, url: str):
        self.url = url
        self.key = ed25519.Ed25519PrivateKey.generate()
        self.granted: dict[str, dict] = {}
        self.authorizations: list[dict] = []

    def metadata(self) -> dict:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def keys(self) -> dict:
        public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": "1", "use": "sig", "alg": "EdDSA"}]}

    def authorize(self, asked: dict) -> str:
        """Where the browser is sent back to."""
        self.authorizations.append(asked)
        code = secrets.token_urlsafe()
        self.granted[code] = asked
        back = {"code": code, "iss": self.url} | ({"state": asked["state"]} if "state" in asked else {})
        return f"{asked['redirect_uri']}?{urllib.parse.urlencode(back)}"

    def token(self, asked: dict) -> dict:
        granted = self.granted.pop(asked["code"])
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        assert granted["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return {"access_token": self.signed(granted["resource"]), "token_type": "Bearer", "expires_in": 300}

    def signed(self, audience: str) -> str:
        claims = {"iss": self.url, "aud": audience, "sub": "ada", "exp": int(time.time()) + 300}
        return jwt.encode(claims, self.key, "EdDSA", {"kid": "1", "typ": "at+jwt"})


@contextlib.contextmanager
def issuing():
    """Serves an issuer on a free port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            match path:
                case "/.well-known/oauth-authorization-server":
                    self.answer(issuer.metadata())
                case "/keys":
                    self.answer(issuer.keys())
                case "/authorize":
                    self.send_response(302)
                    self.send_header("Location", issuer.authorize(dict(urllib.parse.parse_qsl(query))))
                    self.end_headers()
                case _:
                    self.send_error(404)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            match self.path:
                case "/register":
                    self.answer({**json.loads(body), "client_id": "interop"}, 201)
                case "/token":
                    self.answer(issuer.token(dict(urllib.parse.parse_qsl(body))))
                case _:
                    self.send_error(404)

        def answer(self, document: dict, status: int = 200):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{listener.server_port}")
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        listener.shutdown()
