#pragma once

#include <string>
#include <string_view>

#include "netmodel/topology/fat_tree.h"

namespace haichi {

/// The two static routings of fat trees in NSIM. Every route leads up to the lowest common level, then down.
enum class FatTreeRouting {
    kSourceModK,       ///< the source selects the parent at level l: (source / (w_1..w_l)) mod w_{l+1} (s-mod-k)
    kDestinationModK,  ///< the destination selects the parent by the same formula (d-mod-k)
};

/// Parses the name of a routing. Throws OptionError with a did-you-mean hint.
FatTreeRouting parse_fat_tree_routing(std::string_view text);
std::string to_string(FatTreeRouting routing);

/// Appends the links from terminal s to terminal d. A pure function of its arguments.
void append_fat_tree_route(const FatTree& tree, FatTreeRouting routing, VertexId s, VertexId d,
                           std::vector<LinkId>& links);

}  // namespace haichi
