#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace haichi {

/// The temperature of an annealing run per evaluation or, in runs with a time limit, per elapsed fraction of the time.
/// A value type that belongs to the run's state. Temperatures are in messages of mean size (Change).
///
/// - paper(): 197 temperatures 10 * 0.9^k of 2,500 evaluations each, 492,500 in all. The run never ends early.
/// - rmatt(): the temperatures of paper(), distributed over a window of evaluations, for the stop rule of the RMATT
/// tool.
/// - automatic(): a short pilot heats the start from frozen to molten and records the energy at each temperature. The
///   main run uses only the range from the melting temperature to slightly below. At higher temperatures the mapping is
///   random, and at lower temperatures it is frozen. A good start is loosened, or melted as far as the evaluations can
///   repair. The range differs by orders of magnitude between objectives, machines and workloads, so only a trial finds
///   it.
class Cooling {
  public:
    /// If `evaluations` is not 0, the 197 temperatures are spread over that many evaluations.
    static Cooling paper(std::int64_t evaluations);
    /// The paper's temperatures are spread over the first `window` evaluations. Later evaluations have the last
    /// temperature. The caller decides when the run ends, by comparing the objective from window to window.
    static Cooling rmatt(std::int64_t window);
    /// `spread` is the mean size of the energy changes of random proposals. `stepping_ranks` is the number of ranks if
    /// moves bring ranks nearer to their partners, else 0. Such moves repair and improve a melted start. The fewer
    /// evaluations per rank, the less is melted. With other moves, a good start is only loosened.
    static Cooling automatic(double spread, std::int64_t evaluations, std::int64_t stepping_ranks = 0);

    [[nodiscard]] double temperature() const { return temperature_; }
    /// Evaluations of the run, or of a window of rmatt().
    [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
    [[nodiscard]] bool runs_to_the_end() const { return kind_ == Kind::kPaper; }

    /// The number of evaluations after which advance() must be called.
    [[nodiscard]] std::int64_t next_step() const { return next_step_; }
    /// Takes the next step of the schedule. `energy` is the energy of the current mapping minus the energy of the
    /// start.
    void advance(std::int64_t evaluations_made, double energy);

    /// Returns true once, when the main run begins with a good start that the pilot melted. The caller must restore the
    /// start's mapping.
    [[nodiscard]] bool take_return_to_start() { return std::exchange(begins_at_start_, false); }

    /// For runs with a time limit: sets the temperature for the elapsed `fraction` (0..1) of the time. Turns the steps
    /// by evaluations off.
    void advance_to(double fraction, std::int64_t evaluations_made, double energy);

    /// First and last temperature of the main run of automatic().
    struct Window {
        double first = 0, last = 0;
        bool is_from_pilot = false;  ///< if false, the run was too short for a pilot
        bool is_loosened = false;    ///< whether the start was good and the main run began from it
    };
    /// Empty for other schedules, and before the end of the pilot.
    [[nodiscard]] std::optional<Window> window() const;
    /// A result of the pilot: a temperature and its mean energy.
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
    std::int64_t level_ = 0;  ///< index of the current temperature of paper()
    std::int64_t evaluations_ = 0;
    std::int64_t evaluations_per_step_ = 1;
    std::int64_t next_step_ = 0;
    double temperature_ = 1;

    std::int64_t stepping_ranks_ = 0;
    double spread_ = 1;
    double first_temperature_ = 1;  ///< first temperature of the main run
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
