// What keeps tools from being found and used: confusable pairs, remarks of the lints, changes of contracts.

/** Shows the words that two tools share inside of the request. */
function marked(request, words) {
  const shared = new Set(words.map((word) => word.toLowerCase()));
  return request.split(/([\p{L}\p{N}]+)/u).map((piece) => (shared.has(piece.toLowerCase()) ? el("mark", {}, piece) : piece));
}

/** Shows the pairs of tools that search confuses. */
function pairs(data) {
  const note = "Each request describes the first tool: an example or a request that should find it, or its summary. Search also finds the second tool, with a score of so many percent of the first one's. From 100 % on, it puts the second tool first. Words that only one of the two has keep them apart: add them to its summary or aliases. At most a third of the tools are shown. The requests that tools declare with `found_by` say most about what callers confuse.";
  const rows = data.pairs.map((pair) => [toolLink(pair.tool), toolLink(pair.other), ratio(pair.nearness), marked(pair.request, pair.words), pair.words.join(", ") || el("span", { class: "faint" }, "only similar ones")]);
  const shown = rows.length ? longTable("Pairs that search confuses", ["tool", "also found", "#score", "~request", "shared words"], rows) : el("p", { class: "good" }, "Search confuses no tools.");
  return section("pairs", "Confusable pairs", rows.length ? el("p", {}, note) : null, shown);
}

/** Shows what `check` found. */
function checks(data) {
  const { remarks, requests, registry } = data.check;
  return section("checks", "Checks", registry ? examples(registry.examples) : null, ownRequests(requests), remarks.length ? lints(remarks) : el("p", { class: "good" }, "The lints have no remarks."));
}

function examples({ by_compiler: compiler, by_check: check, unchecked }) {
  const total = compiler + check + unchecked;
  const sources = [[compiler, "by the compiler"], [check, "by `check`"], [unchecked, "by nothing"]].filter(([count]) => count);
  const text = `${counted(total, "example")}, checked ${sources.map(([count, source]) => `${number(count)} ${source}`).join(", ")}.`;
  return el("p", {}, total ? inline(text) : "No tool has an example.");
}

/** Shows the requests that must find their tools. */
function ownRequests(requests) {
  if (!requests?.requests) return null;
  const { requests: total, within, missed } = requests;
  const sum = `${number(total - missed.length)} of ${counted(total, "request")} ${total === 1 ? "finds its" : "find their"} tool among the first ${within}.`;
  const rows = missed.map((miss) => [miss.origin || "a tool", el("span", { class: "lines" }, miss.message)]);
  return [el("p", { class: missed.length ? "bad" : "good" }, sum), rows.length ? longTable("Requests that miss their tool", ["origin", "~reason"], rows) : null];
}

function lints(remarks) {
  const counts = new Map();
  remarks.forEach(({ lint }) => counts.set(lint, (counts.get(lint) ?? 0) + 1));
  const byCount = [...counts].sort((one, next) => next[1] - one[1]).map(([lint, count]) => [code(lint), count]);
  const rows = remarks.map((remark) => [remark.tool ? toolLink(remark.tool) : "the server", code(remark.lint), inline(remark.message)]);
  return [table("Remarks by lint", ["lint", "#remarks"], byCount), el("h3", {}, "Remarks"), longTable("Remarks of the lints", ["about", "lint", "~remark"], rows, 15)];
}

/** Shows the changes of contracts since the lock, and how many calls they concern. */
function changes(data) {
  if (!data.contracts) return null;
  const { file, state, changes: all, breaking } = data.contracts;
  const calls = data.audit && new Map(data.audit.tools.map((tool) => [tool.name, tool.called]));
  const order = [...all].sort((one, next) => Number(next.breaking) - Number(one.breaking));
  const rows = order.map((change) => [
    toolLink(change.tool), change.breaking ? el("b", { class: "bad" }, "breaking") : "compatible", inline(change.description),
    ...(calls ? [calls.get(change.tool) ?? 0] : []),
  ]);
  const sum = {
    missing: `${file} does not exist. \`check --lock\` writes it.`,
    unchanged: `No contract changed since ${file}.`,
  }[state] ?? `${counted(all.length, "change")} since ${file}, ${number(breaking)} breaking. A breaking change fails callers that follow the former contract.`;
  const heads = ["tool", "kind", "~change", ...(calls ? ["#calls in the audit log"] : [])];
  return section("changes", "Changes of contracts", el("p", {}, inline(sum)), rows.length ? longTable("Changes of contracts", heads, rows) : null);
}
