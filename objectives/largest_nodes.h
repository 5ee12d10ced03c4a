#pragma once

#include <cstddef>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// The open rank slots of the nodes with the most, for at least `ranks` ranks if the job has room for them. For lower
/// bounds: no other nodes have room for more ranks.
std::vector<std::size_t> largest_nodes(const Problem& problem, std::size_t ranks);

}  // namespace haichi
