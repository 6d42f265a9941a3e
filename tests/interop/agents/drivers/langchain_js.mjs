import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';

export async function ask(question, { command, args, url }, addresses) {
  const connection = url ? { transport: 'http', url } : { transport: 'stdio', command, args };
  const client = new MultiServerMCPClient({ mcpServers: { git: connection } });
  try {
    const llm = new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', configuration: { baseURL: addresses.openai } });
    const agent = createReactAgent({ llm, tools: await client.getTools() });
    const answer = await agent.invoke({ messages: [{ role: 'user', content: question }] });
    return answer.messages.at(-1).content;
  } finally {
    await client.close();
  }
}
