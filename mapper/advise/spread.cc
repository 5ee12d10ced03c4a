#include "mapper/advise/spread.h"

#include <algorithm>
#include <cmath>

namespace haichi {

namespace {

using PaysAt = std::function<std::optional<bool>(double)>;

constexpr double kDelayResolution = 1e-6;

/// "1.05 s in cluster 0, 0.7 s over clusters 0 and 1"
std::string times_text(const SpreadPlace& one, const SpreadPlace& all) {
    const auto ranks = [](const SpreadPlace& place) { return std::to_string(place.ranks) + " ranks"; };
    const bool same = one.ranks == all.ranks;
    return (same ? "" : ranks(one) + " take ") + duration_text(fastest(one).seconds) + " in " + clusters_text(one) +
           ", " + (same ? "" : ranks(all) + " ") + duration_text(fastest(all).seconds) + " over " + clusters_text(all);
}

class SpreadAdvisor {
  public:
    SpreadAdvisor(const SpreadQuestion& question, const SpreadTrials& trials) : question_(question), trials_(trials) {}

    SpreadAdvice advise() {
        if (!question_.unknown_because.empty() || question_.interrupted) {
            advice_.interrupted = question_.interrupted;
            return unknown(question_.interrupted ? "interrupted before all placements were simulated"
                                                 : question_.unknown_because);
        }
        for (std::size_t k = 1; k < question_.in_one.size(); ++k) {
            if (fastest(question_.in_one[k]).seconds < fastest(one()).seconds) advice_.best = k;
        }
        const SimulatedTime& in_one = fastest(one());
        const SimulatedTime& over_all = fastest(question_.over_all);
        advice_.gain = in_one.seconds / over_all.seconds;
        advice_.tolerance = (in_one.tolerance_seconds + over_all.tolerance_seconds) / over_all.seconds;
        if (advice_.gain > 1 + advice_.tolerance) return spread();
        if (!question_.computing_is_known && one().ranks != question_.over_all.ranks) return unknown_computing();
        return stay();
    }

  private:
    [[nodiscard]] const SpreadPlace& one() const { return question_.in_one[advice_.best]; }

    SpreadAdvice unknown(const std::string& why) {
        advice_.verdict = SpreadVerdict::kUnknown;
        advice_.sentence = "Not known: " + why + ".";
        return std::move(advice_);
    }

    [[nodiscard]] PaysAt pays_with_delay() const {
        return [this](double delay_seconds) -> std::optional<bool> {
            const auto time = trials_.with_delay(delay_seconds);
            if (!time) return std::nullopt;
            return time->seconds < fastest(one()).seconds;
        };
    }

    SpreadAdvice spread() {
        advice_.verdict = SpreadVerdict::kSpread;
        advice_.pays_without_delay = true;
        advice_.sentence = "Spread it: " + times_text(one(), question_.over_all) + ", " + gain_text() + ".";
        if (trials_.with_delay) find_longest_delay();
        return std::move(advice_);
    }

    /// How long packets may be held for it to pay.
    void find_longest_delay() {
        constexpr double kFirst = 1e-3;
        constexpr double kStep = 4;
        const PaysAt pays_at = pays_with_delay();
        BreakEven between{.pays = question_.delay_seconds, .does_not = 0};
        for (double delay = std::max(question_.delay_seconds * kStep, kFirst); between.does_not == 0; delay *= kStep) {
            delay = std::min(delay, kLongestDelaySeconds);
            const std::optional<bool> pays = pays_at(delay);
            if (!pays) return cut_short();
            (*pays ? between.pays : between.does_not) = delay;
            if (*pays && delay >= kLongestDelaySeconds) {
                advice_.pays_at_any_delay = true;
                advice_.sentence += " It pays at any delay up to " + duration_text(kLongestDelaySeconds) + ".";
                return;
            }
        }
        advice_.delay_seconds = narrowed(between, kDelayResolution, pays_at);
        if (!advice_.delay_seconds) return cut_short();
        advice_.sentence +=
            " It pays up to a delay of about " + rough_duration_text(advice_.delay_seconds->middle()) + ".";
    }

    SpreadAdvice stay() {
        const bool is_slower = advice_.gain * (1 + advice_.tolerance) < 1;
        advice_.verdict = is_slower ? SpreadVerdict::kStay : SpreadVerdict::kEqual;
        advice_.sentence = (is_slower ? "Keep it in one cluster: " : "It does not matter: ") +
                           times_text(one(), question_.over_all) + (is_slower ? ", " + gain_text() : "") + ".";
        if (!trials_.with_delay) return std::move(advice_);
        const PaysAt pays_at = pays_with_delay();
        const std::optional<bool> pays = question_.delay_seconds > 0 ? pays_at(0) : std::optional(advice_.gain > 1);
        if (!pays) {
            cut_short();
            return std::move(advice_);
        }
        advice_.pays_without_delay = *pays;
        if (!*pays) {
            advice_.sentence += " It would not pay without any delay either.";
        } else if (question_.delay_seconds > 0) {
            advice_.delay_seconds =
                narrowed({.pays = 0, .does_not = question_.delay_seconds}, kDelayResolution, pays_at);
            if (!advice_.delay_seconds) {
                cut_short();
            } else {
                advice_.sentence += " It would pay up to a delay of about " +
                                    rough_duration_text(advice_.delay_seconds->middle()) + ".";
            }
        }
        return std::move(advice_);
    }

    /// More ranks share work that is not stated: from how much of it on they are faster.
    SpreadAdvice unknown_computing() {
        constexpr int kMostDoublings = 40;
        constexpr double kShareOfIteration = 0.01;
        const std::string why = "the workload does not state what its ranks compute; without computing " +
                                times_text(one(), question_.over_all);
        const PaysAt pays_at = [this](double seconds) -> std::optional<bool> {
            const auto both = trials_.with_computing(seconds);
            if (!both) return std::nullopt;
            return both->over_all.seconds < both->in_one.seconds;
        };
        BreakEven between{.pays = 0, .does_not = 0};
        const double iteration =
            fastest(question_.over_all).seconds / static_cast<double>(std::max<std::int64_t>(question_.iterations, 1));
        double seconds = iteration;
        for (int k = 0; k < kMostDoublings && between.pays == 0; ++k, seconds *= 2) {
            const std::optional<bool> pays = pays_at(seconds);
            if (!pays) {
                advice_.interrupted = true;
                return unknown(why);
            }
            (*pays ? between.pays : between.does_not) = seconds;
        }
        if (between.pays == 0) return unknown(why);
        advice_.computing_seconds = narrowed(between, kShareOfIteration * iteration, pays_at);
        if (!advice_.computing_seconds) {
            advice_.interrupted = true;
            return unknown(why);
        }
        return unknown(why + ". Spreading pays where a rank in one cluster computes more than about " +
                       rough_duration_text(advice_.computing_seconds->middle()) + " in an iteration");
    }

    [[nodiscard]] std::string gain_text() const {
        const bool is_faster = advice_.gain > 1;
        const double factor = is_faster ? advice_.gain : 1 / advice_.gain;
        if (factor < 1.1) return percent_text(factor - 1) + (is_faster ? " faster" : " slower");
        return factor_text(factor) + (is_faster ? " times as fast" : " times as long");
    }

    void cut_short() {
        advice_.interrupted = true;
        advice_.sentence += " Up to which delay is not known: interrupted.";
    }

    const SpreadQuestion& question_;
    const SpreadTrials& trials_;
    SpreadAdvice advice_;
};

}  // namespace

const SimulatedTime& fastest(const SpreadPlace& place) {
    const SimulatedTime* best = place.by_default.empty() ? &place.mapped.front() : &place.by_default.front();
    for (const SimulatedTime& time : place.mapped) {
        if (time.seconds < best->seconds) best = &time;
    }
    return *best;
}

std::string clusters_text(const SpreadPlace& place) {
    std::vector<std::string> numbers;
    for (const std::size_t cluster : place.clusters) numbers.push_back(std::to_string(cluster));
    return (numbers.size() == 1 ? "cluster " : "clusters ") + listed(numbers);
}

std::optional<BreakEven> narrowed(BreakEven between, double resolution, const PaysAt& pays_at) {
    constexpr double kShare = 0.05;
    while (std::abs(between.pays - between.does_not) >
           std::max(kShare * std::max(between.pays, between.does_not), resolution)) {
        const double middle = between.middle();
        const std::optional<bool> pays = pays_at(middle);
        if (!pays) return std::nullopt;
        (*pays ? between.pays : between.does_not) = middle;
    }
    return between;
}

SpreadAdvice advise_spread(const SpreadQuestion& question, const SpreadTrials& trials) {
    return SpreadAdvisor(question, trials).advise();
}

}  // namespace haichi
