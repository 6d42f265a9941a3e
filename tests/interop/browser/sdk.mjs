// MCP by the TypeScript SDKs, as they are, in the page.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { assert } from './by_hand.mjs';

const CLIENT = { name: 'page', version: '1' };

const former = server => scenario(new FormerClient(CLIENT), new FormerTransport(new URL(server)));
const negotiated = mode => server =>
    scenario(new Client(CLIENT, { versionNegotiation: { mode } }), new StreamableHTTPClientTransport(new URL(server)));

async function scenario(client, transport) {
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert(tools.some(tool => tool.name === 'log'), 'no tool `log` in the list');
    const read = await client.readResource({ uri: 'resource:///tool_descriptions?tools=log' });
    const ticket = JSON.parse(read.contents[0].text).log.inputSchema.properties.disclosure_ticket?.const;
    const proof = ticket === undefined ? {} : { disclosure_ticket: ticket };
    const result = await client.callTool({ name: 'log', arguments: { limit: 2, ...proof } });
    assert(!result.isError, JSON.stringify(result).slice(0, 200));
    await client.close();
}

export const bySdk = { sdk_v1_session: former, sdk_v2_session: negotiated('legacy'), sdk_v2_inline: negotiated('auto') };
