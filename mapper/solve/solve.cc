#include "mapper/solve/solve.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/errors.h"
#include "mapper/anneal/proposer.h"
#include "mapper/judge/simulate.h"
#include "mapper/partition/partition_search.h"
#include "mapper/search/progress_meter.h"
#include "mapper/solve/best_start.h"
#include "mapper/solve/simulated_time.h"
#include "mapper/solve/strategy.h"
#include "mapper/start/start.h"
#include "mapper/tabu/population_search.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

/// The objective of the options, unless the strategy has its own objective. The published schedules have no
/// tie-breaking order unless one is requested.
ObjectiveChoice objective_of(const Job& job, const MapOptions& options) {
    ObjectiveChoice choice = options.objective;
    const bool is_balanced = job.balance() != nullptr && options.strategy == "auto";
    const std::string_view own = strategies().at(is_balanced ? "partition" : options.strategy).objective;
    if (choice.is_auto() && !own.empty()) choice.name = own;
    if (!choice.then && options.search.schedule != ScheduleKind::kAuto) choice.then.emplace();
    return choice;
}

/// Whether the machine states distances that do not follow coordinates, as on a tree. Such distances often differ by a
/// factor of ten.
bool has_distance_levels(const Network& network) {
    return network.has_stated_distances() && network.coordinates() == nullptr;
}

/// The state of one call of solve().
class SolveRun {
  public:
    SolveRun(const Job& job, const MapOptions& options, const SearchControl& control)
        : options_(options), control_(control), posed_(job, objective_of(job, options), control.log) {}

    Placement run(const SimulationControl& simulation) {
        if (posed_.ranking != nullptr) check_simulation(posed_.job, {});
        record_.strategy = chosen_strategy(posed_, options_, control_.log);
        record_.objective = to_string(posed_.spec);
        for (const NextObjective& next : posed_.spec.then) record_.next.push_back(next.name);
        record_.seed = options_.search.seed;
        find_kept();
        RankingLimits ranking{.end = {}, .threads = std::max(options_.search.threads, 1), .stop = control_.stop};
        if (const StartRow* row = find_start(record_.strategy)) {
            const auto placed =
                row->place(posed_.problem(), posed_.job.allocation(), record_.seed, [this] { return !is_stopped(); });
            mapping_ = placed.value_or(posed_.job.default_placement());
        } else {
            search(ranking);
        }
        record_.interrupted = is_stopped();
        if (record_.interrupted) record_.reproducible = false;
        if (posed_.ranking != nullptr) rank(ranking, simulation);
        record_.wall_seconds = seconds_since(start_time_);
        return {posed_.job, std::move(mapping_), std::move(record_)};
    }

  private:
    [[nodiscard]] bool is_stopped() const { return control_.stop != nullptr && control_.stop->load(); }

    void search(RankingLimits& ranking) {
        SearchOptions options = options_.search;
        // The limit covers loading, starts, search and simulations. The starts may take half of the remaining time, the
        // search takes the rest.
        if (options.time_by_savings) options.time_limit_seconds = seconds_worth_searching(posed_);
        if (options.time_by_savings) control_.log.info("§time auto: {:.3g} s", *options.time_limit_seconds);
        record_.time_limit_seconds = options.time_limit_seconds;
        record_.seconds_gone = options.seconds_gone;
        const std::optional<double> limit = time_left(options);
        if (limit) {
            ranking.end =
                start_time_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit));
        }
        if (kept_ && kept_->is_complete) {
            mapping_ = kept_->mapping;
            record_.reproducible = false;
            return;
        }
        if (record_.strategy == "partition") {
            if (limit) options.time_limit_seconds = std::max(*limit - seconds_since(start_time_), 1e-3);
            return record(search_by_partition(posed_.problem(), options, control_));
        }
        const MayGoOn may_go_on(
            [this, limit] {
                if (options_.checkpoint != nullptr) options_.checkpoint->tick();
                return !is_stopped() && !(limit && seconds_since(start_time_) > *limit / 2);
            },
            options.threads > 0 ? options.threads : omp_get_max_threads());
        const StartOfRestart start = start_of_restarts(may_go_on, options);
        if (limit) {
            // Simulations may also take half of the remaining time.
            const double left = *limit - seconds_since(start_time_);
            options.time_limit_seconds = posed_.ranking != nullptr ? left / 2 : left;
        }
        SearchControl control = control_;
        if (options_.checkpoint != nullptr) control.keep = [this](const Mapping& best) { keep(best, false); };
        record(search_with(start, options, control));
        if (options_.checkpoint != nullptr) keep(mapping_, !is_stopped());
    }

    // ---- Checkpoints ------------------------------------------------------------------------------------------------

    /// Finds the placement of an earlier run in the checkpoint. The placement's value shows whether it is of this job.
    void find_kept() {
        if (options_.checkpoint == nullptr) return;
        const KeptPlacement* found = options_.checkpoint->find(record_.objective, record_.seed);
        if (found == nullptr) return;
        Mapping mapping;
        try {
            mapping = given_placement(posed_.job, found->node_of_rank).mapping();
        } catch (const OptionError&) {
            throw_of_another_job();
        }
        const double value = posed_.objective->standing(mapping).value;
        if (value != found->value) throw_of_another_job();
        control_.log.info("checkpoint: {} value {}, {}", record_.objective, value,
                          found->is_complete ? "search complete" : "search continues");
        kept_ = {std::move(mapping), value, found->is_complete};
    }

    [[noreturn]] void throw_of_another_job() const {
        throw InputError(options_.checkpoint->file() + " is the checkpoint of another job",
                         "remove it, or name another file");
    }

    /// Stores the placement in the checkpoint. Several searches of one run, as for simulated-time, store the best of
    /// all.
    void keep(const Mapping& best, bool is_complete) {
        const double value = posed_.objective->standing(best).value;
        if (!is_complete && least_kept_ && *least_kept_ <= value) return options_.checkpoint->tick();
        least_kept_ = value;
        const auto nodes = best.node_of_rank();
        options_.checkpoint->keep({record_.objective, record_.seed, is_complete, value, {nodes.begin(), nodes.end()}});
    }

    // ---- The search -------------------------------------------------------------------------------------------------

    /// The first mapping of restart number `restart`.
    [[nodiscard]] StartOfRestart start_of_restarts(const MayGoOn& may_go_on, const SearchOptions& options) {
        if (kept_) return [first = kept_->mapping](std::int32_t) { return first; };
        const auto place = [this, may_go_on = may_go_on.alone()](const StartRow* row, std::int32_t restart) {
            const std::uint64_t seed = options_.search.seed + static_cast<std::uint64_t>(restart);
            return row->place(posed_.problem(), posed_.job.allocation(), seed, may_go_on)
                .value_or(posed_.job.default_placement());
        };
        const auto* name = std::get_if<std::string>(&options_.start);
        const StartRow* row = name == nullptr ? nullptr : find_start(*name);
        if (row != nullptr) return [place, row](std::int32_t restart) { return place(row, restart); };
        if (options_.has_start()) {
            return [given = given_placement(posed_.job, options_.start).mapping()](std::int32_t) { return given; };
        }
        Mapping first = best_start(posed_, *posed_.objective, {options, control_, may_go_on});
        if (is_large()) first = searched_start(std::move(first), options);
        if (options_.checkpoint != nullptr) keep(first, false);
        const bool is_bisected = posed_.objective->info().is_quadratic_assignment &&
                                 posed_.problem().ranks_per_node() == 1 &&
                                 has_distance_levels(posed_.problem().network());
        const StartRow* other = find_start(is_bisected ? "bisection" : "random");
        return [place, first, other, of_first = restarts_from_best_start()](std::int32_t restart) {
            return restart < of_first ? first : place(other, restart);
        };
    }

    /// Number of restarts that begin with the best start, so that the result is never worse than a start. It is two if
    /// restarts alternate between two mixes of moves. The other restarts begin with different random starts. If
    /// distances have levels, they begin with bisections with other seeds, whose values no search from a random start
    /// reaches. On large problems all restarts begin with the best start, for the same reason.
    [[nodiscard]] std::int32_t restarts_from_best_start() const {
        if (is_large()) return std::numeric_limits<std::int32_t>::max();
        const std::size_t ranks = posed_.problem().communicating_ranks().size();
        return ranks > kFewestWithSteps && posed_.objective->info().is_quadratic_assignment ? 2 : 1;
    }

    [[nodiscard]] bool is_large() const {
        constexpr std::size_t kLarge = 2048;
        return posed_.problem().communicating_ranks().size() > kLarge;
    }

    /// The result of a search with the default tie-breaking objective, if it is better than `first`. On large jobs,
    /// routes are computed instead of stored. Evaluating a proposal with tac3 then takes as long as evaluating fifty
    /// with hop-bytes. A search with hop-bytes first saves time, because messages with fewer hops also share fewer
    /// links.
    [[nodiscard]] Mapping searched_start(Mapping first, const SearchOptions& options) const {
        const std::vector<std::string> names = usual_next(posed_.spec);
        if (names.empty() || options.schedule != ScheduleKind::kAuto) return first;
        const Standing standing = posed_.objective->standing(first);
        if (standing.optimal) return first;
        SearchOptions limits = options;
        limits.restarts = 1;
        limits.moves.clear();
        limits.smoothing_weight.reset();
        if (options.time_limit_seconds) {
            limits.time_limit_seconds = *options.time_limit_seconds / 2 - seconds_since(start_time_);
            if (*limits.time_limit_seconds <= 0) return first;
        }
        const auto next = bind_objective({.name = names.front()}, posed_.problem(), posed_.job.default_placement());
        SearchResult found = next->search([&](std::int32_t) { return first; }, limits,
                                          {.progress = {}, .stop = control_.stop, .log = control_.log});
        const double value = posed_.objective->standing(found.mapping).value;
        control_.log.info("start: {} {}, and {} after a search with {}", posed_.objective->info().name, standing.value,
                          value, names.front());
        return standing.value < value ? first : std::move(found.mapping);
    }

    SearchResult search_with(const StartOfRestart& start, const SearchOptions& options, const SearchControl& control) {
        if (posed_.ranking != nullptr && record_.strategy == "anneal") {
            return search_for_finalists(posed_, start, options, control, finalists_);
        }
        if (record_.strategy == "tabu") return search_by_tabu(posed_.problem(), start, options, control);
        if (record_.strategy == "exhaustive") return posed_.objective->search_all(options.verify, control);
        return posed_.objective->search(start, options, control);
    }

    void record(const SearchResult& found) {
        mapping_ = found.mapping;
        record_.is_proven = record_.strategy == "exhaustive" && found.optimal;
        record_.evaluations = found.evaluations;
        record_.convergence = found.convergence;
        record_.reproducible = !record_.time_limit_seconds && !found.interrupted;
        if (found.loop_seconds > 0) {
            record_.evaluations_per_second = static_cast<double>(found.evaluations) / found.loop_seconds;
        }
    }

    void rank(const RankingLimits& limits, const SimulationControl& simulation) {
        if (finalists_.empty()) finalists_.push_back({mapping_, posed_.objective->standing(mapping_).value});
        mapping_ = fastest_finalist(posed_, std::move(finalists_), limits, simulation, record_);
    }

    const Clock::time_point start_time_ = Clock::now();
    const MapOptions& options_;
    const SearchControl& control_;
    PosedJob posed_;
    SearchRecord record_;
    Mapping mapping_;
    std::vector<Finalist> finalists_;

    /// A placement of an earlier run.
    struct Kept {
        Mapping mapping;
        double value = 0;
        bool is_complete = false;
    };
    std::optional<Kept> kept_;
    std::optional<double> least_kept_;
};

}  // namespace

void check_map_options(const MapOptions& options) {
    (void)strategies().at(options.strategy);
    for (const std::string& name : options.objective.then.value_or(std::vector<std::string>())) {
        (void)objectives().at(name);
    }
    check_options(options.search);
    if (options.checkpoint != nullptr && !options.search.time_limit_seconds && !options.search.time_by_savings) {
        throw OptionError(
            "§checkpoint requires §time",
            "give §time; other searches always begin anew, so that results depend on the inputs and the seed alone");
    }
}

Placement solve(const Job& job, const MapOptions& options, const SearchControl& control,
                const SimulationControl& simulation) {
    check_map_options(options);
    return SolveRun(job, options, control).run(simulation);
}

}  // namespace haichi
