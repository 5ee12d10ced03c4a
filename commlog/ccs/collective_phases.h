#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/collectives/collective_choice.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// One phase of a collective: messages that travel together.
struct CollectivePhase {
    std::string label;
    std::vector<Message> messages;  ///< by source
};

/// The phases on the members' world ranks. None for operations without an algorithm. Throws UnsupportedError for more
/// than 2^26 messages.
std::vector<CollectivePhase> collective_phases(const CollectiveChoice& choice, const CollectiveCall& call,
                                               const std::vector<std::int32_t>& members);

}  // namespace haichi
