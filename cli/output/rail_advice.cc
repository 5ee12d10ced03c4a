// What is said of advice on rails.

#include "cli/output/log_comparison.h"

namespace haichi::cli {

namespace {

std::string headline(const RailAdvice& advice) {
    const std::string job = std::to_string(advice.processes) + " processes: ";
    switch (advice.choice) {
        case RailChoice::kMore:
            return job + "use all rails of the nodes\n";
        case RailChoice::kFewer:
            return job + "use 1 rail\n";
        case RailChoice::kNumber:
            return job + "use " + std::to_string(advice.rails) + (advice.rails == 1 ? " rail\n" : " rails\n");
        case RailChoice::kUnknown:
            break;
    }
    return job + "the log does not show how many rails are best\n";
}

}  // namespace

std::string rail_advice_text(const RailAdvice& advice) {
    std::string text = "rails for " + headline(advice);
    for (const std::string& reason : advice.reasons) text += "  " + reason + "\n";
    std::string settings;
    for (const std::string& setting : advice.settings) settings += (settings.empty() ? "" : ", or ") + setting;
    if (!settings.empty()) text += "  setting: " + settings + "\n";
    if (advice.choice == RailChoice::kUnknown) {
        text += "  measure it: run with 1 rail and with all, then haichi log compare --rails 1,N LOG1 LOGN\n";
    }
    return text;
}

}  // namespace haichi::cli
