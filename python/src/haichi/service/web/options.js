// The fields of a request, from the server's schema. The schema contains the option table of the program.

/// The kinds of jobs and their fields, from the OpenAPI description of the server.
function kindsOf(description) {
  const content = description.paths["/v1/jobs"].post.requestBody.content["application/json"];
  return new Map(content.schema.oneOf.map((variant) => [variant.title, variant.properties]));
}

/// Titles for options whose names are not clear enough by themselves.
const TITLES = { ppn: "Ranks per node", count_nic: "Count NICs", form: "Simulated part of a log", then: "Tie-breaking order", hosts: "Host names", fold: "Logical coordinates",
  robust: "Robust over the shapes", start: "Start of the search", require: "Required limits", equal: "Equal effort", sim_iterations: "Iterations to simulate",
  smoothing: "Smoothing term", origin: "Lowest coordinates of the shape", time: "Time limit of the search" };

function fieldTitle(name) { return TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replace(/_/g, " "); }

/// The value of an empty field, in words.
function usualOf(schema) { return schema.default ?? schema["x-default"] ?? ""; }

/// The help text of a field: the program's description, all possible values, and the default.
function helpOf(schema) {
  const values = schema.enum ? ` Possible values: ${schema.enum.join(", ")}.` : "", usual = usualOf(schema);
  return `${schema.description ?? ""}.${values}${usual ? ` Default: ${usual}.` : ""}`;
}

/// The placeholder of an empty field: its default value, or an example.
function placeholderOf(schema) {
  const usual = usualOf(schema), value = schema["x-value"] ?? "";
  return /^[\w.-]+$/.test(usual) ? usual : schema.description.match(/as in '?([^\s;,)']+)/)?.[1] ?? EXAMPLES[value] ?? value;
}

const EXAMPLES = { MACHINE: "fx10-kyushu", "AxBx...": "1x2x4x2x3x2" };

/// The text to type for an entry such as torus:SIZExSIZE... This is the example of the entry, or the part before its
/// parameters.
function typedName({ name, description }) {
  const stem = name.split(/[:[]/)[0];
  if (stem === name) return name;
  return description.match(new RegExp(`\\((${stem}:[^)\\s]+)\\)`))?.[1] ?? stem;
}

/// One option. `input` is its control, and `add` puts its value into a form.
class OptionField {
  constructor(name, schema, entries = []) {
    Object.assign(this, { name, entries, form: schema["x-form"] ?? "word", group: schema["x-group"] ?? "" });
    const id = `field-${name}`, sentence = helpOf(schema), about = { id, name, "aria-describedby": `${id}-help` };
    const typed = { ...about, placeholder: placeholderOf(schema), autocomplete: "off", spellcheck: "false", autocapitalize: "off" };
    this.help = element("p", { id: `${id}-help`, class: "help" }, sentence);
    this.sentence = sentence;
    this.usual = usualOf(schema);
    if (this.form === "flag") {
      this.input = element("input", { type: "checkbox", ...about });
      this.node = element("div", { class: "field" }, element("label", { class: "check" }, this.input, element("span", {}, fieldTitle(name))), this.help);
      return;
    }
    this.input = this.form === "words" ? element("textarea", { ...typed, rows: 2, placeholder: `${schema["x-value"]}, one per line` }) : element("input", { type: "text", ...typed });
    this.node = element("div", { class: "field" }, element("label", { for: id }, fieldTitle(name)), element("div", { class: "typed" }, this.input, entries.length ? this.chooser() : null), this.help);
    this.input.addEventListener("input", () => this.explain());
    this.explain();
  }

  get isGiven() { return this.form === "flag" ? this.input.checked : this.input.value.trim() !== "" && !this.input.disabled; }

  /// A list of the entries. The chosen entry is copied to the field.
  chooser() {
    const entries = this.entries.map((entry) => option(typedName(entry), typedName(entry), false));
    this.list = element("select", { "aria-label": `${fieldTitle(this.name)}: choose from the list` }, option("", "", true), entries);
    this.list.addEventListener("change", () => {
      this.input.value = this.list.value;
      this.input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return this.list;
  }

  /// Shows the description of the entry that the field contains.
  explain() {
    if (!this.entries.length) return;
    this.list.value = this.input.value.trim();
    if (this.list.selectedIndex < 0) this.list.value = "";
    const stem = (this.input.value.trim() || this.usual).split(/[:[]/)[0], entry = this.entries.find(({ name }) => name.split(/[:[]/)[0] === stem);
    const isUsual = this.usual && !this.input.value.trim();
    replace(this.help, entry ? `${isUsual ? `Default: ${this.usual}, ` : ""}${entry.description}` : this.sentence);
  }

  /// Disables the field while a file replaces its value.
  standBehind(file) {
    for (const control of this.node.querySelectorAll("input, select")) control.disabled = Boolean(file);
    replace(this.help, file ? `from the file ${file}` : this.sentence);
    if (!file) this.explain();
  }

  add(form) {
    if (!this.isGiven) return;
    const values = this.form === "flag" ? ["true"] : this.form === "words" ? this.input.value.split("\n") : [this.input.value];
    for (const value of values) if (value.trim()) form.append(this.name, value.trim());
  }
}
