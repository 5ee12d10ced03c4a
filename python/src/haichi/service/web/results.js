// The result of a job: numbers before and after, files to download, and the pictures of the report.

const METRIC_NAMES = { hop_bytes: "hop-bytes", hops_per_byte: "hops per byte", max_link_bytes: "most bytes on a link, all sets", mean_link_bytes: "mean bytes on a link, all sets",
  tac3_seconds: "tac3", tac3_bytes_seconds: "tac3-bytes", largest_contention: "most messages on a link at once", contention_sum: "contention, sum over sets", max_hops: "longest route, in links" };
const MOST_SHOWN = 100_000, MOST_ROWS = 100;

function isShape(value) { return Array.isArray(value) && value.length > 0 && value.length <= 12 && value.every((entry) => typeof entry === "number"); }

function metricText(key, value) {
  if (/_seconds$/.test(key)) return seconds(value);
  return key !== "hops_per_byte" && /bytes$/.test(key) ? bytes(value) : powerText(value);
}

/// A sentence that compares the value of the objective with the default placement.
function verdictOf(report, unitOf) {
  const before = report.default?.value, { value } = report, unit = report.unit ?? unitOf(report.objective), counted = countedUnit(unit);
  const text = (number) => `${amount(number, unit)}${counted ? ` ${counted}` : ""}`;
  if (!isNumber(value)) return null;
  const parts = [];
  if (isNumber(before)) {
    const better = value < before ? `${digits(100 * (1 - value / before))} % lower ${report.objective}` : value > before ? `${digits(100 * (value / before - 1))} % higher ${report.objective}` : `as much ${report.objective}`;
    parts.push(element("p", { class: "verdict" }, element("strong", {}, better), ` ${value === before ? "as" : "than"} the default placement`));
  }
  const bound = isNumber(report.lower_bound) ? `; the lower bound is ${text(report.lower_bound)}` : "";
  parts.push(element("p", {}, `${report.objective}: `, element("b", {}, text(value)), isNumber(before) ? `, default placement ${text(before)}` : "", report.optimal ? ". It is optimal: no placement is better." : `${bound}.`));
  return parts;
}

/// Encloses a table that may be wider than the window. The arrow keys scroll the table.
function scrolled(name, table) { return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": name.replace(/_/g, " ") }, table); }

function numbersTable(report) {
  const keys = Object.keys(report.metrics ?? {}).filter((key) => isNumber(report.metrics[key]) && isNumber(report.default?.[key]));
  if (!keys.length) return null;
  const row = (key) => {
    const [before, after] = [report.default[key], report.metrics[key]], ratio = after > 0 && before > 0 ? before / after : NaN;
    const change = before === after ? "same" : after === 0 ? "none left" : isNumber(ratio) ? (ratio > 1 ? `${digits(ratio)}${TIMES} less` : `${digits(1 / ratio)}${TIMES} more`) : "";
    return element("tr", {}, element("th", { scope: "row" }, METRIC_NAMES[key] ?? key.replace(/_/g, " ")), [metricText(key, before), metricText(key, after), change].map((text) => element("td", { class: "number" }, text)));
  };
  return scrolled("before and after", element("table", { class: "numbers" }, element("caption", { class: "unseen" }, "The default placement and the new placement"),
    element("thead", {}, element("tr", {}, ["", "before", "after", "change"].map((text, i) => element(i ? "th" : "td", { class: i ? "number" : null, scope: i ? "col" : null }, text)))), element("tbody", {}, keys.map(row))));
}

/// A table of the simulated times by which `auto` decided.
function trialsTable(auto) {
  if (!auto?.trials?.length) return null;
  const rows = [{ objective: "the default placement", mean: auto.default_seconds, chosen: auto.keeps_default }, ...auto.trials];
  return element("details", {}, element("summary", {}, "How the objective was chosen: simulated times"), scrolled("simulated times", element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "objective"), element("th", { class: "number", scope: "col" }, "simulated, per iteration"), element("th", { scope: "col" }, ""))),
    element("tbody", {}, rows.map((trial) => element("tr", { class: trial.chosen ? "winner" : null }, element("td", {}, [trial.objective, ...(trial.then ?? [])].join(" then ")), element("td", { class: "number" }, seconds(trial.mean)), element("td", {}, trial.chosen ? "chosen" : "")))))));
}

/// Saves a response of the server as a file.
async function saveAnswer(server, path, name) {
  const content = await server.blob(path), url = URL.createObjectURL(content);
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/// The launchers for which the service writes job lines. Each has a rank-map format, or `pjm`.
const LAUNCHERS = [["pjm", "PJM"], ["slurm", "Slurm"], ["openmpi", "Open MPI"], ["cray", "Cray MPICH"], ["pals", "PALS"], ["hydra", "MPICH (Hydra)"], ["intel", "Intel MPI"], ["flux", "Flux"], ["erf", "LSF (jsrun)"], ["lsf", "LSF (mpirun)"]];

/// Buttons that download the files of a job. Errors appear beside the buttons.
class Downloads {
  constructor(server, job, formats, say) {
    Object.assign(this, { server, job, formats, say, shape: null });
    this.problem = element("div", { class: "problem", role: "alert", hidden: true });
    const buttons = [job.links.result ? ["result", "Result (JSON)", "json"] : null, job.links.report ? ["report", "Report (HTML)", "html"] : null]
      .filter(Boolean).map(([what, text, ending]) => this.button(text, () => this.save(`/${what}${what === "report" ? this.shapeQuery("?") : ""}`, `${this.stem}-${what}.${ending}`)));
    this.node = section("files", "Download", null, job.links.rankmap ? this.mapControls() : null, element("div", { class: "controls" }, buttons), this.problem,
      job.links.rankmap ? this.scriptLines() : null);
  }

  choose(shape) {
    this.shape = shape;
    this.node.querySelector("details")?.removeAttribute("open");
  }

  get stem() { return `haichi-${this.job.id.slice(0, 8)}`; }

  shapeQuery(sign) { return this.shape ? `${sign}shape=${encodeURIComponent(this.shape)}` : ""; }

  button(text, onclick, name = "") { return element("button", { type: "button", class: name, onclick }, text); }

  mapControls() {
    const help = element("p", { class: "help", id: "format-help" }), hosts = element("input", { type: "text", id: "hosts", placeholder: "node[000-095]", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
    const hostsField = element("label", { class: "control", for: "hosts" }, element("span", {}, "host names"), hosts);
    let format = "fujitsu";
    const choose = (value) => {
      format = value;
      const { description = "" } = this.formats.find((entry) => entry.name === value) ?? {};
      replace(help, description);
      hostsField.hidden = !description.includes("host names");
    };
    const control = selector("Rank map as", "choose-format", this.formats.map(({ name }) => [name, name]), format, choose);
    control.querySelector("select").setAttribute("aria-describedby", "format-help");
    const save = () => {
      const names = hosts.value.trim() && !hostsField.hidden ? `&hosts=${encodeURIComponent(hosts.value.trim())}` : "";
      return this.save(`/rankmap?format=${encodeURIComponent(format)}${this.shapeQuery("&")}${names}`, `${this.stem}.${format === "json" || format === "csv" ? format : `${format}.map`}`);
    };
    choose(format);
    return element("div", {}, element("div", { class: "controls" }, control, hostsField, this.button("Download the map", save, "main-button")), help);
  }

  /// The lines of a job script that use the rank map.
  scriptLines() {
    const lines = element("pre", { class: "as-said", tabindex: "0", role: "region", "aria-label": "lines of the job script" });
    let asked = null;
    const ask = async (scheduler) => {
      const format = scheduler === "pjm" ? "fujitsu" : scheduler, { description = "" } = this.formats.find((entry) => entry.name === format) ?? {};
      // Formats that require host names read a map in the format csv, and the lines take the names from the running
      // job.
      const file = description.includes("requires host names") ? `${this.stem}.csv` : `${this.stem}.${format}.map`, question = asked = Symbol("question");
      let answer;
      try {
        answer = await this.server.text(this.server.job(this.job.id, `/jobscript?scheduler=${scheduler}&file=${file}${this.shapeQuery("&")}`));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        answer = error.message;
      }
      // Responses may arrive in another order than their requests; only the last request counts.
      if (question === asked) replace(lines, answer);
    };
    const control = selector("for", "choose-scheduler", LAUNCHERS, "pjm", ask);
    const details = element("details", {}, element("summary", {}, "Lines for the job script"), element("div", { class: "controls" }, control), lines);
    details.addEventListener("toggle", () => { if (details.open) ask(control.querySelector("select").value); });
    return details;
  }

  async save(rest, name) {
    this.problem.hidden = true;
    try {
      await saveAnswer(this.server, this.server.job(this.job.id, rest), name);
      this.say(`saved ${name}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      replace(this.problem, problemContent("Cannot get the file", error));
      this.problem.hidden = false;
    }
  }
}

/// The result of a finished job.
class Results {
  constructor(server, job, { tip, formats, unitOf, say }) {
    Object.assign(this, { server, job, tip, unitOf, say });
    this.numbers = element("div");
    this.pictures = element("div", { class: "pictures" });
    this.downloads = new Downloads(server, job, formats, say);
    this.node = element("div", {}, element("div", { class: "found" }, this.numbers, this.downloads.node), this.pictures);
  }

  async show() {
    const text = await this.server.text(this.server.job(this.job.id, "/result"));
    let report = null;
    try { report = JSON.parse(text); } catch { /* shown unchanged */ }
    if (this.job.kind === "compare" && report) {
      replace(this.numbers, section("numbers", "Result", null, element("p", { class: "verdict" }, report.summary?.overall?.advice ?? report.summary?.jobs?.[0]?.advice ?? "")));
      await this.draw(report);
      return;
    }
    if (!this.job.links.comparison || !report) { this.showText(text, report); return; }
    const shapes = report.shapes?.map((entry) => [entry.shape.join("x"), entry]);
    if (!shapes) { await this.showPlacement(report); return; }
    const choose = (shape) => { this.downloads.choose(shape); return this.showPlacement(new Map(shapes).get(shape), shape); };
    this.node.prepend(element("div", { class: "controls" }, selector("Shape", "choose-shape", shapes.map(([shape]) => [shape, shape]), shapes[0][0], choose)));
    await choose(shapes[0][0]);
  }

  async showPlacement(report, shape = null) {
    replace(this.numbers, section("numbers", "Before and after", null, verdictOf(report, this.unitOf), numbersTable(report), trialsTable(report.auto)));
    replace(this.pictures, element("p", { class: "note" }, "Comparing the link loads\u2026"));
    const asked = this.asked = Symbol("question");
    try {
      const content = await this.server.text(this.server.job(this.job.id, `/comparison${shape ? `?shape=${encodeURIComponent(shape)}` : ""}`));
      // The program calls the placement by the name of a file on the server, which users do not know.
      const named = JSON.stringify(this.job.kind === "evaluate" ? "the rank map" : `found by ${report.objective}`).slice(1, -1);
      if (asked === this.asked) await this.draw(JSON.parse(content.replaceAll("map:found", named)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked === this.asked) replace(this.pictures, element("div", { class: "problem" }, problemContent("Cannot draw the links", error)));
    }
  }

  async draw(comparison) {
    const app = new App(comparison, this.pictures, this.tip);
    if (app.jobs.length) await app.chooseJob(app.jobs[0]);
    this.app = app;
    globalThis.haichiReport = app;
  }

  showText(text, report) {
    const isSingle = (value) => ["number", "string", "boolean"].includes(typeof value) || isShape(value), entries = Object.entries(report ?? {});
    const single = entries.filter(([key, content]) => !["schema", "sentence", "unit"].includes(key) && isSingle(content));
    const shown = report && text.length < MOST_SHOWN ? JSON.stringify(report, null, 2) : text.slice(0, MOST_SHOWN);
    const value = (key, content) => (Array.isArray(content) ? content.join(/shape/.test(key) ? "x" : ", ") : isNumber(content) ? (/seconds/.test(key) ? seconds(content) : digits(content)) : String(content));
    const tables = entries.filter(([, content]) => Array.isArray(content) && content.length && content.every((row) => row && typeof row === "object" && !Array.isArray(row)));
    const table = ([key, rows]) => {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isSingle(row[name]))))].slice(0, 8);
      return scrolled(key, element("table", {}, element("caption", {}, key.replace(/_/g, " ")), element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name.replace(/_/g, " "))))),
        element("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => element("tr", {}, columns.map((name) => element("td", { class: isNumber(row[name]) ? "number" : null }, row[name] === undefined ? "" : value(name, row[name]))))))));
    };
    replace(this.numbers, section("numbers", "Result", null, report?.sentence ? element("p", { class: "verdict" }, report.sentence) : null, single.length ? element("dl", {}, single.map(([key, content]) => [element("dt", {}, key.replace(/_/g, " ")), element("dd", {}, value(key, content))])) : null,
      tables.map(table),
      element("details", { open: single.length + tables.length === 0 }, element("summary", {}, "Output of the program"), element("pre", { class: "as-said", tabindex: "0", role: "region", "aria-label": "output of the program" }, shown),
        text.length > MOST_SHOWN ? element("p", { class: "note" }, `The first ${bytes(MOST_SHOWN)} of ${bytes(text.length)}.`) : null)));
  }
}
