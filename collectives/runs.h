#pragma once

#include <functional>

#include "collectives/pieces.h"

namespace haichi::collectives {

/// All-gather by recursive doubling of pieces that are already in place. In step k, members exchange their runs of 2^k
/// pieces. If the number of members is not a power of two, some members have no partner. They get the missing pieces
/// from others of their half, down a tree. `part(begin, end)` returns the buffer of the pieces of member numbers
/// [begin, end).
Steps gather_runs_by_doubling(Exchange& exchange, Ring ring, std::function<Buffer(int begin, int end)> part);

}  // namespace haichi::collectives
