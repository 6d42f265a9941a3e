// The exported `client.ts` before servers that the Git example is not: those that refuse without a description, clients that
// cannot read resources, results without structure. Prints `[what, what it came to]` for each, as JSON.

import { type McpClient, ToolFailed, callMCPTool, setClient } from './git/index.js';

declare const console: { log(text: string): void };

type Call = Parameters<McpClient['callTool']>[0];

const ofResource = text({ error: { code: 'TOOL_DESCRIPTION_REQUIRED', message: 'read it', resource_uri: 'resource:///d?tools=t' } });
const ofNothing = text({ error: { code: 'TOOL_DESCRIPTION_REQUIRED', message: 'read it' } });
const described = JSON.stringify({ t: { inputSchema: { properties: { disclosure_ticket: { const: '42' } } } } });

function text(value: unknown, isError = true) {
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    return { content: [{ type: 'text', text: words }], isError };
}

/** Takes calls that have the ticket, and refuses others without saying it. */
async function takesTickets(call: Call, refused: unknown = ofResource): Promise<unknown> {
    if (call.name === 'describe_tools') {
        return text(described, false);
    }
    return call.arguments?.['disclosure_ticket'] === '42' ? { structuredContent: call.arguments } : refused;
}

async function outcome(client: McpClient, wrapped = false): Promise<unknown> {
    setClient(client);
    try {
        return await callMCPTool('t', { a: 1 }, wrapped);
    } catch (error) {
        return error instanceof ToolFailed ? [error.code ?? null, error.message] : String(error);
    }
}

const answers = (result: unknown): McpClient => ({ callTool: async () => result });
const inMeta: McpClient = {
    callTool: async call =>
        call._meta?.['dev.pd-runtime/ticket'] === '43'
            ? text('done', false)
            : { ...text({ error: { code: 'TOOL_DESCRIPTION_REQUIRED' }, tool_description: {} }), _meta: { 'dev.pd-runtime/tickets': { t: '43' } } },
};
const image = { type: 'image', data: '', mimeType: 'image/png' };

console.log(
    JSON.stringify({
        resource: await outcome({ callTool: takesTickets, readResource: async () => ({ contents: [{ text: described }] }) }),
        meta_tool: await outcome({ callTool: takesTickets }),
        nothing_to_read: await outcome({
            callTool: call => takesTickets(call, ofNothing),
            readResource: async ({ uri }) => Promise.reject(new Error(`there is no ${uri}`)),
        }),
        in_meta: await outcome(inMeta),
        stubborn: await outcome(answers(ofResource)),
        text: await outcome(answers(text('plain', false))),
        blocks: await outcome(answers({ content: [image] })),
        nothing: await outcome(answers({})),
        wrapped: await outcome(answers({ structuredContent: { result: [1] } }), true),
        not_wrapped: await outcome(answers({ structuredContent: [1] }), true),
        own_result: await outcome(answers({ structuredContent: { result: 1 } })),
        failed: await outcome(answers(text('out of order'))),
        failed_block: await outcome(answers({ content: [image], isError: true })),
    }),
);
