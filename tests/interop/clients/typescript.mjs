// What both TypeScript clients share: the scenario's requests, one JSON object a line.

import { createInterface } from 'node:readline';

// What the user answers to every elicitation; without it, the client has none.
export const userAnswer = JSON.parse(process.env.PD_INTEROP_ANSWER ?? 'null');
export const notifications = [];

export async function drive(client, protocolVersion, custom, call) {
    const answer = message => process.stdout.write(JSON.stringify(message) + '\n');
    answer({
        result: {
            protocolVersion,
            serverInfo: client.getServerVersion(),
            capabilities: client.getServerCapabilities(),
            instructions: client.getInstructions(),
        },
    });
    for await (const line of createInterface({ input: process.stdin })) {
        const { method, params, progress, cancelAfter } = JSON.parse(line);
        const reports = [];
        const options = {
            ...(progress && { onprogress: report => reports.push([report.progress, report.total, report.message]) }),
            ...(cancelAfter && { signal: AbortSignal.timeout(1000 * cancelAfter) }),
        };
        try {
            const result = await ask(client, method, params, custom, call ?? (params => client.callTool(params)), options);
            answer({ result: reports.length ? { ...result, reports } : result });
        } catch (error) {
            answer({ error: { code: error.code, message: error.message } });
        }
    }
    await client.close();
}

function ask(client, method, params, custom, call, options) {
    switch (method) {
        case 'notifications':
            return { _meta: { methods: notifications } };
        case 'prompts/list':
            return client.listPrompts();
        case 'prompts/get':
            return client.getPrompt(params);
        case 'completion/complete':
            return client.complete(params);
        case 'tools/list':
            return client.listTools();
        case 'resources/list':
            return client.listResources();
        case 'resources/templates/list':
            return client.listResourceTemplates();
        case 'resources/read':
            return client.readResource(params);
        case 'tools/call':
            return call(params, options);
        default:
            return custom(method, params);
    }
}
