// Charts: the contention of each set as bars, and the progress of searches as lines.

/// The most messages on a link at once in each set, before and after. A set has a row, or a narrow column if there are
/// many sets.
function contentionChart(app) {
  const before = app.before.contention(), after = app.after?.contention();
  const most = Math.max(...before, ...(after ?? []), 1);
  return before.length <= 24 ? contentionRows(app, before, after, most) : contentionColumns(app, before, after, most);
}

function contentionTitle(before, after) {
  const worst = (values) => Math.max(...values, 0);
  if (!after) return `Up to ${count(worst(before), "message")} on a link at once`;
  const better = before.filter((value, set) => after[set] < value).length, worse = before.filter((value, set) => after[set] > value).length;
  if (!better && !worse) return `The contention of all sets is unchanged: at most ${count(worst(before), "message")} on a link at once`;
  return `${digits(better)} of ${count(before.length, "set")} ${better === 1 ? "has" : "have"} less contention, ${worse ? digits(worse) : "none"} more; the maximum number of messages on a link ${worst(before) === worst(after) ? `stays ${digits(worst(before))}` : `${worst(after) < worst(before) ? "fell" : "rose"} from ${digits(worst(before))} to ${digits(worst(after))}`}`;
}

function contentionRows(app, before, after, most) {
  const bar = (role, value) => barRow(role, value / most, digits(value));
  return element("div", { class: "bars contention" }, before.map((value, set) => element("div", { class: "bar-group" },
    element("p", {}, app.before.setName(set)), bar("before", value), after ? bar("after", after[set] ?? 0) : null)));
}

function contentionColumns(app, before, after, most) {
  const width = 1000, height = 180, step = width / before.length;
  const bars = (values, name, shift, share) => values.map((value, set) => svgElement("rect", { class: name, x: set * step + shift * step,
    y: height - value / most * height, width: Math.max(step * share, 0.5), height: value / most * height }));
  const chart = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "columns", role: "img", tabindex: "0",
    "aria-label": `Contention of ${before.length} sets, ${contentionTitle(before, after)}` },
  bars(before, "fill-before", after ? 0.05 : 0.1, after ? 0.45 : 0.8), after ? bars(after, "fill-after", 0.5, 0.45) : []);
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect(), set = Math.min(Math.max(Math.floor((event.clientX - box.left) / box.width * before.length), 0), before.length - 1);
    app.tip.show([element("strong", {}, app.before.setName(set)), element("br"), `before ${count(before[set], "message")}`, after ? `, after ${digits(after[set] ?? 0)}` : ""], event.clientX, event.clientY);
  });
  chart.addEventListener("pointerleave", () => app.tip.hide());
  return [element("p", { class: "note" }, "messages on a link"), withValues(chart, (fraction) => (Number.isInteger(fraction * most) ? digits(fraction * most) : ""),
    element("div", { class: "x-ends" }, element("span", {}, "set 1"), roleKey(Boolean(after)), element("span", {}, `set ${before.length}`)))];
}

function roleKey(hasAfter) {
  return element("span", { class: "role-key" }, element("i", { class: "fill-before" }), "before ", hasAfter ? [element("i", { class: "fill-after" }), "after"] : null);
}

/// A small chart per strategy, because strategies minimize different objectives in different units.
function convergenceCharts(comparison, job) {
  const isJob = (entry) => entry.workload === job.workload && (entry.shape ?? null) === (job.shape ?? null);
  const cells = comparison.cells.filter((cell) => isJob(cell) && (cell.convergence ?? []).length > 1);
  const curves = [...new Set(cells.map((cell) => cell.strategy))].map((strategy) => {
    const view = comparison.views.find((entry) => isJob(entry) && entry.strategy === strategy);
    const mine = cells.filter((cell) => cell.strategy === strategy);
    return { cell: mine.find((cell) => cell.seed === view?.seed) ?? mine[0], role: view?.role };
  });
  const most = Math.max(...curves.map(({ cell }) => cell.convergence[cell.convergence.length - 1][0]), 10);
  return curves.map(({ cell, role }) => convergenceChart(cell, role, most));
}

function convergenceChart(cell, role, mostEvaluations) {
  const points = cell.convergence.filter(([evaluations, value]) => isNumber(evaluations) && isNumber(value));
  const objective = cell.objectives?.[cell.objective] ?? {}, unit = objective.unit ?? "";
  const text = (value) => amount(value, unit), counted = countedUnit(unit);
  const width = 300, height = 120, left = 62, right = 8, high = points[0]?.[1] ?? 1;
  const bound = isNumber(objective.lower_bound) ? objective.lower_bound : null;
  const x = (evaluations) => left + Math.log10(Math.max(evaluations, 1)) / Math.log10(Math.max(mostEvaluations, 10)) * (width - left - right);
  const y = (value) => 6 + (1 - value / (high || 1)) * (height - 12);
  const path = `${stepPath(points.map(([evaluations, value]) => [x(evaluations), y(value)]))}H${width - right}`;
  const last = points[points.length - 1] ?? [0, NaN];
  const exponents = Array.from({ length: Math.floor(Math.log10(mostEvaluations)) + 1 }, (_, i) => i).filter((_, i, all) => i % Math.ceil(all.length / 5) === 0);
  const ticks = exponents.map((power) => svgElement("text", { x: x(10 ** power), y: height + 14, class: "tick", "text-anchor": power ? "middle" : "start" }, `10${superscript(power)}`));
  const values = high > 0 ? [high, high / 2, 0].map((value) => svgElement("text", { x: left - 5, y: y(value) + 4, class: "tick", "text-anchor": "end" }, value ? text(value).replace("-hops", "") : "0")) : [];
  const goal = cell.objective && cell.objective !== cell.strategy ? ` (searching ${cell.objective})` : "";
  return element("figure", { class: "small-chart" }, element("figcaption", {}, element("b", {}, cell.strategy), `${goal}: ${text(points[0]?.[1])} ${ARROW} ${text(last[1])}${
    counted ? ` ${counted}` : ""}${cell.optimal ? ", optimal" : ""}`),
  svgElement("svg", { viewBox: `0 0 ${width} ${height + 18}`, role: "img", "aria-label": `Best value of ${cell.strategy} over the number of evaluations` },
    svgElement("line", { x1: left, x2: width - right, y1: y(0), y2: y(0), class: "axis" }),
    bound !== null && bound > 0 ? [svgElement("line", { x1: left, x2: width - right, y1: y(bound), y2: y(bound), class: "bound" }),
      svgElement("text", { x: left + 4, y: Math.min(y(bound) + 11, height - 8), class: "tick" }, "lower bound")] : [],
    values, svgElement("line", { x1: left, x2: left, y1: y(high), y2: y(0), class: "axis" }),
    svgElement("path", { d: path, class: role === "after" ? "curve curve-after" : "curve" }), ticks));
}
