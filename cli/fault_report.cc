#include "cli/fault_report.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/output/source_lines.h"

namespace haichi::cli {

namespace {

/// Converts "FILE+OFFSET" to "solve (solver.c:42)". The offset is the return address of a call, or the address of the
/// faulting instruction.
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
            return "accessed invalid memory (address " + address + ")";
        case SIGBUS:
            return "accessed memory that does not exist (address " + address + ", SIGBUS)";
        case SIGFPE:
            return "had an arithmetic error (SIGFPE, for instance an integer division by 0)";
        case SIGILL:
            return "executed an instruction that the processor does not have (SIGILL)";
        case SIGABRT:
            return "aborted: abort(), a failed assertion, or an uncaught exception";
        default:
            return "died from signal " + std::to_string(number);
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
    text += is_overrun ? "overflowed its stack of " + stack_bytes + " bytes" : what_of(number, address);
    const bool is_in_c_library = number == SIGABRT;  // the signal comes from abort(), which is in the C library
    if (!place.empty() && !is_in_c_library) text += " in " + place;
    if (!call.empty()) {
        text += ", in " + call;
        if (!call_place.empty()) text += ", called from " + call_place;
    } else if (!call_place.empty()) {
        text += ", between MPI calls, after its last one in " + call_place;
    } else {
        text += ", before its first MPI call";
    }
    console.error(text, is_overrun ? "increase the stack size of the ranks with --stack" : "");
    constexpr int kDied = 128;
    return kDied + number;
}

}  // namespace haichi::cli
