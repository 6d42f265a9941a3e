"""The implementation guide's agent ("Agent Implementation"), typed anew: the system prompt that it builds."""

WORKFLOW = """

IMPORTANT - Tool Usage Workflow:
This server uses progressive disclosure for tools. Follow this exact workflow:

1. PICK the right tool based on the descriptions above (they tell you WHAT each tool does)
2. FETCH the full tool description using read_resource with the specific tool name
   Example: read_resource(resource_uri="resource:///tool_descriptions?tools=TOOL_NAME")
3. CALL the tool using the parameters you just learned

DO NOT try to fetch tool_descriptions without specifying which tool you want (?tools=TOOL_NAME).
The tool descriptions above are sufficient for choosing which tool you need.
You fetch the full description to learn the parameters and authorize the tool."""


def build_system_prompt(tools: list[dict], resources: list[dict]) -> str:
    """Builds the system prompt, with the workflow for servers that disclose progressively."""
    has_progressive_disclosure = any("tool_descriptions" in r.get("uri", "") for r in resources)
    tool_list = "\n".join([f"  - {t['name']}: {t.get('description', 'No description')}" for t in tools])
    prompt = f"""You are a helpful assistant with access to these tools:

{tool_list}

Use tools when needed to answer questions."""
    if has_progressive_disclosure:
        prompt += WORKFLOW
    return prompt
