// What callers did, from the audit log.

const FUNNEL = [["listed", "listed"], ["found", "found"], ["described", "described"], ["called", "called"], ["succeeded", "succeeded"]];
const COUNTS = ["listed", "found", "first", "passed_over", "described", "refused", "called", "succeeded", "failed"];

/** The maximum number of tools in the drawing. The table has all. */
const FUNNEL_TOOLS = 30;

/** Shows how tools were found and used. */
function use(data) {
  const { audit } = data;
  if (!audit) return null;
  return section("use", "What callers did", funnel(audit), searches(audit.searches), unusedTools(data), overTime(audit.timeline),
    frequent("Refused calls by reason", "reason", audit.refusals), frequent("Calls by outcome", "outcome", audit.outcomes), gaps(audit));
}

function funnel(audit) {
  const sums = FUNNEL.map(([key, label]) => [label, audit.tools.reduce((sum, tool) => sum + tool[key], 0)]);
  const order = [...audit.tools].sort((one, next) => next.called - one.called || next.described - one.described || next.found - one.found);
  const rows = order.map((tool) => [toolLink(tool.name), ...COUNTS.map((column) => tool[column]), milliseconds(tool.p50_seconds), milliseconds(tool.p95_seconds)]);
  const heads = ["tool", ...COUNTS.map((column) => `#${column.replace("_", " ")}`), "#median", "#95 %"];
  const drawn = order.slice(0, FUNNEL_TOOLS).map((tool) => [tool.name, FUNNEL.map(([key]) => tool[key])]);
  const more = order.length > drawn.length ? ` These are the ${drawn.length} most called of ${number(order.length)} tools; the table has all.` : "";
  return [
    figure({
      caption: "From the list to a result, all tools",
      draw: (width) => bars(sums.map(([label, value]) => [label, [["step", "events", value]]]), width),
      note: "A tool counts each time that a list, a search or an answer contained it, and each time that it was called.",
      numbers: table("Events of all tools", ["step", "#events"], sums),
    }),
    figure({
      caption: "From the list to a result, by tool",
      draw: (width) => columns(FUNNEL, drawn, width),
      note: `Each column has its own scale.${more}`,
      numbers: longTable("Events by tool", heads, rows),
    }),
  ];
}

function searches(searches) {
  const { total, fruitless, without_call: open, without_conversation: unknown, has_queries: hasQueries } = searches;
  const facts = [`${number(total)} ${total === 1 ? "search" : "searches"}: ${number(fruitless)} found nothing, ${number(open)} found tools but no call followed.`];
  if (unknown) facts.push(` Of ${number(unknown)} more it is unknown whether a call followed, because their callers have no session.`);
  if (total && !hasQueries) facts.push(" The log has no texts of searches. `serve --audit-detail queries` records them.");
  return [el("h3", {}, "Searches"), el("p", {}, inline(facts.join(""))),
    frequent("Searches that found nothing", "search", searches.fruitless_queries), frequent("Searches that no call followed", "search", searches.queries_without_call)];
}

function unusedTools(data) {
  const called = new Set(data.audit.tools.filter((tool) => tool.called).map((tool) => tool.name));
  const unused = data.tools.filter((tool) => !called.has(tool.name)).map((tool) => tool.name);
  const links = unused.flatMap((name, index) => [index ? ", " : "", toolLink(name)]);
  const sum = `${number(unused.length)} of ${counted(data.tools.length, "tool")} ${unused.length === 1 ? "was" : "were"} never called.`;
  return [el("h3", {}, "Tools without a call"), el("p", {}, sum), unused.length ? el("p", { class: "names" }, links) : null];
}

function overTime({ periods, width_seconds: seconds }) {
  if (!periods.length) return [];
  const rows = periods.map((period) => [period.start, period.calls, period.failed, period.refused, period.searches, period.fruitless, milliseconds(period.p50_seconds), milliseconds(period.p95_seconds)]);
  const heads = ["start", "#calls", "#failed", "#refused", "#searches", "#fruitless", "#median", "#95 %"];
  return [
    figure({
      caption: "Calls, failures and refusals over time",
      legend: PERIOD_PARTS,
      draw: (width) => timeline(periods, width),
      note: `Each bar is ${counted(seconds, "second")}. Times are in UTC.`,
      numbers: longTable("Events by period", heads, rows),
    }),
    figure({
      caption: "Latency of calls over time, in milliseconds",
      legend: [["calls", "median"], ["refused", "95th percentile"]],
      draw: (width) => latencies(periods, width),
      note: "Both are within 10 % of the exact value. The table above has the numbers.",
    }),
  ];
}

/** Shows what the log does not tell. */
function gaps(audit) {
  const facts = [
    [audit.unknown_tools, "named an unknown tool"],
    [audit.dropped_events, "missing: the queue to the file was full, so the other counts are too low"],
    [audit.unreadable_lines, "unreadable"],
    [audit.uncounted_events, "not counted: the file names too many tools, or their names are too long"],
    [audit.timeline.undated_events, "without a valid time"],
  ];
  const items = facts.filter(([count]) => count).map(([count, what]) => el("li", {}, `${counted(count, "event")} ${what}`));
  return items.length ? [el("h3", {}, "Gaps of the log"), el("ul", {}, items)] : [];
}
