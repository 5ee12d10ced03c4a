#include "commlog/ccs/extraction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <set>

#include "base/errors.h"
#include "base/quantity.h"
#include "commlog/ccs/cut.h"
#include "commlog/ccs/kernel.h"
#include "commlog/log/read_calls.h"

namespace haichi {

namespace {

/// A kernel that explains this part of the bytes is the kernel.
constexpr double kLargeShare = 0.5;

KernelSummary summary_of(const std::vector<RankLoops>& loops, const Kernel& kernel) {
    KernelSummary summary;
    summary.repetitions = kernel.repetitions;
    summary.ranks = static_cast<std::int32_t>(kernel.parts.size());
    summary.bytes = kernel.bytes;
    for (const Kernel::Part& part : kernel.parts) {
        const std::int64_t events =
            saturated_product(loops[static_cast<std::size_t>(part.rank)].traffic(part.body).events, part.executions);
        const bool first = summary.events_per_rank_most == 0;
        summary.events_per_rank_least = first ? events : std::min(summary.events_per_rank_least, events);
        summary.events_per_rank_most = std::max(summary.events_per_rank_most, events);
    }
    return summary;
}

double bytes_of_job(const std::vector<RankLoops>& loops) {
    double bytes = 0;
    for (const RankLoops& own : loops) {
        if (own.calls() == nullptr) continue;
        BodyTraffic all;
        for (const LoggedEvent& event : own.calls()->events) {
            own.add(all, event,
                    static_cast<std::int64_t>(std::min<std::uint64_t>(event.count, std::uint64_t{1} << 62)));
        }
        bytes += all.bytes;
    }
    return bytes;
}

/// Spreads the messages of one level over consecutive sets: in order, each goes to the first in which neither its
/// source nor its destination is used up.
class LevelSets {
  public:
    LevelSets(std::int32_t ranks, std::int32_t most_per_rank)
        : most_(most_per_rank), sends_(static_cast<std::size_t>(ranks)), receives_(static_cast<std::size_t>(ranks)) {}

    std::size_t set_for(const Message& message) {
        End& source = sends_[static_cast<std::size_t>(message.source.value)];
        End& destination = receives_[static_cast<std::size_t>(message.destination.value)];
        std::size_t word = 0;
        while ((full(source, word) | full(destination, word)) == ~std::uint64_t{0}) ++word;
        const std::size_t set =
            64 * word + static_cast<std::size_t>(std::countr_one(full(source, word) | full(destination, word)));
        use(source, set);
        use(destination, set);
        used_.push_back(&source);
        used_.push_back(&destination);
        return set;
    }

    /// For the next level: in time that depends on what was used, not on the ranks.
    void clear() {
        for (End* end : used_) *end = {};
        used_.clear();
    }

  private:
    struct End {
        std::vector<std::uint64_t> full;  ///< a bit for each set in which it is used up
        std::vector<std::int32_t> uses;   ///< of each set, where it may be used several times
    };

    static std::uint64_t full(const End& end, std::size_t word) { return word < end.full.size() ? end.full[word] : 0; }

    void use(End& end, std::size_t set) const {
        if (most_ > 1) {
            if (end.uses.size() <= set) end.uses.resize(set + 1);
            if (++end.uses[set] < most_) return;
        }
        if (end.full.size() <= set / 64) end.full.resize(set / 64 + 1);
        end.full[set / 64] |= std::uint64_t{1} << set % 64;
    }

    std::int32_t most_;
    std::vector<End> sends_, receives_;
    std::vector<End*> used_;
};

std::string label_of(const Levels& levels, const std::vector<const LevelledMessage*>& messages, std::int64_t level,
                     std::size_t set, std::size_t sets) {
    const std::uint32_t label = messages.front()->label;
    const bool same = std::ranges::all_of(messages, [&](const LevelledMessage* m) { return m->label == label; });
    std::string text = "level " + std::to_string(level);
    if (same && label != 0) text += ", " + levels.labels[label];
    if (sets > 1) text += ", " + std::to_string(set + 1) + " of " + std::to_string(sets);
    return text;
}

/// Levels without messages are left out; their computing time belongs to the next set.
Workload sets_of(const JobLog& job, const Levels& levels, std::int64_t repetitions, const ExtractionOptions& options,
                 std::int64_t& level_count) {
    Workload workload(job.rank_count, repetitions);
    workload.reserve_messages(levels.messages.size());
    LevelSets spread(job.rank_count, options.sends_per_rank);
    // What is computed behind the last set is before the first one of the next repetition.
    const std::size_t last = levels.messages.empty() ? 0 : static_cast<std::size_t>(levels.messages.back().level);
    double computing = 0;
    for (std::size_t l = last + 1; l < levels.compute_seconds.size(); ++l) computing += levels.compute_seconds[l];
    std::size_t computed = 0;
    level_count = 0;
    for (std::size_t first = 0; first < levels.messages.size();) {
        std::size_t end = first;
        const std::int64_t level = levels.messages[first].level;
        while (end < levels.messages.size() && levels.messages[end].level == level) ++end;
        ++level_count;
        std::vector<std::vector<const LevelledMessage*>> sets;
        spread.clear();
        for (std::size_t m = first; m < end; ++m) {
            const std::size_t set = spread.set_for(levels.messages[m].message);
            if (set >= sets.size()) sets.resize(set + 1);
            sets[set].push_back(&levels.messages[m]);
        }
        for (; computed <= static_cast<std::size_t>(level) && computed < levels.compute_seconds.size(); ++computed) {
            computing += levels.compute_seconds[computed];
        }
        for (std::size_t s = 0; s < sets.size(); ++s) {
            const bool computes = s == 0 && options.compute_time == ComputeTime::kMean;
            workload.add_set(label_of(levels, sets[s], level_count, s, sets.size()), computes ? computing : 0);
            for (const LevelledMessage* m : sets[s]) {
                workload.add_message(m->message.source, m->message.destination, m->message.size_bytes);
            }
        }
        computing = 0;
        first = end;
    }
    return workload;
}

std::string times(std::int64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

void warn(const JobLog& job, const std::vector<RankLoops>& loops, const Levels& levels, Extraction& extraction) {
    auto& warnings = extraction.warnings;
    warnings = job.warnings;
    int threads = 0;
    for (const RankLoops& own : loops) threads += own.other_threads() > 0 ? 1 : 0;
    if (threads > 0) {
        warnings.push_back("in " + times(threads, "rank", "ranks") +
                           " several threads communicate; the sets are those of the thread that sends most");
    }
    if (extraction.in_flight > 0) {
        warnings.push_back("the repetitions overlap: " + times(extraction.in_flight, "message is", "messages are") +
                           " under way at every place where they could be cut");
    }
    if (levels.relying_on_buffers > 0) {
        warnings.push_back(times(levels.relying_on_buffers, "send returns", "sends return") +
                           " before the receive is posted, or else the ranks would wait for each other for ever");
    }
    if (levels.outside > 0) {
        warnings.push_back(times(levels.outside, "message goes", "messages go") +
                           " to processes outside of the job's world");
    }
    if (levels.neighborhood > 0) {
        warnings.push_back("neighbourhood collectives are not expanded: the log does not say who the neighbours are");
    }
}

std::int64_t level_count(const Levels& levels) {
    std::int64_t count = 0;
    std::int64_t last = 0;
    for (const LevelledMessage& message : levels.messages) {
        count += message.level != last ? 1 : 0;
        last = message.level;
    }
    return count;
}

/// Places to cut at that run along a level: in three repetitions without a cut, where ranks that began early have
/// waited for the others, what is posted from each level of the second repetition on. By rank, in events behind the
/// first cut.
std::vector<std::vector<std::int64_t>> places_along_levels(const JobLog& job, const std::vector<RankLoops>& loops,
                                                           const Kernel& kernel, const std::vector<RankWindow>& windows,
                                                           const LevelOptions& options) {
    constexpr std::int64_t kRepetitions = 3;
    Kernel longer = kernel;
    for (Kernel::Part& part : longer.parts) part.executions *= kRepetitions;
    std::vector<RankWindow> long_windows = unroll(loops, longer, std::numeric_limits<std::int64_t>::max());
    for (std::size_t w = 0; w < windows.size(); ++w) long_windows[w].cut = windows[w].cut;
    const Levels levels = assign_levels(job, loops, long_windows, {}, options);
    std::set<std::int64_t> of_second;
    const std::size_t length = windows.front().events.size();
    for (std::size_t i = length; i < 2 * length; ++i) of_second.insert(levels.posted.front()[i]);
    of_second.erase(0);
    std::vector<std::vector<std::int64_t>> places;
    for (const std::int64_t level : of_second) {
        std::vector<std::int64_t> place;
        for (const std::vector<std::int64_t>& posted : levels.posted) {
            const auto first = std::ranges::find_if(posted, [&](std::int64_t of) { return of >= level; });
            place.push_back(first - posted.begin());
        }
        places.push_back(std::move(place));
    }
    return places;
}

/// Levels from the earliest common cut. Where the ranks' loops do not begin at one place of the program (sizes that
/// settle down earlier in one rank than in another, say) that cut may run across what belongs together; then of the
/// cuts along a level the one that gives the fewest levels is taken, if they are fewer, of equal ones the earliest.
Levels levels_from_best_cut(const JobLog& job, const std::vector<RankLoops>& loops, const Kernel& kernel,
                            std::vector<RankWindow>& windows, const LevelOptions& options,
                            std::int64_t& messages_in_flight) {
    constexpr std::size_t kMostEventsTried = 4'000'000;  // a few seconds
    CommonCuts cuts(job, loops, windows);
    const bool found = cuts.first();
    const InFlight in_flight = found ? InFlight{} : cuts.in_flight();
    for (const auto& [channel, count] : in_flight) messages_in_flight += std::abs(count);
    Levels best = assign_levels(job, loops, windows, in_flight, options);
    std::size_t events = 0;
    for (const RankWindow& window : windows) events += window.events.size();
    if (!found || cuts.is_where_loops_begin() || 4 * events > kMostEventsTried) return best;
    std::size_t tried = 3 * events;
    for (const auto& place : places_along_levels(job, loops, kernel, windows, options)) {
        if ((tried += events) > kMostEventsTried) break;
        if (!cuts.behind(place)) continue;
        Levels levels = assign_levels(job, loops, windows, in_flight, options);
        if (level_count(levels) < level_count(best)) best = std::move(levels);
    }
    return best;
}

[[noreturn]] void refuse_without_messages(const Levels& levels) {
    if (levels.collectives_left > 0) {
        throw UnsupportedError("the kernel has no messages beside " +
                                   times(levels.collectives_left, "collective that is", "collectives that are") +
                                   " not expanded",
                               "--collectives all expands those on all ranks, too");
    }
    throw UnsupportedError("the kernel has no messages between ranks", "--kernel N takes another one");
}

}  // namespace

std::optional<int> parse_kernel_choice(std::string_view text) {
    constexpr std::int64_t kMostKernels = 1000;
    if (text == "auto") return std::nullopt;
    if (text == "whole") return 0;
    const auto number = static_cast<int>(parse_count(text, kMostKernels, {"--kernel"}));
    if (number == 0) throw OptionError("--kernel takes auto, whole or a number from 1");
    return number;
}

CollectiveScope parse_collective_scope(std::string_view text) {
    if (text == "subcomm") return CollectiveScope::kSubcommunicators;
    if (text == "all") return CollectiveScope::kAll;
    if (text == "none") return CollectiveScope::kNone;
    throw OptionError("--collectives takes subcomm, all or none, not " + shown(text));
}

ComputeTime parse_compute_time(std::string_view text) {
    if (text == "none") return ComputeTime::kNone;
    if (text == "mean") return ComputeTime::kMean;
    throw OptionError("--compute takes none or mean, not " + shown(text));
}

namespace {

/// The whole log as one repetition, or a kernel: with options.kernel that one, else the first whose loops run at the
/// same time. Ranks may do the same as often at different times; then what is sent in one and received in the other
/// adds up to far more than a repetition's messages.
Levels levels_of_kernel(const JobLog& job, const std::vector<RankLoops>& loops, const KernelSearch& search,
                        const ExtractionOptions& options, Extraction& extraction) {
    if (extraction.chosen < 0) {
        return assign_levels(job, loops, unroll_all(job, loops, options.most_events), {}, options.levels);
    }
    constexpr std::int64_t kMostRepetitionsInFlight = 2;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (; static_cast<std::size_t>(extraction.chosen) < search.kernels.size(); ++extraction.chosen) {
        const Kernel& kernel = search.kernels[static_cast<std::size_t>(extraction.chosen)];
        std::vector<RankWindow> windows = unroll(loops, kernel, options.most_events);
        extraction.in_flight = 0;
        Levels levels = levels_from_best_cut(job, loops, kernel, windows, options.levels, extraction.in_flight);
        const auto messages = static_cast<std::int64_t>(levels.messages.size());
        if (options.kernel || extraction.in_flight <= kMostRepetitionsInFlight * messages) return levels;
        least = std::min(least, extraction.in_flight);
    }
    throw UnsupportedError(
        "no repetition that all ranks share: loops that match do not run at the same time (" +
            times(least, "message", "messages") + " would be under way between them)",
        "--kernel whole takes the whole log as one repetition, --kernel 1 the largest loop all the same");
}

Extraction extract_from(const JobLog& job, const ExtractionOptions& options) {
    std::vector<RankLoops> loops;
    loops.reserve(job.ranks.size());
    for (const RankLog& rank : job.ranks) loops.emplace_back(job, rank, options.levels.collectives);

    Extraction extraction;
    extraction.total_bytes = bytes_of_job(loops);
    const KernelSearch search = find_kernels(job, loops);
    for (const Kernel& kernel : search.kernels) extraction.kernels.push_back(summary_of(loops, kernel));
    if (search.kernels.empty() && !search.refusal.empty() && options.kernel != 0) {
        throw UnsupportedError("no repetition that all ranks share: " + search.refusal,
                               "--kernel whole takes the whole log as one repetition");
    }
    const bool whole = options.kernel == 0 || (!options.kernel && search.kernels.empty());
    if (options.kernel && !whole && static_cast<std::size_t>(*options.kernel) > search.kernels.size()) {
        throw OptionError("--kernel " + std::to_string(*options.kernel) + ": the log has " +
                          times(static_cast<std::int64_t>(search.kernels.size()), "kernel", "kernels"));
    }
    extraction.chosen = whole ? -1 : options.kernel.value_or(1) - 1;
    const Levels levels = levels_of_kernel(job, loops, search, options, extraction);
    if (levels.messages.empty()) refuse_without_messages(levels);

    std::int64_t repetitions = 1;
    extraction.kernel_bytes = extraction.total_bytes;
    if (extraction.chosen >= 0) {
        const Kernel& kernel = search.kernels[static_cast<std::size_t>(extraction.chosen)];
        repetitions = kernel.repetitions;
        extraction.kernel_bytes = kernel.bytes;
    }
    for (const double seconds : levels.compute_seconds) extraction.compute_seconds += seconds;
    extraction.relying_on_buffers = levels.relying_on_buffers;
    extraction.to_oneself = levels.to_oneself;
    extraction.outside = levels.outside;
    extraction.collectives_left = levels.collectives_left;
    extraction.neighborhood = levels.neighborhood;
    extraction.workload = sets_of(job, levels, repetitions, options, extraction.levels);
    warn(job, loops, levels, extraction);
    return extraction;
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

/// The kernel of the log in which sizes are not told apart, where it explains most of what is sent.
std::optional<Extraction> extract_without_sizes(const JobLog& job, const ExtractionOptions& options) {
    JobLog joined = job;
    for (RankLog& rank : joined.ranks) {
        for (CallSequence& calls : rank.threads) calls = with_sizes_joined(std::move(calls), job.format + " log");
    }
    try {
        Extraction extraction = extract_from(joined, options);
        if (extraction.chosen < 0 || extraction.share_of_bytes() < kLargeShare) return std::nullopt;
        extraction.warnings.emplace_back(
            "sizes change from repetition to repetition: they are taken together, with their mean");
        return extraction;
    } catch (const UnsupportedError&) {
        return std::nullopt;
    }
}

}  // namespace

Extraction extract_sets(const JobLog& job, const ExtractionOptions& options) {
    if (options.sends_per_rank < 1 || options.sends_per_rank > kMostSendsPerRank) {
        throw OptionError("--sends-per-rank must be 1 to " + std::to_string(kMostSendsPerRank));
    }
    if (!job.has_calls) {
        throw UnsupportedError(
            "the log (" + job.format + ") says what was sent, not in which order: no sets can be extracted",
            "use it as a communication matrix, one set: haichi log convert");
    }
    std::optional<Extraction> found;
    std::exception_ptr refusal;
    try {
        found = extract_from(job, options);
    } catch (const UnsupportedError&) {
        if (options.kernel) throw;
        refusal = std::current_exception();
    }
    if (found &&
        (options.kernel || found->chosen < 0 || found->total_bytes == 0 || found->share_of_bytes() >= kLargeShare)) {
        return *std::move(found);
    }
    // A few sizes that come and go hide the repetition.
    if (auto without = extract_without_sizes(job, options)) return *std::move(without);
    if (!found) std::rethrow_exception(refusal);
    const std::string share = std::to_string(static_cast<int>(100 * found->share_of_bytes())) + " % of the bytes sent";
    const std::int32_t ranks = found->kernels[static_cast<std::size_t>(found->chosen)].ranks;
    if (ranks < ranks_with_messages(job)) {
        throw UnsupportedError("no repetition that all ranks share: the largest one is of " +
                                   times(ranks, "rank", "ranks") + " and explains " + share,
                               "--kernel " + std::to_string(found->chosen + 1) +
                                   " takes it all the same, --kernel whole the whole log as one repetition");
    }
    found->warnings.push_back("the kernel explains only " + share);
    return *std::move(found);
}

}  // namespace haichi
