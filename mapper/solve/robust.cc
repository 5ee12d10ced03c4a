#include "mapper/solve/robust.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/errors.h"
#include "mapper/anneal/defaults.h"
#include "mapper/job/plugin_library.h"
#include "mapper/search/progress_meter.h"
#include "mapper/solve/best_start.h"
#include "mapper/solve/rotations.h"
#include "mapper/start/start.h"
#include "netmodel/topology/sizes.h"
#include "objectives/robust.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

/// The allocations that a robust placement must suit, as one problem on the first shape.
class RobustProblem {
  public:
    RobustProblem(std::span<const Job> jobs, const RobustOptions& robust, const ObjectiveChoice& choice,
                  const Log& log) {
        for (const Job& job : jobs) {
            check_nodes(jobs.front().allocation(), job.allocation());
            posed_.push_back(std::make_unique<PosedJob>(job, choice, log));
            rotations_.push_back(rotations(job.allocation()));
        }
        check_objective();
        robust_.measure = robust.measure;
        for (std::size_t k = 0; k < posed_.size(); ++k) {
            const std::size_t count = robust.with_rotations ? rotations_[k].size() : 1;
            for (std::size_t i = 0; i < count; ++i) robust_.variants.push_back(variant(k, rotations_[k][i]));
        }
        problem_ = std::make_unique<Problem>(first().problem());
        problem_->set_robust_job(&robust_);
        objective_ = bind_robust_objective(first().spec, *problem_, first().job.default_placement());
    }

    [[nodiscard]] const PosedJob& first() const { return *posed_.front(); }
    [[nodiscard]] const std::vector<std::unique_ptr<PosedJob>>& jobs() const { return posed_; }
    [[nodiscard]] const std::vector<Rotation>& rotations_of(std::size_t k) const { return rotations_[k]; }
    [[nodiscard]] const BoundObjective& objective() const { return *objective_; }
    [[nodiscard]] std::int64_t variant_count() const { return static_cast<std::int64_t>(robust_.variants.size()); }
    /// The variant of job k under a rotation.
    [[nodiscard]] RobustVariant variant(std::size_t k, const Rotation& rotation) const {
        const Allocation& base = first().job.allocation();
        RobustVariant variant;
        variant.problem = &posed_[k]->problem();
        const std::int32_t per_node = base.ranks_per_node;
        for (std::int32_t node = 0; node < base.node_count(); ++node) {
            const auto position = static_cast<std::size_t>(base.fold.position_of_node[static_cast<std::size_t>(node)]);
            for (std::int32_t place = 0; place < per_node; ++place) {
                variant.slot_of_slot.emplace_back(rotation.node_of_position[position].value * per_node + place);
            }
        }
        return variant;
    }

  private:
    static void check_nodes(const Allocation& first, const Allocation& one) {
        if (one.node_count() != first.node_count()) {
            throw OptionError("§robust requires shapes with equal numbers of nodes: " + sizes_text(first.shape) +
                              " has " + std::to_string(first.node_count()) + ", " + sizes_text(one.shape) + " has " +
                              std::to_string(one.node_count()));
        }
        if (one.network.usable_node_count() != first.node_count()) {
            throw UnsupportedError(
                "§robust does not support faulty nodes: shape " + sizes_text(one.shape) + " has some",
                "place the ranks for each shape separately");
        }
    }

    void check_objective() const {
        if (first().spec.function || parse_plugin_name(first().spec.name)) {
            throw UnsupportedError(
                "§robust does not support your own objective " + first().spec.name,
                "place the ranks for each shape separately, or use an objective of haichi list objectives");
        }
        if (const ObjectiveRow* ranking = first().ranking) {
            throw UnsupportedError(
                "§robust does not support " + std::string(ranking->name) + ", which ranks the placements of one shape",
                "use tac3 or predicted-time, and §simulate");
        }
        const Mapping& placed = first().job.default_placement();
        if (first().objective->standing(placed, measure(first().problem(), placed)).search_value) {
            throw UnsupportedError("§robust does not support " + to_string(first().spec) +
                                       ": its search uses the logical torus, which differs between shapes",
                                   "use rmatt");
        }
    }

    std::vector<std::unique_ptr<PosedJob>> posed_;
    std::vector<std::vector<Rotation>> rotations_;
    RobustJob robust_;
    std::unique_ptr<Problem> problem_;  ///< the first shape's problem with all variants
    std::unique_ptr<BoundObjective> objective_;
};

/// The state of one call of map_robust().
class RobustRun {
  public:
    RobustRun(std::span<const Job> jobs, const RobustOptions& robust, const MapOptions& options,
              const SearchControl& control)
        : options_(options.search), control_(control), problem_(jobs, robust, options.objective, control.log) {
        placement_.options = robust;
    }

    RobustPlacement run() {
        const SearchResult found = search();
        placement_.value = found.value;
        placement_.lower_bound = found.lower_bound;
        placement_.optimal = found.optimal;
        placement_.evaluations = found.evaluations;
        if (found.loop_seconds > 0) {
            placement_.evaluations_per_second = static_cast<double>(found.evaluations) / found.loop_seconds;
        }
        note_positions(found.mapping);
        SearchRecord record;
        record.strategy = "anneal";
        record.objective = to_string(problem_.first().spec);
        for (const NextObjective& next : problem_.first().spec.then) record.next.push_back(next.name);
        record.seed = options_.seed;
        record.time_limit_seconds = limit_;
        record.interrupted = is_stopped();
        record.reproducible = !limit_ && !found.interrupted && !record.interrupted;
        for (std::size_t k = 0; k < problem_.jobs().size(); ++k) add_shape(k, found.mapping, record);
        return std::move(placement_);
    }

  private:
    [[nodiscard]] bool is_stopped() const { return control_.stop != nullptr && control_.stop->load(); }

    SearchResult search() {
        control_.log.info("robust placement: {} shapes, {} allocations with their rotations", problem_.jobs().size(),
                          problem_.variant_count());
        if (options_.time_by_savings) options_.time_limit_seconds = seconds_worth_searching(problem_.first());
        limit_ = options_.time_limit_seconds;
        // Changes that help one shape may harm another, so the effort grows with the number of variants.
        if (options_.schedule == ScheduleKind::kAuto && options_.evaluations == 0 && !limit_) {
            options_.evaluations = default_evaluations(problem_.first().problem()) * problem_.variant_count();
        }
        const StartOfRestart start = starts();
        if (limit_) options_.time_limit_seconds = *limit_ - seconds_since(start_time_);
        return problem_.objective().search(start, options_, control_);
    }

    /// The first restart begins with the start on the first shape that is best on all variants. Other restarts begin
    /// randomly.
    [[nodiscard]] StartOfRestart starts() const {
        const MayGoOn may_go_on = [this] {
            return !is_stopped() && !(limit_ && seconds_since(start_time_) > *limit_ / 2);
        };
        const PosedJob& posed = problem_.first();
        const std::uint64_t seed = options_.seed;
        const Mapping first = best_start(posed, problem_.objective(), {options_, control_, may_go_on});
        return [&posed, seed, first, may_go_on](std::int32_t restart) {
            if (restart == 0) return first;
            return find_start("random")
                ->place(posed.problem(), posed.job.allocation(), seed + static_cast<std::uint64_t>(restart), may_go_on)
                .value_or(posed.job.default_placement());
        };
    }

    void note_positions(const Mapping& found) {
        const Allocation& base = problem_.first().job.allocation();
        placement_.ranks_per_node = base.ranks_per_node;
        for (std::int32_t r = 0; r < found.rank_count(); ++r) {
            const std::int32_t slot = found.slot(RankId(r)).value;
            const auto node = static_cast<std::size_t>(slot / base.ranks_per_node);
            placement_.position_of_rank.push_back(base.fold.position_of_node[node] * base.ranks_per_node +
                                                  slot % base.ranks_per_node);
        }
    }

    void add_shape(std::size_t k, const Mapping& found, const SearchRecord& record) {
        const PosedJob& posed = *problem_.jobs()[k];
        auto& rows = placement_.rotations.emplace_back();
        for (const Rotation& rotation : problem_.rotations_of(k)) {
            Mapping rotated = translated(problem_.variant(k, rotation), found);
            const Metrics metrics = measure(posed.problem(), rotated);
            rows.push_back({rotation.axes, posed.objective->standing(rotated, metrics).value, metrics.set_contention});
            if (rows.size() == 1) placement_.placements.emplace_back(posed.job, std::move(rotated), record);
        }
    }

    const Clock::time_point start_time_ = Clock::now();
    SearchOptions options_;
    const SearchControl& control_;
    RobustProblem problem_;
    RobustPlacement placement_;
    std::optional<double> limit_;
};

}  // namespace

const Table<RobustMeasureRow>& robust_measures() {
    static const Table<RobustMeasureRow> kMeasures({"robust measure", "measures"},
                                                   {{"max", "the largest value of all shapes", RobustMeasure::kMax},
                                                    {"mean", "the mean over all shapes", RobustMeasure::kMean}});
    return kMeasures;
}

RobustMeasure parse_robust_measure(std::string_view text) { return robust_measures().at(text).measure; }

std::string_view name_of(RobustMeasure measure) {
    return std::ranges::find(robust_measures(), measure, &RobustMeasureRow::measure)->name;
}

void check_robust_options(const MapOptions& options) {
    if (options.strategy != "anneal" && options.strategy != "auto") {
        throw OptionError("§robust cannot be combined with §strategy " + options.strategy, "use §strategy anneal");
    }
    if (options.has_start()) throw OptionError("§robust cannot be combined with §start");
    check_options(options.search);
}

RobustPlacement map_robust(std::span<const Job> jobs, const RobustOptions& robust, const MapOptions& options,
                           const SearchControl& control) {
    check_robust_options(options);
    return RobustRun(jobs, robust, options, control).run();
}

std::string robust_map_text(const RobustPlacement& placement, const std::string& format) {
    std::string text;
    if (format == "fujitsu") {
        for (const std::int32_t position : placement.position_of_rank) {
            text += '(';
            text += std::to_string(position / placement.ranks_per_node);
            text += ")\n";
        }
        return text;
    }
    if (format != "json") {
        throw UnsupportedError("the format " + format + " cannot express a robust map, because it has no positions",
                               "write fujitsu (1D coordinates) or json");
    }
    for (const std::int32_t position : placement.position_of_rank) {
        if (!text.empty()) text += ", ";
        text += std::to_string(position);
    }
    return "{\"schema\": \"haichi-mapping/1\", \"ranks\": " + std::to_string(placement.position_of_rank.size()) +
           ", \"ranks_per_node\": " + std::to_string(placement.ranks_per_node) + ", \"position_of_rank\": [" + text +
           "]}\n";
}

}  // namespace haichi
