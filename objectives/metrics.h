#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// An objective's value, under its key in reports.
struct KeyedValue {
    std::string key;
    std::string unit;
    double value = 0;
};

/// The values of most objectives for one mapping, computed directly from their definitions. They are the reference for
/// incremental evaluation, and the numbers in reports. All values are per iteration.
struct Metrics {
    std::int64_t hop_bytes = 0;
    std::int64_t max_link_bytes = 0;
    /// Sums over sets in scaled bytes; divide by Problem::scale_per_second() for seconds.
    std::int64_t tac3_scaled = 0;
    std::int64_t tac3_bytes_scaled = 0;
    double tac3_seconds = 0;
    double tac3_bytes_seconds = 0;
    /// Sum over sets and links of max(0, messages - 1) * the set's largest message.
    std::int64_t excess_bytes = 0;
    std::vector<std::int64_t> set_contention;      ///< per set: most messages on any link
    std::vector<std::int64_t> set_max_link_bytes;  ///< per set: most bytes on any link
    std::vector<std::int64_t> link_bytes;          ///< per link, all sets together
    /// Values of objectives that have no field above, under the keys of their table entries. measure() does not fill
    /// them.
    std::vector<KeyedValue> of_objectives;

    [[nodiscard]] unsigned __int128 rmatt() const {
        return static_cast<unsigned __int128>(hop_bytes) * static_cast<unsigned __int128>(max_link_bytes);
    }
};

/// The unit of an objective, adapted to the network. Stated distances replace hops, so "byte-hops" becomes "weighted
/// byte-hops".
std::string unit_on(const Network& network, std::string_view unit);

/// One pass over every message's route, two for sets with mixed sizes. Memory O(links + sets).
Metrics measure(const Problem& problem, const Mapping& mapping);

/// One link of a congestion report.
struct HotLink {
    LinkId link;
    std::size_t set = 0;
    std::int64_t message_count = 0;
    std::int64_t load_bytes = 0;
    double seconds = 0;             ///< time of the bytes at the link's bandwidth
    std::vector<Message> messages;  ///< the first few, in workload order
};

/// The links on which the bytes of a single set take the most time at the link's bandwidth. The longest time is first;
/// ties are ordered by set, then link. Returns at most `most` links, each with at most `most_messages` of its messages.
std::vector<HotLink> most_loaded_links(const Problem& problem, const Mapping& mapping, std::size_t most,
                                       std::size_t most_messages);

}  // namespace haichi
