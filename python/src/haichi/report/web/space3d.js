// The three outer axes of the machine in 3D. Each unit (12 nodes on Tofu) is a dot, and the links between two units are
// drawn as one.

class Space {
  constructor(app) {
    this.app = app;
    Object.assign(this, { yaw: -0.6, pitch: 0.42, sides: [] });
  }

  static suits(network) { return network.hasAxes && network.axes.length >= 3 && network.axes.slice(0, 3).every((axis) => axis.size > 1); }

  /// `maps` provides the loads.
  build(maps) {
    this.maps = maps;
    this.canvases = maps.sides.map((side) => {
      const canvas = element("canvas", { class: "space", tabindex: "0", role: "img", "aria-label": `Link loads between units in 3D, ${side.role}. Use the arrow keys to rotate.` });
      let drag = null;
      canvas.addEventListener("pointerdown", (event) => { drag = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
      canvas.addEventListener("pointermove", (event) => {
        if (!drag) return;
        this.turn((event.clientX - drag[0]) / 150, (event.clientY - drag[1]) / 150);
        drag = [event.clientX, event.clientY];
      });
      canvas.addEventListener("pointerup", () => { drag = null; });
      canvas.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[event.key];
        if (step) { this.turn(...step); event.preventDefault(); }
      });
      return canvas;
    });
    return element("div", { class: `sides sides-${this.canvases.length}` }, this.canvases.map((canvas, i) =>
      element("figure", { class: "side" }, element("figcaption", {}, element("span", { class: "role" }, maps.sides[i].role), ` ${maps.sides[i].view.strategy}`), canvas)));
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -1.5), 1.5);
    this.draw();
  }

  /// The largest load of all links between two neighbouring units, and of all links inside a unit.
  joined(side) {
    const { network } = side.view, inner = network.axes.slice(3).reduce((product, axis) => product * axis.size, 1);
    const between = new Map(), within = new Map();
    for (let link = 0; link < network.fabricLinks; ++link) {
      const load = side.value[link], from = Math.floor(network.link_source[link] / inner), to = Math.floor(network.link_destination[link] / inner);
      if (from === to) { within.set(from, Math.max(within.get(from) ?? 0, load)); continue; }
      const key = from < to ? `${from} ${to}` : `${to} ${from}`;
      const known = between.get(key);
      if (!known || load > known.load) between.set(key, { from: Math.min(from, to), to: Math.max(from, to), load });
    }
    return { between: [...between.values()], within };
  }

  draw() {
    this.canvases.forEach((canvas, i) => this.drawSide(canvas, this.maps.sides[i]));
  }

  drawSide(canvas, side) {
    const height = Math.min(Math.max(canvas.clientWidth * 0.7, 220), 460), { context, width } = canvasContext(canvas, height), axes = side.view.network.axes.slice(0, 3);
    const [sinYaw, cosYaw, sinPitch, cosPitch] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const turn = (x, y, z) => {
      const [a, b, c] = [x - (axes[0].size - 1) / 2, z - (axes[2].size - 1) / 2, y - (axes[1].size - 1) / 2];
      const turned = a * cosYaw + c * sinYaw, depth = -a * sinYaw + c * cosYaw;
      return [turned, depth * sinPitch - b * cosPitch];
    };
    // The scale is as large as possible, with space for the names of the axes and the stubs of rings.
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => turn(...axes.map((axis, k) => (corner >> k & 1 ? axis.size - 0.3 : -0.7))));
    const reach = [0, 1].map((k) => Math.max(...corners.map((point) => Math.abs(point[k]))));
    const scale = Math.min((width / 2 - 14) / reach[0], (height / 2 - 14) / reach[1]);
    const project = (x, y, z) => {
      const [across, down] = turn(x, y, z);
      return [width / 2 + across * scale, height / 2 + down * scale];
    };
    const place = (unit) => [Math.floor(unit / (axes[1].size * axes[2].size)), Math.floor(unit / axes[2].size) % axes[1].size, unit % axes[2].size];
    const { between, within } = this.joined(side);
    const line = (from, to) => { context.beginPath(); context.moveTo(...from); context.lineTo(...to); context.stroke(); };
    const radius = Math.min(Math.max(scale * 0.13, 1.2), 5);
    const loaded = between.map(({ load }) => load).filter((load) => load > 0), most = Math.max(...loaded, 0);
    const faintest = loaded.every((load) => load === most) ? 0.8 : between.length > 300 ? (isDark() ? 0.35 : 0.2) : 0.5;
    const units = Array.from(within, ([unit, load]) => ({ unit, load }));
    // Loaded links are drawn on top. Other links are translucent, so that the inside stays visible.
    for (const { from, to, unit, load } of [...between, ...units].sort((a, b) => a.load - b.load)) {
      const share = load > 0 ? side.share(load) : 0;
      context.strokeStyle = context.fillStyle = load > 0 ? rgb(loadColor(share)) : themeColor("unused");
      context.globalAlpha = load > 0 ? faintest + (1 - faintest) * share ** 1.5 : 0.3;
      context.lineWidth = 0.8 + 3.2 * share;
      if (unit !== undefined) {
        const [x, y] = project(...place(unit));
        context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
        continue;
      }
      const [a, b] = [place(from), place(to)], wraps = a.some((value, k) => Math.abs(value - b[k]) > 1);
      if (!wraps) { line(project(...a), project(...b)); continue; }
      // The link that closes a ring is drawn as a stub at the first and at the last unit.
      const outward = a.map((value, k) => Math.sign(value - b[k]) * 0.45);
      line(project(...a), project(...a.map((value, k) => value + outward[k])));
      line(project(...b), project(...b.map((value, k) => value - outward[k])));
    }
    context.globalAlpha = 1;
    context.fillStyle = themeColor("soft");
    context.font = "12px system-ui, sans-serif";
    axes.forEach((axis, k) => {
      const corner = [0, 1, 2].map((other) => (other === k ? axis.size - 0.3 : -0.6));
      context.fillText(axis.name, ...project(...corner));
    });
  }
}
