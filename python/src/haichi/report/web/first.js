// The first screen: how to get and use the placement, and pictures of the links before and after.

class FirstScreen {
  constructor(app) {
    this.app = app;
    const { before, after, job } = app;
    // If no placement saves time, the advised map describes the default placement.
    this.advised = job.helps === true && after ? after : job.helps === true ? null : before;
    this.sides = [[before, "before"], [after, "after"]].filter(([view]) => view).map(([view, role]) => new Side(view, role));
    this.node = element("section", { id: "first", class: "first", "aria-label": "The placement" }, this.use(), this.picture());
    this.update();
  }

  // ---- the command, the rank map and the job lines

  use() {
    const map = this.advised?.raw.rank_map, command = this.advised?.raw.command;
    if (!map && !command) return null;
    const isDefault = this.advised === this.app.before;
    return element("div", { class: "use" },
      command ? [element("h3", {}, isDefault ? "The command for the default placement" : "The command for this placement"), this.lines(command, "command")] : null,
      map ? [element("h3", {}, isDefault ? "The map of the default placement" : "The map"), element("p", {}, this.download(map), element("span", { class: "note" }, ` ${map.format}, ${count(map.text.split("\n").length - 1, "line")}`))] : null,
      map?.job_lines ? [element("h3", {}, "For the job script"), this.lines(map.job_lines.trimEnd(), "job-lines")] : null);
  }

  /// Lines of text with a button that copies them.
  lines(text, id) {
    const button = element("button", { type: "button", class: "copy", onclick: async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { getSelection().selectAllChildren(shown); }
    } }, "copy");
    const shown = element("code", { id, tabindex: "0" }, text);
    return element("pre", { class: "lines" }, button, shown);
  }

  download(map) {
    return element("a", { class: "download", id: "download-map", download: map.file, href: `data:text/plain;charset=utf-8,${encodeURIComponent(map.text)}` }, `Download ${map.file}`);
  }

  // ---- the picture

  picture() {
    const { layout } = this.app.maps, worst = this.app.before.worst;
    const panel = layout.find((candidate) => worst && candidate.indexOf(worst.link) >= 0) ?? layout[0];
    if (!panel) return null;
    this.drawn = this.sides.map((side) => new HeatPanel(panel, side, new Zoom()));
    this.captions = this.sides.map(() => element("figcaption", {}));
    // This picture is not interactive; the panels below are.
    this.drawn.forEach(({ canvas }) => { canvas.removeAttribute("tabindex"); canvas.setAttribute("role", "img"); canvas.setAttribute("class", "still"); });
    return element("div", { class: "picture" }, element("h3", {}, `Links ${this.app.before.network.hasAxes ? "along " : ""}${panel.title}`),
      element("div", { class: `sides sides-${this.sides.length} kept` }, this.drawn.map((drawn, i) => element("figure", { class: "side" }, this.captions[i], drawn.canvas))));
  }

  update() {
    const { maps } = this.app, measure = maps.usualMeasure();
    for (const side of this.sides) Object.assign(side, side.view.loads("worst", measure), { marks: this.app.marks.filter(({ link }) => link === side.view.worst?.link) });
    const total = Math.max(...this.sides.map((side) => side.most), 0) || 1;
    this.sides.forEach((side, i) => {
      Object.assign(side, { total, least: measure === "messages" ? 1 : 0 });
      const top = Math.max(...(this.drawn?.[i].panel.cells.link ?? []).map((link) => side.value[link]), 0);
      const text = measure === "messages" ? count(top, "message") : measure === "bytes" ? bytes(top) : seconds(top);
      if (!this.captions) return;
      replace(this.captions[i], element("span", { class: "role" }, side.role), ` ${side.view.strategy}: `, element("strong", {}, top > 0 ? `up to ${text} on a link` : "unused"));
      this.drawn[i].canvas.setAttribute("aria-label", `${side.role}: ${top > 0 ? `up to ${text} on a link` : "unused"}`);
    });
  }

  resize() {
    if (!this.drawn) return;
    const width = this.drawn[0].canvas.clientWidth, height = Math.min(...this.drawn.map((drawn) => drawn.wantedHeight(width)), width < 220 ? 170 : 260);
    for (const drawn of this.drawn) drawn.resize(height);
  }
}
