#include "mgen/replay/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/random.h"
#include "mgen/process_options.h"

namespace haichi {

Replay::Lists Replay::lists_by(const Workload& workload, RankId Message::*end) {
    Lists lists;
    const auto messages = workload.messages();
    lists.first.assign(static_cast<std::size_t>(workload.rank_count()) + 1, 0);
    for (const Message& m : messages) ++lists.first[(m.*end).index() + 1];
    for (std::size_t r = 0; r + 1 < lists.first.size(); ++r) lists.first[r + 1] += lists.first[r];
    lists.messages.resize(messages.size());
    std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
    for (std::size_t m = 0; m < messages.size(); ++m) {
        lists.messages[next[(messages[m].*end).index()]++] = static_cast<std::uint32_t>(m);
    }
    return lists;
}

std::vector<RankId> Replay::communicating_ranks(const Workload& workload) {
    std::vector<std::uint8_t> has_messages(static_cast<std::size_t>(workload.rank_count()), 0);
    for (const Message& m : workload.messages())
        has_messages[m.source.index()] = has_messages[m.destination.index()] = 1;
    std::vector<RankId> ranks;
    for (std::size_t r = 0; r < has_messages.size(); ++r) {
        if (has_messages[r] != 0) ranks.emplace_back(r);
    }
    return ranks;
}

Replay::Replay(const Workload& workload, const ReplayOptions& options, IterationClock& clock)
    : workload_(&workload),
      has_barrier_(options.barriers),
      imbalance_(options.imbalance),
      clock_(&clock),
      sends_(lists_by(workload, &Message::source)),
      receives_(lists_by(workload, &Message::destination)),
      compute_ps_(workload.set_count()),
      next_stop_(workload.set_count() + 1),
      positions_(static_cast<std::size_t>(workload.rank_count())) {
    if (has_barrier_.empty()) has_barrier_.resize(workload.set_count());
    if (has_barrier_.size() != workload.set_count()) {
        throw OptionError("barriers for " + std::to_string(has_barrier_.size()) + " sets, but the workload has " +
                          std::to_string(workload.set_count()));
    }
    if (!(imbalance_.share >= 0 && imbalance_.share <= 1) || imbalance_.most_ps < 0 ||
        imbalance_.most_ps > kLongestSimulationPs) {
        throw OptionError("an imbalance requires a fraction from 0 to 1 of the computation time, or at most 26 days");
    }
    if (imbalance_.interval_ps != 0 &&
        (imbalance_.interval_ps < imbalance_.most_ps || imbalance_.interval_ps > kLongestSimulationPs)) {
        throw OptionError("interruptions require an interval that is at least as long, at most 26 days");
    }
    constexpr double kPsPerS = 1e12;
    for (std::size_t t = 0; t < compute_ps_.size(); ++t) {
        const double time_ps = std::round(workload.set(t).compute_seconds * kPsPerS);
        if (time_ps > static_cast<double>(kLongestSimulationPs)) {
            throw InputError(
                fmt::format("set {} computes for {:g} s: too long to simulate", t + 1, workload.set(t).compute_seconds),
                "reduce the computation time to at most 26 days");
        }
        compute_ps_[t] = static_cast<std::int64_t>(time_ps);
    }
    if (imbalance_.interval_ps > 0 && imbalance_.most_ps > 0) {
        for (std::size_t r = 0; r < positions_.size(); ++r) {
            Random random(imbalance_.seed, r);
            const auto first_ps =
                static_cast<std::int64_t>(random.unit() * static_cast<double>(imbalance_.interval_ps));
            interruptions_.push_back({random, first_ps});
        }
    }
    next_stop_.back() = static_cast<std::uint32_t>(compute_ps_.size());
    for (std::size_t t = compute_ps_.size(); t-- > 0;) {
        const bool stops = has_barrier_[t] || compute_ps_[t] > 0 || imbalance_.most_ps > 0;
        next_stop_[t] = stops ? static_cast<std::uint32_t>(t) : next_stop_[t + 1];
    }
}

/// The time is drawn again at every visit, which costs less than a table of all ranks and sets. Draws depend on the
/// rank, the set and the iteration, and not on the order in which threads run the ranks.
std::int64_t Replay::compute_ps(RankId rank, const Position& at, std::int64_t now_ps) {
    if (imbalance_.is_even()) return compute_ps_[at.set];
    const bool adds_delay = interruptions_.empty();
    const std::uint64_t stream = std::uint64_t{at.set} << 32 | static_cast<std::uint32_t>(rank.value);
    const std::uint64_t seed = imbalance_.varies
                                   ? Random(imbalance_.seed, static_cast<std::uint64_t>(at.iteration) + 1).next()
                                   : imbalance_.seed;
    const double u = Random(seed, stream).unit();
    const double factor = 1 + imbalance_.share * (2 * u - 1);
    double time_ps = static_cast<double>(compute_ps_[at.set]) * factor;
    if (adds_delay) time_ps += static_cast<double>(imbalance_.most_ps) * u;
    auto whole_ps = std::min(static_cast<std::int64_t>(time_ps), kLongestSimulationPs);
    if (!adds_delay) whole_ps += interrupted_ps(interruptions_[rank.index()], now_ps);
    return std::min(whole_ps, kLongestSimulationPs);
}

/// The length of the rank's interruptions that have begun since the last call. The cost does not depend on their
/// number: the sum of many is drawn from its limit, a normal distribution.
std::int64_t Replay::interrupted_ps(Interruptions& rank, std::int64_t now_ps) const {
    constexpr double kMany = 4096;
    const auto interval_ps = static_cast<double>(imbalance_.interval_ps);
    if (const double count = static_cast<double>(now_ps - rank.next_ps) / interval_ps; count > kMany) {
        // Interruptions form a renewal process. The variance of the intervals is a third of their squared mean. The
        // variance of the lengths is a twelfth of the squared maximum. Together, each interruption adds a sixth of the
        // squared maximum to the variance of the sum.
        double normal = -6;  // twelve uniform numbers, because <random> differs between libraries
        for (int k = 0; k < 12; ++k) normal += rank.random.unit();
        const double sum_ps = static_cast<double>(imbalance_.most_ps) * (count / 2 + normal * std::sqrt(count / 6));
        // From a random time, the next interruption is more often near than far.
        const double rest_ps = 2 * interval_ps * (1 - std::sqrt(rank.random.unit()));
        rank.next_ps = now_ps + std::max(std::int64_t{1}, static_cast<std::int64_t>(rest_ps));
        return static_cast<std::int64_t>(std::min(sum_ps, static_cast<double>(kLongestSimulationPs)));
    }
    std::int64_t sum_ps = 0;
    while (rank.next_ps <= now_ps) {
        sum_ps += static_cast<std::int64_t>(rank.random.unit() * static_cast<double>(imbalance_.most_ps));
        const double gap_ps = rank.random.unit() * 2 * static_cast<double>(imbalance_.interval_ps);
        rank.next_ps += std::max(std::int64_t{1}, static_cast<std::int64_t>(gap_ps));
    }
    return sum_ps;
}

/// Enters the next set from `from` on in which the rank has anything to do. The set is set_count() if there is none.
void Replay::enter_next_set(RankId rank, Position& at, std::uint32_t from) const {
    const auto sends = sends_.of(rank);
    const auto receives = receives_.of(rank);
    std::uint32_t next = next_stop_[from];
    for (const auto& [list, cursor] : {std::pair{sends, at.send}, std::pair{receives, at.receive}}) {
        if (cursor == list.size()) continue;
        // The set is usually the very next one. Otherwise, bisection finds the set.
        std::uint32_t first = from;
        std::uint32_t last = next;
        if (first < last && list[cursor] < workload_->set(first).end) last = first;
        while (first < last) {
            const std::uint32_t middle = first + (last - first) / 2;
            if (list[cursor] < workload_->set(middle).end) {
                last = middle;
            } else {
                first = middle + 1;
            }
        }
        next = last;
    }
    at.set = next;
    at.step = Step::kCompute;
    at.has_posted = false;
}

/// The tag identifies the set and the iteration, so that puts from ranks that are ahead wait for a later poll.
std::int32_t Replay::put_tag(const Position& at) const {
    const auto number = static_cast<std::uint64_t>(at.iteration) * workload_->set_count() + at.set;
    return static_cast<std::int32_t>(number & std::numeric_limits<std::int32_t>::max());
}

Call Replay::next(RankId rank, std::int64_t now_ps) {
    Position& at = positions_[rank.index()];
    const auto sends = sends_.of(rank);
    const auto receives = receives_.of(rank);
    if (sends.empty() && receives.empty()) return Call::finish();
    const auto sets = static_cast<std::uint32_t>(workload_->set_count());
    if (at.step == Step::kStart) enter_next_set(rank, at, 0);
    for (;;) {
        if (at.set == sets) {
            clock_->finish(at.iteration++, now_ps);
            at.send = at.receive = 0;
            if (at.iteration == clock_->most_iterations()) return Call::finish();
            enter_next_set(rank, at, 0);
        }
        const auto end = static_cast<std::uint32_t>(workload_->set(at.set).end);
        const bool by_put = workload_->set(at.set).transfer == Transfer::kPut;
        switch (at.step) {
            case Step::kStart:
            case Step::kCompute:
                at.step = Step::kBarrier;
                if (const std::int64_t time_ps = compute_ps(rank, at, now_ps); time_ps > 0)
                    return Call::compute(time_ps);
                [[fallthrough]];
            case Step::kBarrier:
                at.step = Step::kReceive;
                if (has_barrier_[at.set]) return Call::barrier(0);
                [[fallthrough]];
            case Step::kReceive:
                if (!by_put && at.receive < receives.size() && receives[at.receive] < end) {
                    at.has_posted = true;
                    const Message& m = message(receives[at.receive++]);
                    return Call::receive(m.source, m.size_bytes);
                }
                at.step = Step::kSend;
                [[fallthrough]];
            case Step::kSend:
                if (at.send < sends.size() && sends[at.send] < end) {
                    at.has_posted = true;
                    const Message& m = message(sends[at.send++]);
                    return by_put ? Call::put(m.destination, m.size_bytes, put_tag(at))
                                  : Call::send(m.destination, m.size_bytes);
                }
                at.step = Step::kPoll;
                [[fallthrough]];
            case Step::kPoll:
                if (by_put && at.receive < receives.size() && receives[at.receive] < end) {
                    ++at.receive;
                    return Call::poll(put_tag(at));
                }
                at.step = Step::kWait;
                if (at.has_posted) return Call::wait();
                [[fallthrough]];
            case Step::kWait:
                enter_next_set(rank, at, at.set + 1);
        }
    }
}

}  // namespace haichi
