#pragma once

#include <optional>

#include "mapper/structure/rank_graph.h"
#include "mapper/structure/rank_grid.h"

namespace haichi {

/// Finds the axes and coordinates of ranks whose communication is a product: of paths and rings (stencils), of complete
/// graphs (pencils), or of both. Opposite edges of squares belong to the same step of the same axis (the relation of
/// Djokovic and Winkler; Imrich and Klavzar 2000). Steps that cross in a square belong to different axes. Vertices
/// connected without the edges of an axis form a layer of that axis.
///
/// Missing edges or ranks do no harm, nor do edges outside squares. Returns nothing if the graph is not such a product,
/// or if the work is too large.
std::optional<RankGrid> find_product_grid(const RankGraph& graph);

}  // namespace haichi
