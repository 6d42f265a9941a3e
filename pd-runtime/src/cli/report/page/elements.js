// Elements of the page. The data is in the page, and every text of it is set as text, never as HTML.
const number = (value) => Math.round(value).toLocaleString("en-US");

/** Renders a share in percent. A part is never rounded to nothing or to all. */
const percent = (share, digits = 0) => {
  const text = (100 * share).toFixed(digits);
  const isRounded = [0, 1].some((all) => Number(text) === 100 * all && share !== all);
  return isRounded && digits < 9 ? percent(share, digits + 1) : `${text} %`;
};

/** Renders a ratio in percent, which can be over 100. */
const ratio = (value) => `${(100 * value).toFixed(0)} %`;
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const anchor = (name) => `tool-${name}`;

/** Escapes control characters and those that reorder text, so that a reader sees what a text contains. */
const visible = (text) =>
  String(text).replace(/[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (letter) =>
    letter === "\n" || letter === "\t" ? letter : `\\u{${letter.codePointAt(0).toString(16)}}`);

/** Creates an element. Strings among the children become text. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : visible(value));
  }
  const present = children.flat(4).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...present.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

const code = (text) => el("code", {}, text);

/** Splits a text at its backticks: every other piece is code. */
const inline = (text) => text.split("`").map((piece, index, all) => (index % 2 && index < all.length - 1 ? code(piece) : piece));

/** The names of the tools that the page describes. Other names have no link. */
const described = new Set();
const toolLink = (name) => (described.has(name) ? el("a", { href: `#${encodeURIComponent(anchor(name))}` }, breakable(name)) : code(breakable(name)));

/** Lets a long name break behind its separators. */
const breakable = (name) => name.split(/(?<=[_\-./])/).flatMap((piece, index) => (index ? [el("wbr"), piece] : [piece]));

function section(id, title, ...children) {
  return el("section", { "aria-labelledby": `${id}-title`, id }, el("h2", { id: `${id}-title` }, title), children);
}

/** Creates a table. Columns whose heading begins with `#` contain numbers, and with `~` sentences. The first column names the row. */
function table(caption, heads, rows) {
  const kind = (index) => ({ "#": "number", "~": "sentence" })[heads[index][0]];
  const head = heads.map((text, index) => el("th", { class: kind(index), scope: "col" }, text.replace(/^[#~]/, "")));
  const shown = (cell) => (typeof cell === "number" ? number(cell) : cell);
  const cells = (row) => row.map((cell, index) => (index ? el("td", { class: kind(index) }, shown(cell)) : el("th", { scope: "row" }, shown(cell))));
  const body = rows.map((row) => el("tr", {}, cells(row)));
  return scrolled(caption, el("table", { "aria-label": caption, class: heads.length < 3 ? "short" : undefined }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

/** Lets the keyboard scroll what is wider than the window, in every browser. */
const overflowing = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  const isWide = target.scrollWidth > target.clientWidth;
  isWide ? target.setAttribute("tabindex", "0") : target.removeAttribute("tabindex");
}));

function scrolled(label, content) {
  const box = el("div", { class: "scroll", role: "group", "aria-label": label }, content);
  overflowing.observe(box);
  return box;
}

/** Creates a table with its first rows, and the others behind a button. */
function longTable(caption, heads, rows, shown = 25) {
  if (rows.length <= shown + 5) return table(caption, heads, rows);
  const rest = el("details", {}, el("summary", {}, `${number(rows.length - shown)} more`), table(`${caption}, continued`, heads, rows.slice(shown)));
  return [table(caption, heads, rows.slice(0, shown)), rest];
}

/** A list of what occurred, and how often. */
function frequent(title, head, entries) {
  return entries?.length ? [el("h3", {}, title), longTable(title, [head, "#times"], entries.map((entry) => [entry.text, entry.count]))] : [];
}

/** The drawings of the page, which fit the width of the window. */
const drawings = [];
const PRINTED_WIDTH = 680;

function redraw(width) {
  drawings.forEach((draw) => draw(width));
}

/** Returns the width of the content, in pixels. */
function contentWidth() {
  const main = document.getElementById("main");
  const style = getComputedStyle(main);
  return Math.max(280, main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
}

/** Creates a figure: a drawing, the meaning of its colors, a note, and the same numbers as a table. */
function figure({ caption, draw, legend, note, numbers, isList = false }) {
  const holder = el("div", { class: "drawing" });
  drawings.push((width) => {
    const drawing = draw(width).attr("role", isList ? "group" : "img").attr("aria-label", caption.replaceAll("`", ""));
    holder.replaceChildren(drawing.node());
  });
  const table = numbers ? el("details", {}, el("summary", {}, "Numbers"), numbers) : null;
  return el("figure", {}, el("figcaption", {}, inline(caption)), legend ? key(legend) : null, holder, note ? el("p", {}, note) : null, table);
}

/** Explains the colors of a drawing: `[class, label]` for each. */
function key(entries) {
  const entry = ([name, label]) => {
    const box = svg(10, 10).attr("aria-hidden", "true");
    box.append("rect").attr("width", 10).attr("height", 10).attr("class", name);
    return el("li", {}, box.node(), label);
  };
  return el("ul", { class: "key" }, entries.map(entry));
}

const svg = (width, height) =>
  d3.select(document.createElementNS("http://www.w3.org/2000/svg", "svg")).attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height);
