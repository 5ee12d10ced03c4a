// The list of the user's jobs, which is requested from the server at intervals.

const LIST_STEP = 50, BUSY_MS = 2000, IDLE_MS = 6000;

/// The name of a job on the page, from its input and its machine.
function jobTitle(job) {
  const words = Object.fromEntries(job.arguments.filter((word) => word.startsWith("--")).map((word) => [word.slice(2).split("=")[0], word.slice(word.indexOf("=") + 1)]));
  const input = job.inputs.pattern ?? job.inputs.workload ?? job.inputs.log ?? "";
  const machine = job.inputs.machine ?? job.inputs.graph ?? words.machine ?? "";
  return { what: job.inputs.pattern ? patternTitle(input) : input || job.kind, where: machine, shape: words.shape ?? words.shapes ?? "", objective: words.objective ?? words.strategies ?? "" };
}

/// Rewrites the arguments of a pattern: "cg --ranks=64" becomes "cg of 64 ranks".
function patternTitle(words) {
  return words.replace(/ --ranks=(\d+)/, " of $1 ranks").replace(/ --dims=(\S+)/, " $1").replace(/ --/g, ", ");
}

function titleText(job) {
  const { what, where } = jobTitle(job);
  return where ? `${what} on ${where}` : what;
}

function stateChip(state) { return element("span", { class: `state state-${state}` }, state); }

function agoText(moment) {
  const age = (Date.now() - Date.parse(moment)) / 1000;
  if (age < 60) return "just now";
  if (age < 3600) return `${Math.floor(age / 60)} min ago`;
  if (age < 86400) return `${Math.floor(age / 3600)} h ago`;
  return new Date(moment).toISOString().slice(0, 10);
}

class JobList {
  /// `isHeard` is called with true if the server answers, else with false.
  constructor(server, node, { say, isHeard, cancel }) {
    Object.assign(this, { server, say, isHeard, cancel, rows: new Map(), states: new Map(), shown: LIST_STEP, state: "", current: null });
    this.list = element("ul", { class: "jobs" });
    this.none = element("p", { class: "note" });
    this.older = element("button", { type: "button", hidden: true, onclick: () => { this.shown += LIST_STEP; this.ask(); } }, "older jobs");
    const states = [["", "all"], ...["queued", "running", "done", "failed", "cancelled"].map((state) => [state, state])];
    replace(node, element("div", { class: "jobs-head" }, element("h2", { id: "jobs-title", tabindex: "-1" }, "Jobs"), selector("show", "choose-state", states, "", (value) => { this.state = value; this.ask(); })),
      this.list, this.none, this.older);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.ask(); });
  }

  /// Updates the list now, and again after an interval.
  async ask() {
    clearTimeout(this.timer);
    this.asked = (this.asked ?? 0) + 1;
    const { asked } = this;
    let pause = IDLE_MS;
    try {
      const query = `limit=${Math.min(this.shown, 1000)}${this.state ? `&state=${this.state}` : ""}`;
      const page = await this.server.json(`v1/jobs?${query}`);
      if (asked !== this.asked) return;  // a newer request is in flight
      this.isHeard(true);
      this.show(page);
      if (page.jobs.some((job) => !ENDED_STATES.has(job.state))) pause = BUSY_MS;
    } catch (error) {
      if (asked !== this.asked || error.status === 401) return;
      if (!(error instanceof Refusal)) throw error;
      this.isHeard(false, error);
      pause = BUSY_MS;
    }
    this.timer = setTimeout(() => this.ask(), document.hidden ? 5 * pause : pause);
  }

  forget() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.states.clear();
    this.show({ jobs: [], next: null });
  }

  show(page) {
    const ids = new Set(page.jobs.map((job) => job.id));
    for (const [id, row] of this.rows) if (!ids.has(id)) { row.node.remove(); this.rows.delete(id); }
    page.jobs.forEach((job, place) => {
      if (!this.rows.has(job.id)) this.rows.set(job.id, new JobRow(job, this.cancel));
      const row = this.rows.get(job.id);
      row.show(job);
      if (this.list.children[place] !== row.node) this.list.insertBefore(row.node, this.list.children[place] ?? null);
      this.announce(job);
    });
    this.mark(this.current);
    replace(this.none, ids.size ? "" : this.state ? `no ${this.state} jobs` : "No jobs yet.");
    this.older.hidden = page.next === null || this.shown >= 1000;
  }

  /// Announces to screen readers that a known job has ended.
  announce(job) {
    const before = this.states.get(job.id);
    this.states.set(job.id, job.state);
    if (before && before !== job.state && ENDED_STATES.has(job.state) && job.id !== this.current) this.say(`${titleText(job)} is ${job.state}`);
  }

  mark(id) {
    this.current = id;
    for (const [key, row] of this.rows) row.mark(key === id);
  }
}

/// The line of a job in the list. Its nodes are kept on updates, so that the keyboard focus stays.
class JobRow {
  constructor(job, cancel) {
    this.link = element("a", { href: `#job=${job.id}`, class: "job-link" });
    this.button = element("button", { type: "button", class: "tool", onclick: () => cancel(job) }, "cancel");
    this.node = element("li", {}, this.link, this.button);
  }

  show(job) {
    const { what, where, shape, objective } = jobTitle(job), age = agoText(job.created), text = JSON.stringify([job.state, age]);
    if (text === this.text) return;
    this.text = text;
    replace(this.link, element("span", { class: "job-what" }, what), stateChip(job.state),
      element("span", { class: "note" }, [what === job.kind ? "" : job.kind, where, shape, objective].filter(Boolean).join(" \u00b7 ")), element("span", { class: "note job-age" }, age));
    this.button.setAttribute("aria-label", `cancel ${titleText(job)}`);
    if (ENDED_STATES.has(job.state) && document.activeElement === this.button) this.link.focus();
    this.button.hidden = ENDED_STATES.has(job.state);
  }

  mark(isCurrent) {
    if (isCurrent) this.link.setAttribute("aria-current", "true"); else this.link.removeAttribute("aria-current");
  }
}
