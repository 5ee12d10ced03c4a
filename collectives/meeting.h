#pragma once

#include <cstdint>

#include "collectives/exchange.h"

namespace haichi::collectives {

/// What members tell each other when they make a communicator or a window.
struct Meeting {
    std::int64_t bytes = 0;  ///< of each member
    bool gathers = false;    ///< each gets those of all others; else they are combined on the way, as of a mask
};

/// To agree on a context, a mask of free ones and a word go round in an all-reduce: 65 words (MPICH 4.0, contextid.c).
inline constexpr Meeting kAgreeOnContext{.bytes = 260};
/// Colour and key of a split.
inline constexpr Meeting kGatherChoices{.bytes = 8, .gathers = true};

/// Each member hears of all others, in ceil(log2 members) steps; where bytes are gathered, the messages double (Bruck
/// and others 1997).
Steps meet_all(Exchange& exchange, Meeting meeting);
/// One after the other, as for a split.
Steps meet_twice(Exchange& exchange, Meeting first, Meeting second);

}  // namespace haichi::collectives
