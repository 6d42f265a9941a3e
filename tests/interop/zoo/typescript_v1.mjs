// A server on the TypeScript SDK 1, as its examples have it.
//
//     typescript_v1.mjs [sse PORT | http PORT]

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/v4';

const ofSdk = import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js').replace(/sdk\/dist\/.*/, 'sdk/package.json');
const { version } = JSON.parse(readFileSync(new URL(ofSdk)));

function newServer() {
    const server = new McpServer({ name: 'zoo', version: '1.0.0' });
    const text = words => ({ content: [{ type: 'text', text: words }] });
    server.registerTool(
        'greet',
        { description: 'Greet a person by name.', inputSchema: { name: z.string(), greeting: z.string().default('Hello') } },
        async ({ name, greeting }) => text(`${greeting}, ${name}!`),
    );
    server.registerTool(
        'sdk',
        {
            description: 'Show the version of the SDK and the process that runs it.',
            outputSchema: { version: z.string(), pid: z.number() },
        },
        async () => {
            const structuredContent = { version, pid: process.pid };
            return { ...text(JSON.stringify(structuredContent)), structuredContent };
        },
    );
    server.registerTool('refuse', { description: 'Fail for a reason.', inputSchema: { reason: z.string() } }, async ({ reason }) => {
        throw new Error(reason);
    });
    server.registerTool('motto', { description: 'Read the motto of the zoo.', annotations: { readOnlyHint: true } }, async () =>
        text('All animals are equal.'),
    );
    return server;
}

const transports = new Map();

// A session that nobody knows gets 400, as the SDK's README had it for most of its life.
async function streamable(request, response) {
    const known = transports.get(request.headers['mcp-session-id']);
    if (!known && !isInitializeRequest(request.body)) {
        const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
        response.status(400).json({ jsonrpc: '2.0', error, id: null });
        return;
    }
    const transport =
        known ??
        new StreamableHTTPServerTransport({
            sessionIdGenerator: () => randomUUID(),
            onsessioninitialized: id => transports.set(id, transport),
        });
    if (!known) await newServer().connect(transport);
    await transport.handleRequest(request, response, request.body);
}

async function stream(_, response) {
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    await newServer().connect(transport);
}

async function message(request, response) {
    const transport = transports.get(request.query.sessionId);
    if (transport) await transport.handlePostMessage(request, response, request.body);
    else response.status(400).send('No transport found for sessionId');
}

const [kind, port] = process.argv.slice(2);
if (kind) {
    const app = createMcpExpressApp();
    if (kind === 'http') app.all('/mcp', streamable);
    else app.get('/sse', stream).post('/messages', message);
    app.listen(Number(port), '127.0.0.1');
} else {
    await newServer().connect(new StdioServerTransport());
}
