#include "netmodel/networkfiles/graph_builder.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/decimal.h"

namespace haichi {

namespace {

/// Removes the number at the front of `text`. Returns its digits without leading zeros.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    return digits;
}

}  // namespace

bool is_before_by_number(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view number_a = take_number(a);
            const std::string_view number_b = take_number(b);
            if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
            if (number_a != number_b) return number_a < number_b;
            continue;
        }
        if (a.front() != b.front()) return a.front() < b.front();
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;
}

GraphBuilder::Vertex GraphBuilder::node(const std::string& name) {
    const auto [entry, is_new] = node_of_name_.try_emplace(name, names_.size());
    if (is_new) {
        nodes_.push_back(names_.size());
        names_.push_back(name);
    }
    return entry->second;
}

GraphBuilder::Vertex GraphBuilder::network_switch(const std::string& name) {
    const auto [entry, is_new] = switch_of_name_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return entry->second;
}

void GraphBuilder::sort_nodes() {
    std::ranges::sort(nodes_, is_before_by_number, [this](Vertex v) -> std::string_view { return names_[v]; });
}

void GraphBuilder::connect(Vertex a, Vertex b, std::int64_t bandwidth_bytes_per_s,
                           std::optional<std::int64_t> latency_ps) {
    add_link(a, b, bandwidth_bytes_per_s, latency_ps);
    add_link(b, a, bandwidth_bytes_per_s, latency_ps);
}

void GraphBuilder::add_link(Vertex from, Vertex to, std::int64_t bandwidth_bytes_per_s,
                            std::optional<std::int64_t> latency_ps) {
    links_.push_back({from, to, bandwidth_bytes_per_s, latency_ps});
}

std::vector<GraphBuilder::Vertex> GraphBuilder::parts() const {
    std::vector<Vertex> part(names_.size());
    std::iota(part.begin(), part.end(), Vertex{0});
    const auto root = [&part](Vertex v) {
        while (part[v] != v) v = part[v] = part[part[v]];
        return v;
    };
    for (const Cable& link : links_) {
        const Vertex a = root(link.from);
        const Vertex b = root(link.to);
        part[std::max(a, b)] = std::min(a, b);
    }
    std::vector<Vertex> first;
    for (Vertex v = 0; v < part.size(); ++v) {
        if (part[v] == v) first.push_back(v);
    }
    return first;
}

Graph GraphBuilder::graph(const std::string& file) const {
    // The limit bounds memory: objectives store values per bandwidth.
    constexpr std::size_t kMostBandwidths = 64;
    std::vector<std::string> names;
    std::vector<VertexId> number(names_.size());
    for (const Vertex v : nodes_) {
        number[v] = VertexId(names.size());
        names.push_back(names_[v]);
    }
    for (Vertex v = 0; v < names_.size(); ++v) {
        if (number[v].valid()) continue;
        number[v] = VertexId(names.size());
        names.push_back(names_[v]);
    }
    std::set<std::int64_t> bandwidths;
    std::vector<Graph::Link> links;
    for (const Cable& link : links_) {
        bandwidths.insert(link.bandwidth_bytes_per_s);
        links.push_back({number[link.from], number[link.to], link.bandwidth_bytes_per_s, link.latency_ps});
    }
    if (bandwidths.size() > kMostBandwidths) {
        throw InputError(SourcePlace{file, 0},
                         "the network has more than " + std::to_string(kMostBandwidths) + " different bandwidths");
    }
    try {
        return {std::move(names), static_cast<std::int32_t>(nodes_.size()), std::move(links)};
    } catch (const OptionError& error) {
        throw InputError(SourcePlace{file, 0}, error.what(), error.hint());
    }
}

}  // namespace haichi
