// The list of tools: a filter, groups, and the details of each tool, to which links lead.

const HINTS = { readOnlyHint: "read-only", destructiveHint: "destructive", idempotentHint: "idempotent", openWorldHint: "open world" };

function list(title, items) {
  return items?.length ? [el("h3", {}, title), el("ul", {}, items.map((item) => el("li", {}, item)))] : [];
}

/** Fills the details of a tool. */
function describe(tool, data, paths) {
  const remarks = data.check.remarks.filter((remark) => remark.tool === tool.name);
  const mine = data.pairs.filter((pair) => pair.tool === tool.name || pair.other === tool.name);
  const other = (pair) => (pair.tool === tool.name ? pair.other : pair.tool);
  const example = (one) => [inline(one.description), el("pre", {}, JSON.stringify(one.input, null, 1)), inline(one.explanation)];
  const error = ([name, cause, solution]) => [code(name), " ", inline(`${cause} ${solution}`)];
  return el("div", { class: "details" },
    tool.deprecated ? el("p", { class: "warn" }, "Deprecated: ", inline(tool.deprecated)) : null,
    tool.unavailable ? el("p", { class: "bad" }, "Unavailable: ", inline(tool.unavailable)) : null,
    tool.description ? el("div", { class: "lines" }, inline(tool.description.trim())) : null,
    el("h3", {}, "Arguments"), schemaTable(`Arguments of ${tool.name}`, tool.input),
    tool.output ? [el("h3", {}, "Result"), schemaTable(`Result of ${tool.name}`, tool.output)] : null,
    el("h3", {}, "Signature"), el("pre", {}, tool.signature),
    list("Examples", tool.examples?.map(example)), list("Guidance", tool.guidance?.map(inline)), list("Notes", tool.notes?.map(inline)),
    list("Errors", tool.errors?.map(error)), list("Related tools", tool.related?.map(toolLink)),
    list("Aliases", tool.aliases), list("Requests that must find it", tool.found_by), list("Scopes", tool.scopes?.map(code)), list("Groups", paths),
    list("Remarks of the lints", remarks.map((remark) => [inline(remark.message), " ", code(remark.lint)])),
    list("Confusable with", mine.map((pair) => [toolLink(other(pair)), ` at ${ratio(pair.nearness)}: ${pair.words.join(", ")}`])),
    el("details", {}, el("summary", {}, "Schemas as JSON"), [tool.input, tool.output].filter(Boolean).map((schema) => el("pre", {}, JSON.stringify(schema, null, 1)))),
    el("p", {}, el("a", { href: `#${encodeURIComponent(anchor(tool.name))}` }, "Link to this tool")));
}

/** Returns the names of the tools in each group, by path. */
function groupPaths(groups, prefix = "") {
  return groups.flatMap((group) => {
    const path = prefix + group.name;
    const inner = groupPaths(group.groups, `${path}/`);
    return [[path, new Set([...group.tools, ...inner.flatMap(([, names]) => [...names])])], ...inner];
  });
}

/** Creates the line of a tool, and fills its details when it is opened: hundreds of schemas at once would take seconds. */
function toolItem(tool, data, cost, paths, isRemarked) {
  const hints = Object.entries(HINTS).filter(([hint]) => tool.annotations?.[hint]).map(([, label]) => [label, ""]);
  const states = [["eager", tool.eager], ["deprecated", tool.deprecated], ["unavailable", tool.unavailable], ["remark", isRemarked]];
  const badges = [...hints, ...states.filter(([, holds]) => holds).map(([label]) => [label, " warn"])];
  const line = el("summary", {},
    el("span", { class: "cost" }, `${number(cost.minimal)} of ${counted(cost.full, "token")}`), el("b", {}, tool.name), " ", inline(tool.summary),
    badges.map(([label, kind]) => [" ", el("span", { class: `badge${kind}` }, label)]));
  const item = el("details", { class: "tool", id: anchor(tool.name) }, line);
  item.fill = () => item.children.length > 1 || item.append(describe(tool, data, paths));
  item.addEventListener("toggle", () => item.open && item.fill());
  item.tool = tool.name;
  item.words = [
    tool.name, tool.title, tool.summary, tool.description, tool.aliases, tool.scopes, paths, badges.map(([label]) => label),
    Object.keys(tool.input.properties ?? {}), tool.errors?.map(([name]) => name),
  ].flat(2).join(" ").toLowerCase();
  return item;
}

function tools(data) {
  const costs = new Map(data.tokens.tools.map((row) => [row.name, row]));
  const remarked = new Set(data.check.remarks.map((remark) => remark.tool));
  const groups = new Map(groupPaths(data.groups));
  const pathsOf = (name) => [...groups].filter(([, names]) => names.has(name)).map(([path]) => path);
  const items = data.tools.map((tool) => toolItem(tool, data, costs.get(tool.name), pathsOf(tool.name), remarked.has(tool.name)));
  const search = el("input", { type: "search", id: "filter", autocomplete: "off", "aria-controls": "all-tools" });
  const choice = el("select", { id: "group" }, el("option", { value: "" }, "all groups"), [...groups.keys()].map((path) => el("option", { value: path }, path)));
  const status = el("p", { role: "status", class: "faint" });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const inGroup = (item) => !choice.value || groups.get(choice.value)?.has(item.tool);
    items.forEach((item) => { item.hidden = !(inGroup(item) && words.every((word) => item.words.includes(word))); });
    status.textContent = `${number(items.filter((item) => !item.hidden).length)} of ${counted(items.length, "tool")}`;
  };
  search.addEventListener("input", filter);
  choice.addEventListener("change", filter);
  focusOnSlash(search);
  const form = el("form", { role: "search" }, el("label", {}, "Filter by words (key /)", search), groups.size ? el("label", {}, "Group", choice) : null, openButtons(items));
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  return section("tools", "Tools", el("p", {}, "Each line shows the tokens of the minimal list and of the full description. What is open is printed."), form, status, el("div", { id: "all-tools" }, items));
}

/** Opens or closes what the filter shows, for reading on paper or by the browser's own search. */
function openButtons(items) {
  const button = (label, open) => {
    const made = el("button", { type: "button" }, label);
    made.addEventListener("click", () => items.filter((item) => !item.hidden).forEach((item) => { open && item.fill(); item.open = open; }));
    return made;
  };
  return el("span", { class: "controls" }, button("Open all", true), button("Close all", false));
}

function focusOnSlash(search) {
  document.addEventListener("keydown", (event) => {
    const isTyped = event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === "/" && !isTyped) {
      event.preventDefault();
      search.focus();
    }
  });
}

/** Returns the tool that the address names. */
function linkedTool() {
  try {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return target?.classList.contains("tool") ? target : null;
  } catch {
    return null; // The address is not valid percent-encoding.
  }
}

/** Opens the tool that the address names. */
function followLink() {
  const target = linkedTool();
  document.querySelectorAll(".tool.here").forEach((one) => one.classList.remove("here"));
  if (!target) return;
  // A tool that the filter hides is shown all the same, because somebody follows a link to it.
  target.hidden = false;
  target.classList.add("here");
  target.fill();
  target.open = true;
  target.scrollIntoView();
  target.querySelector("summary").focus({ preventScroll: true });
}
