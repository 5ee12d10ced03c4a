#pragma once

#include <functional>

#include "collectives/pieces.h"

namespace haichi::collectives {

/// All-gather by recursive doubling of pieces that are already where they belong: in step k members exchange the runs
/// of 2^k pieces that they have. Where the number of members is no power of two, members whose partner does not exist
/// get what they miss from others of their half, down a tree. `part(begin, end)`: the place of the pieces of member
/// numbers [begin, end).
Steps gather_runs_by_doubling(Exchange& exchange, Ring ring, std::function<Buffer(int begin, int end)> part);

}  // namespace haichi::collectives
