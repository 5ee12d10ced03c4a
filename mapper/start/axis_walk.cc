#include "mapper/start/axis_walk.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace haichi {

namespace {

/// How a walk extends to one more share.
enum class Turn : std::uint8_t {
    kToAndFro,     ///< forwards, backwards, forwards again, one position of the share after another
    kAnew,         ///< from its beginning for each position of the share
    kRound,        ///< to and fro without the first place, then back along the first places
    kRoundAcross,  ///< the same with the walk and the share exchanged
};
constexpr std::size_t kTurns = 4;

/// Places of a walk as numbers in mixed radix, the first share fastest.
using Places = std::vector<std::int32_t>;

/// Traverses the product of `fast` (places) and `slow` (multiples of a radix), to and fro.
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

/// The places of the shares in the given order. `turns` has the turn of each share after the first.
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

const AxisWalk& AxisWalks::best(const std::vector<AxisShare>& shares) {
    const auto [entry, is_new] = known_.try_emplace(shares);
    if (is_new) entry->second = found(shares);
    return entry->second;
}

AxisWalk AxisWalks::found(const std::vector<AxisShare>& shares) const {
    constexpr std::size_t kMostSteps = 2'000'000;
    const std::size_t steps = (static_cast<std::size_t>(size_) + bytes_.size()) * (shares.size() + 1);
    std::size_t left = std::max<std::size_t>(kMostSteps / steps, 1);
    AxisWalk best;
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    // Long shares first, because they need the fewest turns.
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return shares[i].positions; });
    const std::vector<std::size_t> first_order = order;
    std::vector<Turn> turns(shares.empty() ? 0 : shares.size() - 1, Turn::kToAndFro);
    do {
        do {
            const Places places = places_of(shares, order, turns);
            AxisWalk walk{.shares = shares, .at = {}, .byte_hops = 0};
            walk.at.reserve(static_cast<std::size_t>(size_) * shares.size());
            for (std::int32_t i = 0; i < size_; ++i) {
                std::int32_t place = places[static_cast<std::size_t>(i)];
                for (const AxisShare& share : shares) {
                    walk.at.push_back(place % share.positions);
                    place /= share.positions;
                }
            }
            walk.byte_hops = byte_hops(walk);
            if (best.at.empty() || walk.byte_hops < best.byte_hops) best = std::move(walk);
            if (shares.empty() || --left == 0) return best;
        } while (next_turns(turns));
        std::ranges::next_permutation(order);
    } while (order != first_order);
    return best;
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
