#pragma once

#include <span>
#include <string>

#include "netmodel/machine/machine.h"

namespace haichi {

/// What answers from the simulator rest on: simulated times, and how far they can be told apart.

/// Seconds of a whole run. `tolerance_seconds`: what the iterations that were not simulated may change.
struct SimulatedTime {
    double seconds = 0;
    double tolerance_seconds = 0;
};

/// Times of the same thing under several seeds or draws. Their spread is half the distance from the lowest to the
/// highest, and the largest tolerance of any.
struct TimeSpread {
    double mean_seconds = 0;
    double spread_seconds = 0;
};

/// `times` must not be empty.
TimeSpread spread_of(std::span<const SimulatedTime> times);

/// Names the keys of a machine file without which a simulation of messages means nothing, and which the machine does
/// not state: what a packet holds, what a hop takes, and what a call costs. A clause, as in "machine m does not state
/// packet.payload, without which simulated times mean nothing"; empty: times can be believed as far as the machine file
/// can.
std::string why_times_mean_nothing(const Machine& machine);

/// "packet.payload", "packet.payload and node.barrier"
std::string listed(std::span<const std::string> words);
/// Four significant digits and the unit: "1.05 s", "4.8 us".
std::string duration_text(double seconds);
/// Two significant digits: "4.9 ms".
std::string rough_duration_text(double seconds);
/// "1.86"
std::string factor_text(double factor);
/// "2.1 %"
std::string percent_text(double share);

}  // namespace haichi
