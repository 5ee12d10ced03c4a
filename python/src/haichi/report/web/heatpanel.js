// One panel of a heat map on a canvas. It draws links and nodes, finds the item under the pointer, zooms and moves.

/// The zoom of a panel, which both sides share.
class Zoom {
  constructor() { Object.assign(this, { scale: 1, x: 0, y: 0 }); }

  /// Zooms around a point, given in fractions of the canvas.
  by(ratio, atX = 0.5, atY = 0.5) {
    const scale = Math.min(Math.max(this.scale * ratio, 1), 64);
    this.x += atX / this.scale - atX / scale;
    this.y += atY / this.scale - atY / scale;
    this.scale = scale;
    this.move(0, 0);
  }

  move(x, y) {
    const most = 1 - 1 / this.scale;
    this.x = Math.min(Math.max(this.x + x / this.scale, 0), most);
    this.y = Math.min(Math.max(this.y + y / this.scale, 0), most);
  }
}

class HeatPanel {
  /// `side` has the content: view, value, most, marks, route and pinned (see maps.js).
  constructor(panel, side, zoom) {
    Object.assign(this, { panel, side, zoom, hovered: -1 });
    this.canvas = element("canvas", { class: "panel", tabindex: "0", role: "application" });
    this.heading = element("h4");
    this.node = element("div", { class: "panel-box" }, this.heading, this.canvas);
  }

  /// The height at which a cell has at least about 4 x 4 pixels, if the window is large enough.
  wantedHeight(width) {
    const { panel } = this;
    const { left, top } = this.margins();
    if (panel.isotropic) return top + Math.min(Math.max(panel.height / panel.width * (width - left), 60), 560);
    const unit = (width - left) / panel.width;
    return top + Math.min(Math.max(panel.height * Math.min(Math.max(unit, 7), 26), 40), 430);
  }

  resize(height) {
    Object.assign(this, canvasContext(this.canvas, height), { height });
    this.draw();
  }

  /// The space for the names of rows and columns, in CSS pixels.
  margins() {
    const longest = this.panel.rows.reduce((most, { text }) => Math.max(most, text.length), 0);
    return { left: longest ? Math.min(8 + 5.6 * longest, 92) : 5, top: this.panel.columns.length ? 17 : 5 };
  }

  /// The scale and the offset from panel units to CSS pixels.
  transform() {
    const margin = 5, space = this.margins();
    let scaleX = (this.width - space.left - margin) / this.panel.width, scaleY = (this.height - space.top - margin) / this.panel.height;
    if (this.panel.isotropic) scaleX = scaleY = Math.min(scaleX, scaleY);
    const { scale, x, y } = this.zoom;
    return { scaleX: scaleX * scale, scaleY: scaleY * scale, left: (space.left - x * this.width) * scale,
      top: (space.top - y * this.height) * scale };
  }

  /// Draws as many names beside the rows and above the columns as fit.
  drawNames(context) {
    const { scaleX, scaleY, left, top } = this.transform(), space = this.margins(), { rows, columns } = this.panel;
    context.font = "10.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    if (rows.length) {
      context.fillStyle = themeColor("panel");
      context.fillRect(0, 0, space.left - 3, this.height);
      context.fillStyle = themeColor("soft");
      context.textAlign = "right";
      let free = -Infinity;
      for (const { at, text } of [...rows].sort((a, b) => a.at - b.at)) {
        const y = top + at * scaleY;
        if (y < Math.max(free, space.top - 2) || y > this.height - 3) continue;
        context.fillText(text, space.left - 6, y, space.left - 8);
        free = y + 12;
      }
    }
    if (columns.length) {
      context.fillStyle = themeColor("panel");
      context.fillRect(0, 0, this.width, space.top - 3);
      context.fillStyle = themeColor("soft");
      context.textAlign = "center";
      let free = -Infinity;
      for (const { at, text } of [...columns].sort((a, b) => a.at - b.at)) {
        const x = left + at * scaleX, wide = context.measureText(text).width;
        if (x - wide / 2 < Math.max(free, rows.length ? space.left - 4 : 0) || x + wide / 2 > this.width) continue;
        context.fillText(text, x, 8);
        free = x + wide / 2 + 6;
      }
    }
  }

  cell(i) {
    const { cells } = this.panel, { scaleX, scaleY, left, top } = this.transform();
    return { x: left + cells.x[i] * scaleX, y: top + cells.y[i] * scaleY, width: cells.width[i] * scaleX, height: cells.height[i] * scaleY };
  }

  draw() {
    if (!this.width) return;
    const { context } = this, { cells } = this.panel, { value, most } = this.side;
    const { scaleX, scaleY, left, top } = this.transform();
    context.clearRect(0, 0, this.width, this.height);
    // Cells thinner than a pixel would vanish, so they get the width of a pixel. Cells are drawn in ascending order of
    // load, so that the highest load stays visible.
    const thin = 1 / this.ratio;
    const fill = (i) => {
      const x = left + cells.x[i] * scaleX, y = top + cells.y[i] * scaleY;
      const width = Math.max(cells.width[i] * scaleX, thin), height = Math.max(cells.height[i] * scaleY - 0.4, thin);
      if (x < this.width && y < this.height && x + width > 0 && y + height > 0) context.fillRect(x, y, width, height);
    };
    const loaded = [];
    context.fillStyle = themeColor("unused");
    for (let i = 0; i < cells.link.length; ++i) if (value[cells.link[i]] > 0) loaded.push(i); else fill(i);
    loaded.sort((a, b) => value[cells.link[a]] - value[cells.link[b]]);
    let shade = -1;
    for (const i of loaded) {
      const next = Math.round(255 * this.side.share(value[cells.link[i]]));
      if (next !== shade) { shade = next; context.fillStyle = rgb(loadColor(shade / 255)); }
      fill(i);
    }
    this.drawDots(context);
    this.drawNames(context);
    this.drawRoute(context);
    for (const mark of this.side.marks) this.drawMark(context, mark);
    this.drawOutline(context, this.side.pinned, themeColor("ink"), 2);
    this.drawOutline(context, this.hovered, themeColor("ink"), 1);
    this.isDrawn = most >= 0;
  }

  drawDots(context) {
    const { dots } = this.panel, { scaleX, scaleY, left, top } = this.transform(), { view } = this.side;
    const wide = dots.size.length ? this.panel.dot : 0;
    if (Math.min(scaleX, scaleY) * wide < 2.2) return;
    const used = themeColor("node"), idle = themeColor("idle"), ends = this.side.routeEnds;
    const size = Math.min(scaleX, scaleY) * wide;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = 0; i < dots.vertex.length; ++i) {
      const x = left + dots.x[i] * scaleX + (wide * scaleX - size) / 2, y = top + dots.y[i] * scaleY + (wide * scaleY - size) / 2;
      if (x > this.width || y > this.height || x + size < 0 || y + size < 0) continue;
      const node = view.network.nodeOfVertex.get(dots.vertex[i]);
      const ranks = node === undefined ? [] : view.ranksOn(node);
      context.fillStyle = ends.has(node) ? themeColor("route") : ranks.length ? used : idle;
      context.fillRect(x, y, size, size);
      if (size >= 17 && ranks.length) {
        context.fillStyle = themeColor("on-node");
        context.font = `${Math.min(size * 0.55, 13)}px system-ui, sans-serif`;
        context.fillText(ranks.length > 1 ? `${ranks[0]}+` : ranks[0], x + size / 2, y + size / 2, size - 2);
      }
    }
  }

  drawRoute(context) {
    for (const link of this.side.route) this.drawOutline(context, link, themeColor("route"), 2.5);
  }

  drawOutline(context, link, color, thickness) {
    const i = link >= 0 ? this.panel.indexOf(link) : -1;
    if (i < 0) return;
    const { x, y, width, height } = this.cell(i);
    const wide = Math.max(width, 5), high = Math.max(height, 5);
    const left = x - (wide - width) / 2, top = y - (high - height) / 2;
    context.strokeStyle = themeColor("paper");
    context.lineWidth = thickness + 2;
    context.strokeRect(left, top, wide, high);
    context.strokeStyle = color;
    context.lineWidth = thickness;
    context.strokeRect(left, top, wide, high);
  }

  /// Draws a letter in a circle that points at a link.
  drawMark(context, { link, letter }) {
    const i = this.panel.indexOf(link);
    if (i < 0) return;
    const { x, y, width, height } = this.cell(i), atX = x + width / 2, atY = y + height / 2, radius = 9;
    this.drawOutline(context, link, themeColor("ink"), 1.5);
    const shiftX = atX < 40 ? 18 : -18, shiftY = atY < 30 ? 16 : -16;
    const x0 = Math.min(Math.max(atX + shiftX, radius + 1), this.width - radius - 1);
    const y0 = Math.min(Math.max(atY + shiftY, radius + 1), this.height - radius - 1);
    context.lineWidth = 1.5;
    context.strokeStyle = themeColor("ink");
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(atX, atY);
    context.stroke();
    context.beginPath();
    context.arc(x0, y0, radius, 0, 2 * Math.PI);
    context.fillStyle = themeColor("ink");
    context.fill();
    context.strokeStyle = themeColor("paper");
    context.stroke();
    context.fillStyle = themeColor("paper");
    context.font = "bold 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(letter, x0, y0 + 0.5);
  }

  /// The item near a point of the canvas, as {link} or {node}, or null.
  find(pointX, pointY) {
    const { cells, dots } = this.panel, { scaleX, scaleY, left, top } = this.transform();
    const x = (pointX - left) / scaleX, y = (pointY - top) / scaleY;
    const slackX = 2.5 / scaleX, slackY = 2.5 / scaleY;
    if (Math.min(scaleX, scaleY) * this.panel.dot >= 2.2) {
      for (let i = 0; i < dots.vertex.length; ++i) {
        if (x >= dots.x[i] && y >= dots.y[i] && x <= dots.x[i] + dots.size[i] && y <= dots.y[i] + dots.size[i]) {
          const node = this.side.view.network.nodeOfVertex.get(dots.vertex[i]);
          if (node !== undefined) return { node };
        }
      }
    }
    let best = null;
    for (let i = 0; i < cells.link.length; ++i) {
      const outX = Math.max(cells.x[i] - x, x - cells.x[i] - cells.width[i], 0) / slackX;
      const outY = Math.max(cells.y[i] - y, y - cells.y[i] - cells.height[i], 0) / slackY;
      if (outX > 1 || outY > 1) continue;
      const load = this.side.value[cells.link[i]], distance = outX + outY;
      // Among links that are too thin to hit, the one with the highest load is visible, so it is chosen.
      if (!best || distance < best.distance || (distance === best.distance && load > best.load)) {
        best = { link: cells.link[i], distance, load };
      }
    }
    return best && { link: best.link };
  }

  /// The links with load, in descending order of load. The arrow keys follow this order.
  ordered() {
    const { value } = this.side;
    return this.panel.cells.link.filter((link) => value[link] > 0).sort((a, b) => value[b] - value[a] || a - b);
  }
}
