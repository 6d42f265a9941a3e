// The TypeScript client with its own OAuth: given a URL, it prints the names of the tools that it may see.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const [url] = process.argv.slice(2);
let sentBack;

/** Keeps everything here, and consents to everything. */
const login = {
    redirectUrl: 'http://127.0.0.1:9/back',
    clientMetadata: { client_name: 'interop', redirect_uris: ['http://127.0.0.1:9/back'] },
    clientInformation: () => login.client,
    saveClientInformation: client => void (login.client = client),
    tokens: () => login.held,
    saveTokens: tokens => void (login.held = tokens),
    codeVerifier: () => login.verifier,
    saveCodeVerifier: verifier => void (login.verifier = verifier),
    redirectToAuthorization: async place => {
        const answer = await fetch(place, { redirect: 'manual' });
        sentBack = new URL(answer.headers.get('location')).searchParams;
    },
};

const connected = async () => {
    const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: login });
    try {
        await client.connect(transport);
        return client;
    } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        await transport.finishAuth(sentBack);
    }
};

const client = (await connected()) ?? (await connected());
const { tools } = await client.listTools();
console.log(tools.map(tool => tool.name).join(' '));
await client.close();
