#include "mapper/advise/shape.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>

#include "base/errors.h"
#include "mapper/advise/allowed_shapes.h"
#include "mapper/judge/evaluate.h"
#include "mapper/judge/simulation_budget.h"
#include "mapper/solve/solve.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

using Shape = std::vector<std::int32_t>;

/// A request and the time of its slowest shape.
struct TimedRequest {
    const Shape* request = nullptr;
    TimeSpread time;
};

std::vector<TimedRequest> timed_requests(std::span<const ShapeTimes> shapes) {
    std::vector<TimedRequest> requests;
    for (const ShapeTimes& shape : shapes) {
        if (shape.without_barriers.empty()) continue;
        const TimeSpread time = shape_time(shape);
        const auto same = [&](const TimedRequest& other) { return *other.request == shape.request; };
        const auto found = std::ranges::find_if(requests, same);
        if (found == requests.end()) {
            requests.push_back({&shape.request, time});
        } else if (time.mean_seconds > found->time.mean_seconds) {
            found->time = time;
        }
    }
    std::ranges::stable_sort(requests, {}, [](const TimedRequest& request) { return request.time.mean_seconds; });
    return requests;
}

std::string requests_text(std::span<const Shape> requests) {
    std::vector<std::string> words;
    for (const Shape& request : requests) words.push_back(sizes_text(request));
    return listed(words);
}

ShapeAdvice without_times(std::span<const ShapeTimes> shapes, const ShapeLimits& limits) {
    ShapeAdvice advice;
    const auto best = std::ranges::min_element(shapes, {}, &ShapeTimes::search_value);
    advice.sentence = "Not known: ";
    if (limits.interrupted) {
        advice.sentence += "interrupted before any shape was simulated";
    } else if (!limits.why_unknown.empty()) {
        advice.sentence += limits.why_unknown;
    } else {
        advice.sentence += "a simulation of one iteration would exceed the budget of packet-hops";
    }
    if (best != shapes.end()) {
        advice.requests.push_back(best->request);
        advice.sentence += "; by the search alone, " + sizes_text(best->shape) + " is at least as good as the others";
    }
    advice.sentence += ".";
    return advice;
}

/// The result of the search for one shape; empty if the search did not begin.
using Found = std::optional<Evaluation>;

bool is_complete(const Found& found) { return found && !found->interrupted; }

std::int32_t idle_nodes(const Placement& placement) {
    std::set<std::int32_t> used;
    for (const NodeId node : placement.mapping().node_of_rank()) used.insert(node.value);
    return placement.job().allocation().node_count() - static_cast<std::int32_t>(used.size());
}

/// Loads the parts of the spec, and removes the faulty nodes from the machine.
JobSpec without_faults(const JobSpec& spec, const Log& log) {
    JobSpec read = loaded(spec, log);
    Machine machine = *load_machine(read);
    machine.faulty.clear();
    read.machine = std::make_shared<const Machine>(std::move(machine));
    return read;
}

class ShapeAdvisor {
  public:
    ShapeAdvisor(const JobSpec& spec, const ShapeAdviceOptions& options, const AdviceControl& control)
        : options_(options),
          control_(control),
          spec_(without_faults(spec, control.log)),
          machine_(*std::get<std::shared_ptr<const Machine>>(spec_.machine)),
          workload_(load_traffic(spec_.traffic)->workload()) {
        report_.machine = machine_.name;
        report_.ranks = workload_.rank_count();
        report_.ranks_per_node = spec.allocation.ranks_per_node.value_or(1);
        report_.seeds = options.seeds;
        check();
        report_.wanted_nodes = wanted_nodes();
        AllowedShapes allowed = allowed_shapes(machine_, report_.wanted_nodes);
        report_.node_count = allowed.node_count;
        report_.is_listed = allowed.is_listed;
        for (AllowedShape& shape : allowed.shapes) {
            ShapeReport& row = report_.shapes.emplace_back();
            row.times.shape = std::move(shape.shape);
            row.times.request = std::move(shape.request);
            row.mean_distance = shape.mean_distance;
        }
    }

    ShapeAdviceReport run() {
        control_.log.info("advice: {} shapes of {} nodes, {}; the {} most compact get a quick search of {} evaluations",
                          report_.shapes.size(), report_.node_count,
                          report_.is_listed ? "listed by the machine file" : "all that fit the machine",
                          std::min(report_.shapes.size(), kMostSearchedShapes), quick_effort().evaluations);
        look_at_all();
        if (control_.is_stopped()) is_cut_short_ = true;
        if (!is_cut_short_) try_finalists();
        report_.interrupted = is_cut_short_;
        std::vector<ShapeTimes> times;
        for (const ShapeReport& row : report_.shapes) {
            if (row.is_searched) times.push_back(row.times);
        }
        report_.advice =
            advise_shapes(times, {.why_unknown = why_times_mean_nothing(machine_), .interrupted = is_cut_short_});
        sort_rows();
        return std::move(report_);
    }

  private:
    void check() const {
        if (options_.finalists < 1 || options_.seeds < 1)
            throw OptionError("advice on shapes requires at least one finalist and one seed");
        if (is_given(spec_.allocation.nodes)) {
            throw OptionError("a choice of shapes cannot be combined with §nodes", "leave out §nodes");
        }
    }

    [[nodiscard]] std::int64_t wanted_nodes() const {
        const std::int64_t least = (std::int64_t{report_.ranks} + report_.ranks_per_node - 1) / report_.ranks_per_node;
        if (options_.node_count == 0) return least;
        if (options_.node_count >= least) return options_.node_count;
        throw OptionError(std::to_string(report_.ranks) + " ranks do not fit on " +
                              std::to_string(options_.node_count) + " nodes with " +
                              std::to_string(report_.ranks_per_node) +
                              (report_.ranks_per_node == 1 ? " rank each" : " ranks each"),
                          "use at least " + std::to_string(least) + " nodes, or a larger §ppn");
    }

    /// The effort of one search.
    struct Effort {
        std::int32_t restarts = 1;
        std::int64_t evaluations = 0;
    };

    [[nodiscard]] Effort quick_effort() const {
        constexpr std::int64_t kPerRank = 100;
        constexpr std::int64_t kFewest = 20'000;
        constexpr std::int64_t kMostEvaluations = 50'000;
        return {1, std::clamp(kPerRank * workload_.rank_count(), kFewest, kMostEvaluations)};
    }

    /// The default effort of a single search, unless all searches together would take minutes.
    [[nodiscard]] Effort proper_effort(std::size_t searches) const {
        constexpr std::int64_t kPerRank = 2000;
        constexpr std::int64_t kFewest = 200'000;
        constexpr std::int64_t kAll = 20'000'000;
        constexpr std::int64_t kAllOfLarge = 5'000'000;  // evaluations are much slower in large jobs
        constexpr std::int32_t kLarge = 1024;
        constexpr std::int64_t kRestarts = 8;
        const std::int64_t all = workload_.rank_count() > kLarge ? kAllOfLarge : kAll;
        const std::int64_t each = all / static_cast<std::int64_t>(searches);
        const std::int64_t wanted = std::max(kPerRank * workload_.rank_count(), kFewest);
        const std::int64_t restarts = std::clamp<std::int64_t>(each / wanted, 1, kRestarts);
        return {static_cast<std::int32_t>(restarts), std::clamp(each / restarts, kFewest / 4, wanted)};
    }

    [[nodiscard]] Evaluation search(const ShapeReport& row, std::uint64_t seed, const Effort& effort) const {
        JobSpec spec = spec_;
        spec.allocation.shape = row.times.shape;
        spec.allocation.origin.clear();
        const Job job(spec);
        const auto problem = job.problem();  // keeps the problem until the evaluation after the search
        MapOptions options{.objective = options_.objective, .strategy = "anneal"};
        if (options.objective.is_auto()) options.objective.name = suited_objectives(problem->problem).front();
        options.search.seed = seed;
        options.search.threads = 1;  // searches run side by side
        options.search.restarts = effort.restarts;
        options.search.evaluations = effort.evaluations;
        const Placement placement = solve(job, options, {{}, control_.stop});
        return evaluate(placement, {.objective = options.objective, .all_objectives = false, .most_loaded_links = 0});
    }

    void search_side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
        advance_side_by_side("searching", static_cast<std::int64_t>(count), options_.threads, control_,
                             [&](std::int64_t i) { work(static_cast<std::size_t>(i)); });
    }

    static void note(const Evaluation& found, ShapeReport& row) {
        if (row.is_searched && !(found.asked.value < row.times.search_value)) return;
        row.is_searched = true;
        row.times.search_value = found.asked.value;
        row.set_contention = found.metrics.set_contention;
        row.contention_sum = std::accumulate(row.set_contention.begin(), row.set_contention.end(), std::int64_t{0});
        row.optimal = found.asked.optimal;
        row.idle_nodes = idle_nodes(found.placement);
    }

    void look_at_all() {
        const std::size_t count = std::min(report_.shapes.size(), kMostSearchedShapes);
        std::vector<Found> found(count);
        search_side_by_side(
            count, [&](std::size_t k) { found[k] = search(report_.shapes[k], options_.seed, quick_effort()); });
        for (std::size_t k = 0; k < count; ++k) {
            if (!is_complete(found[k])) is_cut_short_ = true;
            if (!found[k]) continue;
            note(*found[k], report_.shapes[k]);
            hops_ = std::max(hops_, packet_hops_per_iteration(found[k]->placement));
            report_.objective = found[k]->asked.objective;
            report_.unit = found[k]->asked.unit;
        }
    }

    /// Groups the rows of the report by request, best request first. Requests are ordered by the worst search value of
    /// their shapes, then by distances.
    [[nodiscard]] std::vector<std::vector<std::size_t>> requests() const {
        std::vector<std::vector<std::size_t>> groups;
        for (std::size_t k = 0; k < report_.shapes.size(); ++k) {
            if (!report_.shapes[k].is_searched) continue;
            const auto same = [&](const std::vector<std::size_t>& group) {
                return report_.shapes[group.front()].times.request == report_.shapes[k].times.request;
            };
            const auto found = std::ranges::find_if(groups, same);
            if (found == groups.end()) {
                groups.push_back({k});
            } else {
                found->push_back(k);
            }
        }
        std::ranges::stable_sort(groups, {}, [&](const std::vector<std::size_t>& group) {
            double worst = 0;
            for (const std::size_t k : group) worst = std::max(worst, report_.shapes[k].times.search_value);
            return worst;
        });
        return groups;
    }

    /// The rows of the finalists that the budget allows. Stores the seeds and iterations in the report. Empty if the
    /// budget does not allow two finalists.
    std::vector<std::size_t> affordable_finalists() {
        const auto groups = requests();
        if (groups.empty()) return {};
        const std::size_t most = std::min(groups.size(), static_cast<std::size_t>(options_.finalists));
        const std::size_t least = std::min<std::size_t>(most, 2);
        const std::int32_t fewest_seeds = std::min(options_.seeds, 2);
        const auto rows = [&](std::size_t count) {
            std::vector<std::size_t> list;
            for (std::size_t g = 0; g < count; ++g) list.insert(list.end(), groups[g].begin(), groups[g].end());
            return list;
        };
        const auto fits = [&](std::size_t count, std::int32_t seeds, double overdraft) {
            constexpr int kWithAndWithout = 2;
            const auto runs = static_cast<std::int64_t>(rows(count).size()) * seeds * kWithAndWithout;
            const auto iterations =
                affordable_iterations(hops_, workload_.iterations(), runs, options_.packet_hops, overdraft);
            if (!iterations) return false;
            report_.iterations = *iterations;
            report_.seeds = seeds;
            return true;
        };
        // Takes fewer finalists before it simulates fewer than four iterations each. Exceeding the budget is the last
        // resort.
        constexpr double kHalf = 0.5;
        for (std::size_t count = most; count >= least; --count) {
            if (fits(count, options_.seeds, kHalf)) return rows(count);
        }
        if (fits(least, fewest_seeds, kOverdraft)) return rows(least);
        return {};
    }

    void try_finalists() {
        if (!why_times_mean_nothing(machine_).empty()) return;
        const std::vector<std::size_t> finalists = affordable_finalists();
        if (finalists.empty()) return;
        const auto seeds = static_cast<std::size_t>(report_.seeds);
        std::vector<Found> found(finalists.size() * seeds);
        const Effort effort = proper_effort(found.size());
        control_.log.info("advice: {} finalists with {} seeds each, {} restarts of {} evaluations", finalists.size(),
                          seeds, effort.restarts, effort.evaluations);
        search_side_by_side(found.size(), [&](std::size_t k) {
            found[k] = search(report_.shapes[finalists[k / seeds]], options_.seed + k % seeds, effort);
        });
        if (!std::ranges::all_of(found, is_complete)) {
            is_cut_short_ = true;
            return;
        }
        for (std::size_t k = 0; k < found.size(); ++k) {
            note(*found[k], report_.shapes[finalists[k / seeds]]);
            report_.shapes[finalists[k / seeds]].is_finalist = true;
        }
        simulate(finalists, found);
    }

    void simulate(const std::vector<std::size_t>& finalists, const std::vector<Found>& found) {
        const auto seeds = static_cast<std::size_t>(report_.seeds);
        std::vector<AdviceRun> runs;
        for (const Found& one : found) {
            for (const bool with : {false, true}) {
                AdviceRun& run = runs.emplace_back();
                run.placement = &one->placement;
                run.iterations = report_.iterations;
                run.barriers = {.without = !with, .with = with};
            }
        }
        control_.log.info("advice: {} simulations, {} packet-hops in an iteration of the longest", runs.size(), hops_);
        const auto times = simulate_runs(runs, options_.threads, control_);
        report_.simulations = static_cast<std::int64_t>(runs.size()) -
                              std::ranges::count_if(times, [](const auto& time) { return !time; });
        for (std::size_t f = 0; f < finalists.size(); ++f) {
            const std::span<const std::optional<SimulatedTime>> own(&times[f * seeds * 2], seeds * 2);
            if (std::ranges::any_of(own, [](const auto& time) { return !time; })) {
                is_cut_short_ = true;
                continue;
            }
            ShapeTimes& row = report_.shapes[finalists[f]].times;
            for (std::size_t k = 0; k < own.size(); k += 2) {
                row.without_barriers.push_back(*own[k]);
                row.with_barriers.push_back(*own[k + 1]);
            }
        }
    }

    void sort_rows() {
        std::ranges::stable_sort(report_.shapes, {}, [](const ShapeReport& row) {
            const bool is_simulated = !row.times.without_barriers.empty();
            return std::tuple(!is_simulated, is_simulated ? shape_time(row.times).mean_seconds : 0, !row.is_searched,
                              row.times.search_value);
        });
    }

    const ShapeAdviceOptions& options_;
    const AdviceControl& control_;
    JobSpec spec_;  ///< with the loaded machine and traffic, which all jobs share
    const Machine& machine_;
    const Workload& workload_;
    ShapeAdviceReport report_;
    double hops_ = 0;  ///< packet-hops per iteration of the most expensive placement found
    bool is_cut_short_ = false;
};

}  // namespace

TimeSpread shape_time(const ShapeTimes& shape) {
    const TimeSpread without = spread_of(shape.without_barriers);
    if (shape.with_barriers.empty()) return without;
    const TimeSpread with = spread_of(shape.with_barriers);
    return with.mean_seconds < without.mean_seconds ? with : without;
}

ShapeAdvice advise_shapes(std::span<const ShapeTimes> shapes, const ShapeLimits& limits) {
    const std::vector<TimedRequest> requests = timed_requests(shapes);
    if (requests.empty()) return without_times(shapes, limits);
    ShapeAdvice advice;
    const TimeSpread& best = requests.front().time;
    // The requests before `end` are as good as the best one. The next request differs from it.
    std::size_t end = 1;
    const auto spread = [&](std::size_t i) { return best.spread_seconds + requests[i].time.spread_seconds; };
    while (end < requests.size() && requests[end].time.mean_seconds - best.mean_seconds <= spread(end)) ++end;
    for (std::size_t i = 0; i < end; ++i) advice.requests.push_back(*requests[i].request);
    const bool is_alone = requests.size() == 1;
    if (end < requests.size()) {
        const double slower = requests[end].time.mean_seconds;
        advice.gain = (slower - best.mean_seconds) / slower;
        advice.spread = spread(end) / slower;
        advice.verdict = end == 1 ? ShapeVerdict::kOne : ShapeVerdict::kSeveral;
        const std::string next = sizes_text(*requests[end].request) + " by " + percent_text(advice.gain) + ", spread " +
                                 percent_text(advice.spread);
        if (end == 1) {
            advice.sentence = "Request " + sizes_text(advice.requests.front()) + ": " +
                              duration_text(best.mean_seconds) + ", faster than " + next + ".";
        } else {
            advice.sentence = requests_text(advice.requests) + " are equally fast (" +
                              duration_text(best.mean_seconds) + "), and are faster than " + next +
                              ": use the one that the queue starts first.";
        }
    } else {
        advice.verdict = ShapeVerdict::kAny;
        advice.sentence = is_alone
                              ? "There is no choice: " + sizes_text(advice.requests.front()) +
                                    " is the only simulated shape (" + duration_text(best.mean_seconds) + ")."
                              : "No shape is better than another by more than the spread (" +
                                    duration_text(best.mean_seconds) + "): use the one that the queue starts first.";
    }
    if (limits.interrupted) advice.sentence += " Interrupted: not all shapes were compared.";
    return advice;
}

ShapeAdviceReport advise_shape(const JobSpec& spec, const ShapeAdviceOptions& options, const AdviceControl& control) {
    return ShapeAdvisor(spec, options, control).run();
}

}  // namespace haichi
