// The data is in the page. All texts of tools are set as text, never as HTML.
const number = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const anchor = (name) => `tool-${name}`;

/** Creates an element. Strings among the children become text. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return element;
}

const code = (text) => el("code", {}, text);

/** Splits a text at its backticks: every other piece is code. */
const inline = (text) => text.split("`").map((piece, index, all) => (index % 2 && index < all.length - 1 ? code(piece) : piece));

const toolLink = (name) => el("a", { href: `#${anchor(name)}` }, name);

/** Creates a table. Columns whose heading begins with `#` hold numbers. */
function table(caption, heads, rows) {
  const isNumber = (index) => (heads[index].startsWith("#") ? "n" : undefined);
  const head = heads.map((text, index) => el("th", { class: isNumber(index), scope: "col" }, text.replace(/^#/, "")));
  const cells = (row) => row.map((cell, index) => el("td", { class: isNumber(index) }, typeof cell === "number" ? number(cell) : cell));
  const body = rows.map((row) => el("tr", {}, cells(row)));
  return el("div", { class: "scroll" }, el("table", { "aria-label": caption }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

/** Creates a figure with a drawing, and the same numbers as a table. */
function figure(caption, note, svg, numbers) {
  svg.attr("role", "group").attr("aria-label", caption);
  return el("figure", {}, el("figcaption", {}, caption), svg.node(), el("p", {}, note), el("details", {}, el("summary", {}, "Numbers"), numbers));
}

const svg = (width, height) => d3.select(document.createElementNS("http://www.w3.org/2000/svg", "svg")).attr("viewBox", `0 0 ${width} ${height}`);

function key(entries) {
  const entry = ([name, label]) => {
    const box = svg(10, 10).attr("aria-hidden", "true");
    box.append("rect").attr("width", 10).attr("height", 10).attr("class", name);
    return el("li", {}, box.node(), label);
  };
  return el("ul", { class: "key" }, entries.map(entry));
}

/** Draws horizontal bars of stacked parts: `rows` are `[label, [[class, value], …]]`. */
function bars(rows) {
  const [width, left, right, step] = [1000, 170, 90, 34];
  const sum = (row) => row[1].reduce((total, part) => total + part[1], 0);
  const drawing = svg(width, rows.length * step + 4);
  const x = d3.scaleLinear([0, d3.max(rows, sum) || 1], [left, width - right]);
  const y = d3.scaleBand(rows.map((row) => row[0]), [0, rows.length * step]).padding(0.25);
  for (const row of rows) {
    const line = drawing.append("g").attr("class", row[0]);
    let from = 0;
    for (const [name, value] of row[1]) {
      line.append("rect").attr("class", name).attr("x", x(from)).attr("y", y(row[0])).attr("height", y.bandwidth())
        .attr("width", Math.max(0, x(from + value) - x(from))).append("title").text(`${row[0]}, ${name}: ${number(value)}`);
      from += value;
    }
    const middle = y(row[0]) + y.bandwidth() / 2 + 4;
    line.append("text").attr("x", left - 8).attr("y", middle).attr("text-anchor", "end").text(row[0]);
    line.append("text").attr("x", x(from) + 6).attr("y", middle).text(number(from));
  }
  return drawing;
}

/** Draws the tokens of all tools by group. Each cell leads to its tool. */
function treemap(data, costs) {
  const group = (facts) => ({ name: facts.name, children: [...facts.groups.map(group), ...facts.tools.map((name) => ({ name, value: costs.get(name) ?? 0 }))] });
  const grouped = new Set();
  const collect = (facts) => (facts.tools.forEach((name) => grouped.add(name)), facts.groups.forEach(collect));
  data.groups.forEach(collect);
  const rest = data.tools.filter((tool) => !grouped.has(tool.name)).map((tool) => ({ name: tool.name, value: costs.get(tool.name) }));
  const root = d3.hierarchy({ name: "", children: [...data.groups.map(group), ...rest] }).sum((node) => node.value ?? 0).sort((one, next) => next.value - one.value);
  const [width, height] = [1000, 560];
  d3.treemap().size([width, height]).paddingInner(1).paddingTop((node) => (node.depth === 1 && node.children ? 16 : 0))(root);
  const drawing = svg(width, height);
  const top = (node) => node.ancestors().find((ancestor) => ancestor.depth === 1);
  const color = (node) => `var(--c${root.children.indexOf(top(node)) % 8})`;
  for (const node of (root.children ?? []).filter((node) => node.children && node.x1 - node.x0 > 40)) {
    const text = `${node.data.name} ${number(node.value)}`;
    drawing.append("text").attr("x", node.x0 + 3).attr("y", node.y0 + 12).attr("font-weight", 600).text(fitting(text, node.x1 - node.x0));
  }
  for (const leaf of root.leaves().filter((leaf) => leaf.value > 0)) {
    const label = `${leaf.data.name}: ${number(leaf.value)} tokens`;
    const cell = drawing.append("a").attr("class", "cell").attr("href", `#${anchor(leaf.data.name)}`).attr("aria-label", label);
    cell.append("title").text(label);
    cell.append("rect").attr("x", leaf.x0).attr("y", leaf.y0).attr("width", leaf.x1 - leaf.x0).attr("height", leaf.y1 - leaf.y0).style("fill", color(leaf));
    if (leaf.y1 - leaf.y0 > 14 && leaf.x1 - leaf.x0 > 30) {
      cell.append("text").attr("x", leaf.x0 + 3).attr("y", leaf.y0 + 12).text(fitting(leaf.data.name, leaf.x1 - leaf.x0));
    }
  }
  return drawing;
}

/** Cuts a text to a width in the drawing, at 6.3 units a letter. */
function fitting(text, width) {
  const letters = Math.floor((width - 4) / 6.3);
  return text.length <= letters ? text : letters > 2 ? `${text.slice(0, letters - 1)}…` : "";
}

function overview(data, costs) {
  const { minimal, full } = data.tokens.total;
  const cards = [
    [number(full), "tokens of all tools in full"],
    [number(minimal), "tokens of the minimal list"],
    [percent(1 - minimal / Math.max(full, 1)), "saved before the first call"],
    [number(data.tools.length), "tools"],
    [number(data.check.remarks.length), "remarks of the lints"],
    [number(data.pairs.length), "pairs that search confuses"],
  ];
  const parts = (cost) => [["list", cost.list], ["find", cost.find], ["describe", cost.describe]];
  const costsOfListings = data.listings.map((cost) => [cost.listing, parts(cost)]);
  const rows = data.listings.map((cost) => [cost.listing, cost.list, cost.find, cost.describe, cost.list + cost.find + cost.describe]);
  return section("overview", "What a model reads",
    el("ul", { class: "cards" }, cards.map(([value, label]) => el("li", {}, el("b", {}, value), label))),
    data.tokens.advice ? el("p", { class: "warn" }, inline(data.tokens.advice)) : null,
    figure("Tokens until a model can call one tool, by listing", "Measured on the tool of the tour, with the server's own tools for search and descriptions in each list. The call costs the same everywhere and is not counted.", bars(costsOfListings),
      table("Tokens by listing", ["listing", "#list", "#search", "#description", "#sum"], rows)),
    key([["list", "the list of tools"], ["find", "the answer of a search"], ["describe", "the description"]]),
    figure("Tokens of all tools in full, by group", "Each cell is a tool and leads to it.", treemap(data, costs),
      table("Tokens of each tool", ["tool", "#minimal", "#full"], data.tokens.tools.map((row) => [toolLink(row.name), row.minimal, row.full]))));
}

function section(id, title, ...children) {
  return el("section", { "aria-labelledby": `${id}-title`, id }, el("h2", { id: `${id}-title` }, title), children);
}

/** Shows the steps of the tour, all at once or one after the other. */
function tour(data) {
  if (!data.tour) return null;
  let total = 0;
  const step = (one, index) => {
    total += one.is_counted ? one.tokens : 0;
    const sum = one.is_counted ? `${number(total)} so far` : "of another client";
    const counter = el("span", { class: "total" }, `${number(one.tokens)} tokens, ${sum}`);
    const messages = [["→ sent", one.sent], ["← received", one.received]].filter(([, message]) => message);
    const shown = messages.map(([label, message]) => [el("p", { class: "faint" }, label), el("pre", {}, JSON.stringify(message, null, 1))]);
    const gist = [el("b", {}, `${index + 1} ${one.name} `), inline(one.outcome)];
    return el("li", {}, counter, gist, shown.length ? el("details", {}, el("summary", {}, "Messages"), shown) : null);
  };
  const steps = data.tour.steps.map(step);
  const status = el("p", { role: "status" });
  const next = el("button", { type: "button" }, "Replay step by step");
  let shown = steps.length;
  next.addEventListener("click", () => {
    shown = shown === steps.length ? 1 : shown + 1;
    steps.forEach((item, index) => { item.hidden = index >= shown; });
    const counter = steps[shown - 1].querySelector(".total").textContent;
    status.textContent = `Step ${shown} of ${steps.length}: ${counter}.`;
    next.textContent = shown === steps.length ? "Replay step by step" : "Next step";
  });
  const { choice, total_tokens: all } = data.tour;
  const sums = [
    choice ? `To choose and call one tool, a model read ${number(choice.read)} tokens of tool text instead of ${number(choice.full)}. ` : "",
    `All steps, results included: ${number(all)} tokens.`,
  ];
  return section("tour", "Tour of one call", el("p", { class: "controls" }, next), status, el("ol", { class: "tour" }, steps), el("p", {}, sums));
}

/** Shows the pairs of tools that search confuses. */
function pairs(data) {
  const note = "A request in the words of one tool also finds the other one. From 100 % on, search puts the other one first. Words that only one of the two has keep them apart: add them to its summary or aliases.";
  const rows = data.pairs.map((pair) => [toolLink(pair.tool), toolLink(pair.other), percent(pair.nearness), pair.request, pair.words.join(", ")]);
  const shown = rows.length ? table("Pairs that search confuses", ["tool", "also found", "#nearness", "request", "shared words"], rows) : el("p", { class: "good" }, "None.");
  return section("pairs", "Confusable pairs", el("p", {}, note), shown);
}

/** Shows the changes of contracts since the lock. */
function changes(data) {
  if (!data.contracts) return null;
  const { file, state, changes, breaking } = data.contracts;
  const calls = new Map((data.audit?.tools ?? []).map((tool) => [tool.name, tool.called]));
  const words = (change) => [change.breaking ? el("b", { class: "bad" }, "breaking") : "compatible"];
  const heads = ["tool", "kind", "change", ...(data.audit ? ["#calls in the audit log"] : [])];
  const rows = changes.map((change) => [toolLink(change.tool), words(change), change.description, ...(data.audit ? [calls.get(change.tool) ?? 0] : [])]);
  const sum = state === "missing" ? `${file} does not exist.` : `${changes.length} changes since ${file}, ${breaking} of them breaking.`;
  return section("changes", "Changes of contracts", el("p", {}, sum), rows.length ? table("Changes of contracts", heads, rows) : null);
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const costs = new Map(data.tokens.tools.map((row) => [row.name, row.full]));
  const sections = [overview(data, costs), tour(data), tools(data), pairs(data), use(data), changes(data)].filter(Boolean);
  const links = sections.map((one) => el("li", {}, el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
  const counts = `${number(data.tools.length)} tools, ${data.server.time} UTC`;
  const title = el("div", {}, el("h1", {}, `${data.server.name} ${data.server.version}`), el("p", { class: "faint" }, counts));
  document.getElementById("top").append(title);
  document.getElementById("top").after(el("nav", { "aria-label": "Sections" }, el("ul", {}, links)));
  document.getElementById("main").replaceChildren(...sections);
  followLink();
}

document.addEventListener("DOMContentLoaded", start);
