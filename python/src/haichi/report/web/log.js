// The page of a log, from `haichi log show --html`. The program joins this file with other files of the directory.
// Every text of the log becomes a text node, so that names in the log may contain any characters.

class LogPage {
  constructor(data) {
    Object.assign(this, { data, tip: new Tip(), main: document.getElementById("content") });
    document.title = `haichi log: ${data.file}`;
    replace(this.main, this.header(), this.functions(), this.rankBars(), this.rankFunctions(), this.histograms(), this.heatMap(), this.places(),
      data.outline ? this.part("Calls", element("div", { class: "box" }, element("pre", {}, data.outline))) : null, this.nextSteps());
    setUpTheme(() => this.paint());
    this.tip.hideOnMoves();
    this.paint();
  }

  part(title, ...content) { return [element("h2", {}, title), content]; }

  header() {
    const { data } = this, all = data.computing_seconds + data.mpi_seconds, share = (part) => (all > 0 ? ` (${percent(part / all)})` : "");
    const times = [["run", seconds(data.run_seconds)], ["computation, all ranks", seconds(data.computing_seconds) + share(data.computing_seconds)],
      ["MPI, all ranks", seconds(data.mpi_seconds) + share(data.mpi_seconds)]];
    const spoiled = data.functions.filter((f) => f.spoiled).map((f) => `${f.name}: its time is too high, because the profiler's overhead is ${percent(f.own_share)} of the mean call`);
    return [element("h1", {}, data.programs.length ? data.programs.join(", ") : data.file),
      element("p", { class: "lead" }, count(data.ranks, "rank"), data.hosts ? ` on ${count(data.hosts, "host")}` : "", data.libraries.map((library) => `, ${library}`), ` \u00b7 ${data.file} (${data.format})`),
      [...data.warnings, ...spoiled].map((warning) => element("p", { class: "warning" }, warning)),
      data.has_times ? element("div", { class: "figures" }, times.map(([name, text]) => element("div", {}, element("b", {}, text), element("span", { class: "note" }, name)))) : null];
  }

  /// A table of texts or nodes. The first cell of each row is its heading. Returns null if there are no rows.
  table(title, head, rows, ...notes) {
    if (!rows.length) return null;
    const cells = (name, row) => element("tr", {}, row.map((cell, i) => element(name, { class: i ? "number" : null }, cell)));
    return this.part(title, element("div", { class: "scroll" }, element("table", {}, element("thead", {}, cells("th", head)), element("tbody", {}, rows.map((row) => cells("td", row))))), notes);
  }

  functions() {
    const { data } = this, sides = (f) => [f.sent, f.received].flatMap(({ messages, bytes: size }) => (messages ? [digits(messages), bytes(size.total)] : ["", ""]));
    const share = (f) => element("span", { class: "share" }, element("i", { style: { width: `${Math.max(1, Math.round(70 * Math.min(1, f.fraction_of_mpi)))}px` } }), percent(f.fraction_of_mpi));
    const times = ({ seconds: of }) => [of.mean, ...(of.max > 0 || of.total <= 0 ? [of.min, of.max] : [null, null])].map((time) => (time === null ? "" : seconds(time)));
    return this.table("Functions", ["function", "calls", ...(data.has_times ? ["time", "fraction of MPI", "mean", "min", "max"] : []), "sent", "bytes", "received", "bytes"],
      data.functions.map((f) => [f.name + (f.spoiled ? " \u26a0" : ""), digits(f.calls), ...(data.has_times ? [seconds(f.seconds.total), share(f), ...times(f)] : []), ...sides(f)]));
  }

  rankBars() {
    const { bars } = this.data, every = Math.max(1, Math.ceil(bars.length / 16));
    if (!bars.length) return null;
    const hint = (b) => [ranksText(b.first, b.last) + (b.host ? ` on ${b.host}` : ""), `computing ${seconds(b.computing)}, MPI ${seconds(b.mpi)}${b.first === b.last ? "" : " (means)"}`, ...(b.state ? [b.state] : [])];
    return this.part("Time of the ranks", element("div", { class: "box" },
      element("p", { class: "role-key" }, [["computing", "compute"], ["MPI", "wait"]].map(([name, color]) => [element("i", { style: { background: `var(--${color})` } }), name])),
      barChart({ width: 1100, height: 210, x: "rank", y: "time of a rank", text: seconds, tip: this.tip },
        bars.map((b, i) => ({ parts: [[b.computing, "compute"], [b.mpi, "wait"]], label: i % every ? null : b.first, hint: hint(b) })))));
  }

  rankFunctions() {
    const { data } = this, { functions, rows } = data.rank_functions, most = Math.max(...rows.flatMap((row) => row.seconds), 1e-12);
    if (!data.has_times || !functions.length) return null;
    const warm = (time) => element("span", { style: { "border-bottom": `${Math.round(8 * time / most)}px solid var(--wait)` } }, time ? seconds(time) : "");
    return this.table("Time of the ranks in functions", ["rank", ...functions],
      rows.map((row) => [row.first === row.last ? row.first : `${row.first} to ${row.last} (mean)`, ...row.seconds.map(warm)]));
  }

  histograms() {
    const shown = this.data.histograms.filter(({ messages }) => messages.messages > 0);
    const from = (k) => (k === 0 ? "0" : (1 << k % 10) + ["", "K", "M"][Math.floor(k / 10)]);
    const range = (k, last) => (k === last ? `${bytes(2 ** k)} and more` : `${k ? bytes(2 ** k) : "0"} to < ${bytes(2 ** (k + 1))}`);
    return shown.length ? this.part("Message sizes", element("div", { class: "charts" }, shown.map(({ name, messages }) => element("div", { class: "box" },
      element("p", { class: "note" }, `${name}: ${digits(messages.messages)}, ${bytes(messages.bytes.total)}`),
      barChart({ width: 500, height: 180, x: "minimum bytes of a message", y: "messages", text: powerText, isWhole: true, tip: this.tip },
        messages.classes.map((number, k) => ({ parts: [[number, "wait"]], label: k % 2 ? null : from(k),
          hint: [range(k, messages.classes.length - 1), `${digits(number)}, ${percent(number / messages.messages)}`] }))))))) : null;
  }

  heatMap() {
    const { matrix, ranks } = this.data, { size, cells, ranks_per_cell: each } = matrix;
    if (!cells.length) return null;
    const logs = cells.map((cell) => Math.log(Math.max(1, cell[2]))), least = logs.reduce((a, b) => Math.min(a, b), Infinity), most = logs.reduce((a, b) => Math.max(a, b), 0);
    const span = Math.max(most - least, Math.log(1000)); // with a small span, nearly equal cells would look different
    Object.assign(this, { pixels: Math.max(1, Math.floor(620 / size)), shares: logs.map((log) => 1 - (most - log) / span) });
    const pairs = new Map(cells.map((cell) => [cell[0] * size + cell[1], cell])), total = (k) => cells.reduce((sum, cell) => sum + cell[k], 0);
    const ranksOf = (k) => ranksText(k * each, Math.min(ranks, (k + 1) * each) - 1), of = each > 1 ? "cell" : "pair";
    const point = (event) => {
      const box = this.canvas.getBoundingClientRect(), place = (at, begin, length) => Math.min(size - 1, Math.max(0, Math.floor((at - begin) / length * size)));
      const row = place(event.clientY, box.top, box.height), column = place(event.clientX, box.left, box.width), cell = pairs.get(row * size + column);
      this.tip.show([`${ranksOf(row)} to ${ranksOf(column)}`, element("br"), cell ? `${bytes(cell[2])} in ${count(cell[3], "message")}` : "nothing"], event.clientX, event.clientY);
    };
    this.canvas = element("canvas", { width: size * this.pixels, height: size * this.pixels, onmousemove: point, onmouseleave: () => this.tip.hide() });
    this.ramp = element("span", { class: "ramp" });
    const ticks = Array.from({ length: size }, (_, k) => k).filter((k) => k % Math.max(1, Math.ceil(size / 12)) === 0);
    const tick = (axis, side) => ticks.map((k) => element("span", { class: axis, style: { [side]: `${(k + 0.5) / size * 100}%` } }, k * each));
    return this.part("Communication matrix", element("div", { class: "box" },
      element("p", { class: "note" }, `Point-to-point bytes from the rank of the row to the rank of the column, on a logarithmic colour scale.${each > 1 ? ` A cell is ${each} x ${each} ranks.` : ""}`),
      element("p", { class: "swatches" }, bytes(Math.exp(most - span)), this.ramp, `${bytes(Math.exp(most))} a ${of}; ${count(cells.length, of)} with traffic, ${count(total(3), "message")}, ${bytes(total(2))}`),
      element("div", { class: "frame" }, this.canvas, tick("x", "left"), tick("y", "top"), element("span", { class: "x-axis" }, "to rank"), element("span", { class: "y-axis" }, "from rank"))));
  }

  /// Draws the matrix in the colours of the current theme.
  paint() {
    if (!this.canvas) return;
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.data.matrix.cells.forEach(([row, column], i) => {
      context.fillStyle = rgb(loadColor(this.shares[i]));
      context.fillRect(column * this.pixels, row * this.pixels, this.pixels, this.pixels);
    });
    this.ramp.style.background = loadRamp();
  }

  places() {
    const { data } = this, some = (number, text) => (number ? text(number) : ""), ofMpi = (time) => (data.mpi_seconds > 0 ? percent(time / data.mpi_seconds) : "");
    const traffic = (entry) => [some(entry.sent_bytes, bytes), some(entry.received_bytes, bytes)], more = (key, what, rest = "") => (data[key] ? element("p", { class: "note" }, count(data[key], `more ${what}`) + rest) : null);
    const waiting = (c) => ["at_least", "at_most"].map((key) => (c.waiting_seconds ? seconds(c.waiting_seconds[key]) : ""));
    return [
      this.table("Communicators", ["communicator", "processes", "calls", "time", "fraction of MPI", "sent", "received", "waiting, minimum", "waiting, maximum"],
        data.communicators.map((c) => [c.name, c.size === undefined ? "" : digits(c.size) + (c.remote_size ? ` and ${digits(c.remote_size)}` : ""), digits(c.calls), seconds(c.seconds.total), ofMpi(c.seconds.total), ...traffic(c), ...waiting(c)]),
        more("communicators_left_out", "communicator")),
      this.table("Regions", ["region", "ranks", "entered", "time inside", "MPI", "calls", "sent", "received"],
        data.regions.map((r) => [r.name || "(outside all regions)", digits(r.ranks), some(r.entries, digits), some(r.seconds_inside, seconds), seconds(r.seconds.total), digits(r.calls), ...traffic(r)])),
      this.table("Call sites", ["call site", "function", "ranks", "calls", "time", "fraction of MPI", "mean", "max", "sent", "received"],
        data.call_sites.map((s) => [s.place, s.function, digits(s.ranks), digits(s.calls), seconds(s.seconds.total), ofMpi(s.seconds.total), seconds(s.seconds.mean), seconds(s.seconds.max), ...traffic(s)]),
        more("call_sites_left_out", "call site", " with less time"))];
  }

  nextSteps() {
    return this.part("Next steps", element("div", { class: "box" }, element("ul", {}, this.data.next_steps.map((step) => element("li", {}, `${step.why}: `, element("code", {}, step.command))))));
  }
}

function ranksText(first, last) { return first === last ? `rank ${first}` : `ranks ${first} to ${last}`; }

new LogPage(JSON.parse(document.getElementById("data").textContent));
