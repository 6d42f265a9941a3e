"""FastMCP with tool search: the list holds a search and a call alone."""

from fastmcp import FastMCP
from fastmcp.server.transforms.search import BM25SearchTransform

server = FastMCP("shop", transforms=[BM25SearchTransform(max_results=3)])


@server.tool
def greet(name: str) -> str:
    """Greet a customer by name."""
    return f"Welcome, {name}!"


@server.tool
def order(article: str, count: int = 1) -> str:
    """Order goods from the shelf."""
    return f"{count} × {article}"


@server.tool
def refund(amount: int) -> str:
    """Pay money back for goods that came back."""
    return f"{amount} back"


server.run(show_banner=False)
