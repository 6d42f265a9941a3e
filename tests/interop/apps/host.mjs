// A host of MCP Apps in a page: the official client, and the bridge of ext-apps between the server and the frame of a view.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const VIEW_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: [VIEW_TYPE] } };
// What hosts allow a view without `csp` (SEP-1865).
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

const query = new URLSearchParams(location.search);
let client, bridge;

// Connects as a host that renders views, or as any other.
async function connect(rendersViews) {
    await client?.close();
    const capabilities = rendersViews ? { extensions: EXTENSION } : {};
    client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode: query.get('mode') } });
    await client.connect(new StreamableHTTPClientTransport(new URL(query.get('server'))));
    return (await client.listTools()).tools.map(({ name, _meta }) => ({ name, ui: _meta?.ui ?? null, flat: _meta?.['ui/resourceUri'] ?? null }));
}

const call = (name, args = {}) => client.callTool({ name, arguments: args });
const resources = async () => (await client.listResources()).resources.map(({ uri, mimeType, _meta }) => ({ uri, mimeType, ui: _meta?.ui ?? null }));

// Calls a tool and renders its view with the result. What the frame asks for goes to the server by its own names.
async function open(name) {
    const { tools } = await client.listTools();
    const tool = tools.find(one => one.name === name);
    const result = await call(name);
    const uri = tool._meta.ui.resourceUri;
    const [page] = (await client.readResource({ uri })).contents;
    if (page.mimeType !== VIEW_TYPE) throw new Error(`${uri} is ${page.mimeType}`);
    await bridge?.close();
    const frame = document.createElement('iframe');
    frame.title = name;
    frame.style = 'width: 900px; height: 500px';
    document.querySelector('main').replaceChildren(frame);
    bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {} }, { hostContext: { theme: query.get('theme') ?? 'light' } });
    const initialized = new Promise(resolve => { bridge.oninitialized = resolve; });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.sandbox = 'allow-scripts allow-same-origin allow-forms';
    frame.srcdoc = guarded(page.text);
    await initialized;
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result);
    window.frame = frame;
}

function guarded(html) {
    const page = new DOMParser().parseFromString(html, 'text/html');
    const policy = page.createElement('meta');
    policy.httpEquiv = 'Content-Security-Policy';
    policy.content = POLICY;
    page.head.prepend(policy);
    return `<!doctype html>${page.documentElement.outerHTML}`;
}

// Waits until the script is true in the frame's document.
async function until(script) {
    const holds = new Function('document', `return ${script}`);
    for (let tries = 0; tries < 200; tries += 1) {
        if (holds(window.frame.contentDocument)) return true;
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    throw new Error(`${script} never held: ${window.frame.contentDocument.body.innerText.slice(0, 500)}`);
}

const act = script => new Function('document', script)(window.frame.contentDocument);

// Runs axe-core in the frame.
async function faults(source) {
    const script = window.frame.contentDocument.createElement('script');
    script.textContent = source;
    window.frame.contentDocument.body.append(script);
    const { violations } = await window.frame.contentWindow.axe.run({ resultTypes: ['violations'] });
    script.remove();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

window.host = { connect, call, resources, open, until, act, faults };
