#include "netmodel/routing/fat_tree_routing.h"

#include <array>

#include "base/errors.h"

namespace haichi {

namespace {

/// The current name of a routing with this former name, or "".
std::string_view present_name(std::string_view text) {
    if (text == "up-straight") return "s-mod-k";
    if (text == "down-straight") return "d-mod-k";
    return {};
}

}  // namespace

FatTreeRouting parse_fat_tree_routing(std::string_view text) {
    static const std::array<std::string, 2> kNames = {"s-mod-k", "d-mod-k"};
    if (text == kNames[0]) return FatTreeRouting::kSourceModK;
    if (text == kNames[1]) return FatTreeRouting::kDestinationModK;
    const std::string_view renamed = present_name(text);
    throw OptionError(
        "routing " + shown(text) + " does not fit a tree",
        renamed.empty() ? near_or_all(text, kNames, "routings of trees are ") : "use its present name " + shown(renamed));
}

std::string to_string(FatTreeRouting routing) { return routing == FatTreeRouting::kSourceModK ? "s-mod-k" : "d-mod-k"; }

void append_fat_tree_route(const FatTree& tree, FatTreeRouting routing, VertexId s, VertexId d,
                           std::vector<LinkId>& links) {
    // Lanes are numbered as in FatTree. The choice of parent (key / width(l)) mod w_{l+1} at every level therefore
    // leads to lane key mod width(l) on each level on the way up. The same holds on the way down, because both ends
    // share the top of the route.
    const std::int32_t key = routing == FatTreeRouting::kSourceModK ? s.value : d.value;
    const auto index = [&](VertexId terminal, std::size_t l) {
        return terminal.value / tree.terminals_below(l) * tree.width(l) + key % tree.width(l);
    };
    const auto parent = [&](std::size_t l) { return key / tree.width(l) % tree.parents()[l]; };
    const std::size_t top = tree.common_level(s, d);
    for (std::size_t l = 0; l < top; ++l) links.push_back(tree.up_link(l, index(s, l), parent(l)));
    for (std::size_t l = top; l-- > 0;) links.push_back(tree.down_link(l, index(d, l), parent(l)));
}

}  // namespace haichi
