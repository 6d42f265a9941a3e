// The connection to the server: every tool here uses `callMCPTool`. Before the first call, set a connected client:
//
//     import { Client } from '@modelcontextprotocol/sdk/client/index.js';
//     setClient(client);

/** The part of an MCP client that is used here. The client of the official TypeScript SDK fits as it is. */
export interface McpClient {
    callTool(request: ToolCall): Promise<unknown>;
    readResource?(request: { uri: string }): Promise<unknown>;
}

/** The parameters of `tools/call`. */
export interface ToolCall {
    name: string;
    arguments?: { [key: string]: unknown };
    _meta?: { [key: string]: unknown };
}

/** The result of a tool without an output schema: its text, or its blocks if not all of them are text. */
export type ToolContent = string | ContentBlock[];

/** One block of a result, as MCP defines it. */
export interface ContentBlock {
    type: string;
    [key: string]: unknown;
}

/** A tool failed, or was not run. The message contains the reason; `code` is the server's code for it, if any. */
export class ToolFailed extends Error {
    readonly tool: string;
    readonly code: string | undefined;
    readonly content: ToolContent;

    constructor(tool: string, content: ToolContent) {
        const { code, message, solution } = errorIn(content);
        const text = message ?? (typeof content === 'string' ? content : JSON.stringify(content));
        super(`${tool}: ${text}${solution === undefined ? '' : ` (${solution})`}`);
        this.name = 'ToolFailed';
        this.tool = tool;
        this.code = code;
        this.content = content;
    }
}

let client: McpClient | undefined;
const proofs = new Map<string, Proof>();

/** Sets the client that calls all tools here. Forgets the proofs of disclosure that another client received. */
export function setClient(connected: McpClient): void {
    client = connected;
    proofs.clear();
}

/**
 * Calls a tool and returns its structured content, or its content if it has no structured content.
 *
 * If the server requires that a tool's description is read before the call, this function reads it and repeats the call.
 * `wrapped` results are not objects; the server puts them into `{ result }` for clients of MCP before 2026-07-28.
 *
 * @throws {ToolFailed} The result is an error.
 */
export async function callMCPTool<Output>(name: string, input: object = {}, wrapped = false): Promise<Output> {
    let result = await send(name, input);
    if (result.isError === true && errorIn(contentOf(result)).code === 'TOOL_DESCRIPTION_REQUIRED') {
        proofs.set(name, await proven(name, result));
        result = await send(name, input);
    }
    if (result.isError === true) {
        throw new ToolFailed(name, contentOf(result));
    }
    return outputOf(result, wrapped) as Output;
}

/** The proof that the description was read, for servers without sessions: an argument, or a member of `_meta`. */
interface Proof {
    argument?: unknown;
    meta?: unknown;
}

interface Result {
    content?: ContentBlock[];
    structuredContent?: unknown;
    isError?: boolean;
    _meta?: { [key: string]: unknown };
}

async function send(name: string, input: object): Promise<Result> {
    const proof = proofs.get(name);
    const call: ToolCall = { name, arguments: { ...input } };
    if (proof?.argument !== undefined) {
        call.arguments = { ...input, disclosure_ticket: proof.argument };
    }
    if (proof?.meta !== undefined) {
        call._meta = { 'dev.pd-runtime/ticket': proof.meta };
    }
    return (await connected().callTool(call)) as Result;
}

function connected(): McpClient {
    if (client === undefined) {
        throw new Error('no client; call `setClient` with a connected MCP client first');
    }
    return client;
}

/** Takes the proof from the refusal, or reads the description if the refusal does not contain it. */
async function proven(name: string, refusal: Result): Promise<Proof> {
    const refused = leading(firstText(refusal));
    const carried = at(refused, 'tool_description');
    if (carried !== undefined) {
        return proofIn(name, carried, refusal);
    }
    const uri = at(at(refused, 'error'), 'resource_uri');
    const read = typeof uri === 'string' ? await connected().readResource?.({ uri }) : undefined;
    if (read !== undefined) {
        const [contents] = at(read, 'contents') as { text?: string }[];
        return proofIn(name, at(parsed(contents?.text), name), read);
    }
    const described = (await connected().callTool({ name: 'describe_tools', arguments: { names: [name] } })) as Result;
    return proofIn(name, at(leading(firstText(described)), name), described);
}

function proofIn(name: string, description: unknown, result: unknown): Proof {
    const properties = at(at(description, 'inputSchema'), 'properties');
    return {
        argument: at(at(properties, 'disclosure_ticket'), 'const'),
        meta: at(at(at(result, '_meta'), 'dev.pd-runtime/tickets'), name),
    };
}

function outputOf(result: Result, wrapped: boolean): unknown {
    const structured = result.structuredContent;
    if (structured === undefined) {
        return contentOf(result);
    }
    const isWrapped = wrapped && structured instanceof Object && Object.keys(structured).join() === 'result';
    return isWrapped ? at(structured, 'result') : structured;
}

function contentOf(result: Result): ToolContent {
    const blocks = result.content ?? [];
    return blocks.every(block => block.type === 'text') ? blocks.map(block => block['text']).join('\n') : blocks;
}

/** Servers of pd-runtime send errors as JSON. For other servers all members are `undefined`. */
function errorIn(content: ToolContent): { [key in 'code' | 'message' | 'solution']: string | undefined } {
    const error = at(leading(typeof content === 'string' ? content : undefined), 'error');
    const text = (key: string) => {
        const value = at(error, key);
        return typeof value === 'string' ? value : undefined;
    };
    return { code: text('code'), message: text('message'), solution: text('solution') };
}

function firstText(result: Result): string | undefined {
    const text = result.content?.[0]?.['text'];
    return typeof text === 'string' ? text : undefined;
}

function parsed(text: string | undefined): unknown {
    try {
        return text === undefined ? undefined : JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** The JSON at the beginning of a text. The call to send may follow it. */
function leading(text: string | undefined): unknown {
    return parsed(text) ?? parsed(text?.split('\n\n', 1)[0]);
}

function at(value: unknown, key: string): unknown {
    return value instanceof Object ? (value as { [key: string]: unknown })[key] : undefined;
}
