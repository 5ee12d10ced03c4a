#include "cli/output/progress.h"

#include <algorithm>
#include <cmath>

#include "cli/output/tables.h"

namespace haichi::cli {

ProgressBar::ProgressBar(Console& console, std::string objective)
    : console_(&console), objective_(std::move(objective)) {}

ProgressBar::~ProgressBar() { console_->wipe_drawn(); }

std::function<void(const SearchProgress&)> ProgressBar::callback() {
    if (console_->quiet() || !console_->is_interactive()) return {};
    return [this](const SearchProgress& progress) { show(progress); };
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

SimulationLine::~SimulationLine() { console_->wipe_drawn(); }

std::function<void(const SimulationProgress&)> SimulationLine::callback() {
    if (console_->quiet() || !console_->is_interactive()) return {};
    return [this](const SimulationProgress& progress) {
        std::string line = short_number(progress.simulated_seconds) + " s simulated, ";
        line += count_text(static_cast<double>(progress.iterations_done)) + " of ";
        line += count_text(static_cast<double>(progress.iterations)) + " iterations, ";
        line +=
            short_number(std::round(progress.packet_hops_per_second / 1e5) / 10) + " million packet-hops per second";
        console_->draw(line);
    };
}

AdviceLine::~AdviceLine() { console_->wipe_drawn(); }

std::function<void(const AdviceProgress&)> AdviceLine::callback() {
    if (console_->quiet() || !console_->is_interactive()) return {};
    return [this](const AdviceProgress& progress) {
        std::string line(progress.doing);
        line += ": " + std::to_string(progress.done) + " of " + std::to_string(progress.all);
        console_->draw(line);
    };
}

}  // namespace haichi::cli
