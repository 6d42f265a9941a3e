// MCP by `fetch`, in both eras: what any page can do without a library.

const JSON_OR_EVENTS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CLIENT = { name: 'page', version: '1' };
let ids = 0;

/// Sends one request. Returns the response, and the JSON-RPC message in it.
async function send(server, message, headers) {
    const response = await fetch(server, {
        method: 'POST',
        headers: { ...JSON_OR_EVENTS, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await response.text();
    const events = text.split('\n').filter(line => line.startsWith('data:') && line.length > 6);
    return [response, JSON.parse(events.length ? events.at(-1).slice(5) : text || 'null')];
}

async function ask(server, method, params, headers) {
    const [response, message] = await send(server, { id: ++ids, method, params }, headers);
    assert(response.status === 200, `${method}: status ${response.status}`);
    assert(!message.error, `${method}: ${JSON.stringify(message.error)}`);
    return [message.result, response];
}

/// A session, up to 2025-11-25: its id has to be readable.
async function session(server) {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
    const [, opened] = await ask(server, 'initialize', params, {});
    const id = opened.headers.get('mcp-session-id');
    assert(id, 'the page cannot read the session id');
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    await send(server, { method: 'notifications/initialized' }, headers);
    await lists_and_calls((method, params) => ask(server, method, params, headers));

    const leaving = new AbortController();
    const stream = await fetch(server, { headers: { ...headers, accept: 'text/event-stream' }, signal: leaving.signal });
    assert(stream.status === 200, `the stream: status ${stream.status}`);
    leaving.abort();
    const ended = await fetch(server, { method: 'DELETE', headers });
    assert(ended.ok, `DELETE: status ${ended.status}`);
    const [gone] = await send(server, { id: ++ids, method: 'tools/list' }, headers).catch(() => [{ status: 404 }]);
    assert(gone.status === 404, `after DELETE: status ${gone.status}`);
}

/// MCP 2026-07-28: each request names itself in its headers, and a ticket proves the disclosure.
async function inline(server) {
    const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': CLIENT,
        'io.modelcontextprotocol/clientCapabilities': {},
    };
    await lists_and_calls((method, params) => {
        const name = params.name ?? params.uri;
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) };
        return ask(server, method, { ...params, _meta }, headers);
    });
}

async function lists_and_calls(ask) {
    const [{ tools }] = await ask('tools/list', {});
    assert(tools.some(tool => tool.name === 'log'), 'no tool `log` in the list');
    const [{ contents }] = await ask('resources/read', { uri: 'resource:///tool_descriptions?tools=log' });
    const ticket = JSON.parse(contents[0].text).log.inputSchema.properties.disclosure_ticket?.const;
    const proof = ticket === undefined ? {} : { disclosure_ticket: ticket };
    const [result] = await ask('tools/call', { name: 'log', arguments: { limit: 2, ...proof } });
    assert(result.content && !result.isError, JSON.stringify(result).slice(0, 200));
}

/// A page reads why it was refused.
async function errors(server) {
    const headers = { ...JSON_OR_EVENTS, 'mcp-session-id': 'never-opened', 'mcp-protocol-version': '2025-11-25' };
    const unknown = await fetch(server, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    assert(unknown.status === 404 && (await unknown.text()).includes('Session not found'), `status ${unknown.status}`);
    const large = await fetch(server, { method: 'POST', headers: JSON_OR_EVENTS, body: 'x'.repeat(5_000_000) });
    assert(large.status === 413 && (await large.text()).includes('bytes'), `status ${large.status}`);
    const health = await fetch(new URL('/health', server));
    assert((await health.json()).status === 'ok', 'health');
}

/// A page reads a challenge, and where to get a token.
async function challenge(server) {
    const response = await fetch(server, { method: 'POST', headers: JSON_OR_EVENTS, body: '{}' });
    const found = response.headers.get('www-authenticate') ?? '';
    assert(response.status === 401 && found.includes('resource_metadata='), `${response.status} ${found}`);
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp', server);
    // The header is one that the SDKs send, and asks for a preflight request.
    const document = await fetch(metadata, { headers: { 'mcp-protocol-version': '2025-11-25' } });
    assert((await document.json()).authorization_servers.length === 1, 'the metadata');
}

export const byHand = { session, inline, errors, challenge };

/// A page whose origin is not allowed gets nothing: neither MCP by any method, nor a request without a preflight one.
async function refused(server) {
    for (const attempt of [
        () => session(server),
        () => inline(server),
        () => fetch(server, { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }),
        () => fetch(server, { method: 'POST', body: '{}' }),
        () => fetch(server),
        () => fetch(new URL('/health', server)),
    ]) {
        const error = await attempt().then(() => null, thrown => thrown);
        assert(error instanceof TypeError, `${attempt}: ${error}`);
    }
    const opaque = await fetch(server, { method: 'POST', mode: 'no-cors', body: '{}' });
    assert(opaque.type === 'opaque' && opaque.status === 0, 'nothing can be read');
}

export const blocked = { refused };

export function assert(holds, message) {
    if (!holds) throw new Error(message);
}
