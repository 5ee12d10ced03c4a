// The sections of a page that shows a comparison. The page shows one job, with one placement per side, and its sections
// follow a reader's questions.

class App {
  /// Shows the comparison inside the node `main`. `tip` is the only tip of the page.
  constructor(comparison, main, tip) {
    for (const key of ["views", "networks", "message_lists", "cells", "workloads", "objectives"]) comparison[key] ??= [];
    comparison.summary ??= {};
    this.comparison = comparison;
    this.library = new Library(comparison);
    this.tip = tip;
    this.jobs = comparison.summary.jobs ?? [];
    this.main = main;
  }

  viewsOf(job) { return this.comparison.views.filter((view) => view.workload === job.workload && (view.shape ?? null) === (job.shape ?? null)); }

  async chooseJob(job) {
    this.job = job;
    const views = this.viewsOf(job);
    const before = views.find((view) => view.role === "before") ?? views[0];
    const others = views.filter((view) => view !== before);
    await this.choosePlacements(before, others.find((view) => view.role === "after") ?? others[0]);
  }

  async choosePlacements(before, after) {
    this.before = before ? await this.library.view(before) : null;
    this.after = before && after ? await this.library.view(after) : null;
    await this.show();
  }

  async show() {
    const { before, after } = this, sections = [], focused = document.activeElement?.id;
    this.marks = before?.worst ? [{ link: before.worst.link, letter: "A", text: "most loaded link before" }] : [];
    if (after?.worst && before.worst && after.worst.link !== before.worst.link) this.marks.push({ link: after.worst.link, letter: "B", text: "most loaded link after" });
    this.maps = before ? new Maps(this) : null;
    this.first = before ? new FirstScreen(this) : null;
    if (before) sections.push(this.bottleneck());
    sections.push(this.strategies());
    if (before) sections.push(this.heatMaps(), this.contention());
    const curves = convergenceCharts(this.comparison, this.job);
    if (curves.length) sections.push(section("convergence", "Progress of the searches", "Best value found so far over the number of evaluations, on a logarithmic scale.", element("div", { class: "small-charts" }, curves)));
    this.runs = [before, after].some((view) => view?.raw.simulated) ? new SimulatedRuns(this) : null;
    if (this.runs?.barriers.length) sections.push(section("simulated", "Simulated runs", null, this.runs.node));
    if (!before) sections.push(section("maps", "No pictures of links", "The results contain no placements to draw. The comparison ran without views, was interrupted, or the default placement failed."));
    // With several jobs, the choice of the job comes first.
    const [one, two] = this.jobs.length > 1 ? [this.jobControls(), this.first?.node] : [this.first?.node, this.jobControls()];
    replace(this.main, one, two, sections);
    if (focused) document.getElementById(focused)?.focus();
    if (this.runs?.barriers.length) await this.runs.show();
    this.resize();
  }

  resize() {
    this.first?.resize();
    this.maps?.resize();
    this.runs?.redraw();
    this.drawSpace();
  }

  drawSpace() { if (this.space?.canvases && this.spaceDetails.open) this.space.draw(); }

  /// Redraws the pictures after a change of colours.
  repaint() {
    this.maps?.update();
    this.first?.update();
    this.resize();
  }

  jobControls() {
    const views = this.viewsOf(this.job);
    const controls = [];
    if (this.jobs.length > 1) {
      controls.push(selector("Job", "choose-job", this.jobs.map((job, number) => [number, jobName(job)]), this.jobs.indexOf(this.job), (value) => this.chooseJob(this.jobs[Number(value)])));
    }
    if (views.length > 2) {
      const entries = views.map((view, number) => [number, `${view.strategy}${view.role === "before" ? " (default placement)" : view.role === "after" ? " (best)" : ""}`]);
      const numberOf = (view) => views.indexOf(view?.raw);
      controls.push(selector("Before", "choose-before", entries, numberOf(this.before), (value) => this.choosePlacements(views[Number(value)], this.after?.raw)),
        selector("After", "choose-after", entries, numberOf(this.after), (value) => this.choosePlacements(this.before.raw, views[Number(value)])));
    }
    return controls.length ? element("div", { class: "controls sticky" }, controls) : null;
  }

  bottleneck() {
    const { before, after } = this, story = bottleneckStory(before, after);
    const highlight = (message) => {
      this.maps.pinned = before.worst.link;
      this.maps.highlight(message);
      document.getElementById("maps").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    };
    return section("bottleneck", story.title, null,
      element("div", { class: "story" }, element("div", {}, story.paragraphs.map((paragraph) => element("p", {}, paragraph)), this.timeSentence(), this.winnerNote()), bottleneckBars(before, after)),
      after && story.fate ? fateTable(before, after, story.fate, highlight) : null);
  }

  /// A sentence on the change of the run's time.
  timeSentence() {
    const entryOf = (view) => (this.job.strategies ?? []).find((entry) => entry.strategy === view?.strategy);
    const [before, after] = [entryOf(this.before), entryOf(this.after)], how = measureText(this.job);
    if (!isNumber(before?.mean) || !isNumber(after?.mean)) return null;
    return element("p", {}, `${isOfCalls(this.job) ? "The whole run takes" : "All iterations take"} ${seconds(before.mean)} before and ${secondsWithSpread(after.mean, after.spread)} after (${how}): `, element("strong", {}, lessText(before.mean, after.mean)), ".");
  }

  /// A note for a job in which no placement is faster than the default one. "After" is then not a recommendation.
  winnerNote() {
    const { before, after, job } = this;
    if (!after || before.raw.role !== "before" || job.winner !== before.strategy) return null;
    return element("p", { class: "note" }, `The default placement is the fastest of all compared placements. \u201cAfter\u201d shows ${after.strategy} for comparison.`);
  }

  strategies() {
    const { job } = this, parts = [new StrategyTable(this.comparison, job).node];
    if (this.jobs.length > 1) parts.unshift(element("p", { class: "advice" }, job.advice ?? ""));
    if (this.jobs.length > 1) parts.push(element("h3", {}, "All jobs"), jobTable(this.comparison, job, (chosen) => this.chooseJob(chosen)));
    return section("strategies", strategyTitle(this.comparison, job), `${job.verdict ? `${job.verdict}. ` : ""}A bar shows the mean over the seeds, a dot each seed, and a line the range from minimum to maximum. Click a heading to sort.`, parts);
  }

  heatMaps() {
    const { network } = this.before, parts = [this.maps.node];
    if (Space.suits(network)) {
      this.space = new Space(this);
      const units = network.axes.slice(0, 3).reduce((product, axis) => product * axis.size, 1);
      const details = element("details", { id: "space", open: units >= 64 }, element("summary", {}, "The three outer axes in 3D (drag to rotate)"));
      details.addEventListener("toggle", () => {
        if (!details.open) return;
        if (details.childElementCount === 1) details.append(this.space.build(this.maps));
        this.space.draw();
      });
      this.spaceDetails = details;
      parts.push(details);
    } else this.space = null;
    if (this.before.leftOut) parts.push(element("p", { class: "note" }, `There are so many sets that the results contain only the most loaded links. They omit ${count(this.before.leftOut, "entry", "entries")}.`));
    return section("maps", this.mapTitle(), `${this.reading()} Point at a link to see its messages, or at a node to see its ranks. Click a link to pin it, then a message to see its route.`, parts);
  }

  mapTitle() {
    const { before, after } = this, used = (view) => new Set(view.sets.flatMap((set) => Array.from(set.link))).size;
    return after ? `Link loads: ${digits(used(before))} of ${digits(before.network.links)} links in use before, ${digits(used(after))} after`
      : `Link loads: ${digits(used(before))} of ${count(before.network.links, "link")} in use`;
  }

  reading() {
    const { network } = this.before;
    if (network.hasAxes && this.maps.layout[0]?.isotropic) return "Squares are nodes with their ranks. The upper or left half of a link is its + direction, the other half its \u2212 direction.";
    if (network.hasAxes) return "A panel shows the links along one axis. Each row is a line of nodes (squares). The upper half of a link is its + direction, the lower half its \u2212 direction.";
    return "A panel shows links of one kind. Its caption names the rows and columns.";
  }

  contention() {
    const before = this.before.contention(), after = this.after?.contention();
    return section("contention", contentionTitle(before, after), "The maximum number of messages of a set that share a link at the same time.", contentionChart(this));
  }
}

function strategyTitle(comparison, job) {
  const strategies = job.strategies ?? [], factor = job.factors?.default;
  if (!job.winner || strategies.length < 2) return "Compared strategies";
  const isJob = (cell) => cell.workload === job.workload && (cell.shape ?? null) === (job.shape ?? null);
  const asked = new Set(comparison.cells.filter(isJob).map((cell) => cell.strategy)).size;
  const all = strategies.length < asked ? `the ${strategies.length} finished strategies (${asked} requested)` : `${strategies.length} strategies`;
  if (job.winner === "default") return `The default placement is the best of ${all}`;
  const gain = isNumber(factor?.value) ? `: ${lessText(factor.value, 1)} time than the default placement` : "";
  return `${job.winner} is the best of ${all}${factor?.is_larger === false ? ", but the difference is within the spread" : gain}`;
}

function section(id, title, lead, ...content) {
  return element("section", { id, class: "section", "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), lead ? element("p", { class: "lead" }, lead) : null, content);
}
