// What a model reads: the cost of each listing, of each tool, and of the steps of one call.

const LISTINGS = { full: "in full", outline: "in outline", minimal: "minimal", grouped: "grouped", eager: "eager" };
const MESSAGES = [["list", "the list of tools"], ["find", "a search"], ["describe", "a description"], ["call", "the call and its result"]];

/** Returns the counted steps of the tour of one kind. */
const countedSteps = (data, name) => (data.tour?.steps ?? []).filter((step) => step.is_counted && step.name === name);

function overview(data, costs) {
  const { minimal, full } = data.tokens.total;
  const cards = [
    [number(full), "tokens of all tools in full"],
    [number(minimal), "tokens of the minimal list"],
    [percent(1 - minimal / Math.max(full, 1), 1), "saved before the first call"],
    [number(data.tools.length), data.tools.length === 1 ? "tool" : "tools"],
    [number(data.check.remarks.length), "remarks of the lints"],
    [number(data.pairs.length), "pairs that search confuses"],
  ];
  return section("overview", "What a model reads",
    el("ul", { class: "cards" }, cards.map(([value, label]) => el("li", {}, el("b", {}, value), " ", label))),
    data.tokens.advice ? el("p", { class: "note" }, inline(data.tokens.advice)) : null,
    listingCosts(data), toolCosts(data, costs));
}

function listingCosts(data) {
  const call = countedSteps(data, "call").at(0)?.tokens ?? 0;
  const rows = data.listings.map((cost) => [cost.listing, MESSAGES.map(([name]) => (name === "call" ? call : cost[name]))]);
  const kept = MESSAGES.map(([, label], index) => ({ label, index })).filter(({ index }) => rows.some(([, values]) => values[index]));
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const parts = (values) => kept.map(({ label, index }) => [MESSAGES[index][0], label, values[index]]);
  const numbers = rows.map(([name, values]) => [LISTINGS[name], ...kept.map(({ index }) => values[index]), sum(values)]);
  const what = call ? "find and call" : "find";
  const how = "Measured by a client on a server of these tools. The search asks for the tool's summary.";
  return figure({
    caption: `Tokens to ${what} ${data.measured_tool ? `\`${data.measured_tool}\`` : "a tool"}, by listing`,
    legend: kept.map(({ label, index }) => [MESSAGES[index][0], label]),
    draw: (width) => bars(rows.map(([name, values]) => [LISTINGS[name], parts(values), name]), width),
    note: call ? how : `${how} No tool was called; the option --tool names one.`,
    numbers: table("Tokens by listing", ["listing", ...kept.map(({ label }) => `#${label}`), "#sum"], numbers),
  });
}

function toolCosts(data, costs) {
  const rows = [...data.tokens.tools].sort((one, next) => next.full - one.full);
  return figure({
    caption: data.groups.length ? "Tokens of each tool in full, by group" : "Tokens of each tool in full",
    draw: (width) => treemap(data, costs, width),
    note: "Each cell is a tool and leads to it. The arrow keys move from cell to cell, the largest first.",
    numbers: longTable("Tokens of each tool", ["tool", "#minimal", "#full"], rows.map((row) => [toolLink(row.name), row.minimal, row.full])),
    isList: true,
  });
}

/** Shows the steps of the tour, all at once or one after the other, with a running counter. */
function tour(data) {
  if (!data.tour) return null;
  const { steps, choice, total_tokens: all } = data.tour;
  const sums = steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, step) => sum + (step.is_counted ? step.tokens : 0), 0));
  const items = steps.map((step, index) => tourStep(step, index, sums[index]));
  const meter = tourMeter(steps, choice?.full);
  const text = [
    choice ? `To choose and call one tool, a model read ${number(choice.read)} tokens of tool text instead of ${number(choice.full)}. ` : "",
    `All steps, results included: ${number(all)} tokens.`,
  ];
  return section("tour", "Tour of one call", replayControls(items, sums, meter), meter.figure, el("ol", { class: "tour" }, items), el("p", {}, text));
}

function tourStep(step, index, sum) {
  const counter = el("span", { class: "total" }, `${counted(step.tokens, "token")}, ${step.is_counted ? `${number(sum)} so far` : "of another client"}`);
  const messages = [["→ sent", step.sent], ["← received", step.received]].filter(([, message]) => message);
  const shown = messages.map(([label, message]) => [el("p", { class: "faint" }, label), el("pre", {}, JSON.stringify(message, null, 1))]);
  const details = shown.length ? el("details", {}, el("summary", {}, "Messages"), shown) : null;
  return el("li", { class: step.is_counted ? undefined : "aside" }, counter, el("b", {}, `${index + 1} ${step.name} `), inline(step.outcome), details);
}

/** Draws the tokens that a model has read after each step, beside those of all tools in full. */
function tourMeter(steps, full) {
  let shown = steps.length;
  const color = (name) => ({ search: "find", select: "call" })[name] ?? name;
  const parts = () => steps.slice(0, shown).filter((step) => step.is_counted).map((step) => [color(step.name), step.name, step.tokens]);
  const draw = (width) => bars([["so far", parts()], ...(full ? [["in full", [["list", "all tools in full", full]], "full"]] : [])], width);
  const drawing = figure({ caption: "Tokens that a model has read", draw });
  return { figure: drawing, show: (count) => { shown = count; redraw(contentWidth()); } };
}

function replayControls(items, sums, meter) {
  const status = el("p", { role: "status" });
  const button = (label) => el("button", { type: "button" }, label);
  const [first, next, all] = [button("Replay step by step"), button("Next step"), button("Show all steps")];
  let shown = items.length;
  const show = (count) => {
    shown = count;
    items.forEach((item, index) => { item.hidden = index >= shown; item.classList.toggle("current", index === shown - 1 && shown < items.length); });
    next.disabled = all.disabled = shown === items.length;
    status.textContent = shown === items.length ? "" : `Step ${shown} of ${items.length}: ${number(sums[shown - 1])} tokens so far.`;
    meter.show(shown);
  };
  // A disabled button loses the focus, so the keyboard goes on at the first one.
  const press = (count) => () => { show(count()); if (document.activeElement?.disabled ?? true) first.focus(); };
  first.addEventListener("click", press(() => 1));
  next.addEventListener("click", press(() => shown + 1));
  all.addEventListener("click", press(() => items.length));
  next.disabled = all.disabled = true;
  return el("div", { class: "controls" }, first, next, all, status);
}
