#include "mapper/tabu/population_search.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/errors.h"
#include "base/usable_threads.h"
#include "mapper/search/progress_meter.h"
#include "mapper/tabu/swap_kernel.h"
#include "mapper/tabu/tabu_search.h"
#include "objectives/hop_bytes.h"

namespace haichi {

namespace {

/// A local optimum of tabu search.
struct Member {
    Assignment assignment;
    std::int64_t cost = 0;
};

/// Uniform crossover: keeps the common part of both parents. Every other task gets its place from a random parent if
/// that place is free. The remaining tasks get the remaining places.
Assignment cross(const Assignment& mother, const Assignment& father, Random& random) {
    const std::size_t size = mother.size();
    Assignment child(size, -1);
    std::vector<bool> taken(size);
    const auto give = [&](std::size_t task, std::int32_t place) {
        if (child[task] >= 0 || taken[static_cast<std::size_t>(place)]) return;
        child[task] = place;
        taken[static_cast<std::size_t>(place)] = true;
    };
    for (std::size_t task = 0; task < size; ++task) {
        if (mother[task] == father[task]) give(task, mother[task]);
    }
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    for (const std::size_t task : order) {
        const bool from_mother = random.below(2) == 0;
        give(task, from_mother ? mother[task] : father[task]);
        give(task, from_mother ? father[task] : mother[task]);
    }
    Assignment left;
    for (std::size_t place = 0; place < size; ++place) {
        if (!taken[place]) left.push_back(static_cast<std::int32_t>(place));
    }
    random.shuffle(std::span(left));
    for (const std::size_t task : order) {
        if (child[task] >= 0) continue;
        child[task] = left.back();
        left.pop_back();
    }
    return child;
}

/// Number of communicating tasks with different places.
std::size_t difference(const Assignment& a, const Assignment& b, std::int32_t active) {
    std::size_t count = 0;
    for (std::size_t task = 0; task < static_cast<std::size_t>(active); ++task) count += a[task] != b[task] ? 1 : 0;
    return count;
}

/// Searches with one population after another, which share the budget.
template <class Cell>
class PopulationSearch {
  public:
    PopulationSearch(const Problem& problem, const QuadraticAssignment& assignments, const StartOfRestart& start,
                     const SearchOptions& options, const SearchControl& control)
        : objective_(problem, {}, Mapping()),
          assignments_(assignments),
          start_(start),
          options_(options),
          control_(control),
          restarts_(std::max(options.restarts, 1)),
          threads_(std::clamp(options.threads > 0 ? options.threads : omp_get_max_threads(), 1, kChildren)),
          meter_(control, HopBytes::kInfo.name, restarts_, options.time_limit_seconds.has_value()) {
        searches_.resize(static_cast<std::size_t>(threads_));
        if (const auto bound = objective_.lower_bound()) {
            meter_.set_bound(objective_.in_unit(*bound));
            bound_ = (*bound + assignments.bytes_per_unit() - 1) / assignments.bytes_per_unit();
        }
    }

    SearchResult run() {
        control_.log.info(
            "tabu search: {} populations of {}, {} concurrent children on {} threads, seed {}; {} swaps per step, "
            "{}-bit numbers, {} kernel",
            restarts_, kMembers, kChildren, threads_, options_.seed, search(0).swaps_per_step(), 8 * sizeof(Cell),
            swap_kernels<Cell>().best().name);
        for (restart_ = 0; restart_ < restarts_; ++restart_) {
            run_restart();
            control_.log.debug("population {}: the best so far is {} after {} evaluations", restart_ + 1,
                               in_unit(best_.cost), evaluations_);
            if (restart_ + 1 < restarts_) report(0, true);
            if (at_bound() || stopped()) break;
        }
        SearchResult found;
        found.mapping = assignments_.mapping(best_.assignment);
        found.value = objective_.in_unit(objective_.value_from_scratch(found.mapping));
        if (const auto bound = objective_.lower_bound()) found.lower_bound = objective_.in_unit(*bound);
        found.optimal = found.lower_bound && found.value == *found.lower_bound;
        found.evaluations = evaluations_;
        found.interrupted = cut_short_;
        return found;
    }

  private:
    /// Concurrent children, which is also the largest useful number of threads.
    static constexpr std::int32_t kChildren = 8;
    static constexpr std::int32_t kMembers = 16;
    static constexpr std::int32_t kStepsPerTask = 40;
    static constexpr std::int32_t kBurst = 64;  ///< steps between two polls of the clock and the stop flag

    [[nodiscard]] double in_unit(std::int64_t cost) const {
        return objective_.in_unit(cost * assignments_.bytes_per_unit());
    }
    [[nodiscard]] bool stopped() const { return control_.stop != nullptr && control_.stop->load(); }
    [[nodiscard]] bool at_bound() const { return any_ && bound_ && best_.cost <= *bound_; }
    [[nodiscard]] double time_fraction() const {
        const double limit = options_.time_limit_seconds.value_or(0);
        return limit > 0 ? std::min(1.0, seconds_since(search_start_) / limit) : 0;
    }
    /// Whether the time of this restart has passed.
    [[nodiscard]] bool out_of_time() const {
        return options_.time_limit_seconds && seconds_since(search_start_) >= deadline_seconds_;
    }

    /// Steps per child: enough for the search to move away from the crossover.
    [[nodiscard]] std::int32_t steps_per_child() const { return kStepsPerTask * assignments_.size(); }
    [[nodiscard]] std::int64_t steps_in_all() const {
        if (options_.time_limit_seconds) return INT64_MAX;
        const std::int64_t swaps = std::max<std::int64_t>(search(0).swaps_per_step(), 1);
        if (options_.evaluations > 0) return (options_.evaluations + swaps - 1) / swaps;
        // These limits allow a few seconds at most, about twice the time of annealing for the same number of ranks.
        constexpr std::int64_t kMostChildren = 160;
        constexpr std::int64_t kMostSwaps = 2'000'000'000;
        return std::min(kMostChildren * steps_per_child(), kMostSwaps / swaps);
    }

    TabuSearch<Cell>& search(std::int32_t thread) const {
        auto& own = searches_[static_cast<std::size_t>(thread)];
        if (!own) own = std::make_unique<TabuSearch<Cell>>(assignments_);
        return *own;
    }

    void run_restart() {
        if (options_.time_limit_seconds) {
            const double now = seconds_since(search_start_);
            deadline_seconds_ = now + (*options_.time_limit_seconds - now) / (restarts_ - restart_);
        }
        steps_left_ = steps_in_all();
        std::vector<Member> members;
        bool is_first = true;
        while (!any_ || goes_on()) {
            if (members.size() < kMembers) {
                // The first population begins with searches from the given starts, later populations with random
                // assignments.
                const auto have = static_cast<std::int32_t>(members.size());
                const auto children = generation([&](std::int32_t child, Random& random) {
                    if (is_first) return assignments_.assignment(start_(restart_ * kMembers + have + child));
                    return random_assignment(random);
                });
                members.insert(members.end(), children.begin(), children.end());
                continue;
            }
            is_first = false;
            const auto children = generation([&](std::int32_t, Random& random) {
                const std::uint32_t mother = random.below(kMembers);
                const std::uint32_t father = (mother + 1 + random.below(kMembers - 1)) % kMembers;
                return cross(members[mother].assignment, members[father].assignment, random);
            });
            for (const Member& child : children) accept(members, child);
            if (has_converged(members)) members.clear();
        }
    }

    [[nodiscard]] bool goes_on() const { return steps_left_ > 0 && !at_bound() && !stopped() && !out_of_time(); }

    [[nodiscard]] Assignment random_assignment(Random& random) const {
        Assignment assignment(static_cast<std::size_t>(assignments_.size()));
        std::iota(assignment.begin(), assignment.end(), 0);
        random.shuffle(std::span(assignment));
        return assignment;
    }

    void report(double fraction_of_restart, bool restart_done) {
        meter_.report(fraction_of_restart, time_fraction(), in_unit(best_.cost), restart_done,
                      [this] { return assignments_.mapping(best_.assignment); });
    }

    /// Searches from the assignment begin(child, random) for each child, on all threads.
    template <class Begin>
    std::vector<Member> generation(const Begin& begin) {
        const auto count = static_cast<std::int32_t>(
            std::clamp<std::int64_t>((steps_left_ - 1) / steps_per_child() + 1, 1, kChildren));
        std::vector<Member> children(static_cast<std::size_t>(count));
        std::exception_ptr failure;
        std::mutex mutex;
#pragma omp parallel for num_threads(usable_threads(std::min(threads_, count))) schedule(dynamic, 1)
        for (std::int32_t child = 0; child < count; ++child) {
            try {
                Random random(options_.seed, stream_ + static_cast<std::uint64_t>(child));
                const Assignment first = begin(child, random);
                const std::int64_t steps = steps_left_ - std::int64_t{child} * steps_per_child();
                search_child(first, random, static_cast<std::int32_t>(std::min<std::int64_t>(steps, steps_per_child())),
                             children[static_cast<std::size_t>(child)], mutex);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
        stream_ += static_cast<std::uint64_t>(kChildren);
        if (!options_.time_limit_seconds) steps_left_ -= std::int64_t{count} * steps_per_child();
        for (const Member& child : children) {
            if (!any_ || child.cost < best_.cost) best_ = child;
            any_ = true;
        }
        report(1 - static_cast<double>(std::max<std::int64_t>(steps_left_, 0)) / static_cast<double>(steps_in_all()),
               false);
        return children;
    }

    void search_child(const Assignment& first, const Random& random, std::int32_t steps, Member& member,
                      std::mutex& mutex) {
        TabuSearch<Cell>& tabu = search(omp_get_thread_num());
        tabu.reset(first, random);
        bool cut_short = false;
        const std::int32_t burst = options_.verify == VerifyLevel::kStep ? 1 : kBurst;
        while (tabu.steps() < steps && !(bound_ && tabu.best_cost() <= *bound_)) {
            if (stopped()) cut_short = true;
            if (cut_short || out_of_time()) break;
            if (!tabu.run(std::min(burst, steps - tabu.steps()))) break;
            if (options_.verify == VerifyLevel::kStep) verify(tabu.assignment(), tabu.cost(), tabu.steps());
        }
        if (options_.verify != VerifyLevel::kOff) verify(tabu.best(), tabu.best_cost(), tabu.steps());
        member = {tabu.best(), tabu.best_cost()};
        const std::scoped_lock lock(mutex);
        evaluations_ += tabu.steps() * tabu.swaps_per_step();
        meter_.count(tabu.steps() * tabu.swaps_per_step());
        cut_short_ = cut_short_ || cut_short;
    }

    /// Compares `cost` with the objective's value from its definition. Throws InternalError if they differ.
    void verify(const Assignment& assignment, std::int64_t cost, std::int32_t step) const {
        const std::int64_t value = objective_.value_from_scratch(assignments_.mapping(assignment));
        if (value == cost * assignments_.bytes_per_unit()) return;
        throw InternalError("hop-bytes: tabu search value " + std::to_string(cost * assignments_.bytes_per_unit()) +
                            ", full evaluation " + std::to_string(value) + "; step " + std::to_string(step));
    }

    /// Replaces the worst member by the child, unless the child is worse or a similar member has the same cost.
    void accept(std::vector<Member>& members, const Member& child) const {
        const auto is_near = [&](const Member& member) {
            return member.cost == child.cost &&
                   difference(member.assignment, child.assignment, assignments_.active()) <= kLeastDifference;
        };
        if (std::ranges::any_of(members, is_near)) return;
        const auto worst = std::ranges::max_element(members, {}, &Member::cost);
        if (child.cost < worst->cost) *worst = child;
    }

    /// Whether the members are so similar that crossing them finds nothing new.
    [[nodiscard]] bool has_converged(const std::vector<Member>& members) const {
        std::size_t sum = 0;
        for (std::size_t i = 1; i < members.size(); ++i) {
            sum += difference(members[i - 1].assignment, members[i].assignment, assignments_.active());
        }
        return sum * 20 <= (members.size() - 1) * static_cast<std::size_t>(assignments_.active());
    }

    static constexpr std::size_t kLeastDifference = 2;

    const HopBytes objective_;
    const QuadraticAssignment& assignments_;
    const StartOfRestart& start_;
    const SearchOptions& options_;
    const SearchControl& control_;
    std::int32_t restarts_;
    std::int32_t threads_;
    ProgressMeter meter_;
    std::optional<std::int64_t> bound_;
    mutable std::vector<std::unique_ptr<TabuSearch<Cell>>> searches_;  ///< per thread
    std::chrono::steady_clock::time_point search_start_ = std::chrono::steady_clock::now();
    double deadline_seconds_ = 0;
    std::int32_t restart_ = 0;
    std::int64_t steps_left_ = 0;
    std::uint64_t stream_ = 1;
    Member best_;
    bool any_ = false;
    std::int64_t evaluations_ = 0;
    bool cut_short_ = false;
};

}  // namespace

std::optional<std::string> why_not_tabu(const Problem& problem) {
    if (!problem.network().hops_are_symmetric()) return "hops differ between the two directions of a route";
    const std::int64_t slots = problem.open_slot_count();
    if (slots > kMostTabuSlots) {
        return "the job has " + std::to_string(slots) + " rank slots, but tabu search supports at most " +
               std::to_string(kMostTabuSlots);
    }
    return std::nullopt;
}

SearchResult search_by_tabu(const Problem& problem, const StartOfRestart& start, const SearchOptions& options,
                            const SearchControl& control) {
    const QuadraticAssignment assignments(problem);
    if (assignments.fits_32_bits()) {
        return PopulationSearch<std::int32_t>(problem, assignments, start, options, control).run();
    }
    return PopulationSearch<std::int64_t>(problem, assignments, start, options, control).run();
}

}  // namespace haichi
