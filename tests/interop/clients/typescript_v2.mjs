// The TypeScript client of both protocol generations. How clients are driven is said in `scenario.py`.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive, notifications, userAnswer } from './typescript.mjs';

const [era, kind, ...target] = process.argv.slice(2);
const extensions = era.endsWith('+extension') ? { 'dev.pd-runtime/disclosure': { version: 1 } } : undefined;
const mode = era.startsWith('session') ? 'legacy' : 'auto';
const client = new Client(
    { name: 'interop', version: '1' },
    {
        capabilities: { extensions, elicitation: userAnswer ? {} : undefined },
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, onChanged: () => notifications.push('notifications/tools/list_changed') } },
    },
);
if (userAnswer) client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: userAnswer }));
await client.connect(
    kind === 'http'
        ? new StreamableHTTPClientTransport(new URL(target[0]))
        : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env }),
);

// Any shape will do: the scenario looks at the result itself.
const asItIs = { '~standard': { version: 1, vendor: 'interop', validate: value => ({ value }) } };
await drive(
    client,
    client.getNegotiatedProtocolVersion(),
    (method, params) => client.request({ method, params }, asItIs),
    (params, options) => client.callTool(params, options),
);
