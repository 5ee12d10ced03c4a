#include "netmodel/routing/acyclic_order.h"

#include <algorithm>
#include <numeric>

namespace haichi {

AcyclicOrder::AcyclicOrder(std::int32_t vertex_count, std::size_t most_steps)
    : most_steps_(most_steps),
      place_(static_cast<std::size_t>(vertex_count)),
      out_(place_.size()),
      in_(place_.size()),
      is_found_(place_.size(), 0) {
    std::iota(place_.begin(), place_.end(), 0);
}

bool AcyclicOrder::collect(std::int32_t v, const std::vector<std::vector<std::int32_t>>& edges, std::int32_t least,
                           std::int32_t most, std::int32_t target, std::vector<std::int32_t>& found) {
    found.assign(1, v);
    is_found_[static_cast<std::size_t>(v)] = 1;
    bool is_given_up = false;
    std::size_t steps = 0;
    for (std::size_t i = 0; i < found.size() && !is_given_up; ++i) {
        const std::vector<std::int32_t>& next = edges[static_cast<std::size_t>(found[i])];
        steps += next.size();
        is_given_up = steps > most_steps_;
        for (const std::int32_t w : next) {
            if (w == target) is_given_up = true;
            const std::int32_t at = place_[static_cast<std::size_t>(w)];
            if (at < least || at > most || is_found_[static_cast<std::size_t>(w)] != 0) continue;
            is_found_[static_cast<std::size_t>(w)] = 1;
            found.push_back(w);
        }
    }
    for (const std::int32_t w : found) is_found_[static_cast<std::size_t>(w)] = 0;
    return !is_given_up;
}

bool AcyclicOrder::insert(std::int32_t from, std::int32_t to) {
    if (from == to) return false;
    const std::int32_t most = place_[static_cast<std::size_t>(from)];
    const std::int32_t least = place_[static_cast<std::size_t>(to)];
    if (most > least) {
        // `to` precedes `from`. Between the two, moves the successors of `to` after the predecessors of `from`.
        if (!collect(to, out_, least, most, from, after_)) return false;
        if (!collect(from, in_, least, most, -1, before_)) return false;
        const auto by_place = [this](std::int32_t v) { return place_[static_cast<std::size_t>(v)]; };
        std::ranges::sort(after_, {}, by_place);
        std::ranges::sort(before_, {}, by_place);
        before_.insert(before_.end(), after_.begin(), after_.end());
        free_places_.clear();
        std::ranges::transform(before_, std::back_inserter(free_places_), by_place);
        std::ranges::sort(free_places_);
        for (std::size_t i = 0; i < before_.size(); ++i) {
            place_[static_cast<std::size_t>(before_[i])] = free_places_[i];
        }
    }
    out_[static_cast<std::size_t>(from)].push_back(to);
    in_[static_cast<std::size_t>(to)].push_back(from);
    return true;
}

}  // namespace haichi
