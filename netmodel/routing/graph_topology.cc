#include "netmodel/routing/graph_topology.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/input_file.h"
#include "base/opened_names.h"
#include "netmodel/networkfiles/network_file.h"
#include "netmodel/routing/graph_routes.h"

namespace haichi {

namespace {

class GraphTopology final : public TopologyOf<Graph> {
  public:
    GraphTopology(Graph graph, std::size_t table_budget_bytes)
        : TopologyOf(std::move(graph)), table_budget_bytes_(table_budget_bytes) {
        std::map<std::pair<std::int64_t, std::optional<std::int64_t>>, std::uint32_t> number_of;
        for (std::int32_t l = 0; l < link_count(); ++l) {
            const Graph::Link& link = value().link(LinkId(l));
            const auto [entry, is_new] = number_of.try_emplace({link.bandwidth_bytes_per_s, link.latency_ps},
                                                               static_cast<std::uint32_t>(classes_.size()));
            class_of_link_.push_back(entry->second);
            if (!is_new) continue;
            classes_.push_back({.name = "links " + std::to_string(classes_.size() + 1),
                                .bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                                .latency_ps = link.latency_ps});
        }
        if (classes_.empty()) classes_.push_back({.name = "links"});
    }

    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override { return class_of_link_[link.index()]; }
    /// "(s1)"
    [[nodiscard]] std::string vertex_name(VertexId v) const override { return "(" + value().vertex_name(v) + ")"; }
    [[nodiscard]] std::string node_name(VertexId terminal) const override { return vertex_name(terminal); }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const std::int32_t parallel = value().parallel_number(link);
        return vertex_name(value().link(link).from) + "->" + vertex_name(value().link(link).to) +
               (parallel > 0 ? " #" + std::to_string(parallel + 1) : "");
    }
    /// States only the sizes of the graph, which is in a separate file.
    [[nodiscard]] nlohmann::ordered_json description() const override {
        return {{"kind", "graph"},
                {"terminals", terminal_count()},
                {"switches", vertex_count() - terminal_count()},
                {"links", link_count()}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        return to_string(text.empty() ? GraphRouting::kSpread : parse_graph_routing(text));
    }
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text,
                                                       const RouteLimits& limits) const override {
        PathOptions options{parse_graph_routing(routing(text)), table_budget_bytes_};
        if (limits.virtual_channels > 0) options.most_layers = std::min(limits.virtual_channels, kMostLayers);
        ShortestPaths paths(value(), limits.faulty, options);
        std::string remark;
        if (paths.routing() != options.routing) {
            remark = to_string(paths.routing()) + " instead of " + to_string(options.routing) +
                     ", whose routes require more than " + (options.most_layers < kMostLayers ? "the machine's " : "") +
                     std::to_string(options.most_layers) + " virtual channels";
        }
        return std::make_shared<GraphRoutes>(*this, std::move(paths), limits.faulty, std::move(remark));
    }

    /// True for a terminal whose only neighbour is a switch.
    [[nodiscard]] bool is_host(VertexId terminal) const override { return value().switch_of_host(terminal).valid(); }
    [[nodiscard]] std::int32_t most_links_of_node(const JobNodes& job) const override {
        std::int32_t most = 0;
        for (std::int32_t n = 0; n < job.count(); ++n) most = std::max(most, value().degree(job.vertex(NodeId(n))));
        return most;
    }

  private:
    std::size_t table_budget_bytes_;
    std::vector<PortClass> classes_;
    std::vector<std::uint32_t> class_of_link_;
};

constexpr const char* kMachineHint = "name a preset or a network file (haichi list machines), or a machine file (JSON)";

void read_text(NamedFile& file) {
    if (file.text) return;
    if (file.path == "-") throw OptionError("a graph requires a file, found standard input");
    file.text = input_text(file.path, kLargestNetworkFileBytes);
}

/// Reads the graph file, relative to the directory of the machine file. Edges without a bandwidth get the machine's
/// link bandwidth.
ReadTopology read_graph(const TopologySection& from) {
    const std::string name = from.section.text("file");
    const std::string machine_file = from.section.file().file();
    NamedFile& file = from.file;
    if (!file.text) file.path = OpenedNames(machine_file, file.below).path_of(name, from.section.place("file").line);
    read_text(file);
    file.path = (std::filesystem::path(machine_file).parent_path() / name).string();
    return {graph_topology(
        read_network({*file.text, file.path, from.link_bandwidth_bytes_per_s, file.notes}, kMachineHint))};
}

/// Sets the path and the text of the file that follows `word` in the machine's name.
void open_file(const TopologyParameters& from, const std::string& word) {
    NamedFile& file = from.file;
    file.path = from.text.value_or("");
    if (file.path.empty()) {
        throw OptionError("machine " + shown(from.machine) + " requires a file", "use the form " + word + ":FILE");
    }
    read_text(file);
}

std::shared_ptr<const Topology> read_graph_file(const TopologyParameters& from) {
    open_file(from, "graph");
    return network_topology(from.file);
}

/// Reads FORMAT:FILE.
std::shared_ptr<const Topology> read_format_file(const TopologyParameters& from) {
    const NetworkFileRow& row = network_files().at(from.machine.substr(0, from.machine.find(':')));
    open_file(from, row.name);
    NamedFile& file = from.file;
    return graph_topology(row.read({*file.text, file.path, std::nullopt, file.notes}));
}

}  // namespace

std::shared_ptr<const Topology> graph_topology(Graph graph, std::size_t table_budget_bytes) {
    return std::make_shared<GraphTopology>(std::move(graph), table_budget_bytes);
}

std::shared_ptr<const Topology> network_topology(NamedFile& file) {
    return graph_topology(read_network({*file.text, file.path, std::nullopt, file.notes}, kMachineHint));
}

const std::vector<TopologyPreset>& network_file_presets() {
    static const std::vector<TopologyPreset> kPresets = [] {
        std::vector<TopologyPreset> presets;
        for (const NetworkFileRow& row : network_files()) {
            if (row.read == nullptr) continue;
            TopologyPreset preset;
            preset.word = row.name;
            preset.pattern = row.name + ":FILE";
            preset.sentence = row.sentence;
            preset.example = row.name + ":FILE";
            preset.parameters = TopologyPreset::Parameters::kOptional;
            preset.read = read_format_file;
            presets.push_back(std::move(preset));
        }
        return presets;
    }();
    return kPresets;
}

TopologyRow graph_row() {
    TopologyPreset preset;
    preset.word = "graph";
    preset.pattern = "graph:FILE";
    preset.sentence = "any network, from a file of a format below, which is recognised by its content";
    preset.example = "graph:net.graphml";
    preset.parameters = TopologyPreset::Parameters::kOptional;
    preset.read = read_graph_file;
    TopologyRow row;
    row.name = "graph";
    row.sentence = "any network, from a GraphML file or another network file";
    row.keys = {"file"};
    row.routings = {
        {"shortest-path",
         "graphs: fewest hops, with destinations distributed over equally short routes. If this requires more than 8 "
         "virtual channels, shortest-path,unspread is used"},
        {"shortest-path,unspread",
         "graphs: fewest hops. Among several next vertices, a switch precedes a terminal, then the first in the file "
         "is "
         "used"}};
    row.example = R"({"kind": "graph", "file": "net.graphml"})";
    row.example_file = R"(<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/><node id="d"/>
<edge source="a" target="b"><data key="b">5GB/s</data></edge>
<edge source="b" target="c"><data key="b">5GB/s</data></edge>
<edge source="c" target="d"><data key="b">2GB/s</data></edge>
<edge source="d" target="a"><data key="b">5GB/s</data></edge></graph></graphml>
)";
    row.read = read_graph;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
