#include "netmodel/topology/bandwidth.h"

#include "base/quantity.h"

namespace haichi {

std::int64_t parse_positive_bandwidth(std::string_view text, const SourcePlace& place) {
    const std::int64_t bandwidth = parse_bandwidth_bytes_per_s(text, place);
    if (bandwidth == 0) throw InputError(place, "bandwidth " + shown(text) + " must be positive");
    if (bandwidth > kLargestBandwidth) throw InputError(place, "bandwidth " + shown(text) + " is too large");
    return bandwidth;
}

}  // namespace haichi
