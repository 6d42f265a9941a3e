// A script as an agent writes it, over the exported library of the Git server: the newest commit's author and files, by two tools.
// `chain.ts ERA COMMAND ARGUMENT…` prints them as JSON, with the requests that went to the server.

import { Client as InlineClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as InlineTransport } from '@modelcontextprotocol/client/stdio';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type McpClient, ToolFailed, history, setClient, uncommitted } from './git/index.js';
import type { LogOutput } from './git/history/log.js';

declare const process: { argv: string[] };
declare const console: { log(text: string): void };

const [era, command = '', ...args] = process.argv.slice(2);
const who = { name: 'chain', version: '1' };

async function connected() {
    if (era === 'session') {
        const client = new SessionClient(who);
        await client.connect(new SessionTransport({ command, args }));
        return client;
    }
    const client = new InlineClient(who, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new InlineTransport({ command, args }));
    return client;
}

const client = await connected();
const fits: McpClient = client;
const requests: string[] = [];
setClient({
    callTool(request) {
        requests.push(`${request.name} ${Object.keys(request.arguments ?? {}).sort().join()}`.trim());
        return fits.callTool(request);
    },
});

const { items }: LogOutput = await history.log({ limit: 1 });
const [newest] = items;
const shown = await history.show({ revision: newest?.id ?? '' });
const again = await history.log();
const text = await uncommitted();
const code = await history.show({ revision: 'nowhere' }).catch((error: unknown) => {
    return error instanceof ToolFailed ? error.code : String(error);
});
const files = shown.files.items.map(file => file.path);
console.log(JSON.stringify({ subject: newest?.subject, author: shown.author.name, files, commits: again.items.length, text, code, requests }));
await client.close();
