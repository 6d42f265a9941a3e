// The charts. D3 computes scales, axes and layouts. Each chart is drawn for a width in pixels.

/** The width of a letter, in pixels: a little more than the average of sans-serif fonts at 12 pixels. */
const LETTER = 6.8;

/** Cuts a text to a width. */
function fitting(text, width) {
  const letters = Math.floor(width / LETTER);
  const shown = visible(text);
  return shown.length <= letters ? shown : letters > 2 ? `${shown.slice(0, letters - 1)}…` : "";
}

/** Breaks a name into lines of a width, behind its separators where possible. */
function wrapped(name, width, count) {
  const lines = [""];
  for (const piece of visible(name).match(/[^_\-./ ]*[_\-./ ]+|[^_\-./ ]+/g) ?? []) {
    const isFull = lines.at(-1) !== "" && (lines.at(-1) + piece).length * LETTER > width;
    if (isFull && lines.length < count) lines.push(piece);
    else lines.push(lines.pop() + piece);
  }
  return lines.map((line) => fitting(line, width));
}

/** Returns the space for labels before bars: for the longest one, but at most a part of the width. */
const labelWidth = (labels, width) => Math.min(Math.max(...labels.map((label) => label.length), 4) * LETTER + 10, width * 0.36);

/** Draws horizontal bars of stacked parts: `rows` are `[label, [[class, label, value], …], class]`. */
function bars(rows, width) {
  const [right, step] = [64, 30];
  const left = labelWidth(rows.map(([label]) => label), width);
  const sum = ([, parts]) => parts.reduce((total, [, , value]) => total + value, 0);
  const drawing = svg(width, rows.length * step + 2);
  const x = d3.scaleLinear([0, d3.max(rows, sum) || 1], [left, width - right]);
  const y = d3.scaleBand(d3.range(rows.length), [0, rows.length * step]).padding(0.25);
  rows.forEach(([label, parts, kind], index) => {
    const line = drawing.append("g").attr("class", kind ?? null);
    let from = 0;
    for (const [name, part, value] of parts) {
      line.append("rect").attr("class", name).attr("x", x(from)).attr("y", y(index)).attr("height", y.bandwidth())
        .attr("width", Math.max(0, x(from + value) - x(from))).append("title").text(`${label}, ${part}: ${number(value)}`);
      from += value;
    }
    const middle = y(index) + y.bandwidth() / 2 + 4;
    line.append("text").attr("x", left - 8).attr("y", middle).attr("text-anchor", "end").text(fitting(label, left - 8));
    line.append("text").attr("class", "value").attr("x", x(from) + 6).attr("y", middle).text(number(from));
  });
  return drawing;
}

/** Draws a bar for each column of each row, on a scale for each column: `rows` are `[label, values]`. */
function columns(heads, rows, width) {
  const [top, step, gap] = [20, 22, 10];
  const left = labelWidth(rows.map(([label]) => label), width);
  const drawing = svg(width, top + rows.length * step + 2);
  const column = d3.scaleBand(d3.range(heads.length), [left, width]);
  heads.forEach(([name, label], index) => {
    const space = Math.max(column.bandwidth() - 46 - gap, 6);
    const x = d3.scaleLinear([0, d3.max(rows, ([, values]) => values[index]) || 1], [0, space]);
    drawing.append("text").attr("class", "head").attr("x", column(index)).attr("y", 12).text(fitting(label, column.bandwidth() - 2));
    rows.forEach(([row, values], line) => {
      const y = top + line * step;
      drawing.append("rect").attr("class", name).attr("x", column(index)).attr("y", y).attr("height", step - 6).attr("width", x(values[index]))
        .append("title").text(`${row}, ${label}: ${number(values[index])}`);
      drawing.append("text").attr("class", values[index] ? "value" : "value none").attr("x", column(index) + x(values[index]) + 4).attr("y", y + 12).text(number(values[index]));
    });
  });
  rows.forEach(([label], line) => {
    drawing.append("text").attr("x", left - 8).attr("y", top + line * step + 12).attr("text-anchor", "end").text(fitting(label, left - 8));
  });
  return drawing;
}

/** Returns the tools as a tree of groups with their values, the largest first. */
function hierarchy(data, costs) {
  const grouped = new Set();
  const leaf = (name) => (grouped.add(name), { name, value: costs.get(name) ?? 0 });
  const group = (facts) => ({ name: facts.name, children: [...facts.groups.map(group), ...facts.tools.map(leaf)] });
  const groups = data.groups.map(group);
  const rest = data.tools.filter((tool) => !grouped.has(tool.name)).map((tool) => leaf(tool.name));
  return d3.hierarchy({ name: "", children: [...groups, ...rest] }).sum((node) => node.value ?? 0).sort((one, next) => next.value - one.value);
}

/** Draws the values of all tools by group. Each cell leads to its tool. */
function treemap(data, costs, width) {
  const height = Math.round(Math.min(560, Math.max(420, width * 0.55)));
  const root = hierarchy(data, costs);
  d3.treemap().size([width, height]).paddingInner(1).paddingTop((node) => (node.depth === 1 && node.children ? 18 : 0))(root);
  const drawing = svg(width, height);
  const branches = root.children ?? [];
  const top = (node) => node.ancestors().find((ancestor) => ancestor.depth === 1);
  const color = (node) => `var(--c${branches.indexOf(top(node)) % 8})`;
  for (const node of branches.filter((node) => node.children)) {
    const [name, room] = [visible(node.data.name), node.x1 - node.x0 - 6];
    const text = fitting(`${name} ${number(node.value)}`, room).includes("…") ? fitting(name, room) : `${name} ${number(node.value)}`;
    drawing.append("text").attr("class", "head").attr("x", node.x0 + 3).attr("y", node.y0 + 13).text(text);
  }
  const leaves = root.leaves().filter((leaf) => leaf.value > 0);
  leaves.forEach((leaf, index) => drawCell(drawing, leaf, color(leaf), index === 0));
  drawing.node().addEventListener("keydown", moveAmongCells);
  return drawing;
}

function drawCell(drawing, leaf, color, isFirst) {
  const label = visible(`${leaf.data.name}: ${counted(leaf.value, "token")}`);
  const [width, height] = [leaf.x1 - leaf.x0, leaf.y1 - leaf.y0];
  const cell = drawing.append("a").attr("class", "cell").attr("href", `#${encodeURIComponent(anchor(leaf.data.name))}`).attr("aria-label", label);
  // The arrow keys move among the cells, so that the tabulator key does not visit hundreds.
  cell.attr("tabindex", isFirst ? 0 : -1);
  cell.append("title").text(label);
  cell.append("rect").attr("x", leaf.x0).attr("y", leaf.y0).attr("width", width).attr("height", height).style("fill", color);
  if (height < 15 || width < 34) return;
  // A gateway puts the server before the tool's name, and the group is the server.
  const name = leaf.parent && leaf.data.name.startsWith(`${leaf.parent.data.name}__`) ? leaf.data.name.slice(leaf.parent.data.name.length + 2) : leaf.data.name;
  const names = wrapped(name, width - 5, Math.floor((height - 3) / 13));
  const lines = names.length * 13 + 16 < height ? [...names, number(leaf.value)] : names;
  lines.forEach((line, index) => cell.append("text").attr("class", index < names.length ? null : "value").attr("x", leaf.x0 + 3).attr("y", leaf.y0 + 12 + 13 * index).text(line));
}

/** Moves the focus to the next cell in the order of size. */
function moveAmongCells(event) {
  const cells = [...event.currentTarget.querySelectorAll(".cell")];
  const place = cells.indexOf(document.activeElement);
  const steps = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: cells.length - 1 };
  const next = cells[steps[event.key]];
  if (place < 0 || !next) return;
  event.preventDefault();
  cells[place].setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

const PERIOD_PARTS = [["calls", "succeeded"], ["failed", "failed"], ["refused", "refused"]];

/** Draws calls, failures and refusals in each period of the log. */
function timeline(periods, width) {
  const { drawing, x, middle, floor } = timeAxis(periods, width, 200);
  const of = (period, part) => (part === "calls" ? period.calls - period.failed : period[part]);
  const y = d3.scaleLinear([0, d3.max(periods, (period) => period.calls + period.refused) || 1], [floor, 8]).nice();
  const thick = Math.min(x.bandwidth(), 48);
  periods.forEach((period, index) => {
    let from = 0;
    for (const [part, label] of PERIOD_PARTS) {
      const to = from + of(period, part);
      drawing.append("rect").attr("class", part).attr("x", middle(index) - thick / 2).attr("width", thick).attr("y", y(to)).attr("height", Math.max(0, y(from) - y(to)))
        .append("title").text(`${period.start}: ${number(to - from)} ${label}`);
      from = to;
    }
  });
  return valueAxis(drawing, x, y, y.ticks(5).filter(Number.isInteger));
}

/** Draws the latency of calls in each period, in milliseconds. */
function latencies(periods, width) {
  const { drawing, x, middle, floor } = timeAxis(periods, width, 180);
  const timed = (period) => period.p50_seconds !== undefined;
  const y = d3.scaleLinear([0, 1000 * (d3.max(periods.filter(timed), (period) => period.p95_seconds) || 0.001)], [floor, 8]).nice();
  for (const part of ["p95", "p50"]) {
    const height = (period) => y(1000 * period[`${part}_seconds`]);
    const path = d3.line().defined(timed).x((_, index) => middle(index)).y(height);
    drawing.append("path").attr("class", `latency ${part}`).attr("d", path(periods));
    periods.forEach((period, index) => {
      if (!timed(period)) return;
      drawing.append("circle").attr("class", `latency ${part}`).attr("cx", middle(index)).attr("cy", height(period)).attr("r", 2.5)
        .append("title").text(`${period.start}: ${part} ${milliseconds(period[`${part}_seconds`])}`);
    });
  }
  return valueAxis(drawing, x, y, y.ticks(5));
}

function timeAxis(periods, width, height) {
  const [left, bottom] = [48, 24];
  const drawing = svg(width, height);
  const x = d3.scaleBand(d3.range(periods.length), [left, width - 8]).padding(0.1);
  const every = Math.ceil(periods.length / Math.max(1, Math.floor((width - left) / 110)));
  const isOneDay = new Set(periods.map((period) => period.start.slice(0, 10))).size === 1;
  const label = (index) => (isOneDay ? periods[index].start.slice(11, 19) : periods[index].start.slice(5, 16).replace("T", " "));
  const ticks = d3.range(0, periods.length, every);
  drawing.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(d3.axisBottom(x).tickValues(ticks).tickFormat(label).tickSizeOuter(0));
  return { drawing, x, middle: (index) => x(index) + x.bandwidth() / 2, floor: height - bottom };
}

function valueAxis(drawing, x, y, ticks) {
  drawing.append("g").attr("class", "axis").attr("transform", `translate(${x.range()[0]},0)`).call(d3.axisLeft(y).tickValues(ticks).tickFormat(String));
  return drawing;
}

/** Renders a duration. Shorter ones than ten milliseconds have a decimal. */
function milliseconds(seconds) {
  if (seconds === undefined) return "";
  const value = 1000 * seconds;
  return `${value < 10 ? value.toFixed(1) : number(value)} ms`;
}
