#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace haichi {

/// The temperature of an annealing run, evaluation by evaluation (or, in runs limited by time, by the share of the time
/// that is gone). A value that goes with the run's state. Temperatures are in messages of mean size (Change).
///
/// - paper(): 197 temperatures 10 * 0.9^k of 2,500 evaluations each, 492,500 in all, every one made.
/// - rmatt(): the same temperatures over a window of evaluations, for the stop rule of the RMATT tool.
/// - automatic(): a short pilot heats the start from frozen to molten and notes the energy at each temperature. The
///   main run then spends its evaluations only between the temperature at which the mapping melted and a little below:
///   above, it is random whatever one does; further below, it is frozen. A good start is loosened, or melted as far as
///   the evaluations can repair. Where the window lies differs by orders of magnitude between objectives, machines and
///   workloads, and nothing but a trial tells.
class Cooling {
  public:
    /// `evaluations` other than 0 spreads that many over the 197 temperatures.
    static Cooling paper(std::int64_t evaluations);
    /// The paper's temperatures spread over the first `window` evaluations, then the last of them; when the run ends is
    /// for its caller, who compares the objective from window to window.
    static Cooling rmatt(std::int64_t window);
    /// `spread`: mean size of the energy changes of random proposals. `stepping_ranks`: how many ranks there are, where
    /// moves step to partners. Such moves repair a start that was melted, and improve it; the fewer evaluations a rank
    /// has, the less is melted. With other moves (0) a good start is only loosened.
    static Cooling automatic(double spread, std::int64_t evaluations, std::int64_t stepping_ranks = 0);

    [[nodiscard]] double temperature() const { return temperature_; }
    /// Of the run, or of a window of rmatt().
    [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
    [[nodiscard]] bool runs_to_the_end() const { return kind_ == Kind::kPaper; }

    /// The evaluation number at which advance() wants to be called.
    [[nodiscard]] std::int64_t next_step() const { return next_step_; }
    /// `energy` is that of the current mapping against the start's.
    void advance(std::int64_t evaluations_made, double energy);

    /// True once, when the main run begins and wants the start's mapping back: a good one, which the pilot melted.
    [[nodiscard]] bool take_return_to_start() { return std::exchange(begins_at_start_, false); }

    /// Runs limited by time: `fraction` of it, 0..1, is gone. Turns the evaluation steps off.
    void advance_to(double fraction, std::int64_t evaluations_made, double energy);

    /// Where the main run of automatic() begins and ends.
    struct Window {
        double first = 0, last = 0;
        bool is_from_pilot = false;  ///< else the run was too short for one
        bool is_loosened = false;    ///< the start was good, and the run began from it again
    };
    /// Nothing for other schedules, and before the pilot has ended.
    [[nodiscard]] std::optional<Window> window() const;
    /// What the pilot saw: a temperature and the mean energy at it.
    struct PilotLevel {
        double temperature = 0;
        double energy = 0;
    };
    [[nodiscard]] std::vector<PilotLevel> pilot() const;

    friend bool operator==(const Cooling&, const Cooling&) = default;

  private:
    static constexpr std::int64_t kPilotLevels = 48;
    static constexpr double kPilotShare = 0.1;

    struct Heat;
    void focus(double evaluations);
    [[nodiscard]] Heat heat_of_good_start(double evaluations) const;
    void set_by_fraction(double fraction, std::int64_t evaluations_made, double energy);

    enum class Kind : std::uint8_t { kAutomatic, kPaper, kRmatt };

    static Cooling by_levels(Kind kind, std::int64_t evaluations);

    Kind kind_ = Kind::kAutomatic;
    std::int64_t level_ = 0;  ///< of the paper's temperatures
    std::int64_t evaluations_ = 0;
    std::int64_t evaluations_per_step_ = 1;
    std::int64_t next_step_ = 0;
    double temperature_ = 1;

    std::int64_t stepping_ranks_ = 0;
    double spread_ = 1;
    double first_temperature_ = 1;  ///< of the main run
    double last_temperature_ = 1;
    bool is_focused_ = false;
    bool begins_at_start_ = false;
    bool is_loosened_ = false;
    struct Observed {
        double energy_sum = 0;
        std::int64_t samples = 0;
        [[nodiscard]] double mean() const { return energy_sum / static_cast<double>(samples); }
        friend bool operator==(const Observed&, const Observed&) = default;
    };
    std::array<Observed, static_cast<std::size_t>(kPilotLevels)> observed_{};
};

}  // namespace haichi
