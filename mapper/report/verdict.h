#pragma once

#include <optional>
#include <string>

#include "mapper/job/placement.h"

namespace haichi {

/// The answer of `auto` to the question whether another placement than the default one saves time.
struct Verdict {
    bool helps = false;  ///< whether the placement saves time; if not, the default placement is kept
    /// Saved fraction of the default placement's time: by the placement if it helps, otherwise the mean over the seeds.
    /// Negative for slower placements.
    double share_saved = 0;
    std::optional<double> spread{};  ///< standard deviation of the fraction over the seeds; empty with one seed
    std::string text{};              ///< one line
};

Verdict verdict_of(const ObjectiveTrials& trials);

/// "30.5 ± 0.1 % less", or "more" for a negative fraction.
std::string less_text(double share_saved, std::optional<double> spread);

}  // namespace haichi
