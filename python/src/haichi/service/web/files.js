// The files that a user drops or chooses, and the request field of each.

const FILE_ROLES = { workload: "workload", log: "log", machine: "machine file", graph: "machine as GraphML", nodes: "nodes of the job",
  faulty: "faulty nodes", hosts: "host names", fold: "coordinate table", map: "rank map", start: "map to start from" };
const HEAD_BYTES = 4096;

/// Guesses the request field of a file from its first bytes and its name.
function roleOf(name, head, fields) {
  const first = (...roles) => roles.find((role) => role in fields) ?? null;
  if (/"haichi-machine\//.test(head)) return first("machine");
  if (/<graphml/i.test(head) || /\.graphml$/i.test(name)) return first("graph", "workload");
  if (/"haichi-(mapping|report)\//.test(head)) return first("map", "start");
  if (/"haichi-workload\//.test(head)) return first("workload");
  if (/log|prof|trace|\.(prv|goal|xml|sst)$/i.test(name)) return first("log", "workload");
  for (const role of ["faulty", "hosts", "nodes", "fold"]) if (name.toLowerCase().includes(role)) return first(role);
  if (/(^|[^a-z])map|rank/i.test(name)) return first("map", "start");
  return first("workload", "log");
}

/// The list of the files of a request, each with its field.
class RequestFiles {
  /// `onchange` is called after every change; `say` announces text to screen readers.
  constructor(onchange, say) {
    Object.assign(this, { onchange, say, files: [], fields: {}, made: 0 });
    this.input = element("input", { type: "file", multiple: true, id: "files", "aria-describedby": "files-help", onchange: () => this.add(this.input.files).then(() => { this.input.value = ""; }) });
    this.list = element("ul", { class: "files", "aria-label": "Chosen files" });
    this.zone = element("div", { class: "drop" }, element("label", { for: "files", class: "drop-label" }, element("strong", {}, "Drop files here"), " or choose them"), this.input,
      element("p", { id: "files-help", class: "help" }, "Workloads (communication sets or a matrix), logs, machine files, rank maps. The page sends them to this server only."));
    this.node = element("div", {}, this.zone, this.list);
  }

  /// Accepts files that are dropped anywhere on the page.
  listen(ondrop) {
    const hasFiles = (event) => Array.from(event.dataTransfer?.types ?? []).includes("Files");
    let depth = 0;
    const light = (change) => { depth = change === 0 ? 0 : depth + change; document.body.classList.toggle("dropping", depth > 0); };
    addEventListener("dragenter", (event) => { if (hasFiles(event)) light(1); });
    addEventListener("dragleave", (event) => { if (hasFiles(event)) light(-1); });
    addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
    addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      light(0);
      ondrop();
      this.add(event.dataTransfer.files);
    });
  }

  async add(files) {
    for (const file of files) {
      const entry = { file, role: null, head: "", problem: "", number: this.made };
      this.made += 1;
      try {
        entry.head = await file.slice(0, HEAD_BYTES).text();
      } catch {
        entry.problem = "cannot be read; choose files, not directories";
      }
      this.files.push(entry);
    }
    this.guess();
    this.say(`${count(this.files.length, "file")} chosen`);
  }

  /// Adapts the list to the fields of a kind of job. The user's choices stay.
  show(fields) {
    this.fields = fields;
    for (const entry of this.files) if (entry.role && !(entry.role in fields)) Object.assign(entry, { role: null, isChosen: false });
    this.guess();
  }

  /// Guesses the fields of all files. If two files have the same field, the later file gets it.
  guess() {
    this.files.forEach((entry, place) => {
      if (entry.isChosen || entry.problem) return;
      entry.role = roleOf(entry.file.name, entry.head, this.fields);
      if (this.fields[entry.role]?.["x-form"] === "files") return;
      for (const earlier of this.files.slice(0, place)) if (earlier.role === entry.role && !earlier.isChosen) earlier.role = null;
    });
    this.draw();
  }

  /// Throws Refusal for requests above the server's limit, and for files that have changed since they were chosen.
  /// Without this check, the browser would only report a failed request.
  async check() {
    const sent = this.files.filter(({ role }) => role).map(({ file }) => file), most = Number(document.body.dataset.mostBytes);
    for (const file of sent) {
      const problem = { message: `cannot read ${file.name}`, hint: "choose the file again if it has changed" };
      await file.slice(0, 1).arrayBuffer().catch(() => { throw new Refusal(0, problem); });
    }
    const size = sent.reduce((sum, file) => sum + file.size, 0);
    if (size > most) throw new Refusal(0, { message: `${listed(sent.map(({ name }) => name))}: ${bytes(size)} exceed the limit of ${bytes(most)} per request` });
  }

  of(role) { return this.files.filter((entry) => entry.role === role); }

  draw() {
    const roles = Object.keys(FILE_ROLES).filter((role) => role in this.fields);
    replace(this.list, this.files.map((entry) => {
      const choose = (value) => { Object.assign(entry, { role: value || null, isChosen: true }); this.onchange(); };
      const control = element("select", { "aria-label": `${entry.file.name} is the`, onchange: (event) => choose(event.target.value) },
        option("", "not used", !entry.role), roles.map((role) => option(role, FILE_ROLES[role], role === entry.role)));
      return element("li", {}, element("span", { class: "file-name" }, entry.file.name, element("span", { class: "note" }, ` ${bytes(entry.file.size)}`)),
        entry.problem ? element("span", { class: "warning" }, entry.problem) : control,
        element("button", { type: "button", class: "tool", "aria-label": `remove ${entry.file.name}`, onclick: () => this.remove(entry) }, "\u2715"));
    }));
    this.onchange();
  }

  remove(entry) {
    this.files = this.files.filter((other) => other !== entry);
    this.draw();
    this.input.focus();
    this.say(`${entry.file.name} removed`);
  }
}
