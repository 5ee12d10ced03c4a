// Axes and bars.

/// Round numbers between a minimum and a maximum, for the ticks of an axis.
function niceTicks(least, most, wanted) {
  const rough = (most - least) / Math.max(wanted - 1, 1), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999);
  const ticks = [];
  for (let value = Math.ceil(least / step - 1e-9) * step; value <= most + step * 1e-9; value += step) ticks.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  return ticks;
}

/// The path of a step line through the points [x, y]. Each y holds until the next point.
function stepPath(points) { return points.map(([x, y], i) => (i ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)},${y.toFixed(1)}`)).join(""); }

/// A chart with texts on its y axis. `text(fraction)` returns the text for a fraction of the maximum. `below` is the
/// node of the x axis.
function withValues(chart, text, below) {
  return element("div", { class: "framed" }, element("div", { class: "y-values", "aria-hidden": "true" }, [1, 0.5, 0].map((fraction) => element("span", {}, text(fraction)))),
    chart, below);
}

/// A horizontal bar. `role` is "before" or "after", and `share` is the length of the bar as a fraction.
function barRow(role, share, text) {
  return element("div", { class: "bar-row" }, element("span", { class: "bar-role" }, role),
    element("span", { class: "bar-track" }, element("i", { class: `bar bar-${role}`, style: { width: `${100 * share}%` } })), element("span", { class: "bar-value" }, text));
}

/// A chart of stacked bars {parts: [[value, colour]], label, hint}. `text` formats a value of the y axis. `y` and `x`
/// are the names of the axes.
function barChart({ width, height, x, y, text, isWhole, tip }, bars) {
  const left = 76, top = 8, ground = height - 38, sum = (bar) => bar.parts.reduce((all, [value]) => all + value, 0);
  const most = Math.max(...bars.map(sum), 1e-12), scale = (ground - top) / most, each = (width - left) / bars.length;
  const ticks = niceTicks(0, most, 5).filter((value) => !isWhole || Number.isInteger(value));
  const label = (attributes, content) => svgElement("text", { "text-anchor": "middle", class: "tick", ...attributes }, content);
  return svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${y} by ${x}` },
    ticks.map((value) => [svgElement("line", { x1: left, x2: width, y1: ground - value * scale, y2: ground - value * scale, class: "axis" }),
      label({ x: left - 6, y: ground - value * scale + 4, "text-anchor": "end" }, text(value))]),
    label({ x: 12, y: ground / 2, transform: `rotate(-90 12 ${ground / 2})` }, y), label({ x: (left + width) / 2, y: height - 3 }, x),
    bars.map((bar, i) => {
      const from = left + i * each, wide = Math.max(each - (each > 4 ? 1 : 0), 0.5);
      let low = ground;
      return svgElement("g", tip.attributes(bar.hint), svgElement("rect", { x: from, y: 0, width: each, height: ground, fill: "transparent" }),
        bar.parts.map(([value, color]) => {
          const high = value > 0 ? Math.max(value * scale, 1) : 0;
          low -= high;
          return svgElement("rect", { x: from, y: low, width: wide, height: high, fill: `var(--${color})` });
        }), bar.label === null ? null : label({ x: from + each / 2, y: height - 20 }, bar.label));
    }));
}
