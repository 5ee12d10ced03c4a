// The page of one job. It shows the progress, and then the result.

class JobPage {
  /// `tools` has server, tip, formats, unitOf, say, isHeard, changed and cancel.
  constructor(id, tools) {
    Object.assign(this, { id, tools, job: null, results: null, ending: new AbortController() });
    this.title = element("h2", { id: "job-title", tabindex: "-1" }, "Job");
    this.chip = element("span", { class: "chip" });
    this.facts = element("p", { class: "facts" });
    this.button = element("button", { type: "button", hidden: true, onclick: () => tools.cancel(this.job) }, "Cancel the job");
    this.problem = element("div", { class: "problem", hidden: true });
    this.convergence = new Convergence(tools.unitOf);
    this.result = element("div");
    this.how = element("details", { class: "how", hidden: true }, element("summary", {}, "Command and messages"), element("div"));
    this.how.addEventListener("toggle", () => { if (this.how.open) this.showLog(); });
    this.node = element("article", { "aria-labelledby": "job-title" }, element("div", { class: "job-head" }, this.title, this.chip, this.button), this.facts, this.problem, this.convergence.node, this.result, this.how);
    this.clock = setInterval(() => this.showFacts(), 1000);
  }

  close() {
    this.ending.abort();
    clearInterval(this.clock);
    this.tools.tip.hide();
  }

  /// Follows the job. Returns when the job has ended and is shown, or when the user leaves its page.
  async follow() {
    const { server, isHeard } = this.tools;
    try {
      await this.ask();
      if (this.job.state !== "done" || this.job.kind !== "compare") {
        for await (const event of server.events(this.id, this.ending.signal, isHeard)) await this.take(event);
      }
      if (this.ending.signal.aborted) return;
      await this.ask();
      this.convergence.end();
      this.result.after(this.convergence.node);
      if (this.job.state === "done") await this.showResults();
    } catch (error) {
      if (this.ending.signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 401) this.fail("Cannot show this job", error);
    } finally {
      if (!this.ending.signal.aborted) this.node.dataset.ready = "yes";
    }
  }

  async ask() {
    const { server } = this.tools;
    for (let pause = 500; ; pause = Math.min(2 * pause, 4000)) {
      try {
        this.job = await server.json(server.job(this.id));
        break;
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status > 0 && error.status < 500) || this.ending.signal.aborted) throw error;
        this.tools.isHeard(false, error);
        await new Promise((wake) => { setTimeout(wake, pause); });
      }
    }
    if (!this.ending.signal.aborted) this.show();
  }

  async take({ name, data }) {
    if (name === "progress") { this.convergence.add(data); return; }
    if (name !== "state") return;
    if (data.state === "running") this.convergence.begin(data.at);
    if (data.state === this.job.state && !data.why) return;
    const isNews = data.at * 1000 > Date.now() - 15_000;
    this.job = { ...this.job, state: data.state, why: data.why };
    if (data.state === "running") this.job.started ??= new Date(data.at * 1000).toISOString();
    this.show();
    this.tools.changed();
    if (isNews) this.tools.say(`${titleText(this.job)} is ${data.state}${data.why ? `: ${data.why}` : ""}`);
  }

  show() {
    const { job } = this, isOver = ENDED_STATES.has(job.state);
    replace(this.title, titleText(job));
    replace(this.chip, stateChip(job.state));
    document.title = `${job.state}: ${titleText(job)} ${DASH} haichi`;
    if (isOver && document.activeElement === this.button) this.title.focus();
    this.button.hidden = isOver;
    this.how.hidden = !isOver;
    if (job.error) this.fail(job.state === "done" ? "The result misses a required limit" : job.state === "cancelled" ? "Cancelled" : "The job failed", job.error);
    else this.problem.hidden = true;
    this.showFacts();
  }

  showFacts() {
    const { job } = this;
    if (!job) return;
    const { shape, objective } = jobTitle(job), ran = job.started ? ((job.ended ? Date.parse(job.ended) : Date.now()) - Date.parse(job.started)) / 1000 : NaN;
    const wait = { queued: job.why ? `queued again: ${job.why}` : "queued", running: `running for ${seconds(Math.max(Math.floor(ran), 0))}` }[job.state] ?? (isNumber(ran) ? `ran for ${seconds(ran)}` : "did not run");
    const parts = [job.kind, shape ? `shape ${shape}` : "", objective, wait, job.attempts > 1 ? `${digits(job.attempts)} attempts` : "", `submitted ${agoText(job.created)}`].filter(Boolean);
    const text = parts.join("|");
    if (text === this.factText) return;
    this.factText = text;
    replace(this.facts, parts.map((part) => element("span", {}, part)));
  }

  fail(title, error) {
    replace(this.problem, problemContent(title, error));
    this.problem.hidden = false;
    if (!this.job) replace(this.title, "No such job");
  }

  async showResults() {
    this.results = new Results(this.tools.server, this.job, this.tools);
    replace(this.result, this.results.node);
    await this.results.show();
  }

  async showLog() {
    const { server } = this.tools, said = await server.text(server.job(this.id, "/log")).catch((error) => error.message);
    replace(this.how.lastChild, element("p", { class: "note" }, "Job ID for scripts: ", element("code", {}, this.id)),
      element("pre", { class: "as-said", tabindex: "0", role: "region", "aria-label": "the command" }, `haichi ${this.job.arguments.join(" ")}`),
      said.trim() ? [element("p", { class: "note" }, "Messages of the program:"), element("pre", { class: "as-said", tabindex: "0", role: "region", "aria-label": "messages of the program" }, said)] : null);
  }
}
