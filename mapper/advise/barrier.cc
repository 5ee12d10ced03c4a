#include "mapper/advise/barrier.h"

#include <algorithm>
#include <map>
#include <utility>

namespace haichi {

namespace {

std::vector<std::size_t> sets_of(const std::vector<bool>& barriers) {
    std::vector<std::size_t> sets;
    for (std::size_t t = 0; t < barriers.size(); ++t) {
        if (barriers[t]) sets.push_back(t);
    }
    return sets;
}

std::int64_t count_of(const std::vector<bool>& barriers) { return std::ranges::count(barriers, true); }

/// The choices tried so far, with their times under the first draw.
class Trials {
  public:
    Trials(const BarrierSearchOptions& options, const BarrierSimulations& simulate)
        : options_(options), simulate_(simulate) {}

    /// Those of `choices` that are new, under the first draw. False after an interruption.
    bool run(const std::vector<std::vector<bool>>& choices) {
        std::vector<BarrierTrial> trials;
        for (const std::vector<bool>& choice : choices) {
            if (!find(choice)) trials.push_back({choice, 0});
        }
        const auto times = simulate_(trials);
        for (std::size_t i = 0; i < trials.size(); ++i) {
            if (!times[i]) return false;
            tried_.emplace_back(std::move(trials[i].barriers), std::vector{*times[i]});
            ++simulations_;
        }
        return true;
    }

    /// The other draws of these choices. False after an interruption, which leaves all without.
    bool run_other_draws(const std::vector<std::vector<bool>>& choices) {
        std::vector<BarrierTrial> trials;
        for (const std::vector<bool>& choice : choices) {
            for (std::int32_t draw = 1; draw < options_.draws; ++draw) trials.push_back({choice, draw});
        }
        const auto times = simulate_(trials);
        if (std::ranges::any_of(times, [](const auto& time) { return !time; })) return false;
        for (std::size_t i = 0; i < trials.size(); ++i) entry(trials[i].barriers)->second.push_back(*times[i]);
        simulations_ += static_cast<std::int64_t>(trials.size());
        return true;
    }

    [[nodiscard]] const std::vector<SimulatedTime>* find(const std::vector<bool>& choice) const {
        const auto found = std::ranges::find(tried_, choice, &Tried::first);
        return found == tried_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const SimulatedTime& first(const std::vector<bool>& choice) const { return find(choice)->front(); }

    /// The fastest that `is_meant`; of those that cannot be told from it, the one with the fewest barriers, and of
    /// these the fastest. Nothing when there is none.
    template <class IsMeant>
    [[nodiscard]] std::optional<std::vector<bool>> best(const IsMeant& is_meant) const {
        const SimulatedTime* fastest = nullptr;
        for (const auto& [choice, times] : tried_) {
            if (is_meant(choice) && (fastest == nullptr || times.front().seconds < fastest->seconds)) {
                fastest = &times.front();
            }
        }
        if (fastest == nullptr) return std::nullopt;
        const double limit = fastest->seconds + fastest->tolerance_seconds;
        const Tried* best = nullptr;
        const auto rank = [](const Tried& tried) { return std::pair(count_of(tried.first), tried.second[0].seconds); };
        for (const Tried& tried : tried_) {
            if (!is_meant(tried.first) || tried.second.front().seconds > limit) continue;
            if (best == nullptr || rank(tried) < rank(*best)) best = &tried;
        }
        return best->first;
    }

    [[nodiscard]] std::int64_t simulations() const { return simulations_; }
    [[nodiscard]] std::vector<BarrierChoiceTimes> choices() const {
        std::vector<BarrierChoiceTimes> all;
        for (const auto& [choice, times] : tried_) all.push_back({sets_of(choice), times});
        return all;
    }

  private:
    using Tried = std::pair<std::vector<bool>, std::vector<SimulatedTime>>;

    Tried* entry(const std::vector<bool>& choice) { return &*std::ranges::find(tried_, choice, &Tried::first); }

    const BarrierSearchOptions& options_;
    const BarrierSimulations& simulate_;
    std::vector<Tried> tried_;  ///< a few dozen at most
    std::int64_t simulations_ = 0;
};

std::vector<bool> choice_of(const BarrierSearchOptions& options, std::uint32_t bits) {
    std::vector<bool> choice(options.set_count);
    for (std::size_t k = 0; k < options.candidates.size(); ++k) choice[options.candidates[k]] = (bits >> k & 1) != 0;
    return choice;
}

bool try_all(const BarrierSearchOptions& options, Trials& trials) {
    std::vector<std::vector<bool>> choices;
    for (std::uint32_t bits = 0; bits < 1U << options.candidates.size(); ++bits) {
        choices.push_back(choice_of(options, bits));
    }
    // By numbers of sets: {}, {1}, {2}, .., {1, 2}, ..
    std::ranges::stable_sort(choices, [](const auto& a, const auto& b) {
        return std::pair(count_of(a), sets_of(a)) < std::pair(count_of(b), sets_of(b));
    });
    return trials.run(choices);
}

/// False after an interruption.
bool try_greedily(const BarrierSearchOptions& options, Trials& trials) {
    const std::vector<bool> none(options.set_count);
    std::vector<bool> all(options.set_count);
    for (const std::size_t t : options.candidates) all[t] = true;
    if (!trials.run({none, all})) return false;
    std::vector<bool> at = trials.first(all).seconds < trials.first(none).seconds ? all : none;
    for (;;) {
        const std::int64_t left = options.most_simulations - trials.simulations();
        std::vector<std::vector<bool>> next;
        std::int64_t fresh = 0;
        for (const std::size_t t : options.candidates) {
            std::vector<bool> choice = at;
            choice[t] = !choice[t];
            if (trials.find(choice) == nullptr && ++fresh > left) break;
            next.push_back(std::move(choice));
        }
        if (next.empty()) return true;
        if (!trials.run(next)) return false;
        const auto seconds = [&](const std::vector<bool>& choice) { return trials.first(choice).seconds; };
        const double limit = seconds(at) - trials.first(at).tolerance_seconds;
        std::vector<bool> best = *std::ranges::min_element(next, {}, seconds);
        // All changes that help, at once: many barriers are often one too many each.
        std::vector<bool> together = at;
        for (const std::vector<bool>& choice : next) {
            if (!(seconds(choice) < limit)) continue;
            for (std::size_t t = 0; t < at.size(); ++t) {
                if (choice[t] != at[t]) together[t] = choice[t];
            }
        }
        if (trials.find(together) == nullptr && trials.simulations() < options.most_simulations) {
            if (!trials.run({together})) return false;
            if (seconds(together) < seconds(best)) best = together;
        }
        if (!(seconds(best) < limit)) return true;
        at = best;
    }
}

std::string gain_text(const BarrierAdvice& advice, double without) {
    return duration_text(advice.gain_seconds) + " (" + percent_text(advice.gain_seconds / without) +
           ") saved, spread " + duration_text(advice.spread_seconds);
}

/// Compares the best choice with any barrier, simulated in all draws, with none.
void decide(const BarrierSearchOptions& options, std::span<const SimulatedTime> without,
            std::span<const SimulatedTime> with, BarrierAdvice& advice) {
    std::vector<SimulatedTime> gains;
    std::size_t winning = 0;
    for (std::size_t d = 0; d < without.size(); ++d) {
        gains.push_back(
            {without[d].seconds - with[d].seconds, without[d].tolerance_seconds + with[d].tolerance_seconds});
        winning += gains.back().seconds > 0 ? 1 : 0;
    }
    const TimeSpread gain = spread_of(gains);
    advice.gain_seconds = gain.mean_seconds;
    advice.spread_seconds = gain.spread_seconds;
    const double usual = spread_of(without).mean_seconds;
    const double best = spread_of(with).mean_seconds;
    const std::string before =
        (advice.sets.size() == 1 ? "a barrier before " : "barriers before ") + sets_text(advice.sets);
    const std::string times = duration_text(best) + " instead of " + duration_text(usual);
    if (winning == 0) {
        const double longer = -gain.mean_seconds / usual;
        advice.verdict = BarrierVerdict::kNone;
        advice.sentence = "No barrier: the best choice with any, before " + sets_text(advice.sets) + ", takes " +
                          times + (longer > 0 ? ", " + percent_text(longer) + " longer." : ".");
        return;
    }
    if (winning < gains.size()) {
        advice.sentence = "Not known: " + before + " saves time under " + std::to_string(winning) + " of " +
                          std::to_string(gains.size()) + " draws of the imbalance, and loses under the others.";
        return;
    }
    if (!options.barrier_costs_are_known) {
        const auto barriers = static_cast<double>(advice.sets.size());
        advice.break_even_seconds = gain.mean_seconds / (barriers * static_cast<double>(options.iterations));
        advice.sentence = "Not known: the machine does not state node.barrier, what a barrier costs; " + before +
                          " pays if that is less than " + duration_text(*advice.break_even_seconds) + ".";
        return;
    }
    if (!(gain.mean_seconds > gain.spread_seconds)) {
        advice.sentence = "Not known: " + before + " takes " + times + ", which is less than the spread of " +
                          duration_text(gain.spread_seconds) + ".";
        return;
    }
    advice.verdict = BarrierVerdict::kSets;
    advice.sentence = "Use " + before + ": " + times + ", " + gain_text(advice, usual) + ".";
}

}  // namespace

BarrierAdvice advise_barriers(const BarrierSearchOptions& options, const BarrierSimulations& simulate) {
    BarrierAdvice advice;
    Trials trials(options, simulate);
    const std::size_t candidates = options.candidates.size();
    advice.tried_all = candidates <= kMostSetsTriedAll && 1 << candidates <= options.most_simulations;
    bool is_complete = advice.tried_all ? try_all(options, trials) : try_greedily(options, trials);
    const std::vector<bool> none(options.set_count);
    const auto best = trials.best([](const std::vector<bool>& choice) { return count_of(choice) > 0; });
    if (best) advice.sets = sets_of(*best);
    if (is_complete && best) is_complete = trials.run_other_draws({none, *best});
    advice.choices = trials.choices();
    advice.simulations = trials.simulations();
    advice.interrupted = !is_complete;
    if (!is_complete) {
        advice.sentence = "Not known: interrupted after " + std::to_string(advice.simulations) + " simulations.";
    } else if (!best) {
        advice.verdict = BarrierVerdict::kNone;
        advice.sentence = "No barrier: there is no set to have one before it.";
    } else {
        decide(options, *trials.find(none), *trials.find(*best), advice);
    }
    return advice;
}

std::string sets_text(std::span<const std::size_t> sets) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> numbers;
    for (const std::size_t t : sets.first(std::min(sets.size(), kMost))) numbers.push_back(std::to_string(t + 1));
    if (sets.size() > kMost) numbers.push_back(std::to_string(sets.size() - kMost) + " more");
    return (sets.size() == 1 ? "set " : "sets ") + listed(numbers);
}

std::optional<std::int64_t> barriers_pay_from(std::span<const SizedBarrierVerdict> sizes) {
    std::optional<std::int64_t> from;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i].verdict != BarrierVerdict::kSets) break;
        from = sizes[i].message_size_bytes;
    }
    return from;
}

}  // namespace haichi
