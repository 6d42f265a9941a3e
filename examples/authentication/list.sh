#!/bin/sh
# Lists the tools of the server at URL for the bearer of TOKEN: sh list.sh http://127.0.0.1:8000/mcp "$TOKEN"
set -eu
curl --silent --show-error "$1" \
    --header "Authorization: Bearer $2" \
    --header "Content-Type: application/json" \
    --header "Accept: application/json, text/event-stream" \
    --header "MCP-Protocol-Version: 2026-07-28" \
    --header "Mcp-Method: tools/list" \
    --data '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "8"},
        "io.modelcontextprotocol/clientCapabilities": {}}}}'
