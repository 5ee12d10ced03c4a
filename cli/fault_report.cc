#include "cli/fault_report.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/output/source_lines.h"

namespace haichi::cli {

namespace {

/// "FILE+OFFSET" as "solve (solver.c:42)". Behind a call stands where it returns to, at a fault the instruction itself.
std::string place_of(const std::string& word, bool is_return) {
    const std::size_t plus = word.rfind('+');
    if (plus == std::string::npos) return "";
    const Module module{.path = word.substr(0, plus), .build_id = std::string(SourceLines::kAnyBuild)};
    const std::uint64_t offset = std::strtoull(word.c_str() + plus + 1, nullptr, 10);
    SourceLines lines;
    return place_text(module, offset, lines.find(module, is_return ? offset : offset + 1));
}

std::string what_of(int number, const std::string& address) {
    switch (number) {
        case SIGSEGV:
            return "touched memory that is not its own (address " + address + ")";
        case SIGBUS:
            return "touched memory that is not there (address " + address + ", SIGBUS)";
        case SIGFPE:
            return "has made an arithmetic error (SIGFPE: a division of integers by 0?)";
        case SIGILL:
            return "came to an instruction that the processor does not have (SIGILL)";
        case SIGABRT:
            return "has aborted: abort(), a failed assertion, or an exception that nothing caught";
        default:
            return "has died by signal " + std::to_string(number);
    }
}

}  // namespace

int FaultReport::tell(char** words, Console& console) {
    const std::string rank = words[1];
    const int number = std::atoi(words[2]);
    const std::string address = words[3];
    const std::string stack_bytes = words[4];
    const std::string place = place_of(words[5], false);
    const std::string call = words[6];
    const std::string call_place = place_of(words[7], true);
    const bool is_overrun = stack_bytes != "0";
    std::string text = "rank " + rank + " ";
    text += is_overrun ? "has overrun its stack of " + stack_bytes + " bytes" : what_of(number, address);
    const bool is_in_c_library = number == SIGABRT;  // which raises the signal
    if (!place.empty() && !is_in_c_library) text += " in " + place;
    if (!call.empty()) {
        text += ", in " + call;
        if (!call_place.empty()) text += ", called from " + call_place;
    } else if (!call_place.empty()) {
        text += ", between MPI calls; the last one was made in " + call_place;
    } else {
        text += ", before its first MPI call";
    }
    console.error(text, is_overrun ? "give the ranks larger ones: --stack" : "");
    constexpr int kDied = 128;
    return kDied + number;
}

}  // namespace haichi::cli
