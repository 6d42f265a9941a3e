// The TypeScript client's skills: it lists them, reads all their files and verifies each. One JSON object a skill.

import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const skills = new SkillsClient(client);
for (const skill of (await skills.list()).skills) {
    const files = await Promise.all(skill.resources.map(file => skills.read(skill, file.uri)));
    const verified = files.every(file => file.verified);
    process.stdout.write(JSON.stringify({ frontmatter: files[0].frontmatter, verified }) + '\n');
}
await client.close();
