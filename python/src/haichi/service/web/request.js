// The form of a new job.

const KIND_SENTENCES = { map: "find a placement of the ranks on the nodes", evaluate: "measure a rank map: every objective, bounds, most loaded links",
  simulate: "run a workload on the packet simulator", compare: "compare strategies over shapes and seeds", ccs: "extract communication sets from a log",
  "advise-shape": "find the best job shape for a workload", "advise-barrier": "find the sets before which a barrier pays", "advise-rails": "find the best number of NICs" };
/// Options that are shown in front. Each list shows its first applicable option. All others are under "More
/// options".
const IN_FRONT = [["machine"], ["shape", "shapes"], ["objective", "strategies"], ["seed", "seeds"], ["time"]];

class RequestForm {
  /// `lists` has the tables of `haichi list` by name. `onsubmitted` is called with the submitted job.
  constructor(server, description, lists, { say, onsubmitted }) {
    Object.assign(this, { server, lists, say, onsubmitted, kinds: kindsOf(description), key: freshKey(), values: new Map() });
    this.files = new RequestFiles(() => this.filesChanged(), say);
    this.kind = element("select", { id: "kind", name: "kind", "aria-describedby": "kind-help", onchange: () => this.showKind() }, [...this.kinds.keys()].map((kind) => option(kind, kind, false)));
    this.kindHelp = element("p", { id: "kind-help", class: "help" });
    this.front = element("div", { class: "fields" });
    this.more = element("div", {});
    this.details = element("details", { class: "more" }, element("summary", {}, "More options"), this.more);
    this.problem = element("div", { class: "problem", role: "alert", tabindex: "-1", hidden: true });
    this.button = element("button", { type: "submit", class: "main-button" }, "Submit the job");
    this.pattern = this.patternFields();
    this.node = element("form", { class: "request", "aria-labelledby": "new-title", novalidate: true, onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      element("h2", { id: "new-title", tabindex: "-1" }, "New job"), this.files.node,
      element("div", { class: "fields" }, element("div", { class: "field" }, element("label", { for: "kind" }, "Kind of job"), this.kind, this.kindHelp), this.pattern.node),
      this.front, this.details, this.problem, element("p", { class: "send" }, this.button));
    this.node.addEventListener("input", () => { this.key = freshKey(); });
    this.showKind();
  }

  get properties() { return this.kinds.get(this.kind.value); }

  showKind() {
    const entries = { machine: this.lists.machines.filter(({ name }) => name !== "FILE" && !name.startsWith("graph")), strategy: this.lists.strategies,
      objective: [{ name: "auto", description: "search by suitable objectives, and take the fastest result of the simulator" }, ...this.lists.objectives.filter(({ name }) => name !== "weighted")] };
    for (const field of this.fields ?? []) this.values.set(field.name, field.form === "flag" ? field.input.checked : field.input.value);
    const names = Object.keys(this.properties).filter((name) => this.properties[name]["x-form"] && !["file", "files"].includes(this.properties[name]["x-form"]));
    const front = IN_FRONT.map((row) => row.find((name) => names.includes(name))).filter(Boolean);
    this.fields = [...front, ...names.filter((name) => !front.includes(name))].map((name) => new OptionField(name, this.properties[name], entries[name]));
    for (const field of this.fields) {
      const value = this.values.get(field.name);
      if (typeof value === "boolean") field.input.checked = value; else if (value) field.input.value = value;
      if (field.form !== "flag") field.explain();
    }
    replace(this.kindHelp, KIND_SENTENCES[this.kind.value] ?? "");
    replace(this.front, this.fields.slice(0, front.length).map((field) => field.node));
    const rest = this.fields.slice(front.length), groups = [...new Set(rest.map(({ group }) => group))];
    replace(this.more, groups.map((group) => element("section", {}, element("h3", {}, group),
      element("div", { class: "fields" }, rest.filter((field) => field.group === group).map((field) => field.node)))));
    this.details.hidden = this.fields.length === front.length;
    this.files.show(this.fileFields());
  }

  fileFields() { return Object.fromEntries(Object.entries(this.properties).filter(([, schema]) => (schema["x-form"] ?? "").includes("file"))); }

  patternFields() {
    const name = element("select", { id: "pattern", "aria-describedby": "pattern-help" }, option("", "none: the workload is a file", true), this.lists.patterns.map((entry) => option(entry.name, entry.name, false)));
    const ranks = element("input", { id: "pattern-ranks", type: "text", inputmode: "numeric", placeholder: "64", autocomplete: "off" });
    const more = element("input", { id: "pattern-more", type: "text", placeholder: "dims=8x8x12 bytes=1MiB periodic", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
    const help = element("p", { id: "pattern-help", class: "help" });
    const details = element("div", { class: "fields inner", hidden: true }, element("div", { class: "field" }, element("label", { for: "pattern-ranks" }, "Ranks"), ranks),
      element("div", { class: "field" }, element("label", { for: "pattern-more" }, "Options of the pattern"), more));
    const node = element("div", { class: "field" }, element("label", { for: "pattern" }, "Built-in pattern"), name, help, details);
    const explain = () => {
      details.hidden = !name.value;
      replace(help, this.lists.patterns.find((entry) => entry.name === name.value)?.description ?? "for a test without a file");
    };
    name.addEventListener("change", explain);
    explain();
    return { node, name, ranks, more };
  }

  filesChanged() {
    if (!this.fields) return;
    this.key = freshKey();
    for (const field of this.fields) {
      const of = [...this.files.of(field.name), ...(field.name === "machine" ? this.files.of("graph") : [])];
      if (field.form === "word or file") field.standBehind(of[0]?.file.name);
    }
    const takes = "workload" in this.properties;
    this.pattern.node.hidden = !takes || this.files.of("workload").length > 0;
  }

  content() {
    const form = new FormData();
    form.append("kind", this.kind.value);
    for (const field of this.fields) field.add(form);
    for (const { role, file } of this.files.files) if (role) form.append(role, file, file.name);
    if (!this.pattern.node.hidden && this.pattern.name.value) form.append("pattern", JSON.stringify(this.patternContent()));
    return form;
  }

  patternContent() {
    const { name, ranks, more } = this.pattern, words = more.value.trim().split(/\s+/).filter(Boolean);
    const pairs = words.map((word) => (word.includes("=") ? [word.slice(0, word.indexOf("=")).replace(/-/g, "_"), word.slice(word.indexOf("=") + 1)] : [word.replace(/-/g, "_"), true]));
    return { ...Object.fromEntries(pairs), ...(ranks.value.trim() ? { ranks: ranks.value.trim() } : {}), name: name.value };
  }

  async submit() {
    if (this.button.disabled) return;
    this.button.disabled = true;
    replace(this.button, "Sending\u2026");
    this.problem.hidden = true;
    for (const field of this.fields) field.input.removeAttribute("aria-invalid");
    try {
      await this.files.check();
      // Because of the key, the request can be repeated if its response was lost.
      const answer = await this.server.ask("POST", "v1/jobs", { body: this.content(), headers: { "Idempotency-Key": this.key } });
      this.key = freshKey();
      this.onsubmitted(await answer.json());
    } catch (error) {
      this.show(error);
    } finally {
      this.button.disabled = false;
      replace(this.button, "Submit the job");
    }
  }

  show(error) {
    if (error.status === 401) return;
    replace(this.problem, problemContent("The server rejected the job", error));
    this.problem.hidden = false;
    const named = /^(\w+)(:| is missing| takes)/.exec(error.message)?.[1];
    const field = this.fields.find(({ name, input }) => name === named && !input.disabled);
    if (field) {
      if (this.more.contains(field.node)) this.details.open = true;
      field.input.setAttribute("aria-invalid", "true");
      field.input.focus();
    } else this.problem.focus();
  }
}

/// Makes an idempotency key. Requests with the same key count once.
function freshKey() { return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""); }

/// Shows the message of the program or the server unchanged.
function problemContent(title, { message, hint }) {
  return [element("strong", {}, title), element("p", { class: "as-said" }, message), hint ? element("p", { class: "as-said note" }, `hint: ${hint}`) : null];
}
