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

/// Writes lines of JSON for --progress-fd, a few per second.
class ProgressLines {
  public:
    explicit ProgressLines(Console& console) : console_(&console) {}
    /// Writes `line` if it is the last one, or if enough time has passed since the previous line.
    void tell(const nlohmann::ordered_json& line, bool is_end);

  private:
    Console* console_;
    std::optional<std::chrono::steady_clock::time_point> told_;
};

/// Writes the last progress line of a failed run, with the kind and the message of the error.
void report_failure(Console& console, const Error& error);

/// Shows the progress of a search and its best value, in one line on the terminal and as JSON lines for --progress-fd.
/// Nothing is drawn with --quiet, or if standard error is not a terminal. The destructor wipes the line.
class ProgressBar {
  public:
    ProgressBar(Console& console, std::string objective);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// The callback for SearchControl::progress. Empty if progress is not shown anywhere.
    [[nodiscard]] std::function<void(const SearchProgress&)> callback();

  private:
    void tell(const SearchProgress& progress);
    void show(const SearchProgress& progress);

    Console* console_;
    ProgressLines lines_;
    std::string objective_;
};

/// Shows the progress of a simulation or of advice, in the same way as ProgressBar.
template <class Progress>
class ProgressLine {
  public:
    explicit ProgressLine(Console& console) : console_(&console), lines_(console) {}
    ~ProgressLine() { console_->wipe_drawn(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// The callback for the control of a run. Empty if progress is not shown anywhere.
    [[nodiscard]] std::function<void(const Progress&)> callback();

  private:
    Console* console_;
    ProgressLines lines_;
};
using SimulationLine = ProgressLine<SimulationProgress>;
using AdviceLine = ProgressLine<AdviceProgress>;

/// Returns the exit code `code`. After an interruption, prints "interrupted: RESULT" and returns kExitInterrupted.
int exit_code_of(bool is_interrupted, const char* result, Console& console, int code = kExitDone);

}  // namespace haichi::cli
