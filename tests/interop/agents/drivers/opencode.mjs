import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export async function ask(question, { command, args, url }, addresses) {
  const home = mkdtempSync('opencode-');
  const provider = { npm: '@ai-sdk/openai-compatible', name: 'Scripted' };
  const config = {
    model: 'scripted/gpt-5',
    small_model: 'scripted/gpt-5',
    autoupdate: false,
    share: 'disabled',
    provider: { scripted: { ...provider, options: { baseURL: addresses.openai, apiKey: 'none' }, models: { 'gpt-5': {} } } },
    mcp: { git: url ? { type: 'remote', url } : { type: 'local', command: [command, ...args] } },
  };
  mkdirSync(`${home}/.config/opencode`, { recursive: true });
  writeFileSync(`${home}/.config/opencode/opencode.json`, JSON.stringify(config));
  const program = `${process.cwd()}/node_modules/opencode-linux-x64/bin/opencode`;
  const env = { ...process.env, HOME: `${process.cwd()}/${home}`, OPENCODE_DISABLE_MODELS_FETCH: 'true', OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true' };
  const ran = promisify(execFile)(program, ['run', question], { cwd: home, env, timeout: 35000 });
  ran.child.stdin.end();
  return (await ran).stdout;
}
