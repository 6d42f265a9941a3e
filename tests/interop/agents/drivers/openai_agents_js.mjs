import { Agent, MCPServerStdio, MCPServerStreamableHttp, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);

export async function ask(question, { command, args, url }, addresses) {
  const server = url ? new MCPServerStreamableHttp({ name: 'git', url }) : new MCPServerStdio({ name: 'git', command, args });
  await server.connect();
  try {
    const model = new OpenAIResponsesModel(new OpenAI({ baseURL: addresses.openai, apiKey: 'none' }), 'gpt-5');
    const agent = new Agent({ name: 'assistant', instructions: 'Help.', mcpServers: [server], model });
    return (await run(agent, question)).finalOutput;
  } finally {
    await server.close();
  }
}
