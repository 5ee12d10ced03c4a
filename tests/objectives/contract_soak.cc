// Tests the contract of objectives over very many random moves, on new problems and all kinds of topology in every
// round. Incremental values equal full evaluations, a rollback leaves no trace, no value is below the bound, and
// searches pass verification. Prints the coverage; at the first difference, prints a line that repeats the case and
// exits with code 1.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "examples/plugin_objective/set_diameter.cc"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/bound_objective_of.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/function_objective.h"
#include "objectives/registry.h"
#include "objectives/sliced_collisions.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/plain_values.h"
#include "tests/objectives/soak_problems.h"
#include "tests/objectives/value_from_metrics.h"

namespace haichi {
namespace {

using testing_problems::draw_problem;
using testing_problems::drawn;
using testing_problems::DrawnProblem;
using testing_problems::one_in;
using testing_problems::plain_values;
using testing_problems::random_move;
using testing_problems::started;
using testing_problems::topology_kinds;
using testing_problems::ValueFromMetrics;

struct SoakOptions {
    std::int64_t moves = 100'000'000;
    std::uint64_t seed = 1;
    int threads = omp_get_max_threads();
    // To repeat one case:
    std::int64_t round = -1;
    std::string topology;
    std::string objective;
};

/// A failed comparison; the case is added by the caller that knows it.
class Difference : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

void require(bool holds, const char* what, std::int64_t step) {
    if (!holds) throw Difference(std::string(what) + ", step " + std::to_string(step));
}

/// The objective of the example as plug-ins provide it.
class PluggedDiameter : public FunctionObjective {
    using FunctionObjective::FunctionObjective;
};

/// Average number of moves per run; slow objectives make fewer to limit their time.
template <class O>
struct MovesOfRun {
    static constexpr std::int32_t kMean = 6'000;
};
template <>
struct MovesOfRun<HopBytes> {
    static constexpr std::int32_t kMean = 12'000;
};
template <>
struct MovesOfRun<Weighted> {
    static constexpr std::int32_t kMean = 4'000;
};
template <>
struct MovesOfRun<FunctionObjective> {
    static constexpr std::int32_t kMean = 3'000;
};
template <>
struct MovesOfRun<PredictedTime> {
    static constexpr std::int32_t kMean = 2'000;
};
template <class O>
struct MovesOfRun<Robust<O>> {
    static constexpr std::int32_t kMean = MovesOfRun<O>::kMean / 2;
};

/// Tests one objective over random moves on one problem.
template <class O>
class MoveRun {
  public:
    MoveRun(const DrawnProblem& problem, const ObjectiveSpec& spec, Random random)
        : posed_(&problem.posed),
          random_(random),
          mapping_(posed_->default_placement),
          objective_(*posed_->problem, spec, mapping_),
          from_metrics_(*posed_->problem, spec, mapping_, objective_),
          bound_(std::as_const(objective_).lower_bound()) {}

    /// Returns the number of moves made.
    std::int64_t run() {
        const std::int32_t wanted = drawn(random_, MovesOfRun<O>::kMean / 2, MovesOfRun<O>::kMean * 3 / 2);
        reset();
        // Compares after every move that follows a reset. Some stretches descend like the end of a search.
        for (std::int32_t draw = 0; draw < 4 * wanted && step_ < wanted; ++draw) {
            if (one_in(random_, 1500)) reset();
            const Move move = random_move(mapping_, posed_->allocation->network, random_);
            if (move.empty()) continue;
            try_move(move);
            const std::int64_t since_reset = ++step_ - reset_at_;
            if (since_reset < 12 || one_in(random_, 500)) compare();
        }
        compare();
        compare_hot_ranks();
        return step_;
    }

  private:
    void reset() {
        const std::uint32_t from = random_.below(4);
        if (from == 1) mapping_ = posed_->default_placement;
        if (from >= 2) mapping_ = started("random", *posed_->problem, *posed_->allocation, random_.next());
        objective_.reset(mapping_);
        reset_at_ = step_;
        goes_down_ = one_in(random_, 3);
        compare();
    }

    void try_move(const Move& move) {
        const auto value = objective_.value();
        const auto smoothing = objective_.smoothing();
        const Change change = objective_.propose(mapping_, move);
        // Sums of floating-point changes need not cancel exactly.
        constexpr double kNoise = 1e-9;
        require(!(change.value > kNoise) || objective_.value() > value, "change up, value not", step_);
        require(!(change.value < -kNoise) || objective_.value() < value, "change down, value not", step_);
        const bool accepts = goes_down_ ? !(objective_.value() > value) : one_in(random_, 2);
        if (accepts) {
            objective_.commit();
            mapping_.apply(move);
        } else {
            objective_.rollback();
            require(objective_.value() == value, "value after rollback", step_);
            require(objective_.smoothing() == smoothing, "smoothing after rollback", step_);
        }
    }

    void compare() {
        const auto value = objective_.value();
        require(value == std::as_const(objective_).value_from_scratch(mapping_), "value and value from scratch", step_);
        require(objective_.smoothing() == std::as_const(objective_).smoothing_from_scratch(mapping_),
                "smoothing and smoothing from scratch", step_);
        require(!bound_ || !(value < *bound_), "value below the bound", step_);
        if constexpr (ValueFromMetrics<O>::kExists) {
            if (!from_metrics_.is_of_another_topology() && one_in(random_, 8)) {
                require(value == from_metrics_(mapping_), "value and value of the metrics", step_);
            }
        }
    }

    void compare_hot_ranks() {
        std::vector<RankId> ranks;
        std::as_const(objective_).append_hot_ranks(mapping_, ranks);
        for (const RankId rank : ranks) {
            require(!posed_->problem->incident(rank).empty(), "hot rank without messages", step_);
        }
    }

    const testing_problems::Posed* posed_;
    Random random_;
    Mapping mapping_;
    O objective_;
    ValueFromMetrics<O> from_metrics_;
    std::optional<typename O::Value> bound_;
    bool goes_down_ = false;
    std::int64_t step_ = 0;
    std::int64_t reset_at_ = 0;
};

/// The real search, verified at its end or at every step. Returns the number of evaluations.
std::int64_t run_search(const DrawnProblem& problem, const BoundObjective& objective, Random random) {
    const testing_problems::Posed& posed = problem.posed;
    constexpr std::array<ScheduleKind, 3> kSchedules = {ScheduleKind::kAuto, ScheduleKind::kPaper,
                                                        ScheduleKind::kRmatt};
    constexpr std::array<MoveKind, 4> kMoves = {MoveKind::kUniform, MoveKind::kEmpty, MoveKind::kNeighbour,
                                                MoveKind::kFocused};
    SearchOptions options;
    options.seed = random.next();
    options.threads = 1;
    options.restarts = drawn(random, 1, 2);
    options.verify = one_in(random, 6) ? VerifyLevel::kStep : VerifyLevel::kEnd;
    options.evaluations = options.verify == VerifyLevel::kStep ? 100 : 500;
    options.schedule = kSchedules[random.below(3)];
    if (one_in(random, 2)) options.moves = {kMoves[random.below(4)]};
    const StartOfRestart start = [&](std::int32_t restart) {
        return restart == 0 ? posed.default_placement
                            : started("random", *posed.problem, *posed.allocation, options.seed);
    };
    const SearchResult result = objective.search(start, options, {});
    const Standing standing = objective.standing(result.mapping);
    require(standing.value == result.value, "value of the search and of its mapping", result.evaluations);
    require(!standing.lower_bound || standing.value >= *standing.lower_bound, "result below the bound",
            result.evaluations);
    const Standing in_metrics = objective.standing(result.mapping, measure(*posed.problem, result.mapping));
    require(in_metrics.search_value.value_or(in_metrics.value) == result.value, "value of the search and of the report",
            result.evaluations);
    require(!in_metrics.lower_bound || in_metrics.value >= *in_metrics.lower_bound, "report below the bound",
            result.evaluations);
    return result.evaluations;
}

/// Compares measure() with the definitions.
void compare_metrics(const DrawnProblem& problem) {
    const testing_problems::Posed& posed = problem.posed;
    const Mapping mapping = started("random", *posed.problem, *posed.allocation);
    const Metrics metrics = measure(*posed.problem, mapping);
    const testing_problems::Plain plain = plain_values(posed, mapping);
    const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * b; };
    require(metrics.hop_bytes == plain.hop_bytes, "hop-bytes by definition", 0);
    require(metrics.max_link_bytes == plain.max_link_bytes, "largest link load by definition", 0);
    require(metrics.set_contention == plain.contention, "contention by definition", 0);
    // Bandwidths without a small common multiple are rounded to 2^-20; the bandwidths drawn here are not.
    require(is_near(metrics.tac3_seconds, plain.tac3_seconds), "tac3 by definition", 0);
    require(is_near(metrics.tac3_bytes_seconds, plain.tac3_bytes_seconds), "tac3-bytes by definition", 0);
}

enum class Counting { kNone, kPerSet, kAllSetsTogether };
template <class O>
constexpr Counting kCountingOf = std::derived_from<O, Rmatt>                           ? Counting::kAllSetsTogether
                                 : std::same_as<O, Tac3> || std::same_as<O, Tac3Bytes> ? Counting::kPerSet
                                                                                       : Counting::kNone;
template <class O>
constexpr Counting kCountingOf<Robust<O>> = kCountingOf<O>;

/// How tac3, tac3-bytes and rmatt count on the problem: the kernel number, or -1 for link by link.
int kernel_number(const DrawnProblem& problem, Counting counting) {
    const Counted counted = counting == Counting::kPerSet ? Counted::kPerSet : Counted::kAllSetsTogether;
    if (!SlicedCollisions::suits(*problem.posed.problem, counted)) return -1;
    const SliceKernels kernels = slice_kernels();
    for (std::size_t k = 0; k < kernels.count; ++k) {
        if (kernels.kernel[k] == problem.kernel) return static_cast<int>(k);
    }
    return -1;
}

struct ObjectiveTally {
    std::string name;
    std::vector<std::int64_t> moves = std::vector<std::int64_t>(topology_kinds().size(), 0);  ///< by topology
    std::vector<std::int64_t> evaluations = moves;
    [[nodiscard]] std::int64_t all_moves() const {
        return std::accumulate(moves.begin(), moves.end(), std::int64_t{0});
    }
    [[nodiscard]] std::int64_t all_evaluations() const {
        return std::accumulate(evaluations.begin(), evaluations.end(), std::int64_t{0});
    }
};

ObjectiveSpec drawn_spec(std::string_view name, Random& random) {
    const ObjectiveRow* row = objectives().find(name);
    if (row == nullptr || !row->needs_terms) return {.name = std::string(name)};
    const std::string all = testing_problems::weighted_sum_of_quick_objectives();
    const std::array<std::string_view, 5> sums = {
        all, "weighted(tac3=1,hop-bytes=0.1)", "weighted(max-link-load=3,tac3-bytes=0.1)",
        "weighted(hop-bytes=1,rmatt=1000)", "weighted(hop-bytes=0.01,rmatt-3d=1)"};
    return parse_objective(sums[random.below(static_cast<std::uint32_t>(sums.size()))]);
}

/// Any function whose value changes with a wrong node is suitable.
double example_function(std::span<const NodeId> nodes) {
    double sum = 0;
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        sum += static_cast<double>((nodes[r].value * 7 + static_cast<std::int32_t>(r) * 13) % 101) /
               static_cast<double>(r + 3);
    }
    return sum;
}

class Soak {
  public:
    explicit Soak(SoakOptions options) : options_(std::move(options)) {
        for_each_case([&](const std::string& name, auto) { tallies_.push_back({name}); });
        std::vector<std::string> topologies;
        std::vector<std::string> objectives;
        for (const auto& kind : topology_kinds()) topologies.push_back(kind.name);
        for (const ObjectiveTally& tally : tallies_) objectives.push_back(tally.name);
        check_name(options_.topology, topologies);
        check_name(options_.objective, objectives);
    }

    void run() {
        const std::int64_t first = std::max<std::int64_t>(options_.round, 0);
        for (std::int64_t round = first; !failed_; ++round) {
            if (options_.round >= 0 && round > options_.round) break;
            if (options_.round < 0 && moves_ >= options_.moves) break;
            run_round(round);
            if (seconds() - reported_at_ > 10) report_progress(round);
        }
        print_tables();
    }
    [[nodiscard]] bool failed() const { return failed_; }

  private:
    static void check_name(const std::string& name, const std::vector<std::string>& names) {
        if (name.empty() || std::ranges::find(names, name) != names.end()) return;
        throw OptionError("there is no " + shown(name) + " in the table", did_you_mean(name, names));
    }

    /// Calls f(name, ObjectiveTag) for every objective, by itself and over several allocations.
    template <class F>
    static void for_each_case(F&& f) {
        for_each_objective([&](auto tag) { f(std::string(decltype(tag)::type::kInfo.name), tag); });
        for_each_objective([&](auto tag) {
            using O = typename decltype(tag)::type;
            f("robust " + std::string(O::kInfo.name), ObjectiveTag<Robust<O>>{});
        });
        f(std::string(FunctionObjective::kInfo.name), ObjectiveTag<FunctionObjective>{});
        f("plug-in " + std::string(SetDiameter::kInfo.name), ObjectiveTag<PluggedDiameter>{});
    }

    [[nodiscard]] Random random_of(std::int64_t round, std::size_t kind, std::size_t use) const {
        constexpr std::uint64_t kMost = 64;  // upper limit for kinds and for uses
        return Random(options_.seed, (static_cast<std::uint64_t>(round) * kMost + kind) * kMost + use);
    }

    void run_round(std::int64_t round) {
        const auto kinds = static_cast<std::int64_t>(topology_kinds().size());
#pragma omp parallel for num_threads(options_.threads) schedule(dynamic, 1)
        for (std::int64_t kind = 0; kind < kinds; ++kind) {
            if (failed_ || !(options_.topology.empty() || options_.topology == topology_kinds()[kind].name)) continue;
            run_problem(round, static_cast<std::size_t>(kind));
        }
    }

    void run_problem(std::int64_t round, std::size_t kind) {
        std::string name = "(drawing it)";
        std::string objective = "(before the first)";
        try {
            // Problems alternate between the kernels that this processor supports and a run without bit-sliced
            // counters.
            const SliceKernels kernels = slice_kernels();
            const std::size_t turn = (static_cast<std::size_t>(round) + kind) % (kernels.count + 1);
            const SliceKernel kernel = turn < kernels.count ? kernels.kernel[turn] : nullptr;
            const auto problem = draw_problem(topology_kinds()[kind], kernel, random_of(round, kind, 0),
                                              "soak-" + std::to_string(round) + "-" + std::to_string(kind));
            name = problem->posed.name;
            compare_metrics(*problem);
            std::size_t number = 0;
            for_each_case([&](const std::string& case_name, auto tag) {
                ObjectiveTally& tally = tallies_[number++];
                if (!options_.objective.empty() && options_.objective != case_name) return;
                objective = case_name;
                run_case<typename decltype(tag)::type>(*problem, kind, random_of(round, kind, number), tally);
            });
        } catch (const std::exception& error) {
            const std::scoped_lock lock(mutex_);
            failed_ = true;
            std::printf("DIFFERENCE: %s\n  objective %s, topology %s: %s\n", error.what(), objective.c_str(),
                        topology_kinds()[kind].name.c_str(), name.c_str());
            std::printf("  repeat: contract_soak --seed %llu --round %lld --topology %s --objective \"%s\"\n",
                        static_cast<unsigned long long>(options_.seed), static_cast<long long>(round),
                        topology_kinds()[kind].name.c_str(), objective.c_str());
            std::fflush(stdout);
        }
    }

    template <class O>
    void run_case(const DrawnProblem& problem, std::size_t kind, Random random, ObjectiveTally& tally) {
        ObjectiveSpec spec = drawn_spec(O::kInfo.name, random);
        if constexpr (std::same_as<O, FunctionObjective>) spec.function = example_function;
        if constexpr (std::same_as<O, PluggedDiameter>) {
            spec.function = PluggedObjective(plugin::table_of<SetDiameter>(), nullptr, *problem.posed.problem);
        }
        const std::int64_t moves = MoveRun<O>(problem, spec, Random(random.next())).run();
        const std::int64_t evaluations = run_search(problem, *bound<O>(problem, spec), Random(random.next()));
        tally.moves[kind] += moves;
        tally.evaluations[kind] += evaluations;
        moves_ += moves + evaluations;
        if (kCountingOf<O> == Counting::kNone) return;
        kernel_moves_[static_cast<std::size_t>(kernel_number(problem, kCountingOf<O>) + 1)] += moves;
    }

    template <class O>
    static std::unique_ptr<BoundObjective> bound(const DrawnProblem& problem, const ObjectiveSpec& spec) {
        const testing_problems::Posed& posed = problem.posed;
        if constexpr (std::same_as<O, FunctionObjective> || std::same_as<O, PluggedDiameter>) {
            return std::make_unique<BoundObjectiveOf<O>>(*posed.problem, spec, posed.default_placement);
        } else if constexpr (requires(O o) { []<class P>(const Robust<P>&) {}(o); }) {
            return bind_robust_objective(spec, *posed.problem, posed.default_placement);
        } else {
            return bind_objective(spec, *posed.problem, posed.default_placement);
        }
    }

    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    void report_progress(std::int64_t round) {
        reported_at_ = seconds();
        std::printf("round %lld: %.1f million moves in %.0f s, %.0f moves/s\n", static_cast<long long>(round),
                    static_cast<double>(moves_) / 1e6, reported_at_, static_cast<double>(moves_) / reported_at_);
        std::fflush(stdout);
    }

    void print_tables() const {
        std::printf("\nThousands of moves per objective and topology; evaluations of verified searches\n\n%-22s", "");
        for (const auto& kind : topology_kinds()) std::printf("%12s", kind.name.c_str());
        std::printf("%10s%10s\n", "all", "searches");
        for (const ObjectiveTally& tally : tallies_) {
            std::printf("%-22s", tally.name.c_str());
            for (const std::int64_t moves : tally.moves) std::printf("%12.1f", static_cast<double>(moves) / 1e3);
            std::printf("%10.1f%10.1f\n", static_cast<double>(tally.all_moves()) / 1e3,
                        static_cast<double>(tally.all_evaluations()) / 1e3);
        }
        std::printf("\nThousands of moves of tac3, tac3-bytes and rmatt, alone and robust, by their counters\n");
        constexpr std::array<const char*, 4> kNames = {"link by link", "bits, any processor", "bits, AVX2",
                                                       "bits, AVX-512"};
        for (std::size_t k = 0; k < kNames.size(); ++k) {
            std::printf("%-24s%13.1f\n", kNames[k], static_cast<double>(kernel_moves_[k]) / 1e3);
        }
        std::printf("\n%lld moves in %.0f s: %s\n", static_cast<long long>(moves_), seconds(),
                    failed_ ? "a DIFFERENCE, see above" : "no difference");
    }

    SoakOptions options_;
    std::vector<ObjectiveTally> tallies_;
    std::array<std::atomic<std::int64_t>, 4> kernel_moves_{};  ///< link by link, then by kernel
    std::atomic<std::int64_t> moves_ = 0;                      ///< including evaluations of searches
    std::atomic<bool> failed_ = false;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double reported_at_ = 0;
};

SoakOptions parse_arguments(int count, char** arguments) {
    SoakOptions options;
    for (int i = 1; i < count; i += 2) {
        const std::string_view name = arguments[i];
        if (i + 1 == count) throw OptionError("option " + shown(name) + " lacks its value");
        const std::string value = arguments[i + 1];
        if (name == "--moves") {
            options.moves = static_cast<std::int64_t>(std::stod(value));
        } else if (name == "--seed") {
            options.seed = std::stoull(value);
        } else if (name == "--threads") {
            options.threads = std::max(1, std::stoi(value));
        } else if (name == "--round") {
            options.round = std::stoll(value);
        } else if (name == "--topology") {
            options.topology = value;
        } else if (name == "--objective") {
            options.objective = value;
        } else {
            throw OptionError("unknown option " + shown(name),
                              "options are --moves --seed --threads --round --topology --objective");
        }
    }
    return options;
}

}  // namespace
}  // namespace haichi

int main(int count, char** arguments) {
    try {
        haichi::Soak soak(haichi::parse_arguments(count, arguments));
        soak.run();
        return soak.failed() ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "contract_soak: %s\n", error.what());
        return 2;
    }
}
