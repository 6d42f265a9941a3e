import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';

export async function ask(prompt, server, addresses, variant) {
  const { command, args, url } = server;
  const transport = url ? { type: 'http', url } : new Experimental_StdioMCPTransport({ command, args });
  const client = await createMCPClient({ transport });
  const openai = createOpenAI({ baseURL: addresses.openai, apiKey: 'none' });
  const models = {
    responses: () => openai('gpt-5'),
    chat: () => openai.chat('gpt-5'),
    anthropic: () => createAnthropic({ baseURL: addresses.anthropic, apiKey: 'none' })('claude-sonnet-4-5'),
    gemini: () => createGoogleGenerativeAI({ baseURL: addresses.gemini, apiKey: 'none' })('gemini-2.5-flash'),
  };
  try {
    const tools = await client.tools();
    return (await generateText({ model: models[variant](), tools, prompt, stopWhen: stepCountIs(12) })).text;
  } finally {
    await client.close();
  }
}
