#include "mapper/report/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace haichi {

std::string less_text(double share_saved, std::optional<double> spread) {
    constexpr double kPercent = 100;
    std::string text = fmt::format("{:.1f}", std::fabs(share_saved) * kPercent);
    if (spread) text += fmt::format(" ± {:.1f}", *spread * kPercent);
    return text + (share_saved < 0 ? " % more" : " % less");
}

Verdict verdict_of(const ObjectiveTrials& trials) {
    const ObjectiveTrial& chosen = *std::ranges::find(trials.trials, true, &ObjectiveTrial::is_chosen);
    const double usual = trials.default_seconds > 0 ? trials.default_seconds : 1;
    Verdict verdict{.helps = !trials.keeps_default};
    verdict.share_saved = 1 - (verdict.helps ? trials.seconds : mean_seconds(chosen)) / usual;
    if (trials.full) verdict.share_saved = 1 - trials.full->seconds / trials.full->default_seconds;
    if (const auto spread = spread_seconds(chosen)) verdict.spread = *spread / usual;
    const std::string less =
        less_text(verdict.share_saved, verdict.spread) + (trials.of_calls ? " run time" : " communication time");
    const std::string how = trials.judge + (trials.of_calls ? " call by call" : "");
    if (verdict.helps) {
        verdict.text = less + " than the default placement, " + how +
                       (verdict.spread ? "" : " (one seed, so the spread is unknown)");
        return verdict;
    }
    verdict.text = "no significant gain; keep the default placement (the best search: " + less + ", " + how;
    const bool is_small = verdict.share_saved > verdict.spread.value_or(0) && verdict.share_saved < kLeastGain;
    const bool is_slower_loaded = is_gain(chosen, trials.default_seconds);
    verdict.text += is_small           ? "; gains below 1 % do not count)"
                    : is_slower_loaded ? ", but not less under load)"
                                       : ")";
    return verdict;
}

}  // namespace haichi
