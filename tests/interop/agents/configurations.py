"""The frameworks, each in the configurations that its users have, and the servers that they are put in front of."""

from dataclasses import dataclass

from agents.model import Task


@dataclass(frozen=True)
class Configuration:
    """`package` is the folder of its installation, `distribution` the package whose version the table names.

    `setting` is what its users set, in the words of the table.
    """

    name: str
    title: str
    package: str
    distribution: str
    variant: str = "default"
    ci: bool = False
    setting: str = ""

    @property
    def driver(self) -> str:
        return f"{self.package}.mjs" if self.package in NODE else f"{self.package}.py"


NODE = ("ai_sdk", "mastra", "langchain_js", "openai_agents_js", "mcp_use_js", "opencode", "gemini_cli")
CONFIGURATIONS = [
    Configuration("langchain", "LangChain", "langchain", "langchain-mcp-adapters", ci=True, setting="nothing; `client.session()` keeps one process for all calls"),
    Configuration("langchain_session", "LangChain, `client.session()`", "langchain", "langchain-mcp-adapters", "session"),
    Configuration("langchain_responses", "LangChain, `client.session()`, `use_responses_api`", "langchain", "langchain-mcp-adapters", "responses"),
    Configuration("openai_agents", "OpenAI Agents", "openai_agents", "openai-agents"),
    Configuration("openai_agents_strict", "OpenAI Agents, `convert_schemas_to_strict`", "openai_agents", "openai-agents", "strict"),
    Configuration("pydantic_ai", "Pydantic AI", "pydantic_ai", "pydantic-ai-slim", "chat", ci=True),
    Configuration("pydantic_ai_gemini", "Pydantic AI, Gemini", "pydantic_ai", "pydantic-ai-slim", "gemini"),
    Configuration("google_adk", "Google ADK", "google_adk", "google-adk"),
    Configuration("llama_index", "LlamaIndex", "llama_index", "llama-index-tools-mcp", setting="nothing; HTTP spares a process for each call"),
    Configuration("smolagents", "smolagents", "smolagents", "smolagents", setting="`--listing grouped`; it requires every optional argument of a listed tool"),
    Configuration("autogen_tools", "AutoGen, `mcp_server_tools`", "autogen", "autogen-ext", "tools", setting="nothing; `McpWorkbench` keeps one process for all calls"),
    Configuration("autogen_workbench", "AutoGen, `McpWorkbench`", "autogen", "autogen-ext", "workbench"),
    Configuration("agno", "Agno", "agno", "agno"),
    Configuration("strands", "Strands Agents", "strands", "strands-agents"),
    Configuration("semantic_kernel", "Semantic Kernel", "semantic_kernel", "semantic-kernel"),
    Configuration("mcp_use", "mcp-use, Python", "mcp_use", "mcp-use"),
    Configuration("haystack", "Haystack", "haystack", "mcp-haystack"),
    Configuration("crewai", "CrewAI", "crewai", "crewai", ci=True),
    Configuration("litellm", "LiteLLM", "litellm", "litellm"),
    Configuration("dspy", "DSPy", "dspy", "dspy"),
    Configuration("ai_sdk_responses", "Vercel AI SDK, OpenAI", "ai_sdk", "@ai-sdk/mcp", "responses", ci=True),
    Configuration("ai_sdk_chat", "Vercel AI SDK, OpenAI Chat", "ai_sdk", "@ai-sdk/mcp", "chat"),
    Configuration("ai_sdk_anthropic", "Vercel AI SDK, Anthropic", "ai_sdk", "@ai-sdk/mcp", "anthropic"),
    Configuration("ai_sdk_gemini", "Vercel AI SDK, Gemini", "ai_sdk", "@ai-sdk/mcp", "gemini"),
    Configuration("mastra", "Mastra", "mastra", "@mastra/mcp", ci=True),
    Configuration("langchain_js", "LangChain.js", "langchain_js", "@langchain/mcp-adapters"),
    Configuration("openai_agents_js", "OpenAI Agents JS", "openai_agents_js", "@openai/agents"),
    Configuration("mcp_use_js", "mcp-use, TypeScript", "mcp_use_js", "mcp-use"),
    Configuration("opencode", "opencode", "opencode", "opencode-ai"),
    Configuration("gemini_cli", "Gemini CLI", "gemini_cli", "@google/gemini-cli"),
]


@dataclass(frozen=True)
class Column:
    """A server with its flags, over one transport. `needs` is what `serve --help` must name."""

    name: str
    server: str = "git"
    flags: tuple[str, ...] = ()
    http: bool = False
    needs: str = ""
    ci: bool = False


COLUMNS = [
    Column("default", ci=True),
    Column("minimal", flags=("--listing", "minimal")),
    Column("grouped", flags=("--listing", "grouped"), ci=True),
    Column("full", flags=("--listing", "full")),
    Column("outline", flags=("--listing", "outline"), needs="- outline:"),
    Column("specification", flags=("--specification",), needs="--specification"),
    Column("http", http=True, ci=True),
    Column("gateway", server="gateway", ci=True),
    Column("gateway http", server="gateway", http=True),
]

# What users have who set nothing.
DEFAULTS = ("default", "http", "gateway", "gateway http")
# What a framework does whatever a server does, by configuration and column; `*` is every column.
LIMITS = {
    ("smolagents", "*"): "it requires every argument, also those that the schema declares optional",
}
# What is known and not mended, by configuration and column.
FAULTS: dict[tuple[str, str], str] = {}


def tasks(server: str, repository: str) -> list[Task]:
    """Calls with an optional argument and with a required one. Only the right answers contain these texts."""
    if server == "git":
        return [
            Task("log", {"limit": 3}, "list commits", r"Change 8"),
            Task("blame", {"path": "src/file_1.rs"}, "who last changed each line of a file", r"// 7"),
        ]
    log = {"repo_path": repository, "max_count": 3}
    return [
        Task("git__git_log", log, "show the log of commits", r"Change 8"),
        Task("time__get_current_time", {"timezone": "UTC"}, "what time is it now", r"\d{4}-\d\d-\d\dT\d\d:"),
    ]
