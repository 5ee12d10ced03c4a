#pragma once

#include <optional>

#include "mapper/structure/rank_graph.h"
#include "mapper/structure/rank_grid.h"

namespace haichi {

/// The axes and coordinates of ranks whose communication is a product: of paths and rings (stencils), of complete
/// graphs (pencils), or of both. Opposite edges of squares belong to the same step of the same axis (the relation of
/// Djokovic and Winkler; Imrich and Klavzar 2000), steps that cross in a square to different axes; what is joined
/// without the edges of an axis is a layer of it. Missing edges and ranks do no harm, nor do edges that close no
/// square. Nothing when the graph is no such product, or it is too much work to tell.
std::optional<RankGrid> find_product_grid(const RankGraph& graph);

}  // namespace haichi
