// Positions of links and nodes in the panels of a heat map. A network with coordinates has one panel per axis, so a
// six-dimensional region has six. For other networks, the topology defines the panels and their forms.

/// The rectangles of a panel, in units of the panel. `cells` are links and `dots` are nodes.
class Panel {
  constructor(title, caption, { isotropic = false, dot = 0.45 } = {}) {
    Object.assign(this, { title, caption, isotropic, dot, width: 0, height: 0 });
    this.cells = { x: [], y: [], width: [], height: [], link: [] };
    this.dots = { x: [], y: [], size: [], vertex: [] };
    // The names of rows and columns as {at, text}, where `at` is the middle of the row or column.
    this.rows = [];
    this.columns = [];
  }

  nameRow(at, text) { if (!this.rows.some((row) => row.at === at)) this.rows.push({ at, text }); }

  nameColumn(at, text) { if (!this.columns.some((column) => column.at === at)) this.columns.push({ at, text }); }

  addLink(link, x, y, width, height) {
    const { cells } = this;
    cells.x.push(x); cells.y.push(y); cells.width.push(width); cells.height.push(height); cells.link.push(link);
    this.grow(x + width, y + height);
  }

  addDot(vertex, x, y, size) {
    const { dots } = this;
    dots.x.push(x); dots.y.push(y); dots.size.push(size); dots.vertex.push(vertex);
    this.grow(x + size, y + size);
  }

  grow(x, y) {
    this.width = Math.max(this.width, x);
    this.height = Math.max(this.height, y);
  }

  indexOf(link) {
    if (!this.places) this.places = new Map(this.cells.link.map((number, i) => [number, i]));
    return this.places.get(link) ?? -1;
  }
}

const LANE = 0.5;  // the width of one direction of a link, whose length is 1

/// The sizes of nodes and of the gaps between lines. With thousands of links, the links themselves need the space.
function spacing(links) { return links > 3000 ? { dot: 0.2, gap: 0.2 } : { dot: 0.45, gap: 0.45 }; }

/// The panels of a network. `used` has the links with load in any of the drawn placements.
function panelsOf(network, used) {
  const panels = network.hasAxes ? gridPanels(network, used) : drawnPanels(network);
  const channels = channelPanel(network);
  return (channels ? [...panels, channels] : panels).filter((panel) => panel.cells.link.length);
}

// ---- networks with coordinates

function gridPanels(network, used) {
  const wide = network.axes.map((axis, k) => k).filter((k) => network.axes[k].size > 1);
  const vertices = network.axes.reduce((product, axis) => product * axis.size, 1);
  const isSparse = network.vertex_of_node.length < 0.6 * vertices;
  if (wide.length === 2 && !isSparse && isSquarish(network.axes[wide[0]].size, network.axes[wide[1]].size)) {
    return [planePanel(network, wide)];
  }
  return wide.map((k) => (isSparse ? sparseAxisPanel(network, k, used) : axisPanel(network, k, wide)));
}

function isSquarish(a, b) { return a < 12 * b && b < 12 * a; }

function linksByAxis(network, axis) {
  const found = [];
  for (let link = 0; link < network.fabricLinks; ++link) if (network.link_axis[link] === axis) found.push(link);
  return found;
}

function ringText(axis) { return axis.ring ? `a ring of ${axis.size}` : `a line of ${axis.size}`; }

/// The slot of a link. The link between positions p and p + 1 has slot p in both directions. The link that closes a
/// ring has the last slot.
function slotOf(network, link, position, axis) {
  return network.link_sign[link] > 0 ? position[axis] : (position[axis] + network.axes[axis].size - 1) % network.axes[axis].size;
}

/// A panel that draws two axes directly. Nodes are in rows and columns, with the links between them.
function planePanel(network, [first, second]) {
  const [across, down] = network.axes[first].size >= network.axes[second].size ? [first, second] : [second, first];
  const names = [across, down].map((k) => network.axes[k]);
  const panel = new Panel(`${names[0].name} and ${names[1].name}`,
    `${names[0].name} (across) is ${ringText(names[0])}, ${names[1].name} (down) ${ringText(names[1])} nodes`,
    { isotropic: true, ...spacing(network.fabricLinks) });
  const { dot } = panel, pitch = 1 + dot;
  for (let link = 0; link < network.fabricLinks; ++link) {
    const position = network.coordinates(network.link_source[link]), axis = network.link_axis[link];
    const slot = slotOf(network, link, position, axis), lane = network.link_sign[link] > 0 ? 0 : dot / 2;
    if (axis === across) panel.addLink(link, slot * pitch + dot, position[down] * pitch + lane, 1, dot / 2);
    else panel.addLink(link, position[across] * pitch + lane, slot * pitch + dot, dot / 2, 1);
  }
  addDots(panel, network, (position) => [position[across] * pitch, position[down] * pitch]);
  for (let at = 0; at < names[0].size; ++at) panel.nameColumn(at * pitch + dot / 2, `${names[0].name}${at}`);
  for (let at = 0; at < names[1].size; ++at) panel.nameRow(at * pitch + dot / 2, `${names[1].name}${at}`);
  return panel;
}

function addDots(panel, network, place) {
  const vertices = network.axes.reduce((product, axis) => product * axis.size, 1);
  for (let vertex = 0; vertex < vertices; ++vertex) {
    const [x, y] = place(network.coordinates(vertex));
    panel.addDot(vertex, x, y, panel.dot);
  }
}

/// A panel that draws one axis. Every line of nodes along the axis is a row of links. The other axes arrange the lines.
function axisPanel(network, axis, wide) {
  const others = wide.filter((k) => k !== axis), length = network.axes[axis], links = linksByAxis(network, axis);
  const { dot, gap } = spacing(links.length);
  const lineWidth = length.ring ? length.size * (1 + dot) : (length.size - 1) * (1 + dot) + dot;
  const split = bestSplit(network, others, lineWidth, gap);
  const down = offsets(network, split.down, 2 * LANE, gap), across = offsets(network, split.across, lineWidth, 2 * gap);
  const say = (axes) => axes.map((k) => network.axes[k].name).join(", ");
  const arranged = [split.across.length ? `${say(split.across)} across` : "", split.down.length ? `${say(split.down)} down` : ""];
  const panel = new Panel(`${length.name}`, `along ${length.name}: ${ringText(length)} nodes${
    others.length ? `; lines by ${arranged.filter(Boolean).join(", ")}` : ""}`, { dot });
  const place = (position) => [split.across.reduce((x, k, i) => x + across.strides[i] * position[k], 0),
    split.down.reduce((y, k, i) => y + down.strides[i] * position[k], 0)];
  for (const link of links) {
    const position = network.coordinates(network.link_source[link]), [x, y] = place(position);
    panel.addLink(link, x + slotOf(network, link, position, axis) * (1 + dot) + dot,
      y + (network.link_sign[link] > 0 ? 0 : LANE), 1, LANE);
  }
  const named = (axes, position) => axes.map((k) => `${network.axes[k].name}${position[k]}`).join(" ");
  addDots(panel, network, (position) => {
    const [x, y] = place(position);
    if (position[axis] === 0 && split.down.length) panel.nameRow(y + LANE, named(split.down, position));
    if (position[axis] === 0 && split.across.length) panel.nameColumn(x + lineWidth / 2, named(split.across, position));
    return [x + position[axis] * (1 + dot), y + (2 * LANE - dot) / 2];
  });
  return panel;
}

/// The strides of nested axes, with the outermost axis first. Groups of outer axes are separated by wider gaps.
function offsets(network, axes, size, gap) {
  const strides = new Array(axes.length);
  let extent = size, level = 1;
  for (let i = axes.length - 1; i >= 0; --i) {
    strides[i] = extent + gap * level;
    extent += (network.axes[axes[i]].size - 1) * strides[i];
    level += 1;
  }
  return { strides, extent };
}

/// Distributes the other axes over rows and columns so that the panel is slightly wider than high.
function bestSplit(network, others, lineWidth, gap) {
  let best = null;
  for (let mask = 0; mask < 1 << others.length; ++mask) {
    const across = others.filter((_, i) => mask & (1 << i)), down = others.filter((_, i) => !(mask & (1 << i)));
    const width = offsets(network, across, lineWidth, 2 * gap).extent, height = offsets(network, down, 1, gap).extent;
    const misfit = Math.abs(Math.log(width / height / 1.5));
    if (!best || misfit < best.misfit - 1e-9) best = { across, down, misfit };
  }
  return best;
}

/// A panel for a job that is scattered over a machine. It draws only the lines with load.
function sparseAxisPanel(network, axis, used) {
  const length = network.axes[axis], lines = new Map(), links = linksByAxis(network, axis);
  const stride = network.axes.slice(axis + 1).reduce((product, entry) => product * entry.size, 1);
  const positionOf = (vertex) => Math.floor(vertex / stride) % length.size, lineOf = (vertex) => vertex - positionOf(vertex) * stride;
  for (const link of links) {
    const line = lineOf(network.link_source[link]);
    if (used.has(link) && !lines.has(line)) lines.set(line, lines.size);
  }
  const { dot, gap } = spacing(lines.size * length.size);
  const lineWidth = length.size * (1 + dot);
  const columns = Math.max(1, Math.round(Math.sqrt((1.5 * lines.size * (1 + gap)) / (lineWidth + 2 * gap))));
  const place = (number) => [(number % columns) * (lineWidth + 2 * gap), Math.floor(number / columns) * (1 + gap)];
  const panel = new Panel(length.name, `along ${length.name}: the ${count(lines.size, "line")} of ${length.size} nodes with load`, { dot });
  for (const link of links) {
    const line = lines.get(lineOf(network.link_source[link]));
    if (line === undefined) continue;
    const [x, y] = place(line), position = positionOf(network.link_source[link]);
    const slot = network.link_sign[link] > 0 ? position : (position + length.size - 1) % length.size;
    panel.addLink(link, x + slot * (1 + dot) + dot, y + (network.link_sign[link] > 0 ? 0 : LANE), 1, LANE);
  }
  for (const [line, number] of lines) {
    const [x, y] = place(number);
    for (let at = 0; at < length.size; ++at) panel.addDot(line + at * stride, x + at * (1 + dot), y + (2 * LANE - dot) / 2, dot);
  }
  return panel;
}

// ---- networks without coordinates

const PAIR_GAP = 0.45;

/// A panel with rows of vertex pairs and the links between the vertices. The upper lane leads to the higher level, or
/// to the higher number.
function pairPanel(network, { title, caption }, links) {
  const panel = new Panel(title, caption), pairs = new Map();
  const level = (vertex) => network.vertex_level[vertex] ?? 0;
  for (const link of links) {
    const from = network.link_source[link], to = network.link_destination[link];
    const isUp = level(from) < level(to) || (level(from) === level(to) && from < to);
    const [low, high] = isUp ? [from, to] : [to, from], key = low * (network.vertex_level.length + 1) + high;
    if (!pairs.has(key)) pairs.set(key, { low, high, up: [], down: [] });
    pairs.get(key)[isUp ? "up" : "down"].push(link);
  }
  const ordered = [...pairs.values()].sort((a, b) => a.low - b.low || a.high - b.high);
  const total = ordered.reduce((sum, pair) => sum + Math.max(pair.up.length, pair.down.length), 0);
  const columns = Math.max(1, Math.ceil(Math.sqrt(2.2 * total)));
  let at = 0;
  for (const pair of ordered) {
    for (let i = 0; i < Math.max(pair.up.length, pair.down.length); ++i, ++at) {
      const x = (at % columns) * 1.25, y = Math.floor(at / columns) * (1 + PAIR_GAP);
      if (at % columns === 0) panel.nameRow(y + LANE, network.vertexName(pair.low));
      if (i < pair.up.length) panel.addLink(pair.up[i], x, y, 1, LANE);
      if (i < pair.down.length) panel.addLink(pair.down[i], x, y + LANE, 1, LANE);
    }
  }
  return panel;
}

const FORMS = { pairs: pairPanel, matrix: matrixPanel, squares: squaresPanel };

function drawnPanels(network) {
  const links = network.panels.map(() => []);
  for (let link = 0; link < network.fabricLinks; ++link) links[network.link_panel[link]]?.push(link);
  return network.panels.map((panel, number) => FORMS[panel.form](network, panel, links[number]));
}

/// A panel in which a cell is a link from the group of the row to the group of the column. Parallel links are drawn
/// side by side.
function matrixPanel(network, { title, caption, group }, links) {
  const panel = new Panel(title, caption, { isotropic: true }), parallel = new Map();
  let groups = 0;
  for (const number of group) groups = Math.max(groups, number + 1);
  for (const link of links) {
    const key = group[network.link_source[link]] * groups + group[network.link_destination[link]];
    if (!parallel.has(key)) parallel.set(key, []);
    parallel.get(key).push(link);
  }
  for (const [key, same] of parallel) {
    const from = Math.floor(key / groups), to = key % groups;
    same.forEach((link, i) => panel.addLink(link, to * 1.12 + i / same.length, from * 1.12, 1 / same.length, 1));
  }
  panel.grow(groups * 1.12, groups * 1.12);
  for (let number = 0; number < groups; ++number) {
    panel.nameRow(number * 1.12 + 0.5, `group ${number}`);
    panel.nameColumn(number * 1.12 + 0.5, String(number));
  }
  return panel;
}

/// A panel with a square per group. A cell is a link from the vertex of the row to the vertex of the column, in the
/// order of vertex numbers.
function squaresPanel(network, { title, caption, group }, links) {
  const panel = new Panel(title, caption, { isotropic: true }), sizes = [], place = new Map();
  group.forEach((number, vertex) => {
    if (number < 0) return;
    place.set(vertex, sizes[number] ?? 0);
    sizes[number] = (sizes[number] ?? 0) + 1;
  });
  const size = sizes.reduce((most, members) => Math.max(most, members), 1) * 1.12 + 0.8;
  const columns = Math.max(1, Math.ceil(Math.sqrt(sizes.length * 1.5)));
  for (const link of links) {
    const from = network.link_source[link], square = group[from];
    panel.addLink(link, (square % columns) * size + place.get(network.link_destination[link]) * 1.12,
      Math.floor(square / columns) * size + place.get(from) * 1.12, 1, 1);
  }
  // The squares of a row belong to consecutive groups.
  for (let first = 0; first < sizes.length; first += columns) {
    const last = Math.min(first + columns, sizes.length) - 1;
    panel.nameRow(Math.floor(first / columns) * size + (size - 0.8) / 2, last > first ? `groups ${first}\u2013${last}` : `group ${first}`);
  }
  return panel;
}

// ---- NICs

function channelPanel(network) {
  if (network.fabricLinks === network.links) return null;
  const panel = new Panel("NICs", "one cell per node; upper half: injection, lower half: ejection");
  const rowOf = new Map([...network.vertex_of_node].map((vertex, node) => [vertex, node]));
  const columns = Math.max(1, Math.ceil(Math.sqrt(2.2 * rowOf.size)));
  for (let link = network.fabricLinks; link < network.links; ++link) {
    const node = rowOf.get(network.link_source[link]) ?? 0, lane = network.isInjection(link) ? 0 : LANE;
    panel.addLink(link, (node % columns) * 1.25, Math.floor(node / columns) * (1 + PAIR_GAP) + lane, 1, LANE);
  }
  return panel;
}
