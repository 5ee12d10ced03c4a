#include "commlog/ccs/main_loop.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "commlog/ccs/channel_owners.h"

namespace haichi {

namespace {

constexpr std::size_t kMostMainLoops = 16;  ///< maximum number of main loops that are listed
/// Maximum number of executions of a thread's loop body per iteration of a main loop.
constexpr std::int64_t kMostExecutions = 4096;

/// A loop of one log, from which the search for a main loop starts.
struct Seed {
    double bytes;
    std::size_t log;
    std::size_t body;
};

/// A positive fraction in lowest terms: executions of a rank's loop body per execution of the seed's body.
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

bool communicates(const BodyTraffic& traffic) {
    return !traffic.sends.empty() || !traffic.receives.empty() || !traffic.collectives.empty();
}

/// Grows a main loop from one loop in one log.
class Growth {
  public:
    Growth(const JobLog& job, const std::vector<RankLoops>& loops, const ChannelOwners& owners)
        : job_(&job), loops_(&loops), owners_(&owners), body_(loops.size()), ratio_(loops.size()) {}

    std::optional<MainLoop> grow(const Seed& seed, std::string& refusal) {
        take(seed.log, seed.body, Ratio{});
        if (!follow_all(refusal)) return std::nullopt;
        // Some ranks exchange no messages with these in the loop (such as ranks in other rows of a grid), but execute a
        // loop equally often.
        const std::int64_t executions = (*loops_)[seed.log].executions(seed.body);
        for (std::size_t l = 0; l < loops_->size(); ++l) {
            if (body_[l]) continue;
            const auto body = repeated_as_often(l, executions);
            if (!body) continue;
            const std::size_t taken = taken_.size();
            const std::size_t followed = followed_in_order_.size();
            take(l, *body, Ratio{});
            std::string why;
            if (!follow_all(why)) give_back(taken, followed);
        }
        return whole(refusal);
    }

    /// Logs from which a loop was taken, even if the growth failed later.
    [[nodiscard]] const std::vector<std::size_t>& taken() const { return taken_; }
    [[nodiscard]] std::size_t body(std::size_t log) const { return *body_[log]; }

  private:
    void take(std::size_t log, std::size_t body, Ratio ratio) {
        body_[log] = body;
        ratio_[log] = ratio;
        taken_.push_back(log);
        to_visit_.push_back(log);
    }

    void give_back(std::size_t taken, std::size_t followed) {
        for (std::size_t i = taken; i < taken_.size(); ++i) body_[taken_[i]].reset();
        for (std::size_t i = followed; i < followed_in_order_.size(); ++i) followed_.erase(followed_in_order_[i]);
        taken_.resize(taken);
        followed_in_order_.resize(followed);
        to_visit_.clear();
        to_meet_.clear();
    }

    /// Follows messages before collectives, because a message connects only two ranks and identifies matching loops
    /// better.
    bool follow_all(std::string& refusal) {
        while (!to_visit_.empty() || !to_meet_.empty()) {
            const bool messages = !to_visit_.empty();
            std::deque<std::size_t>& logs = messages ? to_visit_ : to_meet_;
            const std::size_t log = logs.front();
            logs.pop_front();
            if (messages) to_meet_.push_back(log);
            if (!(messages ? follow_messages(log, refusal) : follow_collectives(log, refusal))) return false;
        }
        return true;
    }

    /// Returns the loop with the most bytes among those whose number of executions differs by at most one.
    [[nodiscard]] std::optional<std::size_t> repeated_as_often(std::size_t log, std::int64_t executions) const {
        const RankLoops& own = (*loops_)[log];
        std::optional<std::size_t> best;
        for (std::size_t body = 0; body < own.body_count(); ++body) {
            if (!communicates(own.traffic(body))) continue;
            if (std::abs(own.executions(body) - executions) > 1) continue;
            if (!best || own.traffic(body).bytes > own.traffic(*best).bytes) best = body;
        }
        return best;
    }

    bool follow_messages(std::size_t log, std::string& refusal) {
        const BodyTraffic& traffic = (*loops_)[log].traffic(*body_[log]);
        for (const auto& [channel, count] : traffic.sends) {
            const End end{log, channel, count, ChannelSide::kSends};
            if (!pair(end, channel.destination, ChannelSide::kReceives, refusal)) return false;
        }
        for (const auto& [channel, count] : traffic.receives) {
            const End end{log, channel, count, ChannelSide::kReceives};
            if (!pair(end, channel.source, ChannelSide::kSends, refusal)) return false;
        }
        return true;
    }

    bool follow_collectives(std::size_t log, std::string& refusal) {
        for (const auto& [channel, count] : (*loops_)[log].traffic(*body_[log]).collectives) {
            // One member follows the communicator for all others.
            if (!followed_.insert(channel.communicator).second) continue;
            followed_in_order_.push_back(channel.communicator);
            const End end{log, channel, count, ChannelSide::kCollectives};
            for (const std::int32_t member : job_->communicators[channel.communicator].members) {
                if (!pair(end, member, ChannelSide::kCollectives, refusal)) return false;
            }
        }
        return true;
    }

    /// The events of a taken loop on one channel, per execution.
    struct End {
        std::size_t log;
        Channel channel;
        std::int64_t count;
        ChannelSide side;
    };

    static const char* name_of(ChannelSide side) {
        if (side == ChannelSide::kSends) return "sends";
        return side == ChannelSide::kReceives ? "receives" : "collectives";
    }

    [[nodiscard]] std::string text_of(const End& end, std::int32_t other_rank) const {
        const RankLoops& own = (*loops_)[end.log];
        std::string text = "rank " + std::to_string(own.rank()) + " repeats " + name_of(end.side);
        if (end.side == ChannelSide::kCollectives) {
            text += " on a communicator of " +
                    std::to_string(job_->communicators[end.channel.communicator].members.size()) + " ranks";
        } else if (end.channel.tag != kAllTags) {
            text += " with tag " + std::to_string(end.channel.tag);
        }
        return text + " " + std::to_string(saturated_product(own.executions(*body_[end.log]), end.count)) +
               " times, but rank " + std::to_string(other_rank) + " ";
    }

    /// Finds the loop at the other end, or checks that the loop already found there agrees.
    bool pair(const End& end, std::int32_t other_rank, ChannelSide side, std::string& refusal) {
        if (other_rank < 0) return true;
        const auto say = [&](const std::string& what) {
            refusal = text_of(end, other_rank) + what;
            return false;
        };
        for (const auto& [rank, its_side] : {std::pair{(*loops_)[end.log].rank(), end.side}, {other_rank, side}}) {
            if (!owners_->is_shared(rank, end.channel, its_side)) continue;
            refusal = owners_->first_shared() + ", and the order of their calls is unknown";
            return false;
        }
        if (owners_->logs_of(other_rank).empty()) return true;  // the log is missing, which is reported elsewhere
        const auto owner = owners_->owner(other_rank, end.channel, side);
        if (!owner) return say("repeats no such " + std::string(name_of(side)));
        const std::size_t other = *owner;
        if (!body_[other]) {
            const auto body = counterpart_of(end, other, side);
            if (!body) return say("repeats no such " + std::string(name_of(side)));
            const auto theirs = counts_of((*loops_)[other].traffic(*body), side).at(end.channel);
            const auto ratio = times(ratio_[end.log], end.count, theirs);
            if (!ratio) return say("does so in a different proportion");
            take(other, *body, *ratio);
            return true;
        }
        const ChannelCounts& theirs = counts_of((*loops_)[other].traffic(*body_[other]), side);
        const auto found = theirs.find(end.channel);
        if (found == theirs.end()) return say("has no such " + std::string(name_of(side)) + " in the same iteration");
        const auto ratio = times(ratio_[end.log], end.count, found->second);
        if (!ratio || *ratio != ratio_[other]) {
            return say("repeats " +
                       std::to_string(saturated_product((*loops_)[other].executions(*body_[other]), found->second)) +
                       " " + name_of(side));
        }
        return true;
    }

    /// Measures how much a loop differs from the wanted counterpart.
    struct Distance {
        /// Difference in the total number of events, with a tolerance of one iteration at the ends of the loop.
        double total = 0;
        double executions = 0;  ///< difference in the number of executions
        double off = 0;         ///< exact difference in the total number of events
        double bytes = 0;       ///< negative bytes, so that ties go to the loop with the most bytes
        friend auto operator<=>(const Distance&, const Distance&) = default;
    };

    /// Returns the loop of `other` whose total number of counterpart events is closest to this end's number. Ties go to
    /// the loop with the closest number of executions.
    [[nodiscard]] std::optional<std::size_t> counterpart_of(const End& end, std::size_t other, ChannelSide side) const {
        const auto executions = static_cast<double>((*loops_)[end.log].executions(*body_[end.log]));
        const double total = executions * static_cast<double>(end.count);
        std::optional<std::size_t> best;
        Distance best_distance;
        for (std::size_t body = 0; body < (*loops_)[other].body_count(); ++body) {
            const ChannelCounts& theirs = counts_of((*loops_)[other].traffic(body), side);
            const auto found = theirs.find(end.channel);
            const auto their_executions = static_cast<double>((*loops_)[other].executions(body));
            if (found == theirs.end() || their_executions == 0) continue;
            const double their_total = their_executions * static_cast<double>(found->second);
            Distance distance;
            distance.off = std::abs(their_total - total);
            const double slack = 2.0 * static_cast<double>(std::max(end.count, found->second));
            distance.total = distance.off <= slack ? 0.0 : std::abs(std::log(their_total / total));
            distance.executions = std::abs(std::log(their_executions / executions));
            distance.bytes = -(*loops_)[other].traffic(body).bytes;
            if (!best || distance < best_distance) {
                best = body;
                best_distance = distance;
            }
        }
        // A loop with far fewer or far more events is a different loop of the program.
        if (best && best_distance.total > std::log(1.5)) return std::nullopt;
        return best;
    }

    std::optional<MainLoop> whole(std::string& refusal) const {
        std::int64_t common = 1;
        for (std::size_t r = 0; r < body_.size(); ++r) {
            if (!body_[r]) continue;
            common = std::lcm(common, ratio_[r].down);
            if (common > kMostExecutions) {
                refusal = "the loops of the ranks have no common iteration of reasonable length";
                return std::nullopt;
            }
        }
        MainLoop main_loop;
        main_loop.iterations = std::numeric_limits<std::int64_t>::max();
        for (std::size_t r = 0; r < body_.size(); ++r) {
            if (!body_[r]) continue;
            const std::int64_t executions = saturated_product(ratio_[r].up, common / ratio_[r].down);
            if (executions > kMostExecutions) {
                refusal = "the loops of the ranks have no common iteration of reasonable length";
                return std::nullopt;
            }
            main_loop.parts.push_back({r, *body_[r], executions});
        }
        std::int64_t divisor = 0;
        for (const MainLoop::Part& part : main_loop.parts) divisor = std::gcd(divisor, part.executions);
        for (MainLoop::Part& part : main_loop.parts) {
            part.executions /= divisor;
            const RankLoops& loops = (*loops_)[part.log];
            main_loop.iterations = std::min(main_loop.iterations, loops.executions(part.body) / part.executions);
            main_loop.bytes += loops.traffic(part.body).bytes * static_cast<double>(part.executions);
            main_loop.messages += loops.traffic(part.body).messages * static_cast<double>(part.executions);
        }
        main_loop.bytes *= static_cast<double>(main_loop.iterations);
        main_loop.messages *= static_cast<double>(main_loop.iterations);
        if (main_loop.iterations < 2) {
            refusal = "the loops of the ranks have no common iteration";
            return std::nullopt;
        }
        return main_loop;
    }

    const JobLog* job_;
    const std::vector<RankLoops>* loops_;
    const ChannelOwners* owners_;
    std::vector<std::optional<std::size_t>> body_;
    std::vector<Ratio> ratio_;
    std::vector<std::size_t> taken_;
    std::deque<std::size_t> to_visit_, to_meet_;
    std::set<std::uint32_t> followed_;  ///< communicators that have been followed
    std::vector<std::uint32_t> followed_in_order_;
};

/// Properties of a loop of the program that are equal in all ranks that execute it, even if they have different
/// neighbours.
struct LoopOfProgram {
    std::int64_t executions;
    std::int64_t world_collectives;  ///< collectives on MPI_COMM_WORLD per execution
    friend auto operator<=>(const LoopOfProgram&, const LoopOfProgram&) = default;
};

/// Returns the loops of all logs, grouped by the loop of the program to which they belong. Groups, and the loops in
/// each group, are sorted by bytes, most bytes first. Loops without bytes (with empty messages or barriers) are sorted
/// by their number of events.
std::vector<std::vector<Seed>> seeds_of(const std::vector<RankLoops>& loops) {
    std::map<LoopOfProgram, std::vector<Seed>> by_loop;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        for (std::size_t body = 0; body < loops[l].body_count(); ++body) {
            const BodyTraffic& traffic = loops[l].traffic(body);
            if (!communicates(traffic)) continue;
            const std::int64_t executions = loops[l].executions(body);
            const auto of_world = traffic.collectives.find({kNobody, kNobody, 0, 0});
            by_loop[{executions, of_world == traffic.collectives.end() ? 0 : of_world->second}].push_back(
                {static_cast<double>(executions) * (traffic.bytes + 1e-9 * static_cast<double>(traffic.events)), l,
                 body});
        }
    }
    std::vector<std::pair<double, std::vector<Seed>>> sorted;
    for (auto& [loop, seeds] : by_loop) {
        double bytes = 0;
        for (const Seed& seed : seeds) bytes += seed.bytes;
        std::ranges::stable_sort(seeds, std::ranges::greater{}, &Seed::bytes);
        sorted.emplace_back(bytes, std::move(seeds));
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& each) { return each.first; });
    std::vector<std::vector<Seed>> result;
    for (auto& [bytes, seeds] : sorted) result.push_back(std::move(seeds));
    return result;
}

/// Tries to grow main loops from the program's loops, one after the other.
class Search {
  public:
    Search(const JobLog& job, const std::vector<RankLoops>& loops) : job_(&job), loops_(&loops), owners_(job, loops) {}

    MainLoopSearch run() {
        const auto loops_of_program = seeds_of(*loops_);
        for (std::size_t i = 0; i < std::min(loops_of_program.size(), kMostLoopsTried); ++i) {
            if (found_.main_loops.size() == kMostMainLoops) break;
            try_loop(loops_of_program[i]);
        }
        return std::move(found_);
    }

  private:
    /// Maximum number of loops that are tried. Loops that arise by chance differ in their number of executions, so
    /// there may be as many as ranks.
    static constexpr std::size_t kMostLoopsTried = 64;
    /// Number of failed growths after which the next loop of the program is tried. Instances of a program's loop that
    /// do not communicate with each other (such as other rows of a grid) are separate main loops.
    static constexpr int kMostRefusals = 4;

    void try_loop(const std::vector<Seed>& seeds) {
        int refusals = 0;
        std::set<std::pair<std::size_t, std::size_t>> refused;
        for (const Seed& seed : seeds) {
            if (found_.main_loops.size() == kMostMainLoops || refusals == kMostRefusals) return;
            if (taken_.contains({seed.log, seed.body}) || refused.contains({seed.log, seed.body})) continue;
            std::string refusal;
            Growth growth(*job_, *loops_, owners_);
            auto main_loop = growth.grow(seed, refusal);
            if (!main_loop) {
                ++refusals;
                for (const std::size_t log : growth.taken()) refused.insert({log, growth.body(log)});
                if (found_.main_loops.empty() && found_.refusal.empty()) found_.refusal = refusal;
                continue;
            }
            bool is_new = true;
            for (const MainLoop::Part& part : main_loop->parts) is_new &= taken_.insert({part.log, part.body}).second;
            if (is_new) {
                found_.main_loops.push_back(std::move(*main_loop));
            } else {
                ++refusals;  // a part of the loop belongs to another main loop
            }
        }
    }

    const JobLog* job_;
    const std::vector<RankLoops>* loops_;
    ChannelOwners owners_;
    MainLoopSearch found_;
    std::set<std::pair<std::size_t, std::size_t>> taken_;  ///< loops of main loops that were found earlier
};

}  // namespace

bool is_inside(const std::vector<RankLoops>& loops, const MainLoop& inner, const MainLoop& outer) {
    int looked_at = 8;  // a few ranks are enough, because all ranks run the same program
    auto out = outer.parts.begin();
    for (const MainLoop::Part& part : inner.parts) {
        while (out != outer.parts.end() && out->log < part.log) ++out;
        if (out == outer.parts.end() || looked_at == 0) return false;
        if (out->log != part.log) continue;
        if (loops[part.log].bodies_around(part.body)[out->body]) return true;
        --looked_at;
    }
    return false;
}

MainLoopSearch find_main_loops(const JobLog& job, const std::vector<RankLoops>& loops) {
    constexpr double kShareOfInner = 0.9;
    MainLoopSearch search = Search(job, loops).run();
    auto& main_loops = search.main_loops;
    std::ranges::stable_sort(main_loops, std::ranges::greater{}, &MainLoop::bytes);
    // An outer loop that does little besides its inner loop would only repeat the sets of the inner loop.
    std::size_t chosen = 0;
    for (std::size_t k = 1; k < main_loops.size(); ++k) {
        if (main_loops[k].bytes >= kShareOfInner * main_loops.front().bytes &&
            main_loops[k].messages >= kShareOfInner * main_loops.front().messages &&
            is_inside(loops, main_loops[k], main_loops[chosen])) {
            chosen = k;
        }
    }
    const auto first = main_loops.begin() + static_cast<std::ptrdiff_t>(chosen);
    if (chosen != 0) std::rotate(main_loops.begin(), first, first + 1);
    return search;
}

}  // namespace haichi
