#include "netmodel/topology/topology.h"

#include <algorithm>
#include <map>

#include "base/errors.h"

namespace haichi {

Drawing Topology::drawing() const {
    std::vector<std::int32_t> levels(static_cast<std::size_t>(vertex_count()), 1);
    std::fill_n(levels.begin(), terminal_count(), 0);
    return drawing_by_levels(*this, std::move(levels), {"nodes", "switches"});
}

Drawing drawing_by_levels(const Topology& topology, std::vector<std::int32_t> level_of_vertex,
                          const std::vector<std::string>& name_of_level) {
    using Pair = std::pair<std::int32_t, std::int32_t>;
    const auto levels_of = [&](LinkId link) -> Pair {
        const LinkEnds ends = topology.link_ends(link);
        return std::minmax({level_of_vertex[ends.from.index()], level_of_vertex[ends.to.index()]});
    };
    std::map<Pair, std::int32_t> number_of;
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (topology.link_exists(LinkId(l))) number_of.emplace(levels_of(LinkId(l)), 0);
    }
    Drawing drawing;
    for (auto& [levels, number] : number_of) {
        number = static_cast<std::int32_t>(drawing.panels.size());
        const std::string& low = name_of_level[static_cast<std::size_t>(levels.first)];
        const std::string& high = name_of_level[static_cast<std::size_t>(levels.second)];
        const bool is_within = levels.first == levels.second;
        drawing.panels.push_back({is_within ? "between " + low : low + " to " + high,
                                  is_within ? "upper half to the switch with the higher number"
                                            : "every link: upper half up, lower half down"});
    }
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        drawing.panel_of_link.push_back(topology.link_exists(LinkId(l)) ? number_of[levels_of(LinkId(l))] : 0);
    }
    drawing.level_of_vertex = std::move(level_of_vertex);
    return drawing;
}

std::vector<PortClass> classes_with(std::vector<PortClass> classes, std::span<const std::int64_t> bandwidths) {
    if (bandwidths.size() > classes.size()) {
        throw OptionError("the number of bandwidths must be " + std::to_string(classes.size()) +
                          " (one per class of links), not " + std::to_string(bandwidths.size()));
    }
    for (std::size_t c = 0; c < bandwidths.size(); ++c) classes[c].bandwidth_bytes_per_s = bandwidths[c];
    return classes;
}

}  // namespace haichi
