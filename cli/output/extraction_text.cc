#include "cli/output/extraction_text.h"

#include <algorithm>

#include "cli/output/log_words.h"
#include "commlog/ccs/extraction_json.h"

namespace haichi::cli {

namespace {

/// Sets listed one by one; of more, the first ones.
constexpr std::size_t kMostSetsListed = 40;
constexpr std::size_t kMostKernelsListed = 4;  // beside the one that was taken

std::string counted(std::int64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

std::string kernel_text(const KernelSummary& kernel, const Extraction& extraction) {
    std::string events = std::to_string(kernel.events_per_rank_least);
    if (kernel.events_per_rank_most != kernel.events_per_rank_least) {
        events += " to " + std::to_string(kernel.events_per_rank_most);
    }
    std::string text = counted(kernel.repetitions, "repetition", "repetitions") + " of " + events +
                       " events a rank in " + counted(kernel.ranks, "rank", "ranks") + ", " +
                       percent_text(Extraction::share(kernel.bytes, extraction.total_bytes)) + " of the bytes and " +
                       percent_text(Extraction::share(kernel.messages, extraction.total_messages)) +
                       " of the messages sent";
    if (kernel.around >= 0) text += ", a loop of kernel " + std::to_string(kernel.around + 1);
    return text;
}

}  // namespace

std::string extraction_text(const Extraction& extraction) {
    const Workload& workload = extraction.workload;
    std::string text;
    if (extraction.chosen < 0) {
        text += "kernel: the whole log, once\n";
    } else {
        const auto chosen = static_cast<std::size_t>(extraction.chosen);
        text += "kernel " + std::to_string(chosen + 1) + " of " + std::to_string(extraction.kernels.size()) + ": " +
                kernel_text(extraction.kernels[chosen], extraction) + "\n";
        std::size_t listed = 0;
        for (std::size_t k = 0; k < extraction.kernels.size(); ++k) {
            if (k == chosen) continue;
            if (++listed > kMostKernelsListed) {
                text += "  and " + std::to_string(extraction.kernels.size() - 1 - kMostKernelsListed) +
                        " more, all in --json\n";
                break;
            }
            text +=
                "  --kernel " + std::to_string(k + 1) + ": " + kernel_text(extraction.kernels[k], extraction) + "\n";
        }
    }
    text += counted(static_cast<std::int64_t>(workload.set_count()), "set", "sets") + " in " +
            counted(extraction.levels, "level", "levels") + ", " +
            counted(static_cast<std::int64_t>(workload.messages().size()), "message", "messages") + ", " +
            bytes_text(static_cast<double>(workload.total_bytes())) + " a repetition";
    if (extraction.compute_seconds > 0) {
        text += "; computing " + seconds_text(extraction.compute_seconds) + " a repetition (mean of the ranks)";
    }
    text += "\n    set  messages      bytes    largest  label\n";
    for (std::size_t t = 0; t < std::min(workload.set_count(), kMostSetsListed); ++t) {
        const SetSize size = set_size(workload, t);
        text += padded(std::to_string(t + 1), 7) + padded(std::to_string(size.messages), 10) +
                padded(bytes_text(static_cast<double>(size.bytes)), 11) +
                padded(bytes_text(static_cast<double>(size.largest_bytes)), 11) + "  " +
                printable(workload.set(t).label) + "\n";
    }
    if (workload.set_count() > kMostSetsListed) {
        text += "    and " + std::to_string(workload.set_count() - kMostSetsListed) + " more\n";
    }
    const auto note = [&](std::int64_t count, const char* one, const char* many) {
        if (count > 0) text += counted(count, one, many) + "\n";
    };
    note(extraction.to_oneself, "message from a rank to itself is left out",
         "messages from ranks to themselves are left out");
    note(extraction.collectives_left, "collective is not expanded, and holds the ranks together",
         "collectives are not expanded, and hold the ranks together");
    return text;
}

}  // namespace haichi::cli
