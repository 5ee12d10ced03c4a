// The progress of a running search: the best value so far and the bound, over evaluations or time.

/// The data of one search: points {evaluations, seconds, best}, and the latest values of all other numbers.
class SearchRun {
  constructor(objective) { Object.assign(this, { objective, points: [], bound: null, last: {} }); }

  add(data, secondsSoFar) {
    const { evaluations, best, bound } = data, point = { evaluations, best, seconds: secondsSoFar }, { points } = this;
    this.last = data;
    if (isNumber(bound)) this.bound = bound;
    if (!isNumber(best)) return;
    const before = points[points.length - 1];
    // The first and the last of several points at one height are enough.
    if (before && points.length > 1 && before.best === best && points[points.length - 2].best === best) points[points.length - 1] = point;
    else points.push(point);
  }

  get steps() { return new Set(this.points.map((point) => point.best)).size; }

  /// False if a new search has begun: its objective differs, or its evaluations restart.
  isContinuedBy({ objective, evaluations }) {
    const before = this.points[this.points.length - 1];
    return this.objective === objective && (!before || !isNumber(evaluations) || evaluations >= before.evaluations);
  }
}

class Convergence {
  /// `unitOf` returns the unit of an objective.
  constructor(unitOf) {
    Object.assign(this, { unitOf, runs: [], over: "evaluations", began: null, isOver: false });
    this.share = element("progress", { max: 1, value: 0, "aria-label": "finished fraction of the search" });
    this.words = element("p", { class: "facts" });
    this.chart = element("div", { class: "chart" });
    this.table = element("details", {}, element("summary", {}, "Values"), scrolled("values", null));
    this.earlier = element("div", { class: "small-charts" });
    this.control = selector("over", "choose-over", [["evaluations", "evaluations"], ["seconds", "time"]], this.over, (value) => { this.over = value; this.draw(); });
    this.drawn = element("div", { hidden: true }, element("div", { class: "controls" }, this.control), this.chart, this.table, this.earlier);
    this.node = section("live", "Progress", null, this.share, this.words, this.drawn);
    this.node.hidden = true;
    this.table.addEventListener("toggle", () => this.drawTable());
    new ResizeObserver(() => this.draw()).observe(this.chart);
  }

  /// The running search, or after the end the search with the most improvements.
  get run() {
    const last = this.runs[this.runs.length - 1];
    return this.isOver ? this.runs.reduce((most, run) => (run.steps > most.steps ? run : most), last) : last;
  }

  /// Discards the data of an earlier attempt when a new attempt begins.
  begin(at) {
    this.runs = [];
    this.began = at;
    this.draw();
  }

  add(data) {
    if (data.phase !== undefined && data.phase !== "search") { this.tell(data); return; }
    if (!this.runs[this.runs.length - 1]?.isContinuedBy(data)) this.runs.push(new SearchRun(data.objective ?? ""));
    this.began ??= data.at;
    this.runs[this.runs.length - 1].add(data, data.at - this.began);
    this.draw();
  }

  /// Shows the latest numbers of a phase of the job that is not a search.
  tell(data) {
    this.node.hidden = false;
    const isOfPair = (key) => `${key}_done` in data, doneOf = (key) => (isOfPair(key) ? `${digits(data[`${key}_done`])} of ` : "");
    const said = Object.entries(data).filter(([key, value]) => !["at", "phase", "share", "attempt"].includes(key) && !(key.endsWith("_done") && key.slice(0, -5) in data) && (isNumber(value) || typeof value === "string"));
    const text = (key, value) => (/seconds$/.test(key) ? seconds(value) : isNumber(value) ? powerText(value) : value);
    replace(this.words, element("b", {}, String(data.phase)), said.map(([key, value]) => element("span", {}, `${key.replace(/_/g, " ").replace(/ seconds$/, " time")} `, element("b", {}, `${doneOf(key)}${text(key, value)}`))));
    const pair = said.map(([key]) => key).find(isOfPair);
    this.showShare(data.share ?? (pair ? data[`${pair}_done`] / data[pair] : undefined));
  }

  /// Shows the final state. Call this when no more data follow.
  end() {
    if (this.isOver) return;
    this.isOver = true;
    this.share.hidden = true;
    replace(this.node.querySelector("h2"), "Progress of the search");
    this.draw();
  }

  showShare(share) {
    this.share.hidden = this.isOver || !isNumber(share);
    if (isNumber(share)) this.share.value = share;
  }

  text(run, value) {
    const unit = this.unitOf(run.objective), counted = countedUnit(unit);
    return `${amount(value, unit)}${counted ? ` ${counted}` : ""}`;
  }

  /// The values as texts, with as many digits as they need to differ.
  labels(run, values) {
    if (this.unitOf(run.objective) !== "seconds") return values.map((value) => this.text(run, value));
    const texts = (significant) => values.map((value) => seconds(value, significant));
    return texts([3, 4, 5, 6].find((significant) => new Set(texts(significant)).size === values.length) ?? 7);
  }

  draw() {
    const { run } = this, points = run?.points ?? [];
    this.node.hidden = this.isOver ? !(run?.steps > 1) : points.length === 0 && !this.words.childNodes.length;
    this.drawn.hidden = points.length === 0;
    if (this.node.hidden || this.drawn.hidden) return;
    const last = points[points.length - 1], gap = run.bound > 0 ? last.best / run.bound - 1 : NaN;
    this.showShare(run.last.share);
    const fact = (name, value) => element("span", {}, `${name} `, element("b", {}, value));
    replace(this.words, run.objective ? fact("searching", run.objective) : null, fact("best", this.text(run, last.best)), run.bound === null ? null : fact("lower bound", this.text(run, run.bound)),
      isNumber(gap) ? fact("above the bound", gap > 0 ? percent(gap) : "0 %: optimal") : null, isNumber(last.evaluations) ? fact("evaluations", powerText(last.evaluations)) : null, fact("after", seconds(last.seconds)));
    const width = Math.max(this.chart.clientWidth, 240);
    replace(this.chart, this.picture(run, width, width < 500 ? 200 : 260));
    this.drawTable();
    replace(this.earlier, this.runs.filter((other) => other !== run && other.steps > 1).slice(-12).map((earlier) => element("figure", { class: "small-chart" },
      element("figcaption", {}, element("b", {}, earlier.objective), `: ${this.text(earlier, earlier.points[0].best)} ${ARROW} ${this.text(earlier, earlier.points[earlier.points.length - 1].best)}`), this.picture(earlier, 260, 130))));
  }

  drawTable() {
    if (!this.table.open || !this.run) return;
    const { run } = this, row = ({ evaluations, seconds: time, best }) => [digits(evaluations), seconds(time), this.text(run, best)];
    replace(this.table.lastChild, element("table", {}, element("thead", {}, element("tr", {}, ["evaluations", "time", "best value"].map((text) => element("th", { class: "number" }, text)))),
      element("tbody", {}, run.points.slice(-60).map((point) => element("tr", {}, row(point).map((text) => element("td", { class: "number" }, text)))))));
  }

  picture(run, width, height) {
    const { points, bound } = run, place = (point) => point[this.over] ?? 0, last = points[points.length - 1];
    const values = [...points.map((point) => point.best), ...(bound === null ? [] : [bound])];
    let [least, most] = [Math.min(...values), Math.max(...values)];
    if (least === most) [least, most] = least === 0 ? [0, 1] : [least - Math.abs(least) / 10, least + Math.abs(least) / 10];
    const scale = /^byte/.test(this.unitOf(run.objective)) ? 1024 ** Math.floor(Math.log2(most) / 10) : 1;
    const yTicks = niceTicks(least / scale, most / scale, height < 180 ? 3 : 5).map((value) => value * scale), end = Math.max(place(last), this.over === "seconds" ? 0.1 : 1);
    const labels = this.labels(run, yTicks), left = 14 + 7 * Math.max(...labels.map((text) => text.length)), [right, top, bottom] = [14, 12, 24];
    const x = (value) => left + value / end * (width - left - right), y = (value) => top + (most - value) / (most - least) * (height - top - bottom);
    const path = stepPath(points.map((point) => [x(place(point)), y(point.best)]));
    const xTicks = niceTicks(0, end, Math.max(Math.floor((width - left) / 110), 3));
    const xText = (value) => (this.over === "seconds" ? seconds(value) : powerText(value));
    return svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Best value of ${run.objective || "the search"} over ${this.over === "seconds" ? "time" : "evaluations"}: from ${this.text(run, points[0].best)} to ${this.text(run, last.best)}${bound === null ? "" : `, lower bound ${this.text(run, bound)}`}` },
    yTicks.map((value, i) => [svgElement("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid" }), svgElement("text", { x: left - 8, y: y(value) + 4, class: "tick", "text-anchor": "end" }, labels[i])]),
    xTicks.map((value) => svgElement("text", { x: x(value), y: height - 6, class: "tick", "text-anchor": value === 0 ? "start" : x(value) > width - 60 ? "end" : "middle" }, xText(value))),
    bound === null ? null : [svgElement("line", { x1: left, x2: width - right, y1: y(bound), y2: y(bound), class: "bound" }), svgElement("text", { x: left + 4, y: y(bound) - 5, class: "tick" }, "lower bound")],
    svgElement("path", { d: path, class: "curve curve-after" }), svgElement("circle", { cx: x(place(last)), cy: y(last.best), r: 4, class: "fill-after" }));
  }
}
