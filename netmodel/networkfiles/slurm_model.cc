#include "netmodel/networkfiles/slurm_model.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "base/host_list.h"
#include "netmodel/networkfiles/graph_builder.h"

namespace haichi {

namespace {

/// The switches of a tree by name, with the height of each: 0 for a switch without switches below.
class SwitchTable {
  public:
    explicit SwitchTable(const std::vector<SlurmSwitch>& switches) : switches_(switches), height_(switches.size(), -1) {
        for (std::size_t i = 0; i < switches.size(); ++i) {
            const auto [entry, is_new] = number_.try_emplace(switches[i].name, i);
            if (is_new) continue;
            throw InputError(switches[i].place, "duplicate switch " + shown(switches[i].name) + ", first on line " +
                                                    std::to_string(switches[entry->second].place.line));
        }
        for (std::size_t i = 0; i < switches.size(); ++i) find_height(i, 0);
    }

    [[nodiscard]] std::int32_t height(std::size_t i) const { return height_[i]; }
    [[nodiscard]] std::size_t number_of(const std::string& name, const SourcePlace& place) const {
        const auto found = number_.find(name);
        if (found != number_.end()) return found->second;
        std::vector<std::string> names;
        for (const SlurmSwitch& known : switches_) names.push_back(known.name);
        throw InputError(place, "switch " + shown(name) + " has no line of its own", did_you_mean(name, names));
    }

  private:
    /// Depth-first search; -2 marks the switches on the path. Limits the depth on the way down, and the height on the
    /// way back. The order of the lines has no effect.
    std::int32_t find_height(std::size_t i, std::int32_t depth) {
        if (height_[i] == -2) refuse(i, " is below itself");
        if (height_[i] >= 0) return height_[i];
        height_[i] = -2;
        std::int32_t height = 0;
        for (const std::string& child : switches_[i].children) {
            if (depth == kMostAbove) refuse(i, kTooMany);
            height = std::max(height, 1 + find_height(number_of(child, switches_[i].place), depth + 1));
        }
        if (height > kMostAbove) refuse(i, kTooMany);
        return height_[i] = height;
    }
    [[noreturn]] void refuse(std::size_t i, const std::string& problem) const {
        throw InputError(switches_[i].place, "switch " + shown(switches_[i].name) + problem);
    }

    static constexpr std::int32_t kMostAbove = 64;
    static constexpr const char* kTooMany = " is in a chain of more than 65 switches";

    const std::vector<SlurmSwitch>& switches_;
    std::unordered_map<std::string, std::size_t> number_;  // only for look-ups, never iterated
    std::vector<std::int32_t> height_;
};

/// Computes the bandwidth of the cable above a switch from its LinkSpeed, relative to the smallest LinkSpeed in the
/// file.
class UplinkSpeeds {
  public:
    UplinkSpeeds(const std::vector<SlurmSwitch>& switches, std::int64_t bandwidth_bytes_per_s, const NetworkText& from)
        : bandwidth_bytes_per_s_(bandwidth_bytes_per_s) {
        std::int64_t largest = 0;
        for (const SlurmSwitch& at : switches) {
            if (!at.link_speed || *at.link_speed == 0) continue;
            slowest_ = slowest_ == 0 ? *at.link_speed : std::min(slowest_, *at.link_speed);
            largest = std::max(largest, *at.link_speed);
        }
        if (largest == slowest_) return;
        from.notes.push_back(
            "LinkSpeed has no unit in Slurm: a cable above a switch with LinkSpeed=" + std::to_string(largest) +
            " is assumed to be " + std::to_string(largest) + "/" + std::to_string(slowest_) +
            " times as fast as one with LinkSpeed=" + std::to_string(slowest_));
    }

    [[nodiscard]] std::int64_t above(const SlurmSwitch& at) const {
        if (!at.link_speed || *at.link_speed == 0) return bandwidth_bytes_per_s_;
        constexpr std::int64_t kMostTimes = 1'000'000;
        const std::int64_t times = std::min(*at.link_speed / slowest_, kMostTimes);
        const std::int64_t rest = *at.link_speed % slowest_;
        return bandwidth_bytes_per_s_ * times + bandwidth_bytes_per_s_ / slowest_ * rest;
    }

  private:
    std::int64_t bandwidth_bytes_per_s_;
    std::int64_t slowest_ = 0;
};

/// Connects separate trees of the network by a switch above their roots.
void join_parts(GraphBuilder& graph, const std::vector<GraphBuilder::Vertex>& roots,
                const std::vector<std::string>& root_names, std::int64_t bandwidth, const NetworkText& from) {
    if (graph.parts().size() <= 1) return;
    const GraphBuilder::Vertex top = graph.network_switch("assumed root");
    for (const GraphBuilder::Vertex root : roots) graph.connect(top, root, bandwidth);
    constexpr std::size_t kShown = 4;
    std::string names = joined(std::span(root_names).first(std::min(root_names.size(), kShown)));
    if (root_names.size() > kShown) names += ", ..";
    from.notes.push_back(from.file + " has switches without a common root (" + names +
                         "), so a switch above them is assumed, with one cable to each");
}

}  // namespace

std::vector<std::string> SlurmNames::expand(std::string_view list, const SourcePlace& place) {
    std::vector<std::string> names = expand_host_list(list, Graph::kMostVertices, place);
    left_ -= static_cast<std::int64_t>(names.size());
    if (left_ < 0) {
        throw InputError(place,
                         "the file has more than " + std::to_string(Graph::kMostLinks) + " names up to this line");
    }
    return names;
}

Graph graph_of(SlurmTree tree, const NetworkText& from) {
    const std::int64_t bandwidth = from.assumed_bandwidth();
    const SwitchTable table(tree.switches);
    const UplinkSpeeds speeds(tree.switches, bandwidth, from);
    GraphBuilder graph;
    // Visits switches by height, in the order of the file. A switch may repeat the nodes of its children, which are
    // then known.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&table](std::size_t i) { return table.height(i); });
    std::unordered_map<std::string, std::int32_t> height_of_node;  // only for look-ups, never iterated
    std::vector<bool> has_parent(tree.switches.size());
    for (const std::size_t i : order) {
        const SlurmSwitch& at = tree.switches[i];
        const GraphBuilder::Vertex here = graph.network_switch(at.name);
        for (const std::string& child : at.children) {
            const std::size_t below = table.number_of(child, at.place);
            has_parent[below] = true;
            graph.connect(graph.network_switch(child), here, speeds.above(tree.switches[below]));
        }
        for (const std::string& name : at.nodes) {
            const auto [entry, is_new] = height_of_node.try_emplace(name, table.height(i));
            if (is_new || entry->second == table.height(i)) graph.connect(graph.node(name), here, bandwidth);
        }
    }
    std::vector<GraphBuilder::Vertex> roots;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        if (has_parent[i]) continue;
        roots.push_back(graph.network_switch(tree.switches[i].name));
        names.push_back(tree.switches[i].name);
    }
    join_parts(graph, roots, names, bandwidth, from);
    return graph.graph(from.file);
}

namespace {

/// Slurm's rules for BlockSizes. Each size is a power of two times the one before it. Every block has at least as many
/// nodes as the first.
void check_block_sizes(const SlurmBlocks& blocks, const NetworkText& from) {
    for (std::size_t i = 0; i < blocks.sizes.size(); ++i) {
        const std::int64_t size = blocks.sizes[i];
        if (size < 1) throw InputError(blocks.place_of_sizes, "a block size of " + std::to_string(size));
        if (i == 0) continue;
        const std::int64_t before = blocks.sizes[i - 1];
        const bool is_multiple = size > before && size % before == 0;
        if (is_multiple && std::has_single_bit(static_cast<std::uint64_t>(size / before))) continue;
        throw InputError(blocks.place_of_sizes,
                         "block size " + std::to_string(size) + " follows " + std::to_string(before) +
                             ", but Slurm requires 2, 4, 8 or another power of two times as many nodes",
                         "use sizes such as " + std::to_string(before) + "," + std::to_string(2 * before));
    }
    if (blocks.sizes.empty()) return;
    std::int64_t small = 0;
    for (const SlurmBlock& block : blocks.blocks) {
        if (std::ssize(block.nodes) < blocks.sizes.front()) ++small;
    }
    if (small == 0) return;
    from.notes.push_back(std::to_string(small) + (small == 1 ? " block of " : " blocks of ") + from.file +
                         (small == 1 ? " has" : " have") + " fewer nodes than the smallest block size, " +
                         std::to_string(blocks.sizes.front()) + ", which Slurm does not accept");
}

}  // namespace

Graph graph_of(SlurmBlocks blocks, const NetworkText& from) {
    const std::int64_t bandwidth = from.assumed_bandwidth();
    std::ranges::sort(blocks.sizes);
    check_block_sizes(blocks, from);
    GraphBuilder graph;
    std::vector<GraphBuilder::Vertex> below;
    std::unordered_map<std::string, std::size_t> line_of_node;  // only for look-ups, never iterated
    std::unordered_map<std::string, std::size_t> line_of_block;
    for (const SlurmBlock& block : blocks.blocks) {
        if (const auto [first, is_new] = line_of_block.try_emplace(block.name, block.place.line); !is_new) {
            throw InputError(block.place, "duplicate block " + shown(block.name) + ", first on line " +
                                              std::to_string(first->second));
        }
        below.push_back(graph.network_switch(block.name));
        for (const std::string& name : block.nodes) {
            if (const auto [first, is_new] = line_of_node.try_emplace(name, block.place.line); !is_new) {
                throw InputError(block.place,
                                 "duplicate node " + shown(name) + ", first on line " + std::to_string(first->second));
            }
            graph.connect(graph.node(name), below.back(), bandwidth);
        }
    }
    std::size_t base_blocks = 1;  // number in a block of this level
    for (const std::int64_t size : blocks.sizes) {
        const std::int64_t times = size / std::max<std::int64_t>(blocks.sizes.front(), 1);
        const auto group = static_cast<std::size_t>(std::max<std::int64_t>(times, 1)) / base_blocks;
        if (group <= 1 || group >= below.size()) continue;
        base_blocks *= group;
        std::vector<GraphBuilder::Vertex> above;
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % group == 0) {
                above.push_back(
                    graph.network_switch(std::to_string(size) + " nodes, number " + std::to_string(above.size() + 1)));
            }
            graph.connect(below[i], above.back(), bandwidth);
        }
        below = std::move(above);
    }
    if (below.size() > 1) {
        const GraphBuilder::Vertex top = graph.network_switch("all blocks");
        for (const GraphBuilder::Vertex block : below) graph.connect(block, top, bandwidth);
    }
    return graph.graph(from.file);
}

}  // namespace haichi
