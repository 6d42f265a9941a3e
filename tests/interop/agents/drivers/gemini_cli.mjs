import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export async function ask(question, { command, args, url }, addresses) {
  const home = mkdtempSync('gemini-');
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
    mcpServers: { git: url ? { httpUrl: url, trust: true } : { command, args, trust: true } },
  };
  mkdirSync(`${home}/.gemini`);
  writeFileSync(`${home}/.gemini/settings.json`, JSON.stringify(settings));
  const program = `${process.cwd()}/node_modules/.bin/gemini`;
  const env = { ...process.env, HOME: `${process.cwd()}/${home}`, GOOGLE_GEMINI_BASE_URL: addresses.root, GOOGLE_API_KEY: '' };
  const flags = ['--model', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--skip-trust', '--prompt', question];
  const ran = promisify(execFile)(program, flags, { cwd: home, env, timeout: 35000 });
  ran.child.stdin.end();
  return (await ran).stdout;
}
