#include "cli/output/progress.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/output/tables.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;

bool draws(const Console& console) { return !console.quiet() && console.is_interactive(); }

/// Makes the callback for the progress of a run. Empty if progress is not shown anywhere.
template <class Progress, class Tell, class Show>
std::function<void(const Progress&)> callback_of(const Console& console, const Tell& tell, const Show& show) {
    const bool tells = console.reports_progress();
    const bool shows = draws(console);
    if (!tells && !shows) return {};
    return [=](const Progress& progress) {
        if (tells) tell(progress);
        if (shows) show(progress);
    };
}

}  // namespace

void ProgressLines::tell(const ordered_json& line, bool is_end) {
    constexpr auto kPeriod = std::chrono::milliseconds(200);
    const auto now = std::chrono::steady_clock::now();
    if (!is_end && told_ && now - *told_ < kPeriod) return;
    told_ = now;
    console_->report_progress(json_text(line));
}

void report_failure(Console& console, const Error& error) {
    if (!console.reports_progress()) return;
    const auto kind = [&] {
        switch (error.kind()) {
            case ErrorKind::kInput:
                return "input";
            case ErrorKind::kOption:
                return "option";
            case ErrorKind::kUnsupported:
                return "unsupported";
            case ErrorKind::kInternal:
                break;
        }
        return "internal";
    };
    const ordered_json line = {
        {"phase", "failed"},
        {"error", {{"kind", kind()}, {"message", as_typed(error.what())}, {"hint", as_typed(error.hint())}}}};
    console.report_progress(json_text(line));
}

// ---- Searches -------------------------------------------------------------------------------------------------------

ProgressBar::ProgressBar(Console& console, std::string objective)
    : console_(&console), lines_(console), objective_(std::move(objective)) {}

ProgressBar::~ProgressBar() { console_->wipe_drawn(); }

std::function<void(const SearchProgress&)> ProgressBar::callback() {
    return callback_of<SearchProgress>(
        *console_, [this](const SearchProgress& progress) { tell(progress); },
        [this](const SearchProgress& progress) { show(progress); });
}

void ProgressBar::tell(const SearchProgress& progress) {
    const double share = std::clamp(progress.fraction_done, 0.0, 1.0);
    ordered_json line = {{"phase", "search"}, {"share", share}, {"objective", progress.objective}};
    line["best"] = progress.best_value;
    line["bound"] = progress.lower_bound ? ordered_json(*progress.lower_bound) : ordered_json(nullptr);
    line["evaluations"] = progress.evaluations;
    line["restarts_done"] = progress.restarts_done;
    line["restarts"] = progress.restarts;
    lines_.tell(line, share == 1);
}

void ProgressBar::show(const SearchProgress& progress) {
    constexpr int kWidth = 30;
    const double fraction = std::clamp(progress.fraction_done, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(std::floor(fraction * kWidth));
    std::string line = "[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] ";
    line += std::to_string(static_cast<int>(std::floor(fraction * 100))) + "%  best " + objective_ + " " +
            short_number(progress.best_value);
    if (progress.restarts > 1) {
        line += "  " + std::to_string(progress.restarts_done) + " of " + std::to_string(progress.restarts) +
                " restarts done";
    }
    console_->draw(line);
}

// ---- Simulations and advice -----------------------------------------------------------------------------------------

namespace {

ordered_json json_of(const SimulationProgress& progress) {
    ordered_json line = {{"phase", "simulation"}, {"simulated_seconds", progress.simulated_seconds}};
    if (progress.iterations > 0) {
        line["iterations_done"] = progress.iterations_done;
        line["iterations"] = progress.iterations;
    }
    if (progress.calls_done > 0) line["calls_done"] = progress.calls_done;
    line["packet_hops"] = progress.packet_hops;
    return line;
}

std::string text_of(const SimulationProgress& progress) {
    std::string line = short_number(progress.simulated_seconds) + " s simulated, ";
    if (progress.iterations > 0) {
        line += count_text(static_cast<double>(progress.iterations_done)) + " of ";
        line += count_text(static_cast<double>(progress.iterations)) + " iterations, ";
    } else {
        line += count_text(static_cast<double>(progress.calls_done)) + " calls, ";
    }
    return line + short_number(std::round(progress.packet_hops_per_second / 1e5) / 10) +
           " million packet-hops per second";
}

bool is_last(const SimulationProgress&) { return false; }

ordered_json json_of(const AdviceProgress& progress) {
    return {{"phase", "advice"}, {"doing", progress.doing}, {"runs_done", progress.done}, {"runs", progress.all}};
}

std::string text_of(const AdviceProgress& progress) {
    return std::string(progress.doing) + ": " + std::to_string(progress.done) + " of " + std::to_string(progress.all);
}

bool is_last(const AdviceProgress& progress) { return progress.done == progress.all; }

}  // namespace

template <class Progress>
std::function<void(const Progress&)> ProgressLine<Progress>::callback() {
    return callback_of<Progress>(
        *console_, [this](const Progress& progress) { lines_.tell(json_of(progress), is_last(progress)); },
        [this](const Progress& progress) { console_->draw(text_of(progress)); });
}

template class ProgressLine<SimulationProgress>;
template class ProgressLine<AdviceProgress>;

int exit_code_of(bool is_interrupted, const char* result, Console& console, int code) {
    if (!is_interrupted) return code;
    console.say(std::string("interrupted: ") + result + "\n");
    return kExitInterrupted;
}

}  // namespace haichi::cli
