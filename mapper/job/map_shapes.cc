#include "mapper/job/map_shapes.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/errors.h"
#include "mapper/job/job.h"
#include "mapper/job/plugin_library.h"
#include "mapper/job/rotations.h"
#include "mapper/start/start.h"
#include "netmodel/topology/sizes.h"
#include "objectives/robust.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

MapRequest request_for(const ShapesRequest& request, const std::vector<std::int32_t>& shape) {
    MapRequest one = request.job;
    one.allocation.shape = shape;
    return one;
}

/// One search per shape; a time limit is shared out evenly.
ShapesReport map_each(const ShapesRequest& request, const SearchControl& control, const SimulationControl& simulation) {
    ShapesReport report;
    const auto count = static_cast<double>(request.shapes.size());
    for (const auto& shape : request.shapes) {
        MapRequest one = request_for(request, shape);
        if (one.search.time_limit_seconds) *one.search.time_limit_seconds /= count;
        SearchControl of_all = control;
        if (control.progress) {
            of_all.progress = [&, done = static_cast<double>(report.shapes.size())](SearchProgress progress) {
                progress.fraction_done = (done + progress.fraction_done) / count;
                control.progress(progress);
            };
        }
        report.shapes.push_back(run_map(one, of_all, simulation));
        report.interrupted = report.interrupted || report.shapes.back().interrupted;
    }
    return report;
}

/// The allocations that a robust placement must serve, posed on the first shape.
class RobustProblem {
  public:
    explicit RobustProblem(const ShapesRequest& request) {
        for (const auto& shape : request.shapes) {
            jobs_.push_back(std::make_unique<Job>(request_for(request, shape)));
            const std::int32_t nodes = jobs_.front()->allocation->node_count();
            if (jobs_.back()->allocation->node_count() != nodes) {
                throw OptionError("--robust needs shapes with equally many nodes: " +
                                  sizes_text(request.shapes.front()) + " has " + std::to_string(nodes) + ", " +
                                  sizes_text(shape) + " has " + std::to_string(jobs_.back()->allocation->node_count()));
            }
            if (jobs_.back()->allocation->network.usable_node_count() != nodes) {
                throw UnsupportedError("--robust knows no faulty nodes: shape " + sizes_text(shape) + " has some",
                                       "they lie at other positions in every shape; place for each shape by itself");
            }
            rotations_.push_back(rotations(*jobs_.back()->allocation));
        }
        if (first().spec.function || parse_plugin_name(first().spec.name)) {
            throw UnsupportedError("--robust does not know objectives of your own, as " + first().spec.name + " is one",
                                   "place for each shape by itself, or use an objective of haichi list objectives");
        }
        if (const ObjectiveRow* ranking = first().ranking) {
            throw UnsupportedError(
                "--robust does not know " + std::string(ranking->name) + ": it ranks the placements of one shape",
                "use tac3 or tac3-overlap, and --validate");
        }
        const Mapping& placed = first().default_placement;
        if (first().objective->standing(placed, measure(*first().problem, placed)).search_value) {
            throw UnsupportedError("--robust does not know " + to_string(first().spec) +
                                       ": it is searched on the logical torus, and every shape has another",
                                   "use rmatt");
        }
        robust_.measure = *request.robust;
        for (std::size_t k = 0; k < jobs_.size(); ++k) {
            const std::size_t count = request.with_rotations ? rotations_[k].size() : 1;
            for (std::size_t i = 0; i < count; ++i) robust_.variants.push_back(variant(k, rotations_[k][i]));
        }
        first().problem->set_robust_job(&robust_);
        objective_ = bind_robust_objective(first().spec, *first().problem, first().default_placement);
    }

    [[nodiscard]] Job& first() { return *jobs_.front(); }
    [[nodiscard]] const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }
    [[nodiscard]] const std::vector<Rotation>& rotations_of(std::size_t k) const { return rotations_[k]; }
    [[nodiscard]] const BoundObjective& objective() const { return *objective_; }
    [[nodiscard]] std::int64_t variant_count() const { return static_cast<std::int64_t>(robust_.variants.size()); }
    /// The variant of job k under a rotation.
    [[nodiscard]] RobustVariant variant(std::size_t k, const Rotation& rotation) const {
        const Allocation& base = *jobs_.front()->allocation;
        RobustVariant variant;
        variant.problem = &*jobs_[k]->problem;
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
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<std::vector<Rotation>> rotations_;
    RobustJob robust_;
    std::unique_ptr<BoundObjective> objective_;
};

/// The best of the starts on the first shape by what it is worth on all, then random ones.
StartOfRestart robust_starts(RobustProblem& problem, std::uint64_t seed, const MayGoOn& may_go_on) {
    Job& job = problem.first();
    const Mapping first = best_start(job, problem.objective(), seed, may_go_on);
    return [&job, seed, first, may_go_on](std::int32_t restart) {
        if (restart == 0) return first;
        return find_start("random")
            ->place(*job.problem, *job.allocation, seed + static_cast<std::uint64_t>(restart), may_go_on)
            .value_or(job.default_placement);
    };
}

ShapesReport map_robustly(const ShapesRequest& request, const SearchControl& control,
                          const SimulationControl& simulation) {
    const auto start_time = Clock::now();
    if (request.job.strategy != "anneal" && request.job.strategy != "auto") {
        throw OptionError("--robust and --strategy " + request.job.strategy + " exclude each other",
                          "a robust placement is annealed");
    }
    if (!request.job.start.empty()) throw OptionError("--robust and --start exclude each other");
    check_options(request.job.search);
    RobustProblem problem(request);
    if (request.job.validation) {
        for (const auto& job : problem.jobs()) check_simulation(*job, *request.job.validation);
    }
    SearchOptions options = request.job.search;
    if (options.time_by_savings) options.time_limit_seconds = seconds_worth_searching(problem.first());
    const std::optional<double> limit = options.time_limit_seconds;
    // What helps one shape harms another: the more there are, the more there is to weigh.
    if (options.schedule == ScheduleKind::kAuto && options.evaluations == 0 && !limit) {
        options.evaluations = default_evaluations(*problem.first().problem) * problem.variant_count();
    }
    const auto stopped = [&] { return control.stop != nullptr && control.stop->load(); };
    const auto may_go_on = [&] { return !stopped() && !(limit && seconds_since(start_time) > *limit / 2); };
    const StartOfRestart start = robust_starts(problem, options.seed, may_go_on);
    if (limit) options.time_limit_seconds = *limit - seconds_since(start_time);
    const SearchResult found = problem.objective().search(start, options, control);

    ShapesReport report;
    report.interrupted = stopped();
    RobustReport& robust = report.robust.emplace();
    robust.measure = *request.robust;
    robust.with_rotations = request.with_rotations;
    robust.value = found.value;
    robust.lower_bound = found.lower_bound;
    robust.optimal = found.optimal;
    robust.evaluations = found.evaluations;
    if (found.loop_seconds > 0) {
        robust.evaluations_per_second = static_cast<double>(found.evaluations) / found.loop_seconds;
    }
    const Allocation& base = *problem.first().allocation;
    robust.ranks_per_node = base.ranks_per_node;
    for (std::int32_t r = 0; r < found.mapping.rank_count(); ++r) {
        const std::int32_t slot = found.mapping.slot(RankId(r)).value;
        const auto node = static_cast<std::size_t>(slot / base.ranks_per_node);
        robust.position_of_rank.push_back(base.fold.position_of_node[node] * base.ranks_per_node +
                                          slot % base.ranks_per_node);
    }
    for (std::size_t k = 0; k < problem.jobs().size(); ++k) {
        const Job& job = *problem.jobs()[k];
        MapReport shape;
        shape.seed = options.seed;
        shape.strategy = "anneal";
        shape.time_limit_seconds = limit;
        shape.reproducible = !limit && !found.interrupted && !report.interrupted;
        shape.interrupted = report.interrupted;
        shape.mapping = translated(problem.variant(k, problem.rotations_of(k).front()), found.mapping);
        describe_placement(job, shape);
        if (request.job.validation && !report.interrupted) {
            simulate_placements(job, *request.job.validation, simulation, shape);
            report.interrupted = shape.interrupted;
        }
        report.shapes.push_back(std::move(shape));
        auto& rows = robust.rotations.emplace_back();
        for (const Rotation& rotation : problem.rotations_of(k)) {
            const Mapping turned = translated(problem.variant(k, rotation), found.mapping);
            const Metrics metrics = measure(*job.problem, turned);
            rows.push_back({rotation.axes, job.objective->standing(turned, metrics).value, metrics.set_contention});
        }
    }
    return report;
}

}  // namespace

ShapesReport run_map_shapes(const ShapesRequest& request, const SearchControl& control,
                            const SimulationControl& simulation) {
    const auto start_time = Clock::now();
    if (request.with_rotations && !request.robust) throw OptionError("--rotations needs --robust");
    ShapesReport report =
        request.robust ? map_robustly(request, control, simulation) : map_each(request, control, simulation);
    report.wall_seconds = seconds_since(start_time);
    return report;
}

const Table<RobustMeasureRow>& robust_measures() {
    static const Table<RobustMeasureRow> kMeasures(
        {"robust measure", "measures"},
        {{"max", "the worst shape counts", RobustMeasure::kMax}, {"mean", "all shapes count", RobustMeasure::kMean}});
    return kMeasures;
}

RobustMeasure parse_robust_measure(std::string_view text) { return robust_measures().at(text).measure; }

std::string_view name_of(RobustMeasure measure) {
    return std::ranges::find(robust_measures(), measure, &RobustMeasureRow::measure)->name;
}

std::string robust_map_text(const RobustReport& report, const std::string& format) {
    std::string text;
    if (format == "fujitsu") {
        for (const std::int32_t position : report.position_of_rank) {
            text += '(';
            text += std::to_string(position / report.ranks_per_node);
            text += ")\n";
        }
        return text;
    }
    if (format != "json") {
        throw UnsupportedError("the format " + format + " cannot express a robust map: it has no positions",
                               "write fujitsu (1D coordinates) or json");
    }
    for (const std::int32_t position : report.position_of_rank) {
        if (!text.empty()) text += ", ";
        text += std::to_string(position);
    }
    return "{\"schema\": \"haichi-mapping/1\", \"ranks\": " + std::to_string(report.position_of_rank.size()) +
           ", \"ranks_per_node\": " + std::to_string(report.ranks_per_node) + ", \"position_of_rank\": [" + text +
           "]}\n";
}

}  // namespace haichi
