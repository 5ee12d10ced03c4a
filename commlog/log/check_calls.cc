#include <algorithm>
#include <span>
#include <vector>

#include "commlog/log/profile_memory.h"
#include "commlog/log/read_calls.h"
#include "commlog/log/record_checks.h"

namespace haichi {

namespace {

/// Maximum depth of nested loops that the loop finder makes: one per level, plus the loops that were open at the end of
/// the log.
constexpr int kDeepestLoops = 2 * static_cast<int>(kLevels);

}  // namespace

void check_calls(const CallSequence& calls, std::int32_t ranks, std::size_t communicators, const std::string& place) {
    const auto check_rank = [&](std::int32_t rank) {
        if (rank < kOutside || rank >= ranks) {
            fail_record(place,
                        "invalid peer: " + std::to_string(rank) + " (the job has " + std::to_string(ranks) + " ranks)");
        }
    };
    const auto inside = [](std::uint64_t first, std::uint64_t count, std::size_t size) {
        return first <= size && count <= size - first;
    };
    // Number of completions with distance 0 before each index; only lists of kReceiveAny have such completions. Prefix
    // sums are necessary because lists may overlap in a damaged file, and reading all their entries would take
    // quadratic time.
    std::vector<std::size_t> zeros_before(calls.completions.size() + 1, 0);
    for (std::size_t c = 0; c < calls.completions.size(); ++c) {
        zeros_before[c + 1] = zeros_before[c] + (calls.completions[c].distance == 0 ? 1 : 0);
    }
    for (const LoggedEvent& event : calls.events) {
        const auto kind = static_cast<std::uint8_t>(event.key.kind);
        check_rank(event.key.peer);
        if (kind > static_cast<std::uint8_t>(CallKind::kReceiveAny))
            fail_record(place, "unknown kind of event: " + std::to_string(kind));
        if (event.key.operation >= static_cast<std::uint16_t>(CollectiveOperation::kCount)) {
            fail_record(place, "unknown collective operation: " + std::to_string(event.key.operation));
        }
        const bool has_list = event.key.kind == CallKind::kComplete || event.key.kind == CallKind::kReceiveAny;
        if (has_list && !inside(event.first_completion, event.completions, calls.completions.size())) {
            fail_record(place, "an event has an invalid list of completions");
        }
        if (event.key.kind == CallKind::kComplete &&
            zeros_before[event.first_completion + event.completions] != zeros_before[event.first_completion]) {
            fail_record(place, "a completion of a request that is yet to be posted");
        }
        const bool names_communicator = kind != 0 && event.key.kind != CallKind::kComplete;
        if (names_communicator && event.key.communicator >= communicators &&
            event.key.communicator != kUnknownCommunicator) {
            fail_record(place, "unknown communicator: " + std::to_string(event.key.communicator));
        }
    }
    for (const Completion& completion : calls.completions) {
        check_rank(completion.source);
        if (completion.event >= calls.events.size()) fail_record(place, "a completion of an unknown event");
    }
    for (const LoopBody& body : calls.bodies) {
        if (body.length == 0 || !inside(body.first, body.length, calls.body.size())) {
            fail_record(place, "an invalid loop body");
        }
    }
    const auto check_symbol = [&](Symbol symbol, std::size_t loops) {
        if (symbol < kLoopSymbol ? symbol >= calls.events.size() : symbol - kLoopSymbol >= loops) {
            fail_record(place, "an unknown event or loop");
        }
    };
    // A body contains only loops that precede the first loop over this body, so one pass suffices.
    std::vector<int> depth_of_body(calls.bodies.size(), 0);
    for (std::size_t l = 0; l < calls.loops.size(); ++l) {
        const Loop& loop = calls.loops[l];
        if (loop.body >= calls.bodies.size() || loop.repetitions == 0)
            fail_record(place, "a loop without a body or iterations");
        int& depth = depth_of_body[loop.body];
        if (depth != 0) continue;
        depth = 1;
        const LoopBody& body = calls.bodies[loop.body];
        for (const Symbol symbol : std::span(calls.body).subspan(body.first, body.length)) {
            check_symbol(symbol, l);
            if (symbol < kLoopSymbol) continue;
            depth = std::max(depth, depth_of_body[calls.loops[symbol - kLoopSymbol].body] + 1);
        }
        if (depth > kDeepestLoops) fail_record(place, "more than " + std::to_string(kDeepestLoops) + " nested loops");
    }
    for (const Symbol symbol : calls.sequence) check_symbol(symbol, calls.loops.size());
}

}  // namespace haichi
