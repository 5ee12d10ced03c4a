#include <nlohmann/json.hpp>
#include <utility>

#include "netmodel/routing/clusters_row.h"
#include "netmodel/routing/dragonfly_plus.h"
#include "netmodel/routing/dragonfly_topology.h"
#include "netmodel/routing/fat_tree_topology.h"
#include "netmodel/routing/graph_topology.h"
#include "netmodel/routing/grid_topology.h"
#include "netmodel/routing/hyperx.h"
#include "netmodel/routing/topologies.h"

namespace haichi {

std::vector<TopologyRow> builtin_topologies() {
    return {torus_row(),          mesh_row(),   fat_tree_row(), tree_row(),    dragonfly_row(),
            dragonfly_plus_row(), hyperx_row(), graph_row(),    clusters_row()};
}

Table<TopologyRow> topology_table(std::vector<TopologyRow> rows) {
    return {{"topology kind", "kinds"}, std::move(rows)};
}

std::vector<std::int64_t> read_class_bandwidths(const MachineSection& section, std::size_t classes) {
    std::vector<std::int64_t> list;
    if (!section.has("bandwidth")) return list;
    const nlohmann::json& bandwidths = section.array("bandwidth");
    if (bandwidths.size() > classes) {
        throw section.error("bandwidth", "the number of bandwidths must be " + std::to_string(classes) +
                                             " (one per level), not " + std::to_string(bandwidths.size()));
    }
    for (std::size_t l = 0; l < bandwidths.size(); ++l) {
        const std::string at = "bandwidth/" + std::to_string(l);
        list.push_back(section.quantity_of(bandwidths[l], at, kBandwidths));
    }
    return list;
}

}  // namespace haichi
