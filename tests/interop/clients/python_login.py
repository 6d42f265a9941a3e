"""The Python SDK's client with its own OAuth: given a URL, it prints the names of the tools that it may see."""

import asyncio
import sys
import urllib.parse

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata


class Memory:
    """Where tokens are kept: here."""

    def __init__(self):
        self.tokens = self.registered = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.registered

    async def set_client_info(self, registered):
        self.registered = registered


class Browser:
    """Consents to everything."""

    async def visit(self, url: str):
        async with httpx2.AsyncClient(follow_redirects=False) as http:
            sent_back = (await http.get(url)).headers["location"]
        self.query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(sent_back).query))

    async def answer(self):
        return AuthorizationCodeResult(**self.query)


async def main(url: str):
    browser = Browser()
    wanted = OAuthClientMetadata(client_name="interop", redirect_uris=["http://127.0.0.1:9/back"])
    login = OAuthClientProvider(url, wanted, Memory(), browser.visit, browser.answer)
    async with httpx2.AsyncClient(auth=login, timeout=20) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            print(*(tool.name for tool in (await client.list_tools()).tools))


asyncio.run(main(*sys.argv[1:]))
