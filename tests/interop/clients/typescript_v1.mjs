// The TypeScript SDK of the session era. How clients are driven is said in `scenario.py`.
// Its `callTool` checks structured content against the output schema of a tool that `listTools` showed in full.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { drive, notifications, userAnswer } from './typescript.mjs';

const [era, kind, ...target] = process.argv.slice(2);
const extensions = era.endsWith('+extension') ? { 'dev.pd-runtime/disclosure': { version: 1 } } : undefined;
const elicitation = userAnswer ? {} : undefined;
const client = new Client({ name: 'interop', version: '1' }, { capabilities: { extensions, elicitation } });
if (userAnswer) client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: userAnswer }));
client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void notifications.push(method));
let protocolVersion;
const transport =
    kind === 'http'
        ? new StreamableHTTPClientTransport(new URL(target[0]))
        : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
// The client keeps the version to itself; it tells HTTP transports only.
transport.setProtocolVersion = (setter => version => {
    protocolVersion = version;
    setter?.call(transport, version);
})(transport.setProtocolVersion);

await client.connect(transport);
await drive(
    client,
    protocolVersion,
    (method, params) => client.request({ method, params }, ResultSchema),
    (params, options) => client.callTool(params, undefined, options),
);
