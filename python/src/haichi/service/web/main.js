// The page: a new job or a chosen job, beside the list of all jobs. The part of the address after # identifies the
// chosen job.

class ServicePage {
  constructor() {
    this.server = new Server((refusal) => this.askToken(refusal));
    this.tip = new Tip();
    this.main = document.getElementById("main");
    this.jobList = new JobList(this.server, document.getElementById("jobs"), { say, isHeard: (isThere, error) => this.hear("list", isThere, error), cancel: (job) => this.cancel(job) });
    this.silent = new Set();
    this.jobPage = null;
    addEventListener("hashchange", () => this.go(true));
    setUpTheme(() => this.app?.repaint());
    onResize(() => this.app?.resize());
    this.tip.hideOnMoves();
    document.getElementById("go-jobs").addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById("jobs").scrollIntoView();
      document.getElementById("jobs-title").focus({ preventScroll: true });
    });
    document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); this.main.focus(); });
    this.setUpToken();
  }

  get app() { return this.jobPage?.results?.app; }

  /// Loads the tables of the server. It is called again when the user has given a token.
  async start() {
    if (document.body.dataset.tokens && !this.server.token) { this.askToken(null); return; }
    try {
      const names = ["machines", "objectives", "strategies", "formats", "patterns"];
      const [description, ...entries] = await Promise.all([this.server.json("openapi.json"), ...names.map((name) => this.server.json(`v1/${name}`))]);
      this.lists = Object.fromEntries(names.map((name, i) => [name, entries[i]]));
      this.hear("start", true);
      this.form = new RequestForm(this.server, description, this.lists, { say, onsubmitted: (job) => this.submitted(job) });
      this.form.files.listen(() => { if (location.hash !== "#new") location.hash = "#new"; });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) return;
      this.hear("start", false, error);
      setTimeout(() => this.start(), 2000);
      return;
    }
    this.go(false);
    this.jobList.ask();
    document.documentElement.dataset.ready = "yes";
  }

  /// Shows the content for the address. The keyboard focus follows if the user requested the change.
  go(isAsked) {
    const id = /^#job=([0-9a-f]+)$/.exec(location.hash)?.[1] ?? null;
    if (!this.form || (id && id === this.jobPage?.id)) return;
    this.jobPage?.close();
    this.hear("job", true);
    this.jobPage = id ? new JobPage(id, { server: this.server, tip: this.tip, formats: this.lists.formats, unitOf: (name) => this.unitOf(name), say, isHeard: (isThere, error) => this.hear("job", isThere, error), changed: () => this.jobList.ask(), cancel: (job) => this.cancel(job) }) : null;
    replace(this.main, this.jobPage?.node ?? this.form.node);
    this.jobList.mark(id);
    if (!id) document.title = "haichi";
    if (isAsked) {
      scrollTo(0, 0);
      this.main.querySelector("h2").focus({ preventScroll: true });
    }
    this.jobPage?.follow();
  }

  unitOf(name) { return /\[([^\]]+)\]$/.exec(this.lists.objectives.find((entry) => entry.name === name)?.description ?? "")?.[1] ?? ""; }

  submitted(job) {
    say(`Submitted: ${titleText(job)}`);
    location.hash = `#job=${job.id}`;
    this.jobList.ask();
  }

  async cancel(job) {
    try {
      await this.server.ask("DELETE", this.server.job(job.id, "?purge=false"));
      say(`${titleText(job)}: cancelling`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 401) say(error.message);
    }
    this.jobList.ask();
  }

  /// Stores whether requests of `who` reach the server, and shows a note if some do not.
  hear(who, isThere, error = null) {
    const trouble = document.getElementById("trouble");
    if (isThere) this.silent.delete(who); else this.silent.add(who);
    trouble.hidden = this.silent.size === 0;
    if (trouble.hidden) replace(trouble);
    else if (!trouble.childNodes.length) replace(trouble, `${error?.status ? error.message : "The server does not answer"}. The page continues when the server answers.`);
  }

  setUpToken() {
    const dialog = document.getElementById("ask-token"), field = document.getElementById("token"), forget = document.getElementById("forget");
    forget.hidden = !this.server.token;
    dialog.addEventListener("close", () => { if (!this.server.token) dialog.showModal(); });  // Escape closed it
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      this.server.token = field.value.trim();
      field.value = "";
      forget.hidden = false;
      dialog.close();
      document.getElementById("token-problem").hidden = true;
      if (this.form) { this.jobList.ask(); this.jobPage?.close(); this.jobPage = null; this.go(true); } else this.start();
    });
    forget.addEventListener("click", () => {
      this.server.token = "";
      location.hash = "#new";
      location.reload();
    });
  }

  /// `refusal` is the error after a wrong token.
  askToken(refusal) {
    const dialog = document.getElementById("ask-token"), problem = document.getElementById("token-problem");
    if (this.server.token) {
      problem.hidden = false;
      replace(problem, refusal.message);
      this.server.token = "";
      document.getElementById("forget").hidden = true;
    }
    if (!dialog.open) dialog.showModal();
    document.documentElement.dataset.ready = "token";
  }
}

/// Makes screen readers read a text.
function say(text) { replace(document.getElementById("said"), text); }

globalThis.haichiService = new ServicePage();
globalThis.haichiService.start();
