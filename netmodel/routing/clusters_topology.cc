#include "netmodel/routing/clusters_topology.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/clusters_routes.h"

namespace haichi {

namespace {

std::size_t number_of(std::vector<PortClass>& classes, const PortClass& wanted) {
    const auto found = std::ranges::find(classes, wanted);
    if (found != classes.end()) return static_cast<std::size_t>(found - classes.begin());
    classes.push_back(wanted);
    return classes.size() - 1;
}

/// Appends `suffix` to the name of the class if another class with this name has different values.
PortClass named_apart(const std::vector<PortClass>& classes, PortClass wanted, const std::string& suffix) {
    const bool is_taken = std::ranges::any_of(
        classes, [&](const PortClass& other) { return other.name == wanted.name && !(other == wanted); });
    if (is_taken) wanted.name += suffix;
    return wanted;
}

/// The value in the largest unit in which it is an integer.
std::string text_of(std::int64_t value, std::initializer_list<std::pair<std::int64_t, const char*>> units) {
    for (const auto& [size, unit] : units) {
        if (value % size == 0 && (value != 0 || size == 1)) return std::to_string(value / size) + unit;
    }
    return std::to_string(value);
}

std::string time_text(std::int64_t ps) {
    return text_of(ps, {{1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}});
}

std::string bytes_text(std::int64_t bytes, const std::string& per = "") {
    return text_of(bytes, {{1'000'000, "MB"}, {1'000, "kB"}, {1, "B"}}) + per;
}

}  // namespace

void check_bridges(const BridgeOptions& bridges) {
    const auto check = [](const char* what, std::int64_t value, std::int64_t least, std::int64_t most,
                          const auto& text) {
        if (value >= least && value <= most) return;
        throw OptionError(std::string(what) + " must be from " + text(least) + " to " + text(most) + ", not " +
                          text(value));
    };
    const auto rate = [](std::int64_t value) { return bytes_text(value, "/s"); };
    const auto bytes = [](std::int64_t value) { return bytes_text(value); };
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
    constexpr std::int64_t kLongestPs = 1'000'000'000'000;
    constexpr std::int32_t kMostBridges = 4096;
    constexpr std::int32_t kMostHops = 1 << 15;
    check("the number of bridges between two clusters", bridges.count, 1, kMostBridges, number);
    check("the bandwidth of a bridge", bridges.bandwidth_bytes_per_s, 1, 1'000'000'000'000'000, rate);
    check("the shared bus of a bridge", bridges.shared_bus_bytes_per_s.value_or(1), 1, 1'000'000'000'000'000, rate);
    check("the latency of a bridge", bridges.latency_ps, 0, kLongestPs, time_text);
    check("the delay of a bridge", bridges.delay_ps, 0, kLongestPs, time_text);
    check("the timer of a bridge", bridges.timer_ps, 0, kLongestPs, time_text);
    check("the packet time of a bridge", bridges.packet_time_ps, 0, kLongestPs, time_text);
    check("the MTU of a bridge", bridges.mtu_bytes.value_or(1), 1, kMostBytes, bytes);
    check("the buffer of a bridge", bridges.buffer_bytes.value_or(1), 1, kMostBytes, bytes);
    check("the number of hops of a crossing", bridges.crossing_hops, 1, kMostHops, number);
}

std::int32_t default_crossing_hops(const BridgeOptions& bridges, std::int64_t link_bandwidth_bytes_per_s,
                                   std::optional<std::int64_t> packet_payload_bytes) {
    constexpr std::int64_t kPacketBytes = 8192;  // assumed if none is stated
    constexpr std::int64_t kMostHops = 10'000;
    const std::int64_t mtu = bridges.mtu_bytes.value_or(packet_payload_bytes.value_or(kPacketBytes));
    const auto bytes = static_cast<double>(std::min(mtu, packet_payload_bytes.value_or(mtu)));
    const double link_s = bytes / static_cast<double>(link_bandwidth_bytes_per_s);
    const double bridge_s = bytes / static_cast<double>(bridges.bandwidth_bytes_per_s) +
                            static_cast<double>(bridges.latency_ps + bridges.delay_ps) * 1e-12;
    const double hops = bridge_s / link_s;
    if (hops >= static_cast<double>(kMostHops)) return kMostHops;
    const auto whole = static_cast<std::int32_t>(hops);
    return std::max(1, static_cast<double>(whole) < hops ? whole + 1 : whole);
}

ClustersTopology::ClustersTopology(std::vector<std::shared_ptr<const Topology>> clusters, std::vector<Pair> pairs)
    : pairs_(std::move(pairs)) {
    const std::size_t count = clusters.size();
    if (count < 2) throw OptionError("expected at least 2 clusters, found " + std::to_string(count));
    constexpr std::size_t kMostClusters = 256;
    if (count > kMostClusters)
        throw OptionError("expected at most " + std::to_string(kMostClusters) + " clusters, found " +
                          std::to_string(count));
    pair_of_.assign(count * count, pairs_.size());
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        check_bridges(pairs_[p].bridges);
        const auto a = static_cast<std::size_t>(pairs_[p].a);
        const auto b = static_cast<std::size_t>(pairs_[p].b);
        if (pair_of_[a * count + b] != pairs_.size()) {
            throw OptionError("duplicate bridges between clusters " + std::to_string(a) + " and " + std::to_string(b));
        }
        pair_of_[a * count + b] = pair_of_[b * count + a] = p;
    }
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
            if (pair_of_[a * count + b] != pairs_.size()) continue;
            throw OptionError("no bridges join clusters " + std::to_string(a) + " and " + std::to_string(b),
                              "state bridges for every two clusters: no message crosses a third cluster");
        }
    }
    number_parts(std::move(clusters));
    add_classes();
    add_bridges();
    count_ports();
}

void ClustersTopology::number_parts(std::vector<std::shared_ptr<const Topology>> clusters) {
    std::int64_t terminals = 0;
    std::int64_t vertices = 0;
    std::int64_t links = 0;
    for (std::shared_ptr<const Topology>& cluster : clusters) {
        Part& part = parts_.emplace_back();
        part.topology = std::move(cluster);
        part.first_terminal = static_cast<std::int32_t>(terminals);
        part.first_link = static_cast<std::int32_t>(links);
        terminals += part.topology->terminal_count();
        vertices += part.topology->vertex_count();
        links += part.topology->link_count();
        existing_link_count_ += part.topology->existing_link_count();
        constexpr std::int64_t kMostLinks = std::numeric_limits<std::int32_t>::max() / 2;
        if (vertices > kMostVertices || links > kMostLinks) {
            throw OptionError("a topology has at most " + std::to_string(kMostVertices) + " nodes and switches and " +
                              std::to_string(kMostLinks) + " links, fewer than in these clusters");
        }
    }
    terminal_count_ = static_cast<std::int32_t>(terminals);
    std::int32_t router = terminal_count_;
    for (Part& part : parts_) {
        part.first_router = router;
        router += part.topology->vertex_count() - part.topology->terminal_count();
    }
    first_bridge_vertex_ = router;
    first_bridge_link_ = static_cast<std::int32_t>(links);
}

void ClustersTopology::add_classes() {
    router_classes_.push_back({.name = "routers"});
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::string suffix = " of cluster " + std::to_string(p);
        for (const PortClass& links : parts_[p].topology->link_classes()) {
            parts_[p].link_class.push_back(number_of(link_classes_, named_apart(link_classes_, links, suffix)));
        }
        for (const PortClass& routers : parts_[p].topology->router_classes()) {
            parts_[p].router_class.push_back(number_of(router_classes_, named_apart(router_classes_, routers, suffix)));
        }
    }
    for (const Pair& pair : pairs_) {
        const BridgeOptions& bridges = pair.bridges;
        const std::string suffix = " " + std::to_string(pair.a) + "-" + std::to_string(pair.b);
        PortClass out{.name = "links from bridges", .bandwidth_bytes_per_s = bridges.bandwidth_bytes_per_s};
        out.hops = bridges.crossing_hops;
        class_of_pair_.push_back(number_of(link_classes_, named_apart(link_classes_, out, suffix)));
        PortClass routers{.name = "bridges", .latency_ps = bridges.latency_ps};
        routers.bandwidth_bytes_per_s = bridges.bandwidth_bytes_per_s;
        routers.store = {bridges.delay_ps,     bridges.timer_ps,  bridges.packet_time_ps,
                         bridges.buffer_bytes, bridges.mtu_bytes, bridges.shared_bus_bytes_per_s.value_or(0)};
        bridge_router_class_.push_back(number_of(router_classes_, named_apart(router_classes_, routers, suffix)));
    }
}

void ClustersTopology::add_bridges() {
    find_gate_links();
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        first_bridge_.push_back(bridges_.size());
        const Pair& pair = pairs_[p];
        for (std::int32_t k = 0; k < pair.bridges.count; ++k) {
            const VertexId vertex(first_bridge_vertex_ + static_cast<std::int32_t>(bridges_.size()));
            Bridge bridge{.pair = p, .vertex = vertex, .sides = {}};
            bridge.sides[0] =
                side_of(static_cast<std::size_t>(pair.a), k, pair.bridges.count, vertex, class_of_pair_[p]);
            bridge.sides[1] =
                side_of(static_cast<std::size_t>(pair.b), k, pair.bridges.count, vertex, class_of_pair_[p]);
            bridges_.push_back(std::move(bridge));
        }
    }
    first_bridge_.push_back(bridges_.size());
    for (Part& part : parts_) part.gate_links.clear();
    vertex_count_ = first_bridge_vertex_ + static_cast<std::int32_t>(bridges_.size());
    link_count_ = first_bridge_link_ + static_cast<std::int32_t>(bridge_links_.size());
    existing_link_count_ += static_cast<std::int64_t>(bridge_links_.size());
}

VertexId ClustersTopology::gate_of(std::size_t part, std::int32_t number, std::int32_t of) const {
    return VertexId(static_cast<std::int32_t>(std::int64_t{parts_[part].topology->terminal_count()} * number / of));
}

/// Visits the links of each cluster only once, because there may be millions of links and thousands of bridges.
void ClustersTopology::find_gate_links() {
    for (const Pair& pair : pairs_) {
        for (const auto part : {static_cast<std::size_t>(pair.a), static_cast<std::size_t>(pair.b)}) {
            for (std::int32_t k = 0; k < pair.bridges.count; ++k) {
                parts_[part].gate_links[gate_of(part, k, pair.bridges.count).value];
            }
        }
    }
    for (Part& part : parts_) {
        for (std::int32_t l = 0; l < part.topology->link_count(); ++l) {
            if (!part.topology->link_exists(LinkId(l))) continue;
            const LinkEnds ends = part.topology->link_ends(LinkId(l));
            for (const VertexId end : {ends.from, ends.to}) {
                const auto gate = part.gate_links.find(end.value);
                if (gate != part.gate_links.end()) gate->second.emplace_back(l);
            }
        }
    }
}

/// The side of a bridge in one cluster. The bridge is `number` among the `of` bridges of a pair.
ClustersTopology::Side ClustersTopology::side_of(std::size_t part, std::int32_t number, std::int32_t of,
                                                 VertexId bridge, std::size_t out_class) {
    const Topology& cluster = *parts_[part].topology;
    Side side{.cluster = static_cast<std::int32_t>(part), .gate = gate_of(part, number, of)};
    side.is_host = cluster.is_host(side.gate);
    if (!side.is_host) {
        add_door(side, side.gate, bridge, true, parts_[part].link_class.front());
        add_door(side, side.gate, bridge, false, out_class);
        return side;
    }
    const auto has = [](const std::vector<Door>& doors, VertexId v) {
        return std::ranges::find(doors, v, &Door::vertex) != doors.end();
    };
    for (const LinkId link : parts_[part].gate_links.at(side.gate.value)) {
        const LinkEnds ends = cluster.link_ends(link);
        if (ends.to == side.gate && !has(side.enter, ends.from)) {
            add_door(side, ends.from, bridge, true, parts_[part].link_class[cluster.class_of_link(link)]);
        }
        if (ends.from == side.gate && !has(side.leave, ends.to)) add_door(side, ends.to, bridge, false, out_class);
    }
    return side;
}

void ClustersTopology::add_door(Side& side, VertexId own, VertexId bridge, bool enters, std::size_t link_class) {
    const LinkId link(first_bridge_link_ + static_cast<std::int32_t>(bridge_links_.size()));
    const VertexId at = vertex(static_cast<std::size_t>(side.cluster), own);
    bridge_links_.push_back({enters ? LinkEnds{at, bridge} : LinkEnds{bridge, at}, link_class});
    (enters ? side.enter : side.leave).push_back({own, link});
}

void ClustersTopology::count_ports() {
    std::vector<std::int32_t> entering(static_cast<std::size_t>(terminal_count_));
    ports_.resize(entering.size());
    for (std::int32_t l = 0; l < link_count_; ++l) {
        if (!link_exists(LinkId(l))) continue;
        const LinkEnds ends = link_ends(LinkId(l));
        if (ends.from.value < terminal_count_) ++ports_[ends.from.index()];
        if (ends.to.value < terminal_count_) ++entering[ends.to.index()];
    }
    for (std::size_t t = 0; t < ports_.size(); ++t) ports_[t] = std::max(ports_[t], entering[t]);
}

std::size_t ClustersTopology::cluster_of(VertexId terminal) const {
    const auto behind = std::ranges::upper_bound(parts_, terminal.value, {}, &Part::first_terminal);
    return static_cast<std::size_t>(behind - parts_.begin()) - 1;
}

ClustersTopology::VertexOfPart ClustersTopology::vertex_of_part(VertexId v) const {
    if (v.value < terminal_count_) {
        const std::size_t part = cluster_of(v);
        return {part, VertexId(v.value - parts_[part].first_terminal)};
    }
    // Clusters without switches have no vertices here, so the last cluster that starts at or before v contains it.
    const auto behind = std::ranges::upper_bound(parts_, v.value, {}, &Part::first_router);
    const Part& part = *(behind - 1);
    return {static_cast<std::size_t>(behind - parts_.begin()) - 1,
            VertexId(part.topology->terminal_count() + v.value - part.first_router)};
}

VertexId ClustersTopology::vertex(std::size_t part, VertexId own) const {
    const Part& at = parts_[part];
    const std::int32_t terminals = at.topology->terminal_count();
    return VertexId(own.value < terminals ? at.first_terminal + own.value : at.first_router + own.value - terminals);
}

std::size_t ClustersTopology::part_of(LinkId link) const {
    // A cluster of one node may have no links, so the last cluster that starts at or before the link contains it.
    const auto behind = std::ranges::upper_bound(parts_, link.value, {}, &Part::first_link);
    return static_cast<std::size_t>(behind - parts_.begin()) - 1;
}

bool ClustersTopology::link_exists(LinkId link) const {
    if (link.value >= first_bridge_link_) return true;
    const Part& part = parts_[part_of(link)];
    return part.topology->link_exists(LinkId(link.value - part.first_link));
}

LinkEnds ClustersTopology::link_ends(LinkId link) const {
    if (link.value >= first_bridge_link_) {
        return bridge_links_[static_cast<std::size_t>(link.value - first_bridge_link_)].ends;
    }
    const std::size_t part = part_of(link);
    const LinkEnds own = parts_[part].topology->link_ends(LinkId(link.value - parts_[part].first_link));
    return {vertex(part, own.from), vertex(part, own.to)};
}

std::size_t ClustersTopology::class_of_link(LinkId link) const {
    if (link.value >= first_bridge_link_) {
        return bridge_links_[static_cast<std::size_t>(link.value - first_bridge_link_)].link_class;
    }
    const Part& part = parts_[part_of(link)];
    return part.link_class[part.topology->class_of_link(LinkId(link.value - part.first_link))];
}

std::size_t ClustersTopology::class_of_router(VertexId router) const {
    if (router.value >= first_bridge_vertex_) {
        return bridge_router_class_[bridges_[static_cast<std::size_t>(router.value - first_bridge_vertex_)].pair];
    }
    const VertexOfPart at = vertex_of_part(router);
    const Part& part = parts_[at.part];
    return part.router_class.empty() ? 0 : part.router_class[part.topology->class_of_router(at.vertex)];
}

std::string ClustersTopology::vertex_name(VertexId v) const {
    if (v.value >= first_bridge_vertex_) {
        const auto number = static_cast<std::size_t>(v.value - first_bridge_vertex_);
        const Pair& pair = pairs_[bridges_[number].pair];
        return "(bridge " + std::to_string(pair.a) + "-" + std::to_string(pair.b) + "." +
               std::to_string(number - first_bridge_[bridges_[number].pair]) + ")";
    }
    const VertexOfPart at = vertex_of_part(v);
    const std::string own = parts_[at.part].topology->vertex_name(at.vertex);
    return "(" + std::to_string(at.part) + ":" + (own.starts_with('(') ? own.substr(1) : own + ")");
}

std::string ClustersTopology::link_name(LinkId link) const {
    if (link.value < first_bridge_link_) {
        const std::size_t part = part_of(link);
        return std::to_string(part) + ": " +
               parts_[part].topology->link_name(LinkId(link.value - parts_[part].first_link));
    }
    const LinkEnds ends = link_ends(link);
    return "crossing " + vertex_name(ends.from) + "->" + vertex_name(ends.to);
}

nlohmann::ordered_json ClustersTopology::description() const {
    nlohmann::ordered_json clusters = nlohmann::ordered_json::array();
    for (const Part& part : parts_) clusters.push_back(part.topology->description());
    const auto words_of = [](const BridgeOptions& bridges) {
        nlohmann::ordered_json words = {{"count", bridges.count},
                                        {"bandwidth", bytes_text(bridges.bandwidth_bytes_per_s, "/s")},
                                        {"latency", time_text(bridges.latency_ps)},
                                        {"delay", time_text(bridges.delay_ps)},
                                        {"timer", time_text(bridges.timer_ps)},
                                        {"packet_time", time_text(bridges.packet_time_ps)}};
        if (bridges.shared_bus_bytes_per_s) words["shared_bus"] = bytes_text(*bridges.shared_bus_bytes_per_s, "/s");
        if (bridges.buffer_bytes) words["buffer"] = bytes_text(*bridges.buffer_bytes);
        if (bridges.mtu_bytes) words["mtu"] = bytes_text(*bridges.mtu_bytes);
        if (bridges.states_crossing_hops) words["crossing_hops"] = bridges.crossing_hops;
        return words;
    };
    nlohmann::ordered_json all = words_of(pairs_.front().bridges);
    if (!std::ranges::all_of(pairs_, [&](const Pair& pair) { return pair.bridges == pairs_.front().bridges; })) {
        all = nlohmann::ordered_json::array();
        for (const Pair& pair : pairs_) {
            nlohmann::ordered_json words = {{"between", {pair.a, pair.b}}};
            words.update(words_of(pair.bridges));
            all.push_back(std::move(words));
        }
    }
    return {{"kind", "clusters"}, {"clusters", std::move(clusters)}, {"bridges", std::move(all)}};
}

std::vector<std::string> ClustersTopology::routings(std::string_view text) const {
    std::vector<std::string> texts;
    for (std::string_view rest = text;;) {
        const auto end = rest.find(';');
        texts.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    if (texts.size() == 1) texts.resize(parts_.size(), texts.front());
    if (texts.size() != parts_.size()) {
        throw OptionError("routing " + shown(text) + " is for " + std::to_string(texts.size()) + " clusters, not " +
                              std::to_string(parts_.size()),
                          "state one routing for all clusters, or one per cluster with ';' between them");
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) texts[p] = parts_[p].topology->routing(texts[p]);
    return texts;
}

std::string ClustersTopology::routing(std::string_view text) const {
    const std::vector<std::string> texts = routings(text);
    if (std::ranges::all_of(texts, [&](const std::string& other) { return other == texts.front(); })) {
        return texts.front();
    }
    std::string all;
    for (const std::string& one : texts) all += (all.empty() ? "" : ";") + one;
    return all;
}

std::shared_ptr<const Routes> ClustersTopology::routes(std::string_view text, const RouteLimits& limits) const {
    return std::make_shared<ClustersRoutes>(*this, text, limits);
}

std::vector<std::int32_t> ClustersTopology::regions() const {
    std::vector<std::int32_t> first;
    for (const Part& part : parts_) first.push_back(part.first_terminal);
    return first;
}

std::shared_ptr<const Topology> ClustersTopology::with_delay(std::int64_t delay_ps) const {
    std::vector<std::shared_ptr<const Topology>> clusters;
    for (const Part& part : parts_) clusters.push_back(part.topology);
    std::vector<Pair> pairs = pairs_;
    for (Pair& pair : pairs) pair.bridges.delay_ps = delay_ps;
    return std::make_shared<ClustersTopology>(std::move(clusters), std::move(pairs));
}

std::int64_t ClustersTopology::delay_ps() const {
    std::int64_t longest = 0;
    for (const Pair& pair : pairs_) longest = std::max(longest, pair.bridges.delay_ps);
    return longest;
}

bool ClustersTopology::is_host(VertexId terminal) const {
    const VertexOfPart at = vertex_of_part(terminal);
    return parts_[at.part].topology->is_host(at.vertex);
}

std::int32_t ClustersTopology::most_links_of_node(const JobNodes& job) const {
    std::int32_t most = 0;
    for (std::int32_t n = 0; n < job.count(); ++n) most = std::max(most, ports_[job.vertex(NodeId(n)).index()]);
    return most;
}

std::vector<std::int32_t> ClustersTopology::router_ranges() const {
    std::vector<std::int32_t> first = {first_bridge_vertex_};
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        for (const std::int32_t own : parts_[p].topology->router_ranges())
            first.push_back(vertex(p, VertexId(own)).value);
    }
    std::ranges::sort(first);
    return first;
}

Drawing ClustersTopology::drawing() const {
    std::vector<std::int32_t> levels(static_cast<std::size_t>(terminal_count_), 0);
    levels.resize(static_cast<std::size_t>(first_bridge_vertex_), 1);
    levels.resize(static_cast<std::size_t>(vertex_count_), 2);
    return drawing_by_levels(*this, std::move(levels), {"nodes", "switches", "bridges"});
}

}  // namespace haichi
