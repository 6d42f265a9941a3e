// The list of tools, with search, groups and links to each tool.

/** Resolves a reference inside of a schema. */
function resolve(schema, root) {
  const path = typeof schema?.$ref === "string" && schema.$ref.startsWith("#/") ? schema.$ref.slice(2).split("/") : null;
  const found = path?.reduce((value, part) => value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  return found ? { ...found, ...schema, $ref: undefined } : (schema ?? {});
}

/** Renders the type of a value in a few words. */
function kind(schema, root, depth = 0) {
  const own = resolve(schema, root);
  const choices = own.anyOf ?? own.oneOf;
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (choices && depth < 3) return [...new Set(choices.map((choice) => kind(choice, root, depth + 1)))].join(" | ");
  if (own.type === "array" && depth < 3) return `array of ${kind(own.items, root, depth + 1)}`;
  return [own.type ?? "any"].flat().join(" | ");
}

const LIMITS = ["default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"];

/** Returns a row for each property of a schema, nested ones by path. */
function properties(schema, root, path = "", depth = 0) {
  const own = resolve(schema, root);
  if (depth > 5) return [];
  const inner = (own.anyOf ?? own.oneOf ?? own.allOf ?? []).flatMap((choice) => properties(choice, root, path, depth + 1));
  const items = own.items ? properties(own.items, root, `${path}[]`, depth + 1) : [];
  const named = Object.entries(own.properties ?? {}).flatMap(([name, property]) => {
    const at = path ? `${path}.${name}` : name;
    const value = resolve(property, root);
    const limits = LIMITS.filter((limit) => value[limit] !== undefined).map((limit) => `${limit} ${JSON.stringify(value[limit])}`);
    const isRequired = own.required?.includes(name) ? "required" : "";
    return [[code(at), kind(property, root), isRequired, limits.join(", "), value.description ?? ""], ...properties(property, root, at, depth + 1)];
  });
  return [...named, ...items, ...inner];
}

const HINTS = { readOnlyHint: "read-only", destructiveHint: "destructive", idempotentHint: "idempotent", openWorldHint: "open world" };

function list(title, items) {
  return items?.length ? [el("h3", {}, title), el("ul", {}, items.map((item) => el("li", {}, item)))] : [];
}

/** Fills the details of a tool. */
function describe(tool, data) {
  const rows = properties(tool.input, tool.input);
  const results = tool.output ? properties(tool.output, tool.output) : [];
  const remarks = data.check.remarks.filter((remark) => remark.tool === tool.name);
  const mine = data.pairs.filter((pair) => pair.tool === tool.name || pair.other === tool.name);
  const other = (pair) => (pair.tool === tool.name ? pair.other : pair.tool);
  const example = (one) => [one.description, el("pre", {}, JSON.stringify(one.input, null, 1)), one.explanation];
  const heads = ["name", "type", "", "limits", "description"];
  return el("div", {},
    tool.deprecated ? el("p", { class: "warn" }, `Deprecated: ${tool.deprecated}`) : null,
    tool.unavailable ? el("p", { class: "bad" }, `Unavailable: ${tool.unavailable}`) : null,
    tool.description ? el("p", { style: "white-space: pre-line" }, inline(tool.description)) : null,
    el("h3", {}, "Arguments"), rows.length ? table(`Arguments of ${tool.name}`, heads, rows) : el("p", {}, "None."),
    results.length ? [el("h3", {}, "Result"), table(`Result of ${tool.name}`, heads, results)] : [],
    el("h3", {}, "Signature"), el("pre", {}, tool.signature),
    list("Examples", tool.examples?.map(example)), list("Guidance", tool.guidance?.map(inline)), list("Notes", tool.notes?.map(inline)),
    list("Errors", tool.errors?.map(([name, cause, solution]) => [code(name), " ", inline(`${cause} ${solution}`)].flat())),
    list("Related", tool.related?.map(toolLink)), list("Aliases", tool.aliases), list("Scopes", tool.scopes?.map(code)),
    list("Remarks of the lints", remarks.map((remark) => inline(`${remark.message} [${remark.lint}]`))),
    list("Confusable with", mine.map((pair) => [toolLink(other(pair)), ` at ${percent(pair.nearness)}: ${pair.words.join(", ")}`])),
    el("details", {}, el("summary", {}, "Schema as JSON"), el("pre", {}, JSON.stringify(tool.input, null, 1))));
}

/** Returns the names of the tools in each group, by path. */
function groupPaths(groups, prefix = "") {
  return groups.flatMap((group) => {
    const path = prefix + group.name;
    const inner = groupPaths(group.groups, `${path}/`);
    return [[path, new Set([...group.tools, ...inner.flatMap(([, names]) => [...names])])], ...inner];
  });
}

function tools(data) {
  const cost = new Map(data.tokens.tools.map((row) => [row.name, row]));
  const remarked = new Set(data.check.remarks.map((remark) => remark.tool));
  const item = (tool) => {
    const { minimal, full } = cost.get(tool.name);
    const hints = Object.entries(HINTS).filter(([hint]) => tool.annotations?.[hint]).map(([, label]) => el("span", { class: "badge" }, label));
    const marks = [tool.eager ? "eager" : null, remarked.has(tool.name) ? "remark" : null].filter(Boolean).map((mark) => el("span", { class: "badge warn" }, mark));
    const summary = el("summary", {}, el("span", { class: "cost" }, `${number(minimal)} of ${number(full)} tokens`), el("b", {}, tool.name), ` ${tool.summary}`, hints, marks);
    const details = el("details", { class: "tool", id: anchor(tool.name) }, summary);
    // Hundreds of schemas at once would take seconds, so each is shown when it is opened.
    details.fill = () => details.children.length > 1 || details.append(describe(tool, data));
    details.addEventListener("toggle", () => details.open && details.fill());
    details.words = [tool.name, tool.title, tool.summary, tool.description, tool.aliases, Object.keys(tool.input.properties ?? {})].flat().join(" ").toLowerCase();
    return details;
  };
  const items = data.tools.map(item);
  const groups = new Map(groupPaths(data.groups));
  const search = el("input", { type: "search", id: "filter", autocomplete: "off", "aria-controls": "tool-list" });
  const choice = el("select", { id: "group" }, el("option", { value: "" }, "all groups"), [...groups.keys()].map((path) => el("option", { value: path }, path)));
  const status = el("p", { role: "status", class: "faint" });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const inGroup = (one) => !choice.value || groups.get(choice.value).has(one.id.slice("tool-".length));
    items.forEach((one) => { one.hidden = !(inGroup(one) && words.every((word) => one.words.includes(word))); });
    status.textContent = `${number(items.filter((one) => !one.hidden).length)} of ${number(items.length)} tools`;
  };
  search.addEventListener("input", filter);
  choice.addEventListener("change", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, select, textarea")) {
      event.preventDefault();
      search.focus();
    }
  });
  addEventListener("beforeprint", () => items.filter((one) => one.open).forEach((one) => one.fill()));
  const form = el("form", { role: "search" }, el("label", {}, "Filter by words, key /", search), groups.size ? el("label", {}, "Group", choice) : null);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  return section("tools", "Tools", form, status, el("div", { id: "tool-list" }, items));
}

/** Opens the tool that the address names. */
function followLink() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  document.querySelectorAll(".tool.here").forEach((one) => one.classList.remove("here"));
  if (!target?.classList.contains("tool")) return;
  // A tool that the filter hides is shown all the same, because somebody follows a link to it.
  target.hidden = false;
  target.classList.add("here");
  target.fill();
  target.open = true;
  target.scrollIntoView();
  target.querySelector("summary").focus({ preventScroll: true });
}

addEventListener("hashchange", followLink);
