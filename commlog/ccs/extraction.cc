#include "commlog/ccs/extraction.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

#include "base/errors.h"
#include "commlog/ccs/barrier_scripts.h"
#include "commlog/ccs/best_cut.h"
#include "commlog/ccs/channel_owners.h"
#include "commlog/ccs/level_sets.h"
#include "commlog/ccs/main_loop.h"
#include "commlog/log/job_totals.h"

namespace haichi {

namespace {

/// A loop with at least this fraction of all bytes is accepted as the main loop.
constexpr double kLargeShare = 0.5;
/// If the main loop has less than this fraction of the bytes, a main loop with mean sizes is also tried. That loop is
/// used if its fraction is higher by at least kMuchMore.
constexpr double kNearlyAll = 0.9;
constexpr double kMuchMore = 0.1;

std::string times(std::int64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

MainLoopSummary summary_of(const std::vector<RankLoops>& loops, const MainLoop& main_loop) {
    MainLoopSummary summary;
    summary.iterations = main_loop.iterations;
    summary.bytes = main_loop.bytes;
    summary.messages = main_loop.messages;
    std::int32_t last_rank = -1;
    for (const MainLoop::Part& part : main_loop.parts) {
        const std::int64_t events = saturated_product(loops[part.log].traffic(part.body).events, part.executions);
        const bool first = summary.events_per_rank_most == 0;
        summary.events_per_rank_least = first ? events : std::min(summary.events_per_rank_least, events);
        summary.events_per_rank_most = std::max(summary.events_per_rank_most, events);
        if (loops[part.log].rank() != last_rank) ++summary.ranks;
        last_rank = loops[part.log].rank();
    }
    return summary;
}

/// Computes the total messages and bytes of the job. The profile is also considered, because it includes calls that did
/// not fit in the log and threads without a log.
void count_all(const JobLog& job, const std::vector<RankLoops>& loops, Extraction& extraction) {
    std::vector<BodyTraffic> logged(job.ranks.size());  // only point-to-point messages
    for (const RankLoops& own : loops) {
        BodyTraffic collectives;
        for (const LoggedEvent& event : own.calls()->events) {
            if (event.count == 0) continue;
            BodyTraffic& sum = event.key.kind == CallKind::kCollective ? collectives : logged[own.index()];
            own.add(sum, event, static_cast<std::int64_t>(std::min(event.count, std::uint64_t{1} << 62)));
        }
        extraction.total_bytes += collectives.bytes;
        extraction.total_messages += collectives.messages;
    }
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
        double bytes = 0;
        double messages = 0;
        for (const PeerTraffic& peer : job.ranks[r].profile.peers) {
            if (peer.peer < 0 || peer.peer == job.ranks[r].rank) continue;
            bytes += static_cast<double>(peer.traffic.sent_bytes);
            messages += static_cast<double>(peer.traffic.sent_messages);
        }
        extraction.total_bytes += std::max(bytes, logged[r].bytes);
        extraction.total_messages += std::max(messages, logged[r].messages);
    }
}

/// Describes the missing parts of the log, for messages to the user; the result is empty if nothing is missing.
std::string damage_of(const JobLog& job) {
    const auto missing = static_cast<std::int64_t>(job.rank_count) - static_cast<std::int64_t>(job.ranks.size());
    if (missing > 0) return times(missing, "rank", "ranks") + " left no data";
    std::int64_t unfinished = 0;
    std::uint64_t lost = 0;
    for (const RankLog& rank : job.ranks) {
        unfinished += rank.state == RankState::kFinished ? 0 : 1;
        for (const CallSequence& calls : rank.threads) {
            lost += calls.lost_events + calls.lost_symbols + calls.lost_completions;
        }
    }
    if (unfinished > 0) return times(unfinished, "rank", "ranks") + " did not finish";
    if (lost > 0) return std::to_string(lost) + " events did not fit into the call log";
    return "";
}

std::string one_sided_text(const OneSidedCounters& one_sided) {
    const auto operations = static_cast<std::int64_t>(one_sided.put_operations + one_sided.got_operations);
    return times(operations, "one-sided operation", "one-sided operations") + " (" +
           std::to_string(one_sided.put_bytes + one_sided.got_bytes) + " bytes)";
}

void warn(const JobLog& job, const Levels& levels, Extraction& extraction) {
    auto& warnings = extraction.warnings;
    warnings = job.warnings;
    if (extraction.in_flight > 0) {
        warnings.push_back("the iterations overlap: at least " +
                           times(extraction.in_flight, "message is", "messages are") +
                           " in flight at every possible boundary");
    }
    if (levels.relying_on_buffers > 0) {
        warnings.push_back(times(levels.relying_on_buffers, "send returns", "sends return") +
                           " before the receive is posted; the ranks would deadlock otherwise");
    }
    if (levels.outside > 0) {
        warnings.push_back(times(levels.outside, "message goes", "messages go") +
                           " to processes outside of MPI_COMM_WORLD");
    }
    if (levels.matched_by_order > 0) {
        warnings.push_back(
            "tags count up: " + times(levels.matched_by_order, "pair of ranks has", "pairs of ranks have") +
            " several messages per iteration, and haichi matches the k-th send with the k-th receive");
    }
    const OneSidedCounters one_sided = one_sided_total(job);
    if (one_sided.put_operations + one_sided.got_operations > 0) {
        warnings.push_back(one_sided_text(one_sided) +
                           " not in the sets; 'haichi log convert' writes a matrix with them");
    }
    if (levels.neighborhood > 0) {
        warnings.push_back(
            "neighbourhood collectives are not expanded because the log does not contain their neighbours");
    }
}

[[noreturn]] void refuse_without_messages(const JobLog& job, const Levels& levels) {
    const OneSidedCounters one_sided = one_sided_total(job);
    if (one_sided.put_operations + one_sided.got_operations > 0) {
        throw UnsupportedError("the main loop has no messages: the program communicates by " +
                                   one_sided_text(one_sided) + ", whose order the log does not contain",
                               "map the communication matrix: haichi log convert LOG -t json -o matrix.json");
    }
    if (levels.collectives_left > 0) {
        throw UnsupportedError("the main loop has no messages, only " +
                                   times(levels.collectives_left, "collective that is", "collectives that are") +
                                   " not expanded",
                               "extract the sets with §expand all, which expands collectives on all ranks as well");
    }
    throw UnsupportedError("the main loop has no messages between ranks",
                           "extract the sets of another loop: haichi ccs LOG --main-loop N -o sets.json");
}

}  // namespace

const Table<CollectiveScopeRow>& collective_scopes() {
    static const Table<CollectiveScopeRow> kScopes(
        {"choice of collectives", "choices"},
        {{"subcomm", "collectives on a part of the ranks", CollectiveScope::kSubcommunicators},
         {"all", "all collectives", CollectiveScope::kAll},
         {"none", "no collectives", CollectiveScope::kNone}});
    return kScopes;
}

const Table<ComputeTimeRow>& compute_times() {
    static const Table<ComputeTimeRow> kTimes(
        {"computation time", "choices"},
        {{"none", "no computation time, so that every run gives the same file", ComputeTime::kNone},
         {"mean", "mean computation time of the ranks", ComputeTime::kMean}});
    return kTimes;
}

namespace {

/// Assigns steps to the whole log as one iteration, or to an iteration of a main loop. The main loop is the requested
/// one, or otherwise the first candidate that all ranks run at the same time. Ranks may execute loops with equal
/// numbers of iterations at different times. In this case, one loop sends, and the other receives, far more messages
/// than one iteration has.
Levels levels_of_main_loop(const JobLog& job, const std::vector<RankLoops>& loops, const MainLoopSearch& search,
                           const ExtractionOptions& options, Extraction& extraction, std::vector<RankWindow>& windows) {
    if (extraction.chosen < 0) {
        windows = unroll_all(loops, options.most_events);
        return assign_levels(job, loops, windows, {}, options.levels);
    }
    constexpr std::int64_t kMostIterationsInFlight = 2;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (; static_cast<std::size_t>(extraction.chosen) < search.main_loops.size(); ++extraction.chosen) {
        const MainLoop& main_loop = search.main_loops[static_cast<std::size_t>(extraction.chosen)];
        windows = unroll(loops, main_loop, options.most_events);
        extraction.in_flight = 0;
        Levels levels = levels_from_best_cut(job, loops, main_loop, windows, options.levels, extraction.in_flight);
        const auto messages = static_cast<std::int64_t>(levels.messages.size());
        const bool asked_for = options.main_loop.by != MainLoopChoice::By::kAuto;
        if (asked_for || extraction.in_flight <= kMostIterationsInFlight * messages) return levels;
        least = std::min(least, extraction.in_flight);
    }
    throw UnsupportedError(
        "no loop that all ranks share: matching loops do not run at the same time (" +
            times(least, "message", "messages") + " would be in flight between them)",
        "take the whole log as one iteration with §main-loop whole, or the largest loop with §main-loop 1");
}

constexpr const char* kWholeHint = "take the whole log as one iteration with §main-loop whole";

void refuse_parts_as_whole(const JobLog& job) {
    const std::string damage = damage_of(job);
    if (damage.empty()) return;
    throw UnsupportedError("no loop that all ranks share, and the log is incomplete: " + damage,
                           "take the incomplete log as one iteration with §main-loop whole");
}

void refuse_shared_channels(const JobLog& job, const std::vector<RankLoops>& loops) {
    const ChannelOwners owners(job, loops);
    if (owners.first_shared().empty()) return;
    throw UnsupportedError(owners.first_shared() + ", and the order of their calls is unknown",
                           "give each thread its own communicator or tags, or use the log as a communication "
                           "matrix: haichi log convert");
}

/// Returns the index of the chosen main loop; -1 selects the whole log.
int choose(const JobLog& job, const std::vector<RankLoops>& loops, const MainLoopSearch& search,
           const MainLoopChoice& choice) {
    const bool whole = choice.by == MainLoopChoice::By::kWhole;
    if (!whole && search.main_loops.empty()) {
        if (!search.refusal.empty()) {
            throw UnsupportedError("no loop that all ranks share: " + search.refusal, kWholeHint);
        }
        if (choice.by == MainLoopChoice::By::kAuto) {
            refuse_parts_as_whole(job);
        } else {
            throw UnsupportedError("the log has no main loop: no rank repeats any calls", kWholeHint);
        }
    }
    if (!whole && !search.main_loops.empty())
        return static_cast<int>(chosen_main_loop(choice, loops, search.main_loops));
    refuse_shared_channels(job, loops);
    return -1;
}

/// Returns the largest fraction of the bytes among the main loops that levels_of_main_loop() may use.
double most_share(const MainLoopSearch& search, const Extraction& extraction) {
    if (extraction.chosen < 0 || extraction.total_bytes == 0) return 1;
    double most = 0;
    for (auto k = static_cast<std::size_t>(extraction.chosen); k < search.main_loops.size(); ++k) {
        most = std::max(most, Extraction::fraction(search.main_loops[k].bytes, extraction.total_bytes));
    }
    return most;
}

/// Extracts sets if the main loop has at least `least_share` of the bytes, which is checked before steps are assigned.
/// Otherwise, returns nothing.
std::optional<Extraction> extract_above(double least_share, const JobLog& job, const ExtractionOptions& options) {
    const UntaggedPairs untagged(job);
    const std::vector<RankLoops> loops = loops_of_threads(job, untagged, options.levels.collectives);
    Extraction extraction;
    count_all(job, loops, extraction);
    const MainLoopSearch search = find_main_loops(job, loops);
    const std::vector<std::size_t> around = main_loops_around(loops, search.main_loops);
    for (std::size_t k = 0; k < search.main_loops.size(); ++k) {
        extraction.main_loops.push_back(summary_of(loops, search.main_loops[k]));
        if (around[k] != k) extraction.main_loops.back().around = static_cast<int>(around[k]);
    }
    extraction.chosen = choose(job, loops, search, options.main_loop);
    if (most_share(search, extraction) < least_share) return std::nullopt;
    std::vector<RankWindow> windows;
    const Levels levels = levels_of_main_loop(job, loops, search, options, extraction, windows);
    if (levels.messages.empty()) refuse_without_messages(job, levels);

    std::int64_t iterations = 1;
    extraction.main_loop_bytes = extraction.total_bytes;
    extraction.main_loop_messages = extraction.total_messages;
    if (extraction.chosen >= 0) {
        const MainLoop& main_loop = search.main_loops[static_cast<std::size_t>(extraction.chosen)];
        iterations = main_loop.iterations;
        extraction.main_loop_bytes = main_loop.bytes;
        extraction.main_loop_messages = main_loop.messages;
    }
    for (const double seconds : levels.compute_seconds) extraction.compute_seconds += seconds;
    extraction.relying_on_buffers = levels.relying_on_buffers;
    extraction.to_oneself = levels.to_oneself;
    extraction.outside = levels.outside;
    extraction.collectives_left = levels.collectives_left;
    extraction.neighborhood = levels.neighborhood;
    const LevelSetsOptions sets{options.sends_per_rank, options.compute_time == ComputeTime::kMean};
    std::vector<std::uint32_t> set_of_message;
    extraction.workload = sets_of(job, levels, iterations, sets, set_of_message);
    if (!options.barriers_before.empty()) {
        const SetsOfLoop loop{&job, &loops, &windows, &levels, set_of_message, extraction.in_flight};
        try {
            extraction.barriers = barrier_scripts(loop, options.barriers_before, options.most_events);
        } catch (const UnsupportedError& error) {
            // An error here must not change the choice of the main loop.
            extraction.why_no_barriers = error.what();
        }
    }
    extraction.steps = level_count(levels);
    warn(job, levels, extraction);
    return extraction;
}

Extraction extract_from(const JobLog& job, const ExtractionOptions& options) {
    return extract_above(0, job, options).value();
}

std::int32_t ranks_with_messages(const JobLog& job) {
    const auto has_messages = [](const CallSequence& calls) {
        return std::ranges::any_of(calls.events, [](const LoggedEvent& event) {
            return event.key.kind == CallKind::kSend || event.key.kind == CallKind::kReceive ||
                   event.key.kind == CallKind::kReceiveAny;
        });
    };
    return static_cast<std::int32_t>(std::ranges::count_if(
        job.ranks, [&](const RankLog& rank) { return std::ranges::any_of(rank.threads, has_messages); }));
}

/// Returns the log with events merged according to `what`, or nothing if no events were merged.
std::optional<JobLog> with_joined(const JobLog& job, const JoinedEvents& what) {
    const auto events = [](const JobLog& of) {
        std::size_t count = 0;
        for (const RankLog& rank : of.ranks) {
            for (const CallSequence& calls : rank.threads) {
                count += static_cast<std::size_t>(
                    std::ranges::count_if(calls.events, [](const LoggedEvent& event) { return event.count > 0; }));
            }
        }
        return count;
    };
    JobLog joined = job;
    for (RankLog& rank : joined.ranks) {
        for (CallSequence& calls : rank.threads) {
            calls = with_events_joined(std::move(calls), what, job.format + " log");
        }
    }
    if (events(joined) == events(job)) return std::nullopt;
    return joined;
}

void warn_of_joined(Extraction& extraction, const JoinedEvents& what) {
    extraction.joined = what;
    if (what.sizes || what.size_groups) {
        extraction.warnings.emplace_back("message sizes change between iterations: haichi uses their mean");
    }
    if (what.tags) extraction.warnings.emplace_back("tags change between iterations: haichi ignores them");
}

/// Extracts sets from the log with merged events; returns nothing if no main loop has `least_share` of the bytes.
std::optional<Extraction> extract_joined(const JobLog& job, const JoinedEvents& what, const ExtractionOptions& options,
                                         double least_share) {
    const auto joined = with_joined(job, what);
    if (!joined) return std::nullopt;
    try {
        std::optional<Extraction> extraction = extract_above(least_share, *joined, options);
        if (!extraction || extraction->chosen < 0) return std::nullopt;
        warn_of_joined(*extraction, what);
        return extraction;
    } catch (const UnsupportedError&) {
        return std::nullopt;
    }
}

/// haichi prefers a shorter iteration even if it covers less of the bytes, by up to this fraction of them.
constexpr double kAsMuch = 0.01;

/// Returns true if an iteration of `found` consists of several iterations of `by_tags` that differ only in tag.
bool is_shorter(const Extraction& by_tags, const Extraction& found) {
    const auto messages = by_tags.workload.messages().size();
    const auto bytes = by_tags.workload.total_bytes();
    const auto all = found.workload.messages().size();
    return messages < all && all % messages == 0 &&
           found.workload.total_bytes() == bytes * static_cast<std::int64_t>(all / messages) &&
           by_tags.fraction_of_bytes() >= found.fraction_of_bytes() - kAsMuch;
}

/// Returns the extraction whose main loop sends enough of the bytes, from the log itself or from the log with merged
/// sizes and tags. `found` is the result for the log without further merging.
std::optional<Extraction> extract_auto(const JobLog& job, const ExtractionOptions& options,
                                       std::optional<Extraction>& found) {
    const auto explains_enough = [](const Extraction& extraction) {
        return extraction.total_bytes == 0 || extraction.fraction_of_bytes() >= kLargeShare;
    };
    const bool is_main_loop = found && found->chosen >= 0;
    if (is_main_loop && explains_enough(*found)) {
        const double share = found->fraction_of_bytes();
        auto shorter = extract_joined(job, {.tags = true, .recurring_tags = true}, options, share - kAsMuch);
        if (shorter && is_shorter(*shorter, *found)) return shorter;
        if (found->total_bytes == 0 || share >= kNearlyAll) return found;
        // Sizes may be constant for some time and then change.
        for (const bool groups : {true, false}) {
            auto by_sizes = extract_joined(job, {.sizes = !groups, .size_groups = groups}, options, share + kMuchMore);
            if (by_sizes && by_sizes->fraction_of_bytes() >= share + kMuchMore) return by_sizes;
        }
        return found;
    }
    auto by_tags = extract_joined(job, {.tags = true}, options, kLargeShare);
    if (by_tags && explains_enough(*by_tags)) return by_tags;
    if (found && !is_main_loop) return found;
    // Sizes that occur rarely can hide the loop.
    for (const bool groups : {true, false}) {
        for (const bool tags : {false, true}) {
            auto by_sizes =
                extract_joined(job, {.sizes = !groups, .size_groups = groups, .tags = tags}, options, kLargeShare);
            if (by_sizes && explains_enough(*by_sizes)) return by_sizes;
        }
    }
    return std::nullopt;
}

Extraction extract_by_default(const JobLog& job, const ExtractionOptions& options) {
    std::optional<Extraction> found;
    std::exception_ptr refusal;
    try {
        found = extract_from(job, options);
    } catch (const UnsupportedError&) {
        refusal = std::current_exception();
    }
    if (auto enough = extract_auto(job, options, found)) return *std::move(enough);
    if (!found) std::rethrow_exception(refusal);
    const std::string share =
        std::to_string(static_cast<int>(100 * found->fraction_of_bytes())) + " % of the bytes sent";
    const std::int32_t ranks = found->main_loops[static_cast<std::size_t>(found->chosen)].ranks;
    if (ranks < ranks_with_messages(job)) {
        throw UnsupportedError("no loop that all ranks share: the largest loop has " + times(ranks, "rank", "ranks") +
                                   " and explains " + share,
                               "take this loop with §main-loop " + std::to_string(found->chosen + 1) +
                                   ", or the whole log as one iteration with §main-loop whole");
    }
    found->warnings.push_back("the main loop explains only " + share);
    return *std::move(found);
}

}  // namespace

Extraction extract_sets(const JobLog& job, const ExtractionOptions& options) {
    if (options.sends_per_rank < 1 || options.sends_per_rank > kMostSendsPerRank) {
        throw OptionError("§sends-per-rank must be 1 to " + std::to_string(kMostSendsPerRank));
    }
    if (!job.has_calls) {
        throw UnsupportedError(
            "the log (" + job.format + ") does not record the order of messages, so haichi cannot extract sets",
            "use a log with the order of the messages, or its communication matrix, which is one set: haichi log "
            "convert");
    }
    using By = MainLoopChoice::By;
    if (options.main_loop.by == By::kWhole) return extract_from(job, options);
    if (options.main_loop.by == By::kAuto) return extract_by_default(job, options);
    // The candidates for the main loop are those listed without --main-loop.
    ExtractionOptions by_default = options;
    by_default.main_loop = {};
    JoinedEvents what;
    try {
        what = extract_by_default(job, by_default).joined;
    } catch (const UnsupportedError&) {
        return extract_from(job, options);
    }
    if (what == JoinedEvents{}) return extract_from(job, options);
    Extraction extraction = extract_from(*with_joined(job, what), options);
    warn_of_joined(extraction, what);
    return extraction;
}

barriers::BarrierFile barriers_before(const JobLog& job, const std::vector<std::size_t>& sets) {
    ExtractionOptions options;
    options.barriers_before = sets;
    Extraction extraction = extract_sets(job, options);
    if (!extraction.why_no_barriers.empty()) {
        throw UnsupportedError("barriers cannot be inserted: " + extraction.why_no_barriers,
                               "put the barriers into the source of the program");
    }
    return std::move(extraction.barriers);
}

std::vector<std::string> caveats(const Extraction& extraction) {
    std::vector<std::string> caveats;
    const double share = extraction.fraction_of_bytes();
    // For a smaller fraction, there is already another warning.
    if (extraction.chosen >= 0 && share >= kLargeShare && share < kNearlyAll) {
        caveats.push_back(fmt::format("the main loop explains {:.1f} % of the bytes sent", 100 * share));
    }
    if (extraction.collectives_left > 0) {
        caveats.push_back(
            times(extraction.collectives_left, "collective per iteration is", "collectives per iteration are") +
            " not in the sets; to include all collectives, extract the sets with haichi ccs --expand all");
    }
    caveats.insert(caveats.end(), extraction.warnings.begin(), extraction.warnings.end());
    return caveats;
}

}  // namespace haichi
