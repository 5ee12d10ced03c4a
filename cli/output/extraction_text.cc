#include "cli/output/extraction_text.h"

#include <algorithm>

#include "cli/output/log_words.h"
#include "commlog/ccs/extraction_json.h"

namespace haichi::cli {

namespace {

/// The maximum number of listed sets. The first ones are listed.
constexpr std::size_t kMostSetsListed = 40;
constexpr std::size_t kMostMainLoopsListed = 4;  // in addition to the chosen one

std::string counted(std::int64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

std::string main_loop_text(const MainLoopSummary& main_loop, const Extraction& extraction) {
    std::string events = std::to_string(main_loop.events_per_rank_least);
    if (main_loop.events_per_rank_most != main_loop.events_per_rank_least) {
        events += " to " + std::to_string(main_loop.events_per_rank_most);
    }
    std::string text =
        counted(main_loop.iterations, "iteration", "iterations") + " of " + events + " events per rank on " +
        counted(main_loop.ranks, "rank", "ranks") + ", " +
        percent_text(Extraction::fraction(main_loop.bytes, extraction.total_bytes)) + " of the bytes and " +
        percent_text(Extraction::fraction(main_loop.messages, extraction.total_messages)) + " of the messages sent";
    if (main_loop.around >= 0) text += ", inside loop " + std::to_string(main_loop.around + 1);
    return text;
}

}  // namespace

std::string extraction_text(const Extraction& extraction) {
    const Workload& workload = extraction.workload;
    std::string text;
    if (extraction.chosen < 0) {
        text += "main loop: the whole log as one iteration\n";
    } else {
        const auto chosen = static_cast<std::size_t>(extraction.chosen);
        text += "main loop: loop " + std::to_string(chosen + 1) + " of " +
                std::to_string(extraction.main_loops.size()) + ", " +
                main_loop_text(extraction.main_loops[chosen], extraction) + "\n";
        std::size_t listed = 0;
        for (std::size_t k = 0; k < extraction.main_loops.size(); ++k) {
            if (k == chosen) continue;
            if (++listed > kMostMainLoopsListed) {
                text += "  and " + std::to_string(extraction.main_loops.size() - 1 - kMostMainLoopsListed) +
                        " more loops, which --json lists\n";
                break;
            }
            text += "  --main-loop " + std::to_string(k + 1) + ": " +
                    main_loop_text(extraction.main_loops[k], extraction) + "\n";
        }
    }
    text += counted(static_cast<std::int64_t>(workload.set_count()), "set", "sets") + " in " +
            counted(extraction.steps, "step", "steps") + ", " +
            counted(static_cast<std::int64_t>(workload.messages().size()), "message", "messages") + ", " +
            bytes_text(static_cast<double>(workload.total_bytes())) + " per iteration";
    if (extraction.compute_seconds > 0) {
        text += "; computation time " + seconds_text(extraction.compute_seconds) + " per iteration (mean of the ranks)";
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
    note(extraction.to_oneself, "message from a rank to itself is omitted",
         "messages from ranks to themselves are omitted");
    note(extraction.collectives_left, "collective is kept as a synchronization of its ranks",
         "collectives are kept as synchronizations of their ranks");
    return text;
}

}  // namespace haichi::cli
