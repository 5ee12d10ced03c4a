#include "netmodel/routing/clusters_row.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.h"
#include "base/quantity.h"
#include "netmodel/routing/clusters_topology.h"
#include "netmodel/routing/fat_tree_topology.h"
#include "netmodel/routing/topologies.h"

namespace haichi {

namespace {

/// Reads one cluster by the registry entry of its kind.
std::shared_ptr<const Topology> read_cluster(const TopologySection& from, const std::string& key) {
    const LocatedJson& file = from.section.file();
    const std::string pointer = from.section.pointer(key);
    const nlohmann::json& value = file.root().at(nlohmann::json::json_pointer(pointer));
    if (!value.is_object() || !value.contains("kind") || !value["kind"].is_string()) {
        throw from.section.error(key, "a cluster must be an object with a 'kind', like 'topology'");
    }
    const auto kind = value["kind"].get<std::string>();
    const TopologyRow* row = topologies().find(kind);
    if (row == nullptr) {
        throw from.section.error(key + "/kind", "unknown topology kind " + shown(kind), topologies().hint_for(kind));
    }
    std::vector<std::string> keys = {"kind"};
    keys.insert(keys.end(), row->keys.begin(), row->keys.end());
    const MachineSection section(file, pointer, keys);
    const std::string other = from.file.path;
    ReadTopology read = row->read({section, from.link_bandwidth_bytes_per_s, from.packet_payload_bytes, from.file});
    if (!other.empty() && from.file.path != other) {
        throw from.section.error(key, "all clusters together can name one other file, found " + shown(other) + " and " +
                                          shown(from.file.path));
    }
    if (!read.logical.empty()) {
        throw section.error("logical", "a cluster cannot have logical axes, because nodes of clusters have numbers");
    }
    return read.topology;
}

/// Missing values have the defaults of BridgeOptions, or the links'
/// values.
BridgeOptions read_bridges(const MachineSection& section, const TopologySection& from) {
    constexpr std::int32_t kMostBridges = 4096;
    constexpr std::int32_t kMostHops = 1 << 15;
    BridgeOptions bridges;
    if (section.has("count")) bridges.count = section.integer("count", 1, kMostBridges);
    bridges.bandwidth_bytes_per_s = from.link_bandwidth_bytes_per_s;
    section.quantity("bandwidth", kBandwidths, bridges.bandwidth_bytes_per_s);
    section.quantity("shared_bus", kBandwidths, bridges.shared_bus_bytes_per_s);
    section.quantity("latency", kTimes, bridges.latency_ps);
    section.quantity("delay", kTimes, bridges.delay_ps);
    section.quantity("timer", kTimes, bridges.timer_ps);
    section.quantity("packet_time", kTimes, bridges.packet_time_ps);
    section.quantity("buffer", kBufferSizes, bridges.buffer_bytes);
    section.quantity("mtu", kBufferSizes, bridges.mtu_bytes);
    bridges.states_crossing_hops = section.has("crossing_hops");
    bridges.crossing_hops =
        bridges.states_crossing_hops
            ? section.integer("crossing_hops", 1, kMostHops)
            : default_crossing_hops(bridges, from.link_bandwidth_bytes_per_s, from.packet_payload_bytes);
    return bridges;
}

const std::vector<std::string>& bridge_keys() {
    static const std::vector<std::string> kKeys = {"between", "count", "bandwidth",    "shared_bus",
                                                   "latency", "delay", "timer",        "packet_time",
                                                   "buffer",  "mtu",   "crossing_hops"};
    return kKeys;
}

/// Reads one object for all pairs, or a list with an object per pair.
std::vector<ClustersTopology::Pair> read_pairs(const TopologySection& from, std::int32_t clusters) {
    const MachineSection& section = from.section;
    std::vector<ClustersTopology::Pair> pairs;
    if (!section.required("bridges").is_array()) {
        const MachineSection all(section.file(), section.pointer("bridges"), bridge_keys());
        if (all.has("between")) {
            throw all.error("between", "requires a list of bridges with one entry for every two clusters");
        }
        const BridgeOptions bridges = read_bridges(all, from);
        for (std::int32_t a = 0; a < clusters; ++a) {
            for (std::int32_t b = a + 1; b < clusters; ++b) pairs.push_back({a, b, bridges});
        }
        return pairs;
    }
    const std::size_t count = section.array("bridges").size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string pointer = section.pointer("bridges") + "/" + std::to_string(i);
        const MachineSection one(section.file(), pointer, bridge_keys());
        const nlohmann::json& between = one.array("between");
        const auto end = [&](std::size_t k) {
            return one.integer_of(between[k], "between/" + std::to_string(k), 0, clusters - 1);
        };
        if (between.size() != 2 || end(0) == end(1)) {
            throw one.error("between", "expected two clusters, found " + MachineSection::text_of(between));
        }
        pairs.push_back({std::min(end(0), end(1)), std::max(end(0), end(1)), read_bridges(one, from)});
    }
    return pairs;
}

ReadTopology read_clusters(const TopologySection& from) {
    std::vector<std::shared_ptr<const Topology>> clusters;
    const std::size_t count = from.section.array("clusters").size();
    for (std::size_t c = 0; c < count; ++c) {
        clusters.push_back(read_cluster(from, "clusters/" + std::to_string(c)));
    }
    std::vector<ClustersTopology::Pair> pairs = read_pairs(from, static_cast<std::int32_t>(count));
    return {placed(from.section, "clusters",
                   [&] { return std::make_shared<ClustersTopology>(std::move(clusters), std::move(pairs)); })};
}

/// The bridges in the study of clusters of clusters: see machines/two-clusters.json.
BridgeOptions bridges_of_the_study(std::int32_t count, std::int64_t delay_ps) {
    constexpr std::int64_t kLinkBandwidth = 130'660'000;
    BridgeOptions bridges;
    bridges.count = count;
    bridges.bandwidth_bytes_per_s = 55'520'000;
    bridges.shared_bus_bytes_per_s = 66'000'000;
    bridges.latency_ps = 37'650'000;
    bridges.delay_ps = delay_ps;
    bridges.timer_ps = 500'000;
    bridges.packet_time_ps = 5'570'000;
    bridges.buffer_bytes = 10'000'000;
    bridges.mtu_bytes = 8192;
    bridges.crossing_hops = default_crossing_hops(bridges, kLinkBandwidth, bridges.mtu_bytes);
    return bridges;
}

/// Reads "4,2ms,16": bridges, delay, nodes per cluster. Trailing values may be omitted.
std::shared_ptr<const Topology> read_clusters_numbers(const TopologyParameters& from) {
    const std::string what = "machine " + std::string(from.machine);
    std::vector<std::string> words;
    for (std::string_view rest = from.text.value_or("1");;) {
        const auto end = rest.find(',');
        words.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    constexpr const char* kForm = "use the form two-clusters:BRIDGES,DELAY,NODES, as in two-clusters:4,2ms";
    const SourcePlace place{std::string(from.machine), 0};
    if (words.size() > 3)
        throw OptionError(what + " has at most 3 parameters, found " + std::to_string(words.size()), kForm);
    try {
        constexpr std::int64_t kMostBridges = 4096;
        const std::int64_t count = parse_count(words[0], kMostBridges, place);
        const std::int64_t delay_ps = words.size() > 1 ? parse_time_ps(words[1], place) : 0;
        const std::int64_t nodes = words.size() > 2 ? parse_count(words[2], kMostVertices / 4, place) : 16;
        if (nodes == 0) throw OptionError(what + " requires at least 1 node per cluster", kForm);
        const auto cluster = [&] { return fat_tree_topology(FatTree({static_cast<std::int32_t>(nodes)}, {1})); };
        return std::make_shared<ClustersTopology>(
            std::vector<std::shared_ptr<const Topology>>{cluster(), cluster()},
            std::vector<ClustersTopology::Pair>{
                {0, 1, bridges_of_the_study(static_cast<std::int32_t>(count), delay_ps)}});
    } catch (const InputError& error) {
        throw OptionError("machine " + std::string(error.what()), kForm);
    }
}

}  // namespace

TopologyRow clusters_row() {
    TopologyPreset preset;
    preset.word = "two-clusters";
    preset.pattern = "two-clusters[:BRIDGES[,DELAY[,NODES]]]";
    preset.sentence =
        "two clusters of NODES nodes on a switch (default 16), joined by bridges that delay packets "
        "(two-clusters:4,2ms), 120 MB/s links, 53.5 MB/s over a bridge";
    preset.parameters = TopologyPreset::Parameters::kOptional;
    preset.example = "two-clusters:2,1ms,3";
    preset.machine_file = "two-clusters";
    preset.read = read_clusters_numbers;
    TopologyRow row;
    row.name = "clusters";
    row.sentence = "clusters of any kind, every two joined by bridges that store whole packets and may delay them";
    row.keys = {"clusters", "bridges"};
    row.routings = {{"ROUTING;ROUTING", "clusters: one routing for all clusters, or one per cluster in their order"}};
    row.example =
        R"({"kind": "clusters", "clusters": [{"kind": "tree", "children": [3]}, {"kind": "tree", "children": [3]}],
 "bridges": {"count": 2, "bandwidth": "55.52MB/s", "shared_bus": "66MB/s", "latency": "37.65us",
             "delay": "1ms", "timer": "500ns", "packet_time": "5.57us", "buffer": "10MB", "mtu": "8192B"}})";
    row.read = read_clusters;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
