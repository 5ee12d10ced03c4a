#include "mapper/start/axis_walk.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace haichi {

namespace {

/// The way in which a walk is extended by one more share.
enum class Turn : std::uint8_t {
    kToAndFro,     ///< forwards, backwards, forwards again, one position of the share after another
    kAnew,         ///< from its beginning for each position of the share
    kRound,        ///< to and fro without the first place, then back along the first places
    kRoundAcross,  ///< like kRound, with the walk and the share exchanged
};
constexpr std::size_t kTurns = 4;

/// The places of a walk in order, each encoded as a number in mixed radix with the first share fastest.
using Places = std::vector<std::int32_t>;

/// Traverses the product of `fast` (places) and `slow` (multiples of a radix). The direction along `fast` alternates.
Places to_and_fro(const Places& fast, const Places& slow) {
    Places walk;
    walk.reserve(fast.size() * slow.size());
    for (std::size_t j = 0; j < slow.size(); ++j) {
        for (std::size_t i = 0; i < fast.size(); ++i) {
            walk.push_back(slow[j] + (j % 2 == 0 ? fast[i] : fast[fast.size() - 1 - i]));
        }
    }
    return walk;
}

Places anew(const Places& fast, const Places& slow) {
    Places walk;
    walk.reserve(fast.size() * slow.size());
    for (const std::int32_t s : slow) {
        for (const std::int32_t f : fast) walk.push_back(s + f);
    }
    return walk;
}

Places around(const Places& fast, const Places& slow) {
    Places walk = to_and_fro(Places(fast.begin() + 1, fast.end()), slow);
    for (std::size_t j = slow.size(); j-- > 0;) walk.push_back(slow[j] + fast.front());
    return walk;
}

Places one_more(const Places& walk, const Places& share, Turn turn) {
    switch (turn) {
        case Turn::kAnew:
            return anew(walk, share);
        case Turn::kRound:
            return around(walk, share);
        case Turn::kRoundAcross:
            return around(share, walk);
        case Turn::kToAndFro:
            break;
    }
    return to_and_fro(walk, share);
}

/// Makes the walk that goes through the shares in the given order. `turns` has the turn of each share after the first.
Places places_of(const std::vector<AxisShare>& shares, const std::vector<std::size_t>& order,
                 const std::vector<Turn>& turns) {
    std::vector<std::int32_t> radix(shares.size(), 1);
    for (std::size_t i = 1; i < shares.size(); ++i) radix[i] = radix[i - 1] * shares[i - 1].positions;
    Places walk = {0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        Places share;
        for (std::int32_t p = 0; p < shares[order[i]].positions; ++p) share.push_back(p * radix[order[i]]);
        walk = i == 0 ? share : one_more(walk, share, turns[i - 1]);
    }
    return walk;
}

/// Reorders the first `count` places: first, third, fifth and so on, then back over the others.
Places there_and_back(const Places& walk, std::int32_t count) {
    const auto size = static_cast<std::size_t>(count);
    Places order;
    for (std::size_t i = 0; i < size; i += 2) order.push_back(walk[i]);
    for (std::size_t i = size - size % 2; i > 0; i -= 2) order.push_back(walk[i - 1]);
    return order;
}

/// Counts the messages of a walk on the links of the axes that it uses, axis by axis. Positions that belong to other
/// axes of the grid carry the same messages. Slots of a node and blocks of terminals have no links.
class WalkLoads {
  public:
    WalkLoads(const std::vector<PlaceAxis>& axes, const AxisWalk& walk) : axes_(axes), walk_(walk) {
        for (const AxisShare& share : walk.shares) {
            cell_stride_.push_back(cells_);
            cells_ *= static_cast<std::size_t>(axes[share.axis].size);
        }
        loads_.assign(cells_ * walk.shares.size() * 2, 0);
        find_offsets();
    }

    [[nodiscard]] std::size_t lines() const { return offsets_.size() / std::max<std::size_t>(walk_.shares.size(), 1); }

    /// The largest number of messages on a link, if each position a of `pairs` sends one to b.
    std::int32_t most_messages(std::span<const std::pair<std::int32_t, std::int32_t>> pairs) {
        std::ranges::fill(loads_, 0);
        const std::size_t count = walk_.shares.size();
        std::int32_t most = 0;
        for (const auto& [a, b] : pairs) {
            for (std::size_t line = 0; line < lines(); ++line) {
                const std::int32_t* const offset = &offsets_[line * count];
                std::size_t cell = 0;
                for (std::size_t i = 0; i < count; ++i) cell += cell_stride_[i] * position(a, i, offset[i]);
                for (std::size_t i = 0; i < count; ++i) {
                    go(i, position(a, i, offset[i]), position(b, i, offset[i]), cell, most);
                }
            }
        }
        return most;
    }

  private:
    [[nodiscard]] std::size_t position(std::int32_t at, std::size_t i, std::int32_t offset) const {
        const std::int32_t digit = walk_.at[static_cast<std::size_t>(at) * walk_.shares.size() + i];
        return static_cast<std::size_t>(digit * walk_.shares[i].stride + offset);
    }

    /// Finds all combinations of positions that belong to other axes of the grid.
    void find_offsets() {
        std::vector<std::vector<std::int32_t>> of_share;
        for (const AxisShare& share : walk_.shares) {
            std::vector<std::int32_t> offsets;
            const std::int32_t block = share.stride * share.positions;
            for (std::int32_t begin = 0; begin + block <= axes_[share.axis].size; begin += block) {
                for (std::int32_t o = 0; o < share.stride; ++o) offsets.push_back(begin + o);
            }
            of_share.push_back(std::move(offsets));
        }
        std::vector<std::size_t> at(of_share.size(), 0);
        while (true) {
            for (std::size_t i = 0; i < at.size(); ++i) offsets_.push_back(of_share[i][at[i]]);
            std::size_t i = 0;
            while (i < at.size() && ++at[i] == of_share[i].size()) at[i++] = 0;
            if (i == at.size()) return;
        }
    }

    /// Adds a message along one axis, starting at `cell`. Moves `cell` to the end of the message.
    void go(std::size_t i, std::size_t from, std::size_t to, std::size_t& cell, std::int32_t& most) {
        const PlaceAxis& axis = axes_[walk_.shares[i].axis];
        const auto size = static_cast<std::size_t>(axis.size);
        if (axis.kind == PlaceAxis::Kind::kFlat) {
            cell = cell - cell_stride_[i] * from + cell_stride_[i] * to;
            return;
        }
        const std::size_t ahead = (to + size - from) % size;
        const bool is_forward = axis.kind == PlaceAxis::Kind::kRing ? 2 * ahead <= size : to > from;
        for (std::size_t at = from; at != to;) {
            std::int32_t& load = loads_[(cell * walk_.shares.size() + i) * 2 + (is_forward ? 0 : 1)];
            most = std::max(most, ++load);
            const std::size_t next = is_forward ? (at + 1) % size : (at + size - 1) % size;
            cell = cell - cell_stride_[i] * at + cell_stride_[i] * next;
            at = next;
        }
    }

    const std::vector<PlaceAxis>& axes_;
    const AxisWalk& walk_;
    std::size_t cells_ = 1;
    std::vector<std::size_t> cell_stride_;  ///< per share
    std::vector<std::int32_t> offsets_;     ///< line by line: an offset per share
    std::vector<std::int32_t> loads_;       ///< per cell, share and direction
};

/// Advances to the next sequence of turns. Returns false after the last.
bool next_turns(std::vector<Turn>& turns) {
    for (Turn& turn : turns) {
        const auto next = (static_cast<std::size_t>(turn) + 1) % kTurns;
        turn = static_cast<Turn>(next);
        if (next != 0) return true;
    }
    return false;
}

}  // namespace

const AxisWalk& AxisWalks::best(const std::vector<AxisShare>& shares, WalkCost cost) {
    const auto [entry, is_new] = known_.try_emplace(Key{cost, shares});
    if (is_new) entry->second = found(shares, cost);
    return entry->second;
}

AxisWalk AxisWalks::walk_over(const std::vector<AxisShare>& shares, const Places& places, WalkCost cost) const {
    AxisWalk walk{.shares = shares, .at = {}};
    walk.at.reserve(static_cast<std::size_t>(size_) * shares.size());
    for (std::int32_t i = 0; i < size_; ++i) {
        std::int32_t place = places[static_cast<std::size_t>(i)];
        for (const AxisShare& share : shares) {
            walk.at.push_back(place % share.positions);
            place /= share.positions;
        }
    }
    walk.byte_hops = byte_hops(walk);
    if (cost == WalkCost::kByteLoad) walk.byte_load = byte_load(walk);
    return walk;
}

AxisWalk AxisWalks::found(const std::vector<AxisShare>& shares, WalkCost cost) const {
    constexpr std::size_t kMostSteps = 2'000'000;
    constexpr std::size_t kStepsOfLoads = 64;  // approximate number of steps per message
    const std::size_t steps = (static_cast<std::size_t>(size_) + bytes_.size()) * (shares.size() + 1);
    const std::size_t steps_of_walk = cost == WalkCost::kByteLoad ? kStepsOfLoads * steps : steps;
    std::size_t left = std::max<std::size_t>(kMostSteps / steps_of_walk, 1);
    AxisWalk best;
    const auto keep_better = [&](AxisWalk walk) {
        const auto key = [](const AxisWalk& each) { return std::pair(each.byte_load, each.byte_hops); };
        if (best.at.empty() || key(walk) < key(best)) best = std::move(walk);
    };
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    // Long shares first, because they need the fewest turns.
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return shares[i].positions; });
    const std::vector<std::size_t> first_order = order;
    std::vector<Turn> turns(shares.empty() ? 0 : shares.size() - 1, Turn::kToAndFro);
    do {
        do {
            const Places places = places_of(shares, order, turns);
            keep_better(walk_over(shares, places, cost));
            if (cost == WalkCost::kByteLoad) keep_better(walk_over(shares, there_and_back(places, size_), cost));
            if (shares.empty() || --left == 0) return best;
        } while (next_turns(turns));
        std::ranges::next_permutation(order);
    } while (order != first_order);
    return best;
}

double AxisWalks::byte_load(const AxisWalk& walk) const {
    constexpr std::size_t kMostOnWalk = 200'000;
    struct Distance {
        /// Each pair in the direction of the shorter way round.
        std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
        double bytes = 0;
    };
    std::map<std::int32_t, Distance> by_distance;
    for (const LayerBytes& each : bytes_) {
        const std::int32_t ahead = (each.b - each.a + size_) % size_;
        const bool is_forward = 2 * ahead <= size_;
        Distance& distance = by_distance[is_forward ? ahead : size_ - ahead];
        distance.pairs.emplace_back(is_forward ? each.a : each.b, is_forward ? each.b : each.a);
        distance.bytes += static_cast<double>(each.bytes);
    }
    WalkLoads loads(*axes_, walk);
    if (loads.lines() * bytes_.size() > kMostOnWalk) return walk.byte_hops;
    // Slots of a node that belong to other axes of the grid send the same messages.
    const auto slots = std::ranges::find(walk.shares, std::size_t{0}, &AxisShare::axis);
    const double alike = static_cast<double>((*axes_)[0].size) / (slots == walk.shares.end() ? 1 : slots->positions);
    double load = 0;
    for (auto& [steps, distance] : by_distance) {
        const double bytes = distance.bytes / static_cast<double>(distance.pairs.size());
        load += bytes * loads.most_messages(distance.pairs);
    }
    return alike * load;
}

double AxisWalks::byte_hops(const AxisWalk& walk) const {
    const std::size_t count = walk.shares.size();
    double sum = 0;
    for (const LayerBytes& each : bytes_) {
        std::int32_t hops = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const AxisShare& share = walk.shares[i];
            const std::int32_t a = walk.at[static_cast<std::size_t>(each.a) * count + i] * share.stride;
            const std::int32_t b = walk.at[static_cast<std::size_t>(each.b) * count + i] * share.stride;
            hops += (*axes_)[share.axis].distance(a, b);
        }
        sum += static_cast<double>(each.bytes) * hops;
    }
    return sum;
}

}  // namespace haichi
