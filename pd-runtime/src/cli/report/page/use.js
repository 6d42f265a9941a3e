// What callers did, from the audit log.

const FUNNEL = [["listed", "listed"], ["found", "found by a search"], ["described", "described"], ["called", "called"], ["succeeded", "succeeded"]];

/** Draws the periods of the log: calls, failures and refusals as bars. */
function timeline(periods) {
  const [width, height, left, bottom] = [1000, 220, 50, 24];
  const drawing = svg(width, height);
  const start = periods.map((period) => new Date(period.start));
  const x = d3.scaleBand(start, [left, width - 10]).padding(0.1);
  const parts = ["calls", "failed", "refused"];
  const of = (period, part) => (part === "calls" ? period.calls - period.failed : period[part]);
  const y = d3.scaleLinear([0, d3.max(periods, (period) => period.calls + period.refused) || 1], [height - bottom, 8]).nice();
  periods.forEach((period, index) => {
    let from = 0;
    for (const part of parts) {
      const to = from + of(period, part);
      drawing.append("rect").attr("class", part).attr("x", x(start[index])).attr("width", x.bandwidth()).attr("y", y(to)).attr("height", Math.max(0, y(from) - y(to)))
        .append("title").text(`${period.start}: ${number(to - from)} ${part}`);
      from = to;
    }
  });
  axes(drawing, x, y, start, [left, height - bottom]);
  return drawing;
}

/** Draws the latency of calls by period. */
function latencies(periods) {
  const [width, height, left, bottom] = [1000, 180, 50, 24];
  const drawing = svg(width, height);
  const timed = periods.filter((period) => period.p50_seconds !== undefined);
  const start = timed.map((period) => new Date(period.start));
  const x = d3.scaleBand(start, [left, width - 10]).padding(0.1);
  const y = d3.scaleLinear([0, 1000 * (d3.max(timed, (period) => period.p95_seconds) || 1)], [height - bottom, 8]).nice();
  for (const part of ["p50", "p95"]) {
    const path = d3.line().x((_, index) => x(start[index]) + x.bandwidth() / 2).y((period) => y(1000 * period[`${part}_seconds`]));
    drawing.append("path").attr("class", `latency ${part}`).attr("d", path(timed));
  }
  axes(drawing, x, y, start, [left, height - bottom]);
  return drawing;
}

function axes(drawing, x, y, start, [left, base]) {
  const every = Math.ceil(start.length / 8);
  const label = (date) => date.toISOString().slice(5, 16).replace("T", " ");
  const ticks = start.filter((_, index) => index % every === 0);
  drawing.append("g").attr("transform", `translate(0,${base})`).call(d3.axisBottom(x).tickValues(ticks).tickFormat(label));
  drawing.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(5));
}

const milliseconds = (seconds) => (seconds === undefined ? "" : `${number(1000 * seconds)} ms`);

/** Shows texts and how often they occurred. */
function frequent(title, head, entries) {
  return entries?.length ? [el("h3", {}, title), table(title, [head, "#times"], entries.map((entry) => [entry.text, entry.count]))] : [];
}

/** Shows how tools were found and used. */
function use(data) {
  const audit = data.audit;
  if (!audit) return null;
  const known = new Map(audit.tools.map((tool) => [tool.name, tool]));
  const sums = FUNNEL.map(([key, label]) => [label, [["step", audit.tools.reduce((sum, tool) => sum + (tool[key] ?? 0), 0)]]]);
  const unused = data.tools.filter((tool) => !known.get(tool.name)?.called).map((tool) => tool.name);
  const columns = ["listed", "found", "first", "passed_over", "described", "refused", "called", "succeeded", "failed"];
  const rows = audit.tools.map((tool) => [toolLink(tool.name), ...columns.map((column) => tool[column] ?? 0), milliseconds(tool.p50_seconds), milliseconds(tool.p95_seconds)]);
  const heads = ["tool", ...columns.map((column) => `#${column.replace("_", " ")}`), "#p50", "#p95"];
  const { searches, timeline: time } = audit;
  const facts = [
    `${number(searches.total)} searches, ${number(searches.fruitless)} of them found nothing, ${number(searches.without_call)} were followed by no call.`,
    searches.has_queries ? "" : " The log has no texts of searches; `serve --audit-detail queries` records them.",
  ];
  const periods = time.periods;
  const perPeriod = table("Events by period", ["start", "#calls", "#failed", "#refused", "#searches", "#p50", "#p95"],
    periods.map((period) => [period.start, period.calls, period.failed, period.refused, period.searches, milliseconds(period.p50_seconds), milliseconds(period.p95_seconds)]));
  return section("use", "What callers did",
    figure("From the list to a result, all tools", "A tool counts each time it was in a list, an answer or a call.", bars(sums), table("Events of all tools", ["step", "#events"], sums.map(([label, [[, value]]]) => [label, value]))),
    el("p", {}, facts), frequent("Searches that found nothing", "search", searches.fruitless_queries), frequent("Searches that no call followed", "search", searches.queries_without_call),
    el("h3", {}, "By tool"), table("Events by tool", heads, rows),
    el("h3", {}, "Never called"), el("p", {}, unused.length ? unused.flatMap((name, index) => [index ? ", " : "", toolLink(name)]) : "Every tool was called."),
    periods.length ? [
      figure("Calls over time", `Each bar is ${number(time.width_seconds)} seconds, in UTC.`, timeline(periods), perPeriod),
      key([["calls", "succeeded"], ["failed", "failed"], ["refused", "refused"]]),
      figure("Duration of calls over time, in milliseconds", "The median and the 95th percentile, within 10 %.", latencies(periods), perPeriod.cloneNode(true)),
      key([["calls", "median"], ["find", "95th percentile"]]),
    ] : [],
    frequent("Refusals by reason", "reason", audit.refusals), frequent("Calls by outcome", "outcome", audit.outcomes));
}
