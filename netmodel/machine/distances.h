#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "netmodel/machine/machine.h"

namespace haichi {

/// The distances of a machine (NetworkOptions::distances), from a text: "1:10:100" states them, lowest level first,
/// while "latency" and "bandwidth" derive them from the links. A link then costs its latency, or the time of a byte, in
/// small integers with the same ratios to about 5 %. The distance of a level is the sum over a route. The other fields
/// of `machine` must be complete. Throws OptionError, which names the levels, axes or classes of links that require a
/// distance.
std::vector<std::int32_t> parse_distances(std::string_view text, const Machine& machine);

/// Returns stated distances if they suit the machine. Throws like parse_distances() if they do not.
std::vector<std::int32_t> checked_distances(std::vector<std::int32_t> distances, const Machine& machine);

}  // namespace haichi
