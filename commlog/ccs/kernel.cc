#include "commlog/ccs/kernel.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace haichi {

namespace {

/// More seeds than this are not tried, nor kernels listed.
constexpr std::size_t kMostKernels = 16;
/// A rank's body is executed at most this often in one repetition of a kernel.
constexpr std::int64_t kMostExecutions = 4096;

struct Seed {
    double bytes;
    std::size_t rank;  ///< index in the log
    std::size_t body;
};

/// A positive fraction in lowest terms: executions of a rank's body for one of the seed's.
struct Ratio {
    std::int64_t up = 1, down = 1;

    friend bool operator==(const Ratio&, const Ratio&) = default;
};

std::optional<Ratio> times(const Ratio& ratio, std::int64_t up, std::int64_t down) {
    const std::int64_t common = std::gcd(up, down);
    up /= common;
    down /= common;
    const std::int64_t a = std::gcd(ratio.up, down);
    const std::int64_t b = std::gcd(up, ratio.down);
    Ratio product;
    if (__builtin_mul_overflow(ratio.up / a, up / b, &product.up)) return std::nullopt;
    if (__builtin_mul_overflow(ratio.down / b, down / a, &product.down)) return std::nullopt;
    return product;
}

std::string rank_name(const JobLog& job, std::size_t index) { return "rank " + std::to_string(job.ranks[index].rank); }

/// Grows one kernel from one loop of one rank.
class Growth {
  public:
    Growth(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<std::int64_t>& index_of_rank)
        : job_(&job), loops_(&loops), index_of_rank_(&index_of_rank), body_(loops.size()), ratio_(loops.size()) {}

    std::optional<Kernel> grow(const Seed& seed, std::string& refusal) {
        take(seed.rank, seed.body, Ratio{});
        if (!follow_all(refusal)) return std::nullopt;
        // Ranks that exchange nothing with these in the loop (other rows of a grid, say) but repeat something as often.
        const std::int64_t executions = (*loops_)[seed.rank].executions(seed.body);
        for (std::size_t r = 0; r < loops_->size(); ++r) {
            if (body_[r]) continue;
            const auto body = repeated_as_often(r, executions);
            if (!body) continue;
            const auto bodies = body_;
            const auto ratios = ratio_;
            const auto followed = followed_;
            take(r, *body, Ratio{});
            std::string why;
            if (follow_all(why)) continue;
            body_ = bodies;
            ratio_ = ratios;
            followed_ = followed;
            to_visit_.clear();
        }
        return whole(refusal);
    }

  private:
    void take(std::size_t rank, std::size_t body, Ratio ratio) {
        body_[rank] = body;
        ratio_[rank] = ratio;
        to_visit_.push_back(rank);
    }

    bool follow_all(std::string& refusal) {
        while (!to_visit_.empty()) {
            const std::size_t rank = to_visit_.front();
            to_visit_.pop_front();
            if (!follow(rank, refusal)) return false;
        }
        return true;
    }

    /// The loop with most bytes among those executed as often, give or take one.
    [[nodiscard]] std::optional<std::size_t> repeated_as_often(std::size_t rank, std::int64_t executions) const {
        const RankLoops& own = (*loops_)[rank];
        std::optional<std::size_t> best;
        for (std::size_t body = 0; body < own.body_count(); ++body) {
            const BodyTraffic& traffic = own.traffic(body);
            if (traffic.sends.empty() && traffic.receives.empty() && traffic.collectives.empty()) continue;
            if (std::abs(own.executions(body) - executions) > 1) continue;
            if (!best || traffic.bytes > own.traffic(*best).bytes) best = body;
        }
        return best;
    }

    bool follow(std::size_t rank, std::string& refusal) {
        const BodyTraffic& traffic = (*loops_)[rank].traffic(*body_[rank]);
        for (const auto& [channel, count] : traffic.sends) {
            if (!pair(rank, channel, count, channel.destination, &BodyTraffic::receives, "sends", "receives",
                      refusal)) {
                return false;
            }
        }
        for (const auto& [channel, count] : traffic.receives) {
            if (!pair(rank, channel, count, channel.source, &BodyTraffic::sends, "receives", "sends", refusal))
                return false;
        }
        for (const auto& [channel, count] : traffic.collectives) {
            if (!followed_.insert(channel.communicator).second) continue;  // by one of the members for all
            for (const std::int32_t member : job_->communicators[channel.communicator].members) {
                if (!pair(rank, channel, count, member, &BodyTraffic::collectives, "collectives", "collectives",
                          refusal)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// The other end of `count` events on `channel` in `rank`'s body: is found, or agrees with what was found.
    bool pair(std::size_t rank, const Channel& channel, std::int64_t count, std::int32_t other_rank,
              ChannelCounts BodyTraffic::*counts, const char* doing, const char* counterpart, std::string& refusal) {
        if (other_rank < 0) return true;
        const std::int64_t index = (*index_of_rank_)[static_cast<std::size_t>(other_rank)];
        if (index < 0) return true;  // its part of the log is missing: said elsewhere
        const auto other = static_cast<std::size_t>(index);
        const auto say = [&](const std::string& what) {
            refusal = rank_name(*job_, rank) + " repeats " + doing +
                      (channel.source == kNobody
                           ? " on a communicator of " +
                                 std::to_string(job_->communicators[channel.communicator].members.size()) + " ranks "
                           : " with tag " + std::to_string(channel.tag) + " ") +
                      std::to_string(saturated_product((*loops_)[rank].executions(*body_[rank]), count)) +
                      " times, but rank " + std::to_string(other_rank) + " " + what;
            return false;
        };
        if (!body_[other]) {
            const auto body = counterpart_of(rank, channel, count, other, counts);
            if (!body) return say("repeats no such " + std::string(counterpart));
            const auto ratio = times(ratio_[rank], count, ((*loops_)[other].traffic(*body).*counts).at(channel));
            if (!ratio) return say("does so in another proportion");
            take(other, *body, *ratio);
            return true;
        }
        const ChannelCounts& theirs = (*loops_)[other].traffic(*body_[other]).*counts;
        const auto found = theirs.find(channel);
        if (found == theirs.end()) return say("has no such " + std::string(counterpart) + " in the same repetition");
        const auto ratio = times(ratio_[rank], count, found->second);
        if (!ratio || *ratio != ratio_[other]) {
            return say("repeats " +
                       std::to_string(saturated_product((*loops_)[other].executions(*body_[other]), found->second)) +
                       " " + counterpart);
        }
        return true;
    }

    /// The loop of `other` that makes most nearly as many counterparts in all and, of equal ones, is executed most
    /// nearly as often.
    std::optional<std::size_t> counterpart_of(std::size_t rank, const Channel& channel, std::int64_t count,
                                              std::size_t other, ChannelCounts BodyTraffic::*counts) const {
        const auto executions = static_cast<double>((*loops_)[rank].executions(*body_[rank]));
        const double total = executions * static_cast<double>(count);
        std::optional<std::size_t> best;
        std::pair<double, double> best_distance;
        for (std::size_t body = 0; body < (*loops_)[other].body_count(); ++body) {
            const ChannelCounts& theirs = (*loops_)[other].traffic(body).*counts;
            const auto found = theirs.find(channel);
            const std::int64_t times_executed = (*loops_)[other].executions(body);
            if (found == theirs.end() || times_executed == 0) continue;
            const auto their_executions = static_cast<double>(times_executed);
            // A repetition more or less, at the loop's ends, is no difference.
            const double off = std::abs(their_executions * static_cast<double>(found->second) - total);
            const double slack = 2.0 * static_cast<double>(std::max(count, found->second));
            const std::pair<double, double> distance = {
                off <= slack ? 0.0 : std::abs(std::log(their_executions * static_cast<double>(found->second) / total)),
                std::abs(std::log(their_executions / executions))};
            if (!best || distance < best_distance) {
                best = body;
                best_distance = distance;
            }
        }
        // A loop that makes a few of them is another one.
        if (best && best_distance.first > std::log(1.5)) return std::nullopt;
        return best;
    }

    std::optional<Kernel> whole(std::string& refusal) const {
        std::int64_t common = 1;
        for (std::size_t r = 0; r < body_.size(); ++r) {
            if (!body_[r]) continue;
            common = std::lcm(common, ratio_[r].down);
            if (common > kMostExecutions) {
                refusal = "the ranks' repetitions have no common one of reasonable length";
                return std::nullopt;
            }
        }
        Kernel kernel;
        kernel.repetitions = std::numeric_limits<std::int64_t>::max();
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t r = 0; r < body_.size(); ++r) {
            if (!body_[r]) continue;
            const std::int64_t executions = saturated_product(ratio_[r].up, common / ratio_[r].down);
            if (executions > kMostExecutions) {
                refusal = "the ranks' repetitions have no common one of reasonable length";
                return std::nullopt;
            }
            kernel.parts.push_back({static_cast<std::int32_t>(r), *body_[r], executions});
            least = std::min(least, executions);
        }
        std::int64_t divisor = 0;
        for (const Kernel::Part& part : kernel.parts) divisor = std::gcd(divisor, part.executions);
        for (Kernel::Part& part : kernel.parts) {
            part.executions /= divisor;
            const RankLoops& loops = (*loops_)[static_cast<std::size_t>(part.rank)];
            kernel.repetitions = std::min(kernel.repetitions, loops.executions(part.body) / part.executions);
            kernel.bytes += loops.traffic(part.body).bytes * static_cast<double>(part.executions);
        }
        kernel.bytes *= static_cast<double>(kernel.repetitions);
        if (kernel.repetitions < 2) {
            refusal = "the ranks' loops have no repetition in common";
            return std::nullopt;
        }
        return kernel;
    }

    const JobLog* job_;
    const std::vector<RankLoops>* loops_;
    const std::vector<std::int64_t>* index_of_rank_;
    std::vector<std::optional<std::size_t>> body_;
    std::vector<Ratio> ratio_;
    std::deque<std::size_t> to_visit_;
    std::set<std::uint32_t> followed_;  ///< communicators
};

/// Whether a rank's part of `inner` is a loop in its part of `outer`.
bool is_inside(const std::vector<RankLoops>& loops, const Kernel& inner, const Kernel& outer) {
    auto out = outer.parts.begin();
    for (const Kernel::Part& part : inner.parts) {
        while (out != outer.parts.end() && out->rank < part.rank) ++out;
        if (out == outer.parts.end()) return false;
        if (out->rank == part.rank && loops[static_cast<std::size_t>(part.rank)].bodies_around(part.body)[out->body])
            return true;
    }
    return false;
}

/// Loops with most bytes first; loops without any (of empty messages or barriers) by their events.
std::vector<Seed> seeds_of(const std::vector<RankLoops>& loops) {
    std::vector<Seed> seeds;
    for (std::size_t r = 0; r < loops.size(); ++r) {
        std::vector<Seed> own;
        for (std::size_t body = 0; body < loops[r].body_count(); ++body) {
            const BodyTraffic& traffic = loops[r].traffic(body);
            if (traffic.sends.empty() && traffic.receives.empty() && traffic.collectives.empty()) continue;
            const auto executions = static_cast<double>(loops[r].executions(body));
            own.push_back({executions * (traffic.bytes + 1e-9 * static_cast<double>(traffic.events)), r, body});
        }
        std::ranges::stable_sort(own, std::ranges::greater{}, &Seed::bytes);
        if (own.size() > 2 * kMostKernels) own.resize(2 * kMostKernels);
        seeds.insert(seeds.end(), own.begin(), own.end());
    }
    std::ranges::stable_sort(seeds, std::ranges::greater{}, &Seed::bytes);
    return seeds;
}

}  // namespace

KernelSearch find_kernels(const JobLog& job, const std::vector<RankLoops>& loops) {
    constexpr int kMostRefusals = 64;
    constexpr double kShareOfInner = 0.9;
    std::vector<std::int64_t> index_of_rank(static_cast<std::size_t>(job.rank_count), -1);
    for (std::size_t i = 0; i < job.ranks.size(); ++i) {
        index_of_rank[static_cast<std::size_t>(job.ranks[i].rank)] = static_cast<std::int64_t>(i);
    }
    KernelSearch search;
    std::set<std::pair<std::size_t, std::size_t>> taken;
    int refusals = 0;
    for (const Seed& seed : seeds_of(loops)) {
        if (search.kernels.size() == kMostKernels || refusals == kMostRefusals) break;
        if (taken.contains({seed.rank, seed.body})) continue;
        std::string refusal;
        auto kernel = Growth(job, loops, index_of_rank).grow(seed, refusal);
        if (!kernel) {
            if (search.kernels.empty() && search.refusal.empty()) search.refusal = refusal;
            ++refusals;
            continue;
        }
        bool is_new = true;
        for (const Kernel::Part& part : kernel->parts) {
            is_new &= taken.insert({static_cast<std::size_t>(part.rank), part.body}).second;
        }
        if (is_new) search.kernels.push_back(std::move(*kernel));
    }
    std::ranges::stable_sort(search.kernels, std::ranges::greater{}, &Kernel::bytes);
    // An outer loop that does little beside its inner one says the same again at greater length.
    std::size_t chosen = 0;
    for (std::size_t k = 1; k < search.kernels.size(); ++k) {
        if (search.kernels[k].bytes >= kShareOfInner * search.kernels.front().bytes &&
            is_inside(loops, search.kernels[k], search.kernels[chosen])) {
            chosen = k;
        }
    }
    if (chosen != 0)
        std::rotate(search.kernels.begin(), search.kernels.begin() + static_cast<std::ptrdiff_t>(chosen),
                    search.kernels.begin() + static_cast<std::ptrdiff_t>(chosen) + 1);
    return search;
}

}  // namespace haichi
