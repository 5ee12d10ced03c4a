// The heat maps: the links before and after, on one colour scale.

const MOST_LISTED = 20;

/// One placement and what its panels draw.
class Side {
  constructor(view, role) {
    Object.assign(this, { view, role, panels: [], value: null, setOf: null, most: 0, total: 1, marks: [], route: [],
      routeEnds: new Set(), pinned: -1, least: 0 });
  }

  /// The position of a load on the colour scale. For messages the scale begins at one message, which does not wait for
  /// another.
  share(load) { return this.total > this.least ? Math.min(Math.max((load - this.least) / (this.total - this.least), 0), 1) : 0; }
}

class Maps {
  constructor(app) {
    this.app = app;
    this.selection = "worst";
    this.measure = this.usualMeasure();
    this.message = -1;
    this.pinned = -1;
    this.enlarged = -1;
    this.sides = [[app.before, "before"], [app.after, "after"]].filter(([view]) => view).map(([view, role]) => new Side(view, role));
    const network = app.before.network;
    this.layout = panelsOf(network, new Set(this.sides.flatMap((side) => side.view.sets.flatMap((set) => Array.from(set.link)))));
    this.zooms = this.layout.map(() => new Zoom());
    this.legend = element("div", { class: "legend" });
    this.detail = element("div", { class: "detail", id: "link-detail", "aria-live": "polite" });
    this.columns = element("div", { class: `sides maps sides-${this.sides.length}` });
    this.node = element("div", {}, this.controls(), this.legend, this.columns, this.detail);
    for (const side of this.sides) this.columns.append(this.sideColumn(side));
    this.update();
  }

  /// The measure that is shown first. It is messages if all have one size: bytes would give the same picture, and
  /// messages are easier to count.
  usualMeasure() {
    const sizes = this.app.before.messages.bytes.filter((size) => size > 0);
    const isEqual = sizes.every((size) => size === sizes[0]) && this.app.before.network.equalBandwidth;
    return isEqual ? "messages" : this.app.before.network.equalBandwidth ? "bytes" : "seconds";
  }

  controls() {
    const { before } = this.app;
    const sets = [["worst", "most loaded set of every link"], ["sum", "all sets together"],
      ...before.sets.map((_, set) => [String(set), before.setName(set)])];
    const measures = [["messages", "messages"], ["bytes", "bytes"]];
    if (!before.network.equalBandwidth) measures.push(["seconds", "time at the link's bandwidth"]);
    return element("div", { class: "controls" },
      sets.length > 3 ? selector("Show", "choose-set", sets, this.selection, (value) => {
        this.selection = /^\d+$/.test(value) ? Number(value) : value;
        this.update();
      }) : null,
      selector("as", "choose-measure", measures, this.measure, (value) => { this.measure = value; this.update(); }));
  }

  sideColumn(side) {
    side.heading = element("h3");
    side.table = element("div", { class: "most-loaded" });
    const grid = element("div", { class: "panels" });
    this.layout.forEach((panel, number) => {
      const drawn = new HeatPanel(panel, side, this.zooms[number]);
      side.panels.push(drawn);
      this.listen(drawn, side, number);
      grid.append(drawn.node);
    });
    side.grid = grid;
    return element("section", { class: "side", "aria-label": `${side.role}: ${side.view.strategy}` }, side.heading, grid, side.table);
  }

  update() {
    for (const side of this.sides) Object.assign(side, side.view.loads(this.selection, this.measure));
    const total = Math.max(...this.sides.map((side) => side.most), 0) || 1;
    const marks = this.app.marks;
    for (const side of this.sides) {
      Object.assign(side, { total, marks, pinned: this.pinned, least: this.measure === "messages" ? 1 : 0 });
      side.route = this.message >= 0 && side.view.routes ? side.view.route(this.message) : [];
      const { source, destination } = side.view.messages;
      side.routeEnds = new Set(this.message < 0 ? []
        : [source[this.message], destination[this.message]].map((rank) => side.view.nodeOfRank[rank]));
      const mostLoaded = side.most > 0 ? `at most ${this.amount(side.most)} on a link` : "no link is used";
      replace(side.heading, element("span", { class: "role" }, side.role), ` ${side.view.strategy}: `, element("strong", {}, mostLoaded));
      replace(side.table, this.mostLoadedTable(side));
      side.panels.forEach((drawn) => this.describe(drawn, side));
    }
    replace(this.legend, this.legendContent(total));
    this.showDetail();
    this.resize();
    if (this.app.maps === this) this.app.drawSpace();
  }

  amount(value) {
    if (this.measure === "messages") return count(value, "message");
    return this.measure === "bytes" ? bytes(value) : seconds(value);
  }

  describe(drawn, side) {
    const ordered = drawn.ordered(), top = ordered.length ? side.value[ordered[0]] : 0;
    const used = `${digits(ordered.length)} of ${count(drawn.panel.cells.link.length, "link")} used`;
    const tool = (text, label, onclick) => element("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick }, text);
    const number = side.panels.indexOf(drawn);
    const zoom = (ratio) => () => { drawn.zoom.by(ratio); this.draw(); };
    replace(drawn.heading, element("span", { class: "panel-name" }, drawn.panel.title),
      element("span", { class: "panel-load" }, top > 0 ? `up to ${this.amount(top)}` : "unused"),
      element("span", { class: "tools" }, tool("+", "zoom in", zoom(2)), tool(MINUS, "zoom out", zoom(0.5)),
        this.layout.length > 1 ? tool(this.enlarged === number ? "\u2715" : "\u2922",
          this.enlarged === number ? "all panels" : "enlarge", () => this.enlarge(number)) : null));
    drawn.canvas.setAttribute("aria-label", `Links ${drawn.panel.title}, ${side.role}: ${used}, at most ${
      this.amount(top)}. Arrow keys walk through the links, the most loaded first; Enter keeps one.`);
    drawn.node.dataset.caption = drawn.panel.caption;
  }

  enlarge(number) {
    this.enlarged = this.enlarged === number ? -1 : number;
    this.update();
  }

  resize() {
    for (const side of this.sides) {
      const available = Math.max(side.grid.clientWidth || 300, 100);
      const most = Math.max(...this.layout.map((panel) => panel.cells.link.length));
      const shown = this.enlarged >= 0 ? 1 : this.layout.length;
      const least = most > 3000 ? 330 : 240;
      const columns = Math.max(1, Math.min(shown, 3, Math.floor(available / least)));
      side.grid.style.setProperty("--columns", columns);
      const width = available / columns - 12;
      const heights = side.panels.map((drawn) => drawn.wantedHeight(width));
      side.panels.forEach((drawn, number) => {
        const isShown = this.enlarged < 0 || this.enlarged === number;
        drawn.node.hidden = !isShown;
        if (!isShown) return;
        // Panels in a row have equal heights.
        const row = Math.floor(number / columns) * columns;
        drawn.resize(this.enlarged >= 0 ? Math.min(Math.max(heights[number] * 2, 420), 700)
          : Math.max(...heights.slice(row, row + columns)));
      });
    }
  }

  draw() { for (const side of this.sides) for (const drawn of side.panels) if (!drawn.node.hidden) drawn.draw(); }

  legendContent(total) {
    const what = this.measure === "messages" ? "messages on a link" : this.measure === "bytes" ? "bytes on a link"
      : "transfer time of a link's bytes at its bandwidth";
    const when = this.selection === "worst" ? "at once, in its most loaded set" : this.selection === "sum"
      ? "in an iteration, all sets together" : `in ${this.app.before.setName(this.selection)}`;
    const swatches = element("span", { class: "swatches" });
    const key = (color, text) => element("span", { class: "swatch" }, element("i", { style: { background: color } }), text);
    swatches.append(key("var(--unused)", "0"));
    if (this.measure === "messages" && total <= 12) {
      for (let step = 1; step <= total; ++step) swatches.append(key(rgb(loadColor(this.sides[0].share(step))), step));
    } else {
      swatches.append(element("span", { class: "ramp", style: { background: loadRamp() } }), element("span", {}, this.amount(total)));
    }
    const marks = this.app.marks.map(({ letter, text }) => element("span", { class: "mark-key" }, element("b", { class: "letter" }, letter), ` ${text}`));
    return [element("span", { class: "legend-title" }, `${what} ${when}`), swatches, marks];
  }

  // ---- the pointer

  listen(drawn, side, number) {
    const { canvas } = drawn;
    let drag = null;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointermove", (event) => {
      if (drag && drawn.zoom.scale > 1) {
        drawn.zoom.move((drag.x - event.clientX) / drawn.width, (drag.y - event.clientY) / drawn.height);
        drag.moved += Math.abs(drag.x - event.clientX) + Math.abs(drag.y - event.clientY);
        Object.assign(drag, { x: event.clientX, y: event.clientY });
        this.draw();
        return;
      }
      this.hover(drawn, side, drawn.find(...at(event)), event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: 0 }; });
    canvas.addEventListener("pointerup", (event) => {
      const moved = drag?.moved ?? 0;
      drag = null;
      if (moved > 4) return;
      const found = drawn.find(...at(event));
      if (found?.link !== undefined) this.pin(found.link);
    });
    canvas.addEventListener("pointerleave", () => { drag = null; this.hover(drawn, side, null); });
    canvas.addEventListener("dblclick", (event) => {
      const [x, y] = at(event);
      drawn.zoom.by(2, x / drawn.width, y / drawn.height);
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const [x, y] = at(event);
      drawn.zoom.by(event.deltaY < 0 ? 1.3 : 1 / 1.3, x / drawn.width, y / drawn.height);
      this.draw();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(drawn, side, event, number));
    canvas.addEventListener("blur", () => this.hover(drawn, side, null));
  }

  key(drawn, side, event, number) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const ordered = drawn.ordered();
      if (!ordered.length) return;
      const now = ordered.indexOf(drawn.hovered);
      const next = ordered[now < 0 ? 0 : (now + step + ordered.length) % ordered.length];
      const box = drawn.canvas.getBoundingClientRect(), cell = drawn.cell(drawn.panel.indexOf(next));
      this.hover(drawn, side, { link: next }, box.left + cell.x + cell.width, box.top + cell.y);
    } else if (event.key === "Enter" && drawn.hovered >= 0) this.pin(drawn.hovered);
    else if (event.key === "+" || event.key === "-") { drawn.zoom.by(event.key === "+" ? 2 : 0.5); this.draw(); }
    else if (event.key === "Escape") { this.pin(-1); this.hover(drawn, side, null); if (this.enlarged === number) this.enlarge(number); }
    else return;
    event.preventDefault();
  }

  hover(drawn, side, found, x = 0, y = 0) {
    const link = found?.link ?? -1;
    if (link !== drawn.hovered) {
      drawn.hovered = link;
      // The other side marks the same link, for comparison.
      for (const other of this.sides) for (const panel of other.panels) {
        if (panel.panel === drawn.panel && panel !== drawn) { panel.hovered = link; panel.draw(); }
      }
      drawn.draw();
    }
    if (!found) this.app.tip.hide();
    else if (link >= 0) this.app.tip.show(this.linkContent(side, link), x, y);
    else this.app.tip.show(nodeContent(side.view, found.node), x, y);
  }

  /// The name, the load and the first messages of a link.
  linkContent(side, link) {
    const { view } = side;
    const set = this.selection === "sum" ? null : this.selection === "worst" ? side.setOf[link] : this.selection;
    const head = [element("strong", {}, view.network.linkName(link)), element("br")];
    if (!(side.value[link] > 0)) return [head, `${side.role}: no message`];
    const load = set === null ? totalLoad(view, link) : view.loadOf(link, set);
    const numbers = view.messagesOn(link, set);
    const where = set === null ? "in all sets together" : `in ${view.setName(set)}`;
    return [head, `${side.role}: ${loadText(view, link, load)} ${where}`, messageLines(view, numbers)];
  }

  pin(link) {
    this.pinned = link === this.pinned ? -1 : link;
    this.message = -1;
    this.update();
  }

  highlight(message) {
    this.message = message === this.message ? -1 : message;
    this.update();
  }

  showDetail() {
    const link = this.pinned;
    this.detail.hidden = link < 0;
    if (link < 0) return;
    const close = element("button", { type: "button", class: "tool", "aria-label": "close", onclick: () => this.pin(-1) }, "\u2715");
    replace(this.detail, element("h3", {}, `Link ${this.app.before.network.linkName(link)}`, close),
      this.message >= 0 ? element("p", { class: "note" }, `The maps show the route of message ${this.app.before.messageText(this.message)}.`) : null,
      element("div", { class: "detail-sides" }, this.sides.map((side) => this.detailSide(side, link))));
  }

  detailSide(side, link) {
    const { view } = side, column = element("div", {}, element("h4", {}, `${side.role}: ${view.strategy}`));
    let isUsed = false, shown = 0;
    view.sets.forEach((_, set) => {
      const load = view.loadOf(link, set);
      if (!load.messages) return;
      isUsed = true;
      if (shown >= 12) return;
      shown += 1;
      column.append(element("p", {}, element("b", {}, view.setName(set)), `: ${loadText(view, link, load)}`),
        this.messageButtons(view, view.messagesOn(link, set)));
    });
    if (!isUsed) column.append(element("p", { class: "note" }, "unused"));
    return column;
  }

  messageButtons(view, numbers) {
    if (!numbers) return element("p", { class: "note" }, "The results omit routes because there are too many messages.");
    const buttons = numbers.slice(0, MOST_LISTED).map((message) => element("button", { type: "button", class: "message",
      "aria-pressed": String(message === this.message), title: "show its route", onclick: () => this.highlight(message) },
    `${view.messageText(message)} ${bytes(view.messages.bytes[message])}`));
    const more = numbers.length > MOST_LISTED ? element("span", { class: "note" }, ` and ${digits(numbers.length - MOST_LISTED)} more`) : null;
    return element("p", { class: "messages" }, buttons, more);
  }

  mostLoadedTable(side) {
    const { view, value } = side;
    const links = Array.from(value.keys()).filter((link) => value[link] > 0).sort((a, b) => value[b] - value[a] || a - b).slice(0, 8);
    if (!links.length) return null;
    const other = this.sides.find((entry) => entry !== side);
    return element("details", {}, element("summary", {}, `The ${links.length} most loaded links, ${side.role}`),
      element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, element("th", {}, "link"), element("th", { class: "number" }, side.role),
        other ? element("th", { class: "number" }, other.role) : null)),
      element("tbody", {}, links.map((link) => element("tr", {},
        element("td", {}, element("button", { type: "button", class: "as-link", onclick: () => this.pin(link) }, view.network.linkName(link))),
        element("td", { class: "number" }, this.amount(value[link])),
        other ? element("td", { class: "number" }, this.amount(other.value[link])) : null))))));
  }
}

function totalLoad(view, link) {
  return view.sets.reduce((sum, _, set) => {
    const load = view.loadOf(link, set);
    return { messages: sum.messages + load.messages, bytes: sum.bytes + load.bytes };
  }, { messages: 0, bytes: 0 });
}

function loadText(view, link, load) {
  return `${count(load.messages, "message")}, ${bytes(load.bytes)}, at least ${seconds(load.bytes / view.network.bandwidth[link])}`;
}

function messageLines(view, numbers) {
  if (!numbers) return element("p", { class: "note" }, "The results omit routes because there are too many messages.");
  const lines = numbers.slice(0, MOST_LISTED).map((message) =>
    element("li", {}, `rank ${view.messageText(message)}, ${bytes(view.messages.bytes[message])}`));
  return [element("ul", { class: numbers.length > 6 ? "two-columns" : null }, lines),
    numbers.length > MOST_LISTED ? element("p", { class: "note" }, `and ${digits(numbers.length - MOST_LISTED)} more`) : null];
}

function nodeContent(view, node) {
  const ranks = view.ranksOn(node), shown = ranks.slice(0, MOST_LISTED).map(digits).join(", ");
  const more = ranks.length > MOST_LISTED ? ` and ${digits(ranks.length - MOST_LISTED)} more` : "";
  return [element("strong", {}, view.network.nodeName(node)), element("br"),
    ranks.length ? `${ranks.length === 1 ? "rank" : "ranks"} ${shown}${more}` : "no rank"];
}
