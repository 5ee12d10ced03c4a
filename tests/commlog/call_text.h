#pragma once

#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi::call_text {

inline std::string text_of(const CallSequence& calls, const LoggedEvent& event) {
    static const char* const kOperations[] = {
        "barrier", "bcast",    "reduce",         "allreduce", "gather",    "allgather",
        "scatter", "alltoall", "reduce-scatter", "scan",      "neighbor",  "other",
        "gatherv", "scatterv", "allgatherv",     "alltoallv", "alltoallw", "reduce-scatter-block",
        "exscan"};
    const EventKey& key = event.key;
    const bool blocking = (key.flags & kBlocking) != 0;
    const std::string where = key.communicator == 0 ? "" : " comm " + std::to_string(key.communicator);
    const std::string tag = (key.flags & kAnyTag) != 0 ? " tag any" : " tag " + std::to_string(key.tag);
    std::string text;
    switch (key.kind) {
        case CallKind::kSend:
            return std::string(blocking ? "send " : "isend ") + std::to_string(event.bytes_max) + " to " +
                   std::to_string(key.peer) + tag + where + ((key.flags & kSynchronous) != 0 ? " synchronous" : "");
        case CallKind::kReceive:
            return std::string(blocking ? "recv from " : "irecv from ") +
                   ((key.flags & kAnySource) != 0 ? "any" : std::to_string(key.peer)) + tag + where;
        case CallKind::kCollective:
            return (blocking ? "" : "i") + std::string(kOperations[key.operation]) + " " +
                   std::to_string(event.bytes_max) + " " + std::to_string(key.received_bytes_or_list) +
                   (key.peer == kNobody ? "" : " root " + std::to_string(key.peer)) + where;
        case CallKind::kComplete:
        case CallKind::kReceiveAny:
            text = key.kind == CallKind::kComplete ? "complete" : "recv any";
            for (std::uint32_t i = 0; i < event.completions; ++i) {
                const Completion& c = calls.completions[event.first_completion + i];
                text += key.kind == CallKind::kComplete ? " " + std::to_string(c.distance) : "";
                if (c.source != kNobody) text += " from " + std::to_string(c.source) + " tag " + std::to_string(c.tag);
            }
            return text + (key.kind == CallKind::kComplete ? "" : where);
    }
    return "?";
}

inline void append(const CallSequence& calls, Symbol symbol, std::vector<std::string>& lines) {
    if (symbol < kLoopSymbol) {
        lines.push_back(text_of(calls, calls.events[symbol]));
        return;
    }
    const Loop& loop = calls.loops[symbol - kLoopSymbol];
    const LoopBody& body = calls.bodies[loop.body];
    for (std::uint64_t r = 0; r < loop.repetitions; ++r) {
        for (std::uint32_t i = 0; i < body.length; ++i) append(calls, calls.body[body.first + i], lines);
    }
}

/// Returns a thread's calls with unrolled loops, one per line: "isend 512 to 1 tag 7", "complete 2 1".
inline std::vector<std::string> calls_of(const JobLog& log, std::size_t rank, std::size_t thread = 0) {
    std::vector<std::string> lines;
    const CallSequence& calls = log.ranks.at(rank).threads.at(thread);
    for (const Symbol symbol : calls.sequence) append(calls, symbol, lines);
    return lines;
}

}  // namespace haichi::call_text
