#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// A switch as Slurm's files state it.
struct SlurmSwitch {
    std::string name;
    SourcePlace place;
    std::vector<std::string> children{};       ///< switches below
    std::vector<std::string> nodes{};          ///< nodes at this switch; scontrol also lists those of child switches
    std::optional<std::int64_t> link_speed{};  ///< without a unit
};

/// A topology of the plugin topology/tree.
struct SlurmTree {
    std::vector<SlurmSwitch> switches;
};

struct SlurmBlock {
    std::string name;
    std::vector<std::string> nodes;
    SourcePlace place;
};

/// A topology of the plugin topology/block.
struct SlurmBlocks {
    std::vector<SlurmBlock> blocks;
    std::vector<std::int64_t> sizes;  ///< number of nodes in a base block, then in each larger block
    SourcePlace place_of_sizes{};
};

/// Expands the hostlists of a file. Each name becomes a cable, so the total number of names is limited to the maximum
/// number of links of a graph.
class SlurmNames {
  public:
    /// The names of a hostlist, in order. Throws InputError for invalid lists, and for too many names in the file.
    std::vector<std::string> expand(std::string_view list, const SourcePlace& place);

  private:
    std::int64_t left_ = Graph::kMostLinks;
};

Graph graph_of(SlurmTree tree, const NetworkText& from);
Graph graph_of(SlurmBlocks blocks, const NetworkText& from);

}  // namespace haichi
