// A plain server on the TypeScript SDK, without disclosure, as the SDK's own example of JSON responses has it.
// It tells its URL on standard output.

import { randomUUID } from 'node:crypto';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/v4';

const inputSchema = {
    revision: z.string().describe('The branch, tag or commit to start from.'),
    path: z.string().optional().describe('Only commits that touch this path.'),
    limit: z.number().int().min(1).max(500).default(20).describe('How many commits to return.'),
    merges: z.boolean().default(false).describe('Whether to count merges too.'),
};

function newServer() {
    const server = new McpServer({ name: 'plain', version: '1.0.0' });
    server.registerTool(
        't000',
        { description: 'List commits of one branch or path, newest first', inputSchema },
        async ({ revision, path, limit, merges }) => {
            const where = path ?? 'the whole tree';
            const text = `${limit} commits of ${revision} that touch ${where}, ${merges ? 'with' : 'without'} merges`;
            return { content: [{ type: 'text', text }] };
        },
    );
    return server;
}

const transports = new Map();

async function opened() {
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: true,
        onsessioninitialized: id => transports.set(id, transport),
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await newServer().connect(transport);
    return transport;
}

const app = createMcpExpressApp();
app.all('/mcp', async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = id ? transports.get(id) : isInitializeRequest(request.body) && (await opened());
    if (!transport) {
        const error = { code: -32001, message: 'Session not found' };
        response.status(404).json({ jsonrpc: '2.0', error, id: null });
        return;
    }
    await transport.handleRequest(request, response, request.body);
});
const listener = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
listener.keepAliveTimeout = 600_000; // Others take their turns.
