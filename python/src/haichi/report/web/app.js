// A comparison as a page's sections: a job, a placement on each side, in the order of a reader's questions.

class App {
  /// Shows it within the node `main`, of a page that has one `tip`.
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
    this.marks = before?.worst ? [{ link: before.worst.link, letter: "A", text: "busiest link before" }] : [];
    if (after?.worst && before.worst && after.worst.link !== before.worst.link) this.marks.push({ link: after.worst.link, letter: "B", text: "busiest link after" });
    this.maps = before ? new Maps(this) : null;
    if (before) sections.push(this.bottleneck());
    sections.push(this.strategies());
    if (before) sections.push(this.heatMaps(), this.contention());
    const curves = convergenceCharts(this.comparison, this.job);
    if (curves.length) sections.push(section("convergence", "How the searches came down", "Best value so far against evaluations, on a logarithmic scale.", element("div", { class: "small-charts" }, curves)));
    this.runs = [before, after].some((view) => view?.raw.simulated) ? new SimulatedRuns(this) : null;
    if (this.runs?.barriers.length) sections.push(section("simulated", "What the simulated runs show", null, this.runs.node));
    if (!before) sections.push(section("maps", "No pictures of links", "The results hold no placements to draw: the comparison was made without views, was interrupted, or the default placement failed."));
    replace(this.main, this.jobControls(), sections);
    if (focused) document.getElementById(focused)?.focus();
    if (this.runs?.barriers.length) await this.runs.show();
    this.resize();
  }

  resize() {
    this.maps?.resize();
    this.runs?.redraw();
    this.drawSpace();
  }

  drawSpace() { if (this.space?.canvases && this.spaceDetails.open) this.space.draw(); }

  /// After a change of colours.
  repaint() {
    this.maps?.update();
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

  /// What it means for the run.
  timeSentence() {
    const entryOf = (view) => (this.job.strategies ?? []).find((entry) => entry.strategy === view?.strategy);
    const [before, after] = [entryOf(this.before), entryOf(this.after)], how = measureText(this.job);
    if (!isNumber(before?.mean) || !isNumber(after?.mean)) return null;
    const verdict = after.mean < before.mean ? `${digits(before.mean / after.mean)} times faster` : after.mean > before.mean ? `${digits(after.mean / before.mean)} times slower` : "as fast";
    return element("p", {}, `${isOfCalls(this.job) ? "The whole run takes" : "All iterations take"} ${seconds(before.mean)} before and ${seconds(after.mean)} after (${how}): `, element("strong", {}, verdict), ".");
  }

  /// Where nothing is better than the default placement, "after" is not an advice.
  winnerNote() {
    const { before, after, job } = this;
    if (!after || before.raw.role !== "before" || job.winner !== before.strategy) return null;
    return element("p", { class: "note" }, `The default placement is the fastest of those compared; \u201cafter\u201d is ${after.strategy}, for comparison.`);
  }

  strategies() {
    const { job } = this, parts = [new StrategyTable(this.comparison, job).node];
    if (this.jobs.length > 1) parts.unshift(element("p", { class: "advice" }, job.advice ?? ""));
    if (this.jobs.length > 1) parts.push(element("h3", {}, "All jobs"), jobTable(this.comparison, job, (chosen) => this.chooseJob(chosen)));
    return section("strategies", strategyTitle(this.comparison, job), `${job.verdict ? `${job.verdict}. ` : ""}Bars are means over the seeds, dots the single seeds, lines from the least to the most. Click a heading to sort.`, parts);
  }

  heatMaps() {
    const { network } = this.before, parts = [this.maps.node];
    if (Space.suits(network)) {
      this.space = new Space(this);
      const units = network.axes.slice(0, 3).reduce((product, axis) => product * axis.size, 1);
      const details = element("details", { id: "space", open: units >= 64 }, element("summary", {}, "In space: the outer three axes; drag to turn"));
      details.addEventListener("toggle", () => {
        if (!details.open) return;
        if (details.childElementCount === 1) details.append(this.space.build(this.maps));
        this.space.draw();
      });
      this.spaceDetails = details;
      parts.push(details);
    } else this.space = null;
    if (this.before.leftOut) parts.push(element("p", { class: "note" }, `Of so many sets only the most loaded links are in the results: ${count(this.before.leftOut, "entry", "entries")} left out.`));
    return section("maps", this.mapTitle(), `${this.reading()} Point at a link for its messages, at a node for its ranks; click a link to keep it, then a message to see its way.`, parts);
  }

  mapTitle() {
    const { before, after } = this, used = (view) => new Set(view.sets.flatMap((set) => Array.from(set.link))).size;
    return after ? `Where the load is: ${digits(used(before))} links in use before, ${digits(used(after))} after, of ${digits(before.network.links)}`
      : `Where the load is: ${digits(used(before))} of ${count(before.network.links, "link")} in use`;
  }

  reading() {
    const { network } = this.before;
    if (network.hasAxes && this.maps.layout[0]?.isotropic) return "Squares are nodes with their ranks; of the link between two of them the upper or left half goes in + direction, the other in \u2212 direction.";
    if (network.hasAxes) return "A panel holds the links along one axis: a row is a line of nodes (squares), and between two nodes the upper half is the link in + direction, the lower half that in \u2212 direction.";
    return "A panel holds links that belong together; its caption says which end is where.";
  }

  contention() {
    const before = this.before.contention(), after = this.after?.contention();
    return section("contention", contentionTitle(before, after), "Messages of a set that share a link at the same time: the most on any link.", contentionChart(this));
  }
}

function strategyTitle(comparison, job) {
  const strategies = job.strategies ?? [], factor = job.factors?.default;
  if (!job.winner || strategies.length < 2) return "What was compared";
  const isJob = (cell) => cell.workload === job.workload && (cell.shape ?? null) === (job.shape ?? null);
  const asked = new Set(comparison.cells.filter(isJob).map((cell) => cell.strategy)).size;
  const all = strategies.length < asked ? `the ${strategies.length} strategies that are done, of ${asked}` : `${strategies.length} strategies`;
  if (job.winner === "default") return `The default placement is the best of ${all}`;
  const gain = isNumber(factor?.value) ? `: ${digits(factor.value)} times faster than the default placement` : "";
  return `${job.winner} is the best of ${all}${factor?.is_larger === false ? ", but not beyond the spread" : gain}`;
}

function section(id, title, lead, ...content) {
  return element("section", { id, class: "section", "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), lead ? element("p", { class: "lead" }, lead) : null, content);
}
