#include "mapper/anneal/cooling.h"

#include <algorithm>

#include "base/deterministic_math.h"

namespace haichi {

namespace {

constexpr std::int64_t kPaperLevels = 197;
constexpr double kPaperFactor = 0.9;
constexpr double kPaperFirst = 10;

// The pilot's temperatures per mean energy change of a random proposal: from frozen to molten.
constexpr double kPilotFirstPerSpread = 0.002;
constexpr double kPilotLastPerSpread = 2;

// Runs too short for a pilot descend from the start, hardly above frozen.
constexpr std::int64_t kFewestForPilot = 40'000;
constexpr double kColdFirstPerSpread = 0.05;

constexpr double kStartEnergy = 0;  // energies are stated against the start's

/// Temperature at `share` of the way from first to last, by equal factors.
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

Cooling Cooling::automatic(double spread, std::int64_t evaluations, GoodStart good) {
    constexpr std::int64_t kMostSteps = 2000;
    Cooling cooling;
    cooling.evaluations_ = evaluations;
    cooling.evaluations_per_step_ = std::max<std::int64_t>(evaluations / kMostSteps, 1);
    cooling.next_step_ = cooling.evaluations_per_step_;
    cooling.good_start_ = good;
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
        set_by_fraction(static_cast<double>(evaluations_made) / static_cast<double>(evaluations_), energy);
    }
}

void Cooling::advance_to(double fraction, double energy) {
    next_step_ = std::numeric_limits<std::int64_t>::max();
    if (kind_ != Kind::kAutomatic) {
        const auto level = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kPaperLevels - 1));
        temperature_ = kPaperFirst;
        for (int k = 0; k < level; ++k) temperature_ *= kPaperFactor;
    } else {
        set_by_fraction(fraction, energy);
    }
}

void Cooling::set_by_fraction(double fraction, double energy) {
    if (fraction < kPilotShare && evaluations_ >= kFewestForPilot) {
        const double share = fraction / kPilotShare;
        Observed& seen = observed_[static_cast<std::size_t>(std::min(share * kPilotLevels, kPilotLevels - 1.0))];
        seen.energy_sum += energy;
        ++seen.samples;
        temperature_ = between(kPilotFirstPerSpread * spread_, kPilotLastPerSpread * spread_, share);
        return;
    }
    if (!is_focused_) focus();
    const double begin = evaluations_ < kFewestForPilot ? 0 : kPilotShare;
    const double share = std::min((fraction - begin) / (1 - begin), 1.0);
    temperature_ = between(first_temperature_, last_temperature_, share);
}

void Cooling::focus() {
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
    // Shares of the rise from the lowest energy to the hottest, and how much colder the run ends. A start near the
    // lowest is a good one: it is loosened, not melted. The numbers were chosen on stencils of 4,096 ranks and on CG;
    // within a factor of two they do not matter. Half melted: on random geometric graphs of 4,096, where 0.4 to 0.8 do
    // as well.
    struct Heat {
        double melted = 0;
        double first_per_last = 1;
    };
    constexpr double kGoodStart = 0.1;
    constexpr Heat kLoosened{.melted = 0.04, .first_per_last = 3};
    constexpr Heat kHalfMelted{.melted = 0.6, .first_per_last = 25};
    constexpr Heat kMelted{.melted = 0.25, .first_per_last = 5};
    begins_at_start_ = kStartEnergy - lowest < kGoodStart * (hot - lowest);
    is_loosened_ = begins_at_start_;
    const Heat good = good_start_ == GoodStart::kHalfMelted ? kHalfMelted : kLoosened;
    const Heat heat = begins_at_start_ ? good : kMelted;
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
