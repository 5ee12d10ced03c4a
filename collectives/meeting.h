#pragma once

#include <cstdint>

#include "collectives/exchange.h"

namespace haichi::collectives {

/// The data that members exchange when they make a communicator or a window.
struct Meeting {
    std::int64_t bytes = 0;  ///< per member
    bool gathers = false;    ///< if true, each member gets the bytes of all; otherwise, steps combine them, like a mask
};

/// To agree on a context, an all-reduce combines a mask of free contexts and a word, 65 words in total (MPICH 4.0,
/// contextid.c).
inline constexpr Meeting kAgreeOnContext{.bytes = 260};
/// The colour and the key of a split.
inline constexpr Meeting kGatherChoices{.bytes = 8, .gathers = true};

/// Each member learns of all others in ceil(log2 members) steps. If bytes are gathered, messages double in each step
/// (Bruck and others 1997).
Steps meet_all(Exchange& exchange, Meeting meeting);
/// Two meetings in sequence, as in a split.
Steps meet_twice(Exchange& exchange, Meeting first, Meeting second);

}  // namespace haichi::collectives
