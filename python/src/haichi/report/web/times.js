// Simulated runs: link utilisation over time, its mean over all links, and how the ranks spend their time.

class SimulatedRuns {
  constructor(app) {
    this.app = app;
    const has = (barrier) => [app.before, app.after].some((view) => view?.raw.simulated?.[barrier]);
    this.barriers = ["none", "sets", "calls"].filter(has);
    const entry = (app.job.strategies ?? []).find((candidate) => candidate.strategy === app.job.winner);
    this.barrier = this.barriers.includes(entry?.barrier) ? entry.barrier : this.barriers[0];
    this.body = element("div");
    const names = { none: "no barriers", sets: "a barrier before every set", calls: "trace replay" };
    const control = this.barriers.length > 1 ? element("div", { class: "controls" },
      selector("Run with", "choose-barrier", this.barriers.map((barrier) => [barrier, names[barrier]]), this.barrier, (value) => { this.barrier = value; this.show(); })) : null;
    this.node = element("div", {}, control, this.body);
  }

  async show() {
    const { app } = this, sides = [[app.before, "before"], [app.after, "after"]].filter(([view]) => view?.raw.simulated?.[this.barrier]);
    this.sides = await Promise.all(sides.map(async ([view, role]) => {
      const raw = view.raw.simulated[this.barrier];
      const ranks = await unpackAll(raw.ranks ?? {}, ["compute_seconds", "call_seconds", "wait_seconds"]);
      return { view, role, raw, ranks, links: await unpack(raw.links?.link ?? []), efficiency: await unpack(raw.links?.efficiency ?? []),
        mean: await unpack(raw.mean_efficiency ?? []) };
    }));
    this.longest = Math.max(...this.sides.map((side) => side.raw.seconds), 0) || 1;
    replace(this.body, element("h3", {}, this.timeTitle()), element("p", { class: "legend" }, element("span", {}, "Each row is a link, and time goes to the right. Both sides have the same time scale."), efficiencyKey()),
      element("div", { class: `sides sides-${this.sides.length}` }, this.sides.map((side) => this.timeSpace(side))),
      this.meanChart(), element("h3", {}, this.rankTitle()),
      element("p", { class: "role-key" }, PARTS.map(([, text, color]) => [element("i", { style: { background: `var(--${color})` } }), `${text} `])),
      element("div", { class: `sides sides-${this.sides.length}` }, this.sides.map((side) => this.rankSplit(side))));
    this.redraw();
  }

  redraw() { for (const side of this.sides ?? []) { this.paintTimes(side); this.paintRanks(side); } }

  timeTitle() {
    const [before, after] = this.sides, isWhole = this.barrier === "calls";
    const what = isWhole ? "The whole run" : count(before.raw.iterations ?? 1, "iteration");
    if (!after) return `${what} of ${before.view.strategy} ${isWhole ? "takes" : "take"} ${seconds(before.raw.seconds)}`;
    return `${what}: ${seconds(before.raw.seconds)} before, ${seconds(after.raw.seconds)} after`;
  }

  /// The order of the rows. Links are sorted by direction, so that related links are adjacent.
  rowOrder(side) {
    const { network } = side.view;
    const kind = (link) => (network.hasAxes ? 2 * network.link_axis[link] + (network.link_sign[link] < 0 ? 1 : 0)
      : 100 * Math.min(network.vertex_level[network.link_source[link]], network.vertex_level[network.link_destination[link]]) + Math.sign(network.vertex_level[network.link_source[link]] - network.vertex_level[network.link_destination[link]]));
    const panel = (link) => (network.hasAxes ? 0 : network.link_panel[link]);
    return Array.from(side.links, (link, row) => ({ link, row, kind: kind(link) })).sort((a, b) => a.kind - b.kind || panel(a.link) - panel(b.link) || a.link - b.link);
  }

  groupName(side, link) {
    const { network } = side.view;
    if (network.hasAxes) return `${network.axes[network.link_axis[link]]?.name ?? "NIC"}${network.link_sign[link] > 0 ? "+" : MINUS}`;
    const kind = network.names[link]?.match(/^(\S+) \(/)?.[1] ?? "";
    const level = Math.min(network.vertex_level[network.link_source[link]], network.vertex_level[network.link_destination[link]]);
    return kind === "up" || kind === "down" ? `${kind} ${level}\u2013${level + 1}` : kind;
  }

  timeSpace(side) {
    const canvas = element("canvas", { class: "times", role: "img", "aria-label": `Efficiency of ${side.links.length} links over ${seconds(side.raw.seconds)}, ${side.role}` });
    side.order = this.rowOrder(side);
    side.columns = side.links.length ? side.efficiency.length / side.links.length : 0;
    side.canvas = canvas;
    canvas.addEventListener("pointermove", (event) => this.pointAt(side, event));
    canvas.addEventListener("pointerleave", () => this.app.tip.hide());
    const left = side.raw.links?.left_out ? `; ${count(side.raw.links.left_out, "less used link")} not drawn` : "";
    const average = mean(Array.from(side.mean));
    return element("figure", { class: "side" }, element("figcaption", {}, element("span", { class: "role" }, side.role), ` ${side.view.strategy}: `,
      element("strong", {}, `links are ${percent(average)} busy on average`), `; ${count(side.links.length, "link")} drawn${left}`), canvas,
    element("div", { class: side.view.network.hasAxes ? "x-ends indented" : "x-ends indented wide" }, element("span", {}, "0"), element("span", {}, seconds(this.longest))));
  }

  paintTimes(side) {
    const { canvas, order, columns } = side, rows = order.length;
    if (!rows || !columns) { canvas.hidden = true; return; }
    const height = rowsHeight(Math.max(...this.sides.map((entry) => entry.order.length))), { context, width, ratio } = canvasContext(canvas, height);
    const picture = new ImageData(columns, rows), shades = Array.from({ length: 256 }, (_, i) => loadColor(i / 255)), none = isDark() ? [28, 33, 39] : [242, 244, 246];
    order.forEach(({ row }, y) => {
      for (let x = 0; x < columns; ++x) {
        const value = side.efficiency[row * columns + x];
        picture.data.set([...(value ? shades[value] : none), 255], 4 * (y * columns + x));
      }
    });
    const small = element("canvas", { width: columns, height: rows });
    small.getContext("2d").putImageData(picture, 0, 0);
    context.imageSmoothingEnabled = rows > height * ratio;
    side.left = side.view.network.hasAxes ? 30 : 56;
    side.scale = (width - side.left) / this.longest;
    context.drawImage(small, side.left, 0, columns * side.raw.bin_seconds * side.scale, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    let shown = null, last = -20;
    order.forEach(({ link }, y) => {
      const name = this.groupName(side, link), at = y / rows * height;
      if (name === shown) return;
      shown = name;
      context.fillStyle = themeColor("line");
      context.fillRect(0, at, side.left, 1);
      if (at - last < 12) return;
      last = at;
      context.fillStyle = themeColor("soft");
      context.fillText(name, 1, at + 2, side.left - 3);
    });
    side.height = height;
  }

  pointAt(side, event) {
    const box = side.canvas.getBoundingClientRect(), time = (event.clientX - box.left - side.left) / side.scale;
    const column = Math.floor(time / side.raw.bin_seconds), y = Math.floor((event.clientY - box.top) / box.height * side.order.length);
    const place = side.order[y];
    if (!place || column < 0 || column >= side.columns) { this.app.tip.hide(); return; }
    const busy = side.efficiency[place.row * side.columns + column] / 255;
    this.app.tip.show([element("strong", {}, side.view.network.linkName(place.link)), element("br"), `${percent(busy)} busy at ${seconds(column * side.raw.bin_seconds)}`], event.clientX, event.clientY);
  }

  meanChart() {
    const width = 1000, height = 130, most = Math.max(...this.sides.flatMap((side) => Array.from(side.mean)), 1e-9);
    const path = (side) => {
      let text = "";
      side.mean.forEach((value, bin) => {
        const x = bin * side.raw.bin_seconds / this.longest * width, y = height - value / most * (height - 4);
        text += `${bin ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}H${((bin + 1) * side.raw.bin_seconds / this.longest * width).toFixed(1)}`;
      });
      return text;
    };
    if (!this.sides.some((side) => side.mean.length)) return null;
    return element("figure", {}, element("figcaption", {}, `Mean utilisation of all links over time: maximum ${percent(most)}`),
      withValues(svgElement("svg", { class: "columns", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
        "aria-label": "Mean utilisation over time" }, this.sides.map((side) => svgElement("path", { d: path(side), class: `curve curve-${side.role}` }))), (fraction) => percent(fraction * most),
      element("div", { class: "x-ends" }, element("span", {}, "0"), roleKey(this.sides.length > 1), element("span", {}, seconds(this.longest)))));
  }

  rankTitle() {
    const waiting = (side) => seconds(mean(Array.from(side.ranks.wait_seconds)));
    const [before, after] = this.sides;
    return `A rank waits ${waiting(before)} on average${after ? ` before, ${waiting(after)} after` : ""}`;
  }

  rankSplit(side) {
    side.rankCanvas = element("canvas", { class: "ranks", role: "img", "aria-label": `Time of ${side.ranks.wait_seconds.length} ranks, ${side.role}` });
    side.rankCanvas.addEventListener("pointermove", (event) => this.pointAtRank(side, event));
    side.rankCanvas.addEventListener("pointerleave", () => this.app.tip.hide());
    const parts = PARTS.map(([key, text]) => `${text} ${seconds(mean(Array.from(side.ranks[key])))}`);
    return element("figure", { class: "side" }, element("figcaption", {}, element("span", { class: "role" }, side.role), ` ${side.view.strategy}: mean per rank: ${listed(parts)}`),
      withValues(side.rankCanvas, (fraction) => seconds(fraction * this.longest, 2),
        element("div", { class: "x-ends" }, element("span", {}, "rank 0"), element("span", {}, `rank ${side.ranks.wait_seconds.length - 1}`))));
  }

  paintRanks(side) {
    const height = 170, ranks = side.ranks.wait_seconds.length, { context, width } = canvasContext(side.rankCanvas, height);
    side.bins = Math.max(Math.min(ranks, Math.floor(width)), 1);
    const barWidth = width / side.bins;
    for (let bin = 0; bin < side.bins; ++bin) {
      const [begin, end] = [Math.floor(bin * ranks / side.bins), Math.floor((bin + 1) * ranks / side.bins)];
      let top = height;
      for (const [key, , color] of PARTS) {
        let sum = 0;
        for (let rank = begin; rank < end; ++rank) sum += side.ranks[key][rank];
        const high = sum / Math.max(end - begin, 1) / this.longest * height;
        context.fillStyle = themeColor(color);
        top -= high;
        context.fillRect(bin * barWidth, top, Math.max(barWidth - (barWidth > 4 ? 1 : 0), 0.5), high);
      }
    }
  }

  pointAtRank(side, event) {
    const box = side.rankCanvas.getBoundingClientRect(), ranks = side.ranks.wait_seconds.length;
    const rank = Math.min(Math.max(Math.floor((event.clientX - box.left) / box.width * ranks), 0), ranks - 1);
    this.app.tip.show([element("strong", {}, `rank ${rank}`), PARTS.map(([key, text]) => [element("br"), `${text} ${seconds(side.ranks[key][rank])}`])], event.clientX, event.clientY);
  }
}

const PARTS = [["compute_seconds", "computation", "compute"], ["call_seconds", "in calls", "call"], ["wait_seconds", "waiting", "wait"]];

/// The height of a picture in which each row has a whole number of pixels, if the rows fit.
function rowsHeight(rows) { return rows < 150 ? Math.max(rows * Math.floor(300 / Math.max(rows, 1)), 60) : Math.min(rows, 400); }

function efficiencyKey() {
  return element("span", { class: "swatches" }, "0", element("span", { class: "ramp", style: { background: loadRamp() } }), "100 % busy");
}
