// The page as a whole, from the data in it.

function header(data) {
  const facts = [counted(data.tools.length, "tool"), `${data.server.time} UTC`, data.audit ? "with an audit log: its texts are those of callers" : null];
  return el("div", {}, el("h1", {}, `${data.server.name} ${data.server.version}`), el("p", { class: "faint" }, facts.filter(Boolean).join(" · ")));
}

/** Draws for the window, again when its width changes, and for paper. */
function keepDrawn() {
  let width = 0;
  const fit = () => {
    if (contentWidth() === width) return;
    width = contentWidth();
    redraw(width);
  };
  fit();
  new ResizeObserver(fit).observe(document.getElementById("main"));
  addEventListener("beforeprint", () => redraw(PRINTED_WIDTH));
  addEventListener("afterprint", () => redraw(width));
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.tools.forEach((tool) => described.add(tool.name));
  const costs = new Map(data.tokens.tools.map((row) => [row.name, row.full]));
  const sections = [overview(data, costs), tour(data), pairs(data), checks(data), use(data), changes(data), tools(data)].filter(Boolean);
  const links = sections.map((one) => el("li", {}, el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
  document.getElementById("top").append(header(data));
  document.getElementById("top").after(el("nav", { "aria-label": "Sections" }, el("ul", {}, links)));
  document.getElementById("main").replaceChildren(...sections);
  keepDrawn();
}

/** Goes to the place that the address names. Scripts created it, so the browser may not have found it. */
function goToLink() {
  linkedTool() ? followLink() : document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

document.addEventListener("DOMContentLoaded", start);
// Until the page is loaded, the browser moves the focus by itself.
addEventListener("load", () => setTimeout(goToLink));
addEventListener("hashchange", followLink);
