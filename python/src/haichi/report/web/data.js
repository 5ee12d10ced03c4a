// The views of a comparison: packed arrays, networks, link loads and routes.

const ARRAY_TYPES = { int8: Int8Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array,
  float32: Float32Array, float64: Float64Array };

/// Unpacks an array of numbers. Packed bytes are sorted by significance: the lowest bytes of all values come first.
async function unpack(packed) {
  if (Array.isArray(packed)) return packed;
  const Type = ARRAY_TYPES[packed.dtype];
  const text = atob(packed.zlib);
  const compressed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) compressed[i] = text.charCodeAt(i);
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const width = Type.BYTES_PER_ELEMENT, size = planes.length / width;
  const joined = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; ++plane) {
    for (let i = 0, from = plane * size; i < size; ++i) joined[i * width + plane] = planes[from + i];
  }
  const values = new Type(joined.buffer);
  return Type === BigInt64Array ? Float64Array.from(values, Number) : values;
}

async function unpackAll(object, keys) {
  const arrays = await Promise.all(keys.map((key) => unpack(object[key] ?? [])));
  return Object.fromEntries(keys.map((key, i) => [key, arrays[i]]));
}

class Network {
  static async load(raw) {
    const network = new Network();
    Object.assign(network, await unpackAll(raw, ["vertex_level", "vertex_of_node", "link_source", "link_destination",
      "link_axis", "link_sign", "link_panel", "link_bandwidth_bytes_per_s"]));
    network.panels = await Promise.all((raw.panels ?? []).map(async (panel) => ({ ...panel, group: await unpack(panel.group) })));
    network.axes = raw.axes.map(([name, size, ring]) => ({ name, size, ring }));
    network.names = raw.link_names ?? [];
    network.links = network.link_source.length;
    network.bandwidth = network.link_bandwidth_bytes_per_s;
    network.nodeOfVertex = new Map();
    network.vertex_of_node.forEach((vertex, node) => network.nodeOfVertex.set(vertex, node));
    network.equalBandwidth = network.bandwidth.every((value) => value === network.bandwidth[0]);
    // NIC channels begin and end at the vertex of their node. They follow all other links: first all injections, then
    // all ejections.
    network.fabricLinks = 0;
    while (network.fabricLinks < network.links && !network.isChannel(network.fabricLinks)) network.fabricLinks += 1;
    return network;
  }

  /// True if nodes have coordinates. Otherwise the topology defines the panels.
  get hasAxes() { return this.axes.length > 0; }

  isChannel(link) { return this.link_source[link] === this.link_destination[link]; }

  isInjection(link) { return this.isChannel(link) && link < (this.fabricLinks + this.links) / 2; }

  coordinates(vertex) {
    const position = new Array(this.axes.length);
    for (let k = this.axes.length - 1; k >= 0; --k) {
      position[k] = vertex % this.axes[k].size;
      vertex = Math.floor(vertex / this.axes[k].size);
    }
    return position;
  }

  vertexName(vertex) {
    if (this.hasAxes) return `(${this.coordinates(vertex).join(",")})`;
    const node = this.nodeOfVertex.get(vertex);
    return this.namesOfVertices().get(vertex) ?? (node === undefined ? `switch ${vertex}` : `node ${node}`);
  }

  /// The names of vertices, taken from link names such as "up (terminal 0)->(switch 1.0)" or "leaf1->spine1".
  namesOfVertices() {
    if (this.vertexNames) return this.vertexNames;
    this.vertexNames = new Map();
    this.names.forEach((name, link) => {
      const ends = name.match(/^(?:\S+ )?\((.*)\)->\((.*)\)$/) ?? name.match(/^(.*?)->(.*)$/);
      if (!ends || this.isChannel(link)) return;
      this.vertexNames.set(this.link_source[link], ends[1].trim());
      this.vertexNames.set(this.link_destination[link], ends[2].trim());
    });
    return this.vertexNames;
  }

  linkName(link) {
    if (this.names.length) return this.names[link].replace("->", ARROW);
    const from = this.vertexName(this.link_source[link]);
    if (this.isChannel(link)) return `${this.isInjection(link) ? "injection" : "ejection"} ${from}`;
    const axis = this.axes[this.link_axis[link]];
    return `${axis.name}${this.link_sign[link] > 0 ? "+" : MINUS} ${from}${ARROW}${this.vertexName(this.link_destination[link])}`;
  }

  nodeName(node) {
    const vertex = this.vertex_of_node[node];
    return this.hasAxes ? `node ${digits(node)} ${this.vertexName(vertex)}` : `node ${digits(node)}`;
  }
}

/// A placement: the node of each rank, the traffic of every link in every set, and the route of every message.
class View {
  static async load(raw, network, messages, workload) {
    const view = new View();
    view.raw = raw;
    view.network = network;
    view.messages = messages;
    view.labels = (workload?.sets ?? []).map((set) => String(set.label ?? ""));
    view.strategy = String(raw.strategy);
    view.nodeOfRank = await unpack(raw.node_of_rank);
    view.sets = await Promise.all(raw.set_links.map((set) => unpackAll(set, ["link", "messages", "bytes"])));
    view.leftOut = raw.set_links.reduce((sum, set) => sum + (set.left_out ?? 0), 0);
    view.routes = raw.routes ? await unpackAll(raw.routes, ["first", "link"]) : null;
    view.worst = view.findWorst();
    return view;
  }

  setName(set) {
    const label = this.labels[set];
    if (this.sets.length === 1 && !label) return "the only set";
    return `set ${set + 1}${label && label !== `set ${set + 1}` ? ` \u201c${label}\u201d` : ""}`;
  }

  ranksOn(node) {
    if (!this.ranksOfNode) {
      this.ranksOfNode = new Map();
      this.nodeOfRank.forEach((host, rank) => {
        if (!this.ranksOfNode.has(host)) this.ranksOfNode.set(host, []);
        this.ranksOfNode.get(host).push(rank);
      });
    }
    return this.ranksOfNode.get(node) ?? [];
  }

  /// The link and the set with the longest time at the link's bandwidth, as {link, set, messages, bytes, seconds,
  /// ties}.
  findWorst() {
    let worst = null;
    this.sets.forEach((set, number) => {
      for (let i = 0; i < set.link.length; ++i) {
        const link = set.link[i], time = set.bytes[i] / this.network.bandwidth[link];
        if (worst && (time < worst.seconds || (time === worst.seconds && set.messages[i] <= worst.messages))) {
          if (time === worst.seconds && set.messages[i] === worst.messages) worst.ties += 1;
          continue;
        }
        worst = { link, set: number, messages: set.messages[i], bytes: set.bytes[i], seconds: time, ties: 0 };
      }
    });
    return worst;
  }

  /// The traffic of a link in a set.
  loadOf(link, set) {
    const links = this.sets[set]?.link ?? [];
    let low = 0, high = links.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (links[middle] < link) low = middle + 1; else high = middle;
    }
    const found = low < links.length && links[low] === link;
    return found ? { messages: this.sets[set].messages[low], bytes: this.sets[set].bytes[low] } : { messages: 0, bytes: 0 };
  }

  /// The traffic of each link in messages, bytes or seconds. `selection` is the number of a set, "worst" (the most
  /// loaded set of each link), or "sum" (all sets together). Returns `value`, and for "worst" also `setOf`.
  loads(selection, measure) {
    const value = new Float64Array(this.network.links), setOf = new Int32Array(this.network.links).fill(-1);
    this.sets.forEach((set, number) => {
      if (typeof selection === "number" && number !== selection) return;
      for (let i = 0; i < set.link.length; ++i) {
        const link = set.link[i];
        const load = measure === "messages" ? set.messages[i]
          : measure === "bytes" ? set.bytes[i] : set.bytes[i] / this.network.bandwidth[link];
        if (selection === "sum") value[link] += load;
        else if (load > value[link]) { value[link] = load; setOf[link] = number; }
      }
    });
    return { value, setOf, most: value.reduce((most, load) => Math.max(most, load), 0) };
  }

  route(message) { return Array.from(this.routes.link.slice(this.routes.first[message], this.routes.first[message + 1])); }

  hops(message) { return this.routes.first[message + 1] - this.routes.first[message]; }

  /// The indices of the messages that cross a link in one set, or in all sets if `set` is null. Returns null if routes
  /// are not stored.
  messagesOn(link, set = null) {
    if (!this.routes) return null;
    if (!this.crossing) this.crossing = this.invertRoutes();
    const found = Array.from(this.crossing.message.slice(this.crossing.first[link], this.crossing.first[link + 1]));
    return set === null ? found : found.filter((message) => this.messages.set[message] === set);
  }

  invertRoutes() {
    const { first, link } = this.routes;
    const begin = new Int32Array(this.network.links + 1), message = new Int32Array(link.length);
    for (const used of link) begin[used + 1] += 1;
    for (let l = 0; l < this.network.links; ++l) begin[l + 1] += begin[l];
    const next = begin.slice();
    for (let m = 0; m + 1 < first.length; ++m) {
      for (let i = first[m]; i < first[m + 1]; ++i) message[next[link[i]]++] = m;
    }
    return { first: begin, message };
  }

  /// The most loaded link on a message's route, in the message's set, as {link, messages, bytes, seconds}. Returns null
  /// within a node.
  worstOnRoute(message) {
    const set = this.messages.set[message];
    let worst = null;
    for (const link of this.route(message)) {
      const load = this.loadOf(link, set), time = load.bytes / this.network.bandwidth[link];
      if (!worst || time > worst.seconds) worst = { link, ...load, seconds: time };
    }
    return worst;
  }

  /// For each set, the most messages that share a link.
  contention() { return this.sets.map((set) => set.messages.reduce((most, load) => Math.max(most, load), 0)); }

  messageText(message) {
    const { source, destination } = this.messages;
    return `${digits(source[message])}${ARROW}${digits(destination[message])}`;
  }
}

/// The networks, message lists and views of a comparison. Each is unpacked on first use.
class Library {
  constructor(comparison) {
    this.comparison = comparison;
    this.loaded = new Map();
  }

  once(key, load) {
    if (!this.loaded.has(key)) this.loaded.set(key, load());
    return this.loaded.get(key);
  }

  network(number) { return this.once(`n${number}`, () => Network.load(this.comparison.networks[number])); }

  messages(number) {
    return this.once(`m${number}`, () =>
      unpackAll(this.comparison.message_lists[number], ["source", "destination", "bytes", "set"]));
  }

  async view(raw) {
    const number = this.comparison.views.indexOf(raw);
    return this.once(`v${number}`, async () => {
      const workload = this.comparison.workloads.find((entry) => entry.name === raw.workload);
      return View.load(raw, await this.network(raw.network), await this.messages(raw.messages), workload);
    });
  }
}
