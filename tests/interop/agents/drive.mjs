// Runs one framework of JavaScript against one server after the other, as `drive.py` does: DRIVER CELLS OUTCOMES.
import { appendFileSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const SECONDS = 40;
const [driver, cells, outcomes] = process.argv.slice(2);
const report = (cell, error, answer) => {
  if (error) console.error(error);
  const told = error ? `${error.name}: ${error.message}`.slice(0, 400) : null;
  const line = { column: cell.column, error: told, answer: String(answer).slice(0, 400) };
  appendFileSync(outcomes, JSON.stringify(line) + '\n');
};
const late = () =>
  new Promise((_, reject) => setTimeout(() => reject(new Error(`not done within ${SECONDS} s`)), SECONDS * 1000).unref());
// What a framework leaves unhandled is a line of its log.
process.on('unhandledRejection', (error) => console.error('unhandled', error));

const every = JSON.parse(readFileSync(cells, 'utf8'));
Object.assign(process.env, every[0].env);
const { ask } = await import(pathToFileURL(driver));
for (const cell of every) {
  Object.assign(process.env, cell.env);
  try {
    report(cell, null, await Promise.race([ask(cell.question, cell.server, cell.model, cell.variant), late()]));
  } catch (error) {
    report(cell, error);
  }
}
process.exit(0);
