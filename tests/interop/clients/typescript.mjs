// What both TypeScript clients share: the scenario's requests, one JSON object a line.

import { createInterface } from 'node:readline';

export async function drive(client, protocolVersion, custom) {
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
        const { method, params } = JSON.parse(line);
        try {
            answer({ result: await ask(client, method, params, custom) });
        } catch (error) {
            answer({ error: { code: error.code, message: error.message } });
        }
    }
    await client.close();
}

function ask(client, method, params, custom) {
    switch (method) {
        case 'tools/list':
            return client.listTools();
        case 'resources/list':
            return client.listResources();
        case 'resources/templates/list':
            return client.listResourceTemplates();
        case 'resources/read':
            return client.readResource(params);
        case 'tools/call':
            return client.callTool(params);
        default:
            return custom(method, params);
    }
}
