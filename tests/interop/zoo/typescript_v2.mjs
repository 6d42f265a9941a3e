// A server on the TypeScript SDK 2, as its guide has it.
//
//     typescript_v2.mjs [http PORT]

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { localhostHostValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const ofSdk = import.meta.resolve('@modelcontextprotocol/server').replace(/server\/dist\/.*/, 'server/package.json');
const { version } = JSON.parse(readFileSync(new URL(ofSdk)));

function newServer() {
    const server = new McpServer({ name: 'zoo', version: '1.0.0' });
    const text = words => ({ content: [{ type: 'text', text: words }] });
    server.registerTool(
        'greet',
        {
            description: 'Greet a person by name.',
            inputSchema: z.object({ name: z.string(), greeting: z.string().default('Hello') }),
        },
        async ({ name, greeting }) => text(`${greeting}, ${name}!`),
    );
    server.registerTool(
        'sdk',
        {
            description: 'Show the version of the SDK and the process that runs it.',
            outputSchema: z.object({ version: z.string(), pid: z.number() }),
        },
        async () => {
            const structuredContent = { version, pid: process.pid };
            return { ...text(JSON.stringify(structuredContent)), structuredContent };
        },
    );
    server.registerTool(
        'refuse',
        { description: 'Fail for a reason.', inputSchema: z.object({ reason: z.string() }) },
        async ({ reason }) => {
            throw new Error(reason);
        },
    );
    server.registerTool('motto', { description: 'Read the motto of the zoo.', annotations: { readOnlyHint: true } }, async () =>
        text('All animals are equal.'),
    );
    return server;
}

const [, port] = process.argv.slice(2);
if (port) {
    const allowed = localhostHostValidation();
    const handler = toNodeHandler(createMcpHandler(newServer));
    createServer((request, response) => {
        if (allowed(request, response)) handler(request, response);
    }).listen(Number(port), '127.0.0.1');
} else {
    serveStdio(newServer);
}
