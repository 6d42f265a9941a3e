// A page that speaks MCP to a server on another origin. The query names the server and the checks; each check's outcome goes
// to the page's own origin.

import { blocked, byHand } from './by_hand.mjs';
import { bySdk } from './sdk.mjs';

const query = new URLSearchParams(location.search);
const checks = { ...byHand, ...bySdk, ...blocked };

for (const name of query.get('checks').split(',')) {
    let error = null;
    try {
        await checks[name](query.get('server'));
    } catch (thrown) {
        error = `${thrown?.name}: ${thrown?.message}`;
    }
    await report({ name, error });
}
await report({ name: 'done', error: null });

async function report(outcome) {
    await fetch('/report', { method: 'POST', body: JSON.stringify({ ...outcome, origin: location.origin }) });
}
