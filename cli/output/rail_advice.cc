// Describes the advice on the number of NICs per node.

#include "cli/output/log_comparison.h"

namespace haichi::cli {

namespace {

std::string headline(const RailAdvice& advice) {
    const std::string job = std::to_string(advice.processes) + " ranks: ";
    switch (advice.choice) {
        case RailChoice::kMore:
            return job + "use all NICs of the nodes\n";
        case RailChoice::kFewer:
            return job + "use 1 NIC\n";
        case RailChoice::kNumber:
            return job + "use " + std::to_string(advice.rails) + (advice.rails == 1 ? " NIC\n" : " NICs\n");
        case RailChoice::kUnknown:
            break;
    }
    return job + "the log does not show how many NICs are best\n";
}

}  // namespace

std::string rail_advice_text(const RailAdvice& advice) {
    std::string text = "NICs per node for " + headline(advice);
    for (const std::string& reason : advice.reasons) text += "  " + reason + "\n";
    std::string settings;
    for (const std::string& setting : advice.settings) settings += (settings.empty() ? "" : ", or ") + setting;
    if (!settings.empty()) text += "  setting: " + settings + "\n";
    if (advice.choice == RailChoice::kUnknown) {
        text += "  measure it: run with 1 NIC and with all NICs, then run haichi log compare --rails 1,N LOG1 LOGN\n";
    }
    return text;
}

}  // namespace haichi::cli
