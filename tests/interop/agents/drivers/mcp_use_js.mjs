import { ChatOpenAI } from '@langchain/openai';
import { MCPAgent, MCPClient } from 'mcp-use';

export async function ask(prompt, { command, args, url }, addresses) {
  const client = new MCPClient({ mcpServers: { git: url ? { url } : { command, args } } });
  const llm = new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', configuration: { baseURL: addresses.openai } });
  const agent = new MCPAgent({ llm, client, maxSteps: 15 });
  try {
    return await agent.run({ prompt });
  } finally {
    await agent.close();
  }
}
