#include "commlog/ccs/best_cut.h"

#include <algorithm>
#include <limits>
#include <set>

#include "commlog/ccs/cut.h"
#include "commlog/ccs/level_sets.h"

namespace haichi {

namespace {

/// Returns cuts at which all ranks begin the same step: for each cut, the distance in events from the first cut, by
/// rank. The cuts come from three iterations without a cut, in which ranks that began early have waited for the others.
/// Each cut is before the events that post the messages of one step, which is in the second iteration or later.
std::vector<std::vector<std::int64_t>> places_along_levels(const JobLog& job, const std::vector<RankLoops>& loops,
                                                           const MainLoop& main_loop,
                                                           const std::vector<RankWindow>& windows,
                                                           const LevelOptions& options) {
    constexpr std::int64_t kRepetitions = 3;
    MainLoop longer = main_loop;
    for (MainLoop::Part& part : longer.parts) part.executions *= kRepetitions;
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

}  // namespace

Levels levels_from_best_cut(const JobLog& job, const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                            std::vector<RankWindow>& windows, const LevelOptions& options,
                            std::int64_t& messages_in_flight) {
    constexpr std::size_t kMostEventsTried = 4'000'000;  // takes a few seconds
    CommonCuts cuts(job, loops, windows);
    const bool found = cuts.first();
    const InFlight in_flight = found ? InFlight{} : cuts.in_flight();
    for (const auto& [channel, count] : in_flight) messages_in_flight += std::abs(count);
    Levels best = assign_levels(job, loops, windows, in_flight, options);
    std::size_t events = 0;
    for (const RankWindow& window : windows) events += window.events.size();
    if (!found || cuts.is_where_loops_begin() || 4 * events > kMostEventsTried) return best;
    const auto cuts_of = [&] {
        std::vector<std::size_t> positions;
        for (const RankWindow& window : windows) positions.push_back(window.cut);
        return positions;
    };
    std::vector<std::size_t> best_cuts = cuts_of();
    std::size_t tried = 3 * events;
    for (const auto& place : places_along_levels(job, loops, main_loop, windows, options)) {
        if ((tried += events) > kMostEventsTried) break;
        if (!cuts.behind(place)) continue;
        Levels levels = assign_levels(job, loops, windows, in_flight, options);
        if (level_count(levels) >= level_count(best)) continue;
        best = std::move(levels);
        best_cuts = cuts_of();
    }
    for (std::size_t w = 0; w < windows.size(); ++w) windows[w].cut = best_cuts[w];
    return best;
}

}  // namespace haichi
