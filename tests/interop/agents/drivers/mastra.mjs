import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

export async function ask(question, { command, args, url }, addresses) {
  const mcp = new MCPClient({ id: `${Date.now()}`, servers: { git: url ? { url: new URL(url) } : { command, args } } });
  try {
    const model = { id: 'custom/gpt-5', url: addresses.openai, apiKey: 'none' };
    const agent = new Agent({ id: 'assistant', name: 'assistant', instructions: 'Help.', model, tools: await mcp.getTools() });
    return (await agent.generate(question, { maxSteps: 12 })).text;
  } finally {
    await mcp.disconnect();
  }
}
