// The page of link statistics. It shows throughput and buffered packets over time, and the links with the highest
// values.

/// The height of a row of .row-names in pixels.
const ROW_HEIGHT = 14;

class HistoryPage {
  constructor(data) {
    Object.assign(this, { data, tip: new Tip(), maps: [] });
    document.title = `${data.file} ${DASH} links and buffers over time`;
    const rate = (value) => `${digits(value / 1e9)} GB/s`;
    replace(document.getElementById("title"), `${data.file}: links and buffers over time`);
    replace(document.getElementById("content"),
      this.curve("Throughput", "Bytes per second that all nodes receive from the network", data.received, rate),
      this.curve("Traffic on links", "Bytes per second that all links carry together; a byte counts once per link", data.carried, rate),
      this.curve("Packets in buffers", "Packets that wait in the buffers of all links, or are on their way to them", data.buffered, (value) => digits(value)),
      this.map("Link efficiency", "busy", data.efficiency), this.map("Buffer use", "full", data.buffers));
    setUpTheme(() => this.paint());
    onResize(() => this.paint());
    this.tip.hideOnMoves();
    this.paint();
  }

  part(title, ...content) { return element("section", { class: "section" }, element("h2", {}, title), content); }

  ends() { return element("div", { class: "x-ends" }, element("span", {}, "0"), element("span", {}, seconds(this.data.seconds))); }

  /// The end of a bin in seconds. The last bin ends with the run.
  end(bin) { return Math.min((bin + 1) * this.data.bin_seconds, this.data.seconds); }

  curve(title, caption, values, text) {
    const width = 1000, height = 160, most = Math.max(...values, 1e-300), { data } = this;
    const x = (time) => (time / data.seconds * width).toFixed(1), y = (value) => (height - value / most * (height - 4)).toFixed(1);
    const path = values.map((value, bin) => `${bin ? "L" : "M"}${x(bin * data.bin_seconds)},${y(value)}H${x(this.end(bin))}`).join("");
    const chart = svgElement("svg", { class: "columns", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": caption },
      svgElement("path", { d: path, class: "curve curve-after" }));
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect(), bin = Math.floor((event.clientX - box.left) / box.width * data.seconds / data.bin_seconds);
      if (bin >= 0 && bin < values.length) this.tip.show([element("strong", {}, text(values[bin])), ` at ${seconds(bin * data.bin_seconds)}`], event.clientX, event.clientY);
    });
    chart.addEventListener("pointerleave", () => this.tip.hide());
    return this.part(title, element("figure", {}, element("figcaption", {}, `${caption}: at most ${text(most)}`),
      withValues(chart, (fraction) => text(fraction * most), this.ends())));
  }

  map(title, word, rows) {
    const canvas = element("canvas", { class: "times", role: "img", "aria-label": `${title} of ${count(rows.names.length, "link")} over ${seconds(this.data.seconds)}` });
    if (!rows.names.length) return this.part(title, element("p", { class: "note" }, "none"));
    this.maps.push({ canvas, rows });
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect(), row = Math.floor((event.clientY - box.top) / box.height * rows.names.length);
      const bin = Math.floor((event.clientX - box.left) / box.width * this.data.seconds / this.data.bin_seconds);
      const level = rows.levels[row]?.[bin];
      if (level === undefined) this.tip.hide();
      else this.tip.show([element("strong", {}, rows.names[row]), element("br"), `${percent(level / 255)} ${word} at ${seconds(bin * this.data.bin_seconds)}`], event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerleave", () => this.tip.hide());
    const left = rows.left_out ? `; ${count(rows.left_out, "less used link")} not drawn` : "";
    const sums = rows.levels.map((row, i) => [row.reduce((sum, level) => sum + level, 0) / 255 / row.length, i]).sort((a, b) => b[0] - a[0]).slice(0, 5);
    return this.part(title, element("figure", {},
      element("p", { class: "legend" }, element("span", {}, `Each row is a link, and time goes to the right: ${count(rows.names.length, "link")}${left}`),
        element("span", { class: "swatches" }, "0", element("span", { class: "ramp", style: { background: loadRamp() } }), `100 % ${word}`)),
      element("div", { class: "named-rows" },
        element("div", { class: "row-names" }, rows.names.map((name) => element("span", { title: name }, name))), canvas, this.ends()),
      element("p", { class: "note" }, `Highest means: ${listed(sums.map(([share, i]) => `${rows.names[i]} ${percent(share)}`))}`)));
  }

  paint() {
    for (const { canvas, rows } of this.maps) {
      const height = rows.names.length * ROW_HEIGHT, { context, width } = canvasContext(canvas, height);
      const none = isDark() ? [28, 33, 39] : [242, 244, 246], shades = Array.from({ length: 256 }, (_, i) => rgb(i ? loadColor(i / 255) : none));
      const scale = width / this.data.seconds, high = height / rows.names.length;
      rows.levels.forEach((row, y) => row.forEach((level, bin) => {
        context.fillStyle = shades[level];
        const left = bin * this.data.bin_seconds * scale;
        context.fillRect(left, y * high, this.end(bin) * scale - left + 0.5, high);
      }));
    }
  }
}

new HistoryPage(JSON.parse(document.getElementById("comparison").textContent));
document.documentElement.dataset.ready = "yes";
