#pragma once

#include <span>
#include <string>

#include "netmodel/machine/machine.h"

namespace haichi {

/// Evidence from the simulator: simulated times and their uncertainty.

/// The time of a whole run. `tolerance_seconds` is the possible error from iterations that were not simulated.
struct SimulatedTime {
    double seconds = 0;
    double tolerance_seconds = 0;
};

/// Mean and spread of the times under several seeds or draws. The spread is half the range plus the largest tolerance.
struct TimeSpread {
    double mean_seconds = 0;
    double spread_seconds = 0;
};

/// `times` must not be empty.
TimeSpread spread_of(std::span<const SimulatedTime> times);

/// Names the missing keys of a machine file without which a simulation of messages has no meaning: packet size, hop
/// time and call cost. Returns a clause such as "machine m does not state packet.payload, without which simulated times
/// are meaningless". Returns "" if no key is missing.
std::string why_times_mean_nothing(const Machine& machine);

/// Returns "packet.payload" or "packet.payload and node.barrier".
std::string listed(std::span<const std::string> words);
/// Four significant digits and the unit: "1.05 s", "4.8 us".
std::string duration_text(double seconds);
/// Two significant digits: "4.9 ms".
std::string rough_duration_text(double seconds);
/// Returns a text such as "1.86".
std::string factor_text(double factor);
/// Returns a text such as "2.1 %".
std::string percent_text(double share);

}  // namespace haichi
