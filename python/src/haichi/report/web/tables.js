// Tables of the strategies of one job, of all jobs, and of how the comparison was made.

const MEASURES = { simulated_seconds: "simulated", tac3_seconds: "by the formula of tac3" };

/// True if the calls of a log were replayed. Times are then those of the whole run.
function isOfCalls(job) { return (job.strategies ?? []).some((entry) => entry.barrier === "calls"); }

function measureText(job) { return isOfCalls(job) ? "by trace replay" : MEASURES[job.measure] ?? job.measure ?? ""; }

function mean(values) { return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN; }

function metric(cells, name) { return mean(cells.map((cell) => cell.metrics?.[name]).filter(isNumber)); }

function jobName(job) { return `${job.workload}${job.shape ? ` on ${job.shape}` : ""}`; }

/// The objectives of the compared strategies, and the formula for the time.
function shownObjectives(comparison, cells) {
  const shown = new Set(["tac3", ...cells.map((cell) => cell.objective)]);
  return comparison.objectives.filter(({ name }) => shown.has(name));
}

function objectiveTitle({ name, unit }) {
  return unit === "seconds" ? `${name}, per iteration` : countedUnit(unit) ? `${name}, in ${unit}` : name;
}

/// The time of all iterations of a cell, as in the summary.
function cellSeconds(comparison, cell, measure, barrier) {
  if (measure === "simulated_seconds") return cell.simulated?.[barrier]?.seconds;
  const workload = comparison.workloads.find((entry) => entry.name === cell.workload) ?? {};
  return (workload.iterations ?? 1) * ((cell.metrics?.tac3_seconds ?? NaN) + (workload.compute_seconds ?? 0));
}

const VALUE = "value of ";

function valueKey({ name }) { return `${VALUE}${name}`; }

class StrategyTable {
  constructor(comparison, job) {
    Object.assign(this, { comparison, job, sorted: "time", descending: false });
    const cells = comparison.cells.filter((cell) => cell.workload === job.workload && (cell.shape ?? null) === (job.shape ?? null));
    const names = [...new Set(cells.map((cell) => cell.strategy))];
    this.objectives = shownObjectives(comparison, cells);
    this.rows = names.map((strategy) => this.row(strategy, cells.filter((cell) => cell.strategy === strategy)));
    const largest = this.rows.flatMap((row) => [row.most, row.time]).filter(isNumber);
    this.largest = Math.max(...largest, 0) || 1;
    this.best = Math.min(...this.rows.map((row) => row.time).filter(isNumber));
    this.columns = [
      ["strategy", "strategy", (row) => row.strategy, false],
      ["time", `time of ${isOfCalls(job) ? "the whole run" : "all iterations"}, ${measureText(job)}`, null, false],
      ["slower", "relative to the best", (row) => (row.time > this.best * 1.0000001 ? `${digits(row.time / this.best)}${TIMES}` : isNumber(row.time) ? "best" : DASH), true],
      ["contention", "most messages on a link", (row) => digits(row.contention), true],
      ["maxLink", "most bytes on a link", (row) => bytes(row.maxLink), true],
      ...this.objectives.map((objective) => [valueKey(objective), objectiveTitle(objective), (row) => amount(row[valueKey(objective)], objective.unit), true, objective.sentence]),
      ["evaluations", "evaluations", (row) => digits(row.evaluations), true],
    ].filter(([key]) => ["strategy", "time", "slower"].includes(key) || this.rows.some((row) => isNumber(row[key]) && (row[key] !== 0 || key.startsWith(VALUE))));
    this.node = element("div", { class: "scroll" });
    this.draw();
  }

  row(strategy, cells) {
    const done = cells.filter((cell) => cell.status === "done");
    const entry = (this.job.strategies ?? []).find((candidate) => candidate.strategy === strategy);
    const times = done.map((cell) => cellSeconds(this.comparison, cell, this.job.measure, entry?.barrier)).filter(isNumber);
    const time = isNumber(entry?.mean) ? entry.mean : mean(times);
    return { strategy, time, times, least: Math.min(...times), most: Math.max(...times), spread: entry?.spread, barrier: entry?.barrier,
      slower: time, contention: metric(done, "largest_contention"), maxLink: metric(done, "max_link_bytes"),
      ...Object.fromEntries(this.objectives.map((objective) => [valueKey(objective), mean(done.map((cell) => cell.objectives?.[objective.name]?.value).filter(isNumber))])),
      evaluations: mean(done.map((cell) => cell.evaluations).filter(isNumber)),
      seeds: done.length, failed: cells.filter((cell) => cell.status === "failed").length, missing: cells.filter((cell) => cell.status === "missing").length };
  }

  sort(key) {
    this.descending = this.sorted === key ? !this.descending : false;
    this.sorted = key;
    this.draw();
    [...this.node.querySelectorAll("button.sort")].find((button) => button.dataset.key === key).focus();
  }

  draw() {
    const sign = this.descending ? -1 : 1;
    const rows = [...this.rows].sort((a, b) => {
      const [x, y] = [a[this.sorted], b[this.sorted]];
      if (typeof x === "string") return sign * x.localeCompare(y);
      return sign * ((isNumber(x) ? x : Infinity) - (isNumber(y) ? y : Infinity) || 0);
    });
    const head = this.columns.map(([key, title, , isNumeric, sentence]) => element("th", { class: isNumeric ? "number" : null,
      "aria-sort": key === this.sorted ? (this.descending ? "descending" : "ascending") : "none" },
    element("button", { type: "button", class: "sort", "data-key": key, title: sentence, onclick: () => this.sort(key) }, title,
      element("span", { "aria-hidden": "true" }, key === this.sorted ? (this.descending ? " \u25bc" : " \u25b2") : ""))));
    replace(this.node, element("table", { class: "strategies" }, element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, rows.map((row) => element("tr", { class: row.strategy === this.job.winner ? "winner" : null },
        this.columns.map(([key, , text, isNumeric]) => element("td", { class: isNumeric ? "number" : null },
          key === "strategy" ? this.nameCell(row) : key === "time" ? this.timeCell(row) : text(row))))))));
  }

  nameCell(row) {
    const notes = [row.seeds > 1 ? `${row.seeds} seeds` : "", row.failed ? `${row.failed} failed` : "", row.missing ? `${row.missing} missing` : ""].filter(Boolean);
    return [element("b", {}, row.strategy), notes.length ? element("span", { class: "note" }, ` ${notes.join(", ")}`) : ""];
  }

  /// A time as a bar that begins at 0, a dot per seed, and the numbers.
  timeCell(row) {
    if (!isNumber(row.time)) return element("span", { class: "note" }, row.failed ? "failed" : DASH);
    const width = 180, at = (value) => Math.max(value / this.largest * (width - 6), 0);
    const dots = row.times.length > 1 ? row.times.slice(0, 200).map((value) => svgElement("circle", { cx: at(value), cy: 8, r: 2.5, class: "seed" })) : [];
    const span = row.times.length > 1 ? svgElement("line", { x1: at(row.least), x2: at(row.most), y1: 8, y2: 8, class: "span" }) : "";
    const barrier = row.barrier === "sets" ? ", barriers" : "";
    return element("span", { class: "time-cell" }, svgElement("svg", { width, height: 16, viewBox: `0 0 ${width} 16`, "aria-hidden": "true" },
      svgElement("rect", { x: 0, y: 3, width: at(row.time), height: 10, class: row.strategy === this.job.winner ? "bar-best" : "bar-other" }), span, dots),
    element("span", { class: "time-text" }, `${secondsWithSpread(row.time, row.spread)}${barrier}`));
  }
}

/// A table with a line per job, for comparisons of several jobs.
function jobTable(comparison, shown, choose) {
  const jobs = comparison.summary.jobs ?? [];
  const name = (job) => element("button", { type: "button", class: "as-link", "aria-current": job === shown ? "true" : null, onclick: () => choose(job) }, jobName(job));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {},
    ["job", "best", "time", "advice"].map((text) => element("th", {}, text)))),
  element("tbody", {}, jobs.map((job) => element("tr", { class: job === shown ? "winner" : null }, element("td", {}, name(job)),
    element("td", {}, job.winner ?? DASH), element("td", {}, seconds((job.strategies ?? [])[0]?.mean)), element("td", {}, job.advice ?? ""))))));
}

function valueText(value) {
  if (value === null || value === undefined || value === "") return DASH;
  if (Array.isArray(value)) return value.length ? value.map(valueText).join(", ") : DASH;
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function requestList(comparison) {
  const rows = Object.entries(comparison.request ?? {}).filter(([, value]) => valueText(value) !== DASH);
  const workloads = comparison.workloads.map((entry) => `${entry.name}: ${count(entry.ranks, "rank")}, ${count(entry.iterations, "iteration")}, ${
    count((entry.sets ?? []).length, "set")}, ${count(entry.messages, "message")} and ${bytes(entry.total_bytes)} per iteration`);
  return element("dl", {}, [["haichi", comparison.haichi], ...workloads.map((text) => ["workload", text]), ...rows.filter(([key]) => key !== "workloads")]
    .map(([key, value]) => [element("dt", {}, key.replaceAll("_", " ")), element("dd", {}, valueText(value))]));
}

function objectiveList(comparison) {
  if (!comparison.objectives.length) return null;
  return element("details", {}, element("summary", {}, "The objectives"), element("dl", {}, comparison.objectives.map(({ name, unit, sentence }) =>
    [element("dt", {}, name), element("dd", {}, `${sentence ?? ""}${unit && unit !== "1" ? `, in ${unit}` : ""}`)])));
}

function troubleTable(comparison) {
  const cells = comparison.cells.filter((cell) => cell.status !== "done");
  if (!cells.length) return null;
  const failed = cells.filter((cell) => cell.status === "failed"), shown = failed.slice(0, 50), missing = cells.length - failed.length;
  return [missing ? element("p", {}, `${count(missing, "cell is", "cells are")} missing because the comparison was interrupted.`) : null,
    failed.length ? element("div", { class: "scroll" }, element("table", {}, element("caption", {}, `${count(failed.length, "cell")} failed`),
      element("thead", {}, element("tr", {}, ["job", "strategy", "seed", "error"].map((text) => element("th", {}, text)))),
      element("tbody", {}, shown.map((cell) => element("tr", {}, element("td", {}, jobName(cell)), element("td", {}, cell.strategy), element("td", {}, cell.seed),
        element("td", {}, cell.error ?? "", cell.hint ? element("div", { class: "note" }, `hint: ${cell.hint}`) : null)))))) : null,
    failed.length > shown.length ? element("p", { class: "note" }, `and ${failed.length - shown.length} more`) : null];
}
