#include "mapper/anneal/cooling.h"

#include <algorithm>

#include "base/deterministic_math.h"

namespace haichi {

namespace {

constexpr std::int64_t kPaperLevels = 197;
constexpr double kPaperFactor = 0.9;
constexpr double kPaperFirst = 10;

// First and last temperature of the pilot, from frozen to molten, divided by the mean energy change of a random
// proposal.
constexpr double kPilotFirstPerSpread = 0.002;
constexpr double kPilotLastPerSpread = 2;

// A run that is too short for a pilot starts just above the freezing temperature and only cools.
constexpr std::int64_t kFewestForPilot = 40'000;
constexpr double kColdFirstPerSpread = 0.05;

constexpr double kStartEnergy = 0;  // energies are relative to the start

/// Interpolates geometrically: the temperature at fraction `share` of the range from first to last.
double between(double first, double last, double share) {
    return first * deterministic_exp(deterministic_log(last / first) * share);
}

}  // namespace

Cooling Cooling::by_levels(Kind kind, std::int64_t evaluations) {
    Cooling cooling;
    cooling.kind_ = kind;
    cooling.evaluations_ = evaluations;
    cooling.evaluations_per_step_ = (evaluations + kPaperLevels - 1) / kPaperLevels;
    cooling.next_step_ = cooling.evaluations_per_step_;
    cooling.temperature_ = kPaperFirst;
    return cooling;
}

Cooling Cooling::paper(std::int64_t evaluations) {
    constexpr std::int64_t kEvaluationsPerLevel = 2500;
    return by_levels(Kind::kPaper, evaluations > 0 ? evaluations : kPaperLevels * kEvaluationsPerLevel);
}

Cooling Cooling::rmatt(std::int64_t window) { return by_levels(Kind::kRmatt, window); }

Cooling Cooling::automatic(double spread, std::int64_t evaluations, std::int64_t stepping_ranks) {
    constexpr std::int64_t kMostSteps = 2000;
    Cooling cooling;
    cooling.evaluations_ = evaluations;
    cooling.evaluations_per_step_ = std::max<std::int64_t>(evaluations / kMostSteps, 1);
    cooling.next_step_ = cooling.evaluations_per_step_;
    cooling.stepping_ranks_ = stepping_ranks;
    cooling.spread_ = spread;
    cooling.temperature_ = kPilotFirstPerSpread * spread;
    if (evaluations < kFewestForPilot) {
        cooling.is_focused_ = true;
        cooling.first_temperature_ = kColdFirstPerSpread * spread;
        cooling.last_temperature_ = kPilotFirstPerSpread * spread;
        cooling.temperature_ = cooling.first_temperature_;
    }
    return cooling;
}

std::optional<Cooling::Window> Cooling::window() const {
    if (kind_ != Kind::kAutomatic || !is_focused_) return std::nullopt;
    return Window{.first = first_temperature_,
                  .last = last_temperature_,
                  .is_from_pilot = evaluations_ >= kFewestForPilot,
                  .is_loosened = is_loosened_};
}

std::vector<Cooling::PilotLevel> Cooling::pilot() const {
    std::vector<PilotLevel> levels;
    for (std::int64_t level = 0; level < kPilotLevels; ++level) {
        const Observed& seen = observed_[static_cast<std::size_t>(level)];
        if (seen.samples == 0) continue;
        const double share = static_cast<double>(level) / static_cast<double>(kPilotLevels);
        levels.push_back({between(kPilotFirstPerSpread * spread_, kPilotLastPerSpread * spread_, share), seen.mean()});
    }
    return levels;
}

void Cooling::advance(std::int64_t evaluations_made, double energy) {
    next_step_ = evaluations_made + evaluations_per_step_;
    if (kind_ != Kind::kAutomatic) {
        if (kind_ == Kind::kRmatt && level_ + 1 == kPaperLevels) return;
        ++level_;
        temperature_ *= kPaperFactor;
    } else {
        set_by_fraction(static_cast<double>(evaluations_made) / static_cast<double>(evaluations_), evaluations_made,
                        energy);
    }
}

void Cooling::advance_to(double fraction, std::int64_t evaluations_made, double energy) {
    next_step_ = std::numeric_limits<std::int64_t>::max();
    if (kind_ != Kind::kAutomatic) {
        const auto level = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kPaperLevels - 1));
        temperature_ = kPaperFirst;
        for (int k = 0; k < level; ++k) temperature_ *= kPaperFactor;
    } else {
        set_by_fraction(fraction, evaluations_made, energy);
    }
}

void Cooling::set_by_fraction(double fraction, std::int64_t evaluations_made, double energy) {
    if (fraction < kPilotShare && evaluations_ >= kFewestForPilot) {
        const double share = fraction / kPilotShare;
        Observed& seen = observed_[static_cast<std::size_t>(std::min(share * kPilotLevels, kPilotLevels - 1.0))];
        seen.energy_sum += energy;
        ++seen.samples;
        temperature_ = between(kPilotFirstPerSpread * spread_, kPilotLastPerSpread * spread_, share);
        return;
    }
    if (!is_focused_) focus(static_cast<double>(evaluations_made) / std::max(fraction, kPilotShare));
    const double begin = evaluations_ < kFewestForPilot ? 0 : kPilotShare;
    const double share = std::min((fraction - begin) / (1 - begin), 1.0);
    temperature_ = between(first_temperature_, last_temperature_, share);
}

/// The first temperature of a run, as the fraction `melted` of the energy rise in the pilot, and its ratio to the last
/// temperature.
struct Cooling::Heat {
    double melted = 0;
    double first_per_last = 1;
};

/// The constants for melting were tuned on random geometric graphs, planar meshes, stencils with holes and power-law
/// graphs. They had 2,048 to 4,096 ranks and 100 to 3,000 evaluations per rank. In short runs, the energy of the pilot
/// follows its temperature with a delay, so the same fraction means a much hotter start.
///
/// The constants for loosening were tuned on stencils of 4,096 ranks and on CG. Changing them by a factor of two makes
/// no difference there.
Cooling::Heat Cooling::heat_of_good_start(double evaluations) const {
    if (stepping_ranks_ == 0) return {.melted = 0.04, .first_per_last = 3};
    constexpr double kPerEvaluationOfRank = 1e-4;
    constexpr double kLeast = 0.02;
    constexpr double kMost = 0.6;
    const double per_rank = evaluations / static_cast<double>(stepping_ranks_);
    return {.melted = std::clamp(kPerEvaluationOfRank * per_rank, kLeast, kMost), .first_per_last = 25};
}

/// Chooses the temperatures of the main run from the pilot. `evaluations` is the number for the whole run.
void Cooling::focus(double evaluations) {
    is_focused_ = true;
    bool any = false;
    double lowest = kStartEnergy;
    double hot = kStartEnergy;
    for (const Observed& seen : observed_) {
        if (seen.samples == 0) continue;
        any = true;
        lowest = std::min(lowest, seen.mean());
        hot = seen.mean();
    }
    if (!any || !(hot > lowest)) return;
    // A start near the lowest energy of the pilot is good and is not melted. The constants for other starts were tuned
    // on stencils of 4,096 ranks and on CG. Changing them by a factor of two makes no difference there.
    constexpr double kGoodStart = 0.1;
    constexpr Heat kMelted{.melted = 0.25, .first_per_last = 5};
    begins_at_start_ = kStartEnergy - lowest < kGoodStart * (hot - lowest);
    is_loosened_ = begins_at_start_;
    const Heat heat = begins_at_start_ ? heat_of_good_start(evaluations) : kMelted;
    const double first_energy = lowest + heat.melted * (hot - lowest);
    std::int64_t first_level = 0;
    for (std::int64_t level = 0; level < kPilotLevels; ++level) {
        const Observed& seen = observed_[static_cast<std::size_t>(level)];
        if (seen.samples != 0 && seen.mean() <= first_energy) first_level = level + 1;
    }
    const double share = static_cast<double>(first_level) / static_cast<double>(kPilotLevels);
    first_temperature_ = between(kPilotFirstPerSpread * spread_, kPilotLastPerSpread * spread_, share);
    last_temperature_ = first_temperature_ / heat.first_per_last;
}

}  // namespace haichi
