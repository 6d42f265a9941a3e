"""The implementation guide's `ToolDescriptionLoader` ("Server Implementation", 2), typed anew."""

import json
from pathlib import Path


class ToolDescriptionLoader:
    """Loads and caches tool descriptions from JSON files."""

    def __init__(self, descriptions_dir: Path):
        self.descriptions_dir = descriptions_dir
        self._cache: dict[str, dict] = {}

    def load(self, tool_name: str) -> dict | None:
        """Loads a single tool description."""
        if tool_name in self._cache:
            return self._cache[tool_name]
        desc_file = self.descriptions_dir / f"{tool_name}.json"
        if not desc_file.exists():
            return None
        with open(desc_file, "r", encoding="utf-8") as f:
            description = json.load(f)
        self._cache[tool_name] = description
        return description

    def load_multiple(self, tool_names: list[str]) -> dict[str, dict]:
        """Loads multiple tool descriptions."""
        descriptions = {}
        for tool_name in tool_names:
            desc = self.load(tool_name)
            if desc:
                descriptions[tool_name] = desc
            else:
                descriptions[tool_name] = {
                    "error": f"Tool '{tool_name}' not found",
                    "available_tools": self.list_available(),
                }
        return descriptions

    def list_available(self) -> list[str]:
        """Lists the tools that have a description."""
        if not self.descriptions_dir.exists():
            return []
        return [f.stem for f in self.descriptions_dir.glob("*.json")]
