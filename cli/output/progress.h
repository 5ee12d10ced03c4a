#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/errors.h"
#include "cli/output/console.h"
#include "mapper/advise/advice_runs.h"
#include "mapper/search/search_options.h"
#include "mgen/replay/simulation.h"

namespace haichi::cli {

/// Lines of JSON for --progress-fd, a few a second.
class ProgressLines {
  public:
    explicit ProgressLines(Console& console) : console_(&console) {}
    /// Always, where `is_end`; else where the one before is some time ago.
    void tell(const nlohmann::ordered_json& line, bool is_end);

  private:
    Console* console_;
    std::optional<std::chrono::steady_clock::time_point> told_;
};

/// As the last line: why the run has failed, and what kind of error it is.
void report_failure(Console& console, const Error& error);

/// One line on the terminal that shows how far a search is and its best value; lines of JSON where they are asked
/// for. Shows nothing when standard error is no terminal or --quiet is given. The line is wiped when the object goes.
class ProgressBar {
  public:
    ProgressBar(Console& console, std::string objective);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// For SearchControl::progress; empty when there is nothing to show.
    [[nodiscard]] std::function<void(const SearchProgress&)> callback();

  private:
    void tell(const SearchProgress& progress);
    void show(const SearchProgress& progress);

    Console* console_;
    ProgressLines lines_;
    std::string objective_;
};

/// A line that says how far a simulation is; removed when it goes.
class SimulationLine {
  public:
    explicit SimulationLine(Console& console) : console_(&console), lines_(console) {}
    ~SimulationLine();
    SimulationLine(const SimulationLine&) = delete;
    SimulationLine& operator=(const SimulationLine&) = delete;

    /// For SimulationControl::progress; empty when there is nothing to show.
    [[nodiscard]] std::function<void(const SimulationProgress&)> callback();

  private:
    void tell(const SimulationProgress& progress);
    void show(const SimulationProgress& progress);

    Console* console_;
    ProgressLines lines_;
};

/// A line that says how many of an answer's searches or simulations are done; removed when it goes.
class AdviceLine {
  public:
    explicit AdviceLine(Console& console) : console_(&console), lines_(console) {}
    ~AdviceLine();
    AdviceLine(const AdviceLine&) = delete;
    AdviceLine& operator=(const AdviceLine&) = delete;

    /// For AdviceControl::progress; empty when there is nothing to show.
    [[nodiscard]] std::function<void(const AdviceProgress&)> callback();

  private:
    void tell(const AdviceProgress& progress);
    void show(const AdviceProgress& progress);

    Console* console_;
    ProgressLines lines_;
};

}  // namespace haichi::cli
