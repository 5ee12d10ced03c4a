#include "commlog/ccs/collective_phases.h"

#include <algorithm>

#include "base/errors.h"

namespace haichi {

namespace {

constexpr std::int64_t kMostMessagesOfCollective = std::int64_t{1} << 26;

void check_size(const CollectiveSchedule& schedule, CollectiveOperation operation) {
    const std::int64_t n = schedule.member_count();
    if (schedule.step_count() * n <= kMostMessagesOfCollective) return;
    throw UnsupportedError(
        "a collective on " + std::to_string(n) + " ranks in " + std::to_string(schedule.step_count()) +
            " phases has more than " + std::to_string(kMostMessagesOfCollective) + " messages",
        "choose an algorithm of fewer phases: §collectives " + std::string(name_of(operation)) + "=...");
}

}  // namespace

std::vector<CollectivePhase> collective_phases(const CollectiveChoice& choice, const CollectiveCall& call,
                                               const std::vector<std::int32_t>& members) {
    std::vector<CollectivePhase> phases;
    if (members.size() < 2) return phases;
    const auto n = static_cast<std::int32_t>(members.size());
    const std::int64_t bytes = vector_bytes(call, n);
    const std::string_view algorithm = choice.algorithm(call.operation, bytes);
    if (algorithm.empty()) return phases;
    const CollectiveSchedule schedule = CollectiveChoice::schedule(
        call.operation, algorithm, bytes, {.count = n, .root = static_cast<std::int32_t>(call.root)});
    check_size(schedule, call.operation);
    const auto world_rank = [&](std::int32_t member) { return RankId(members[static_cast<std::size_t>(member)]); };
    for (std::int32_t step = 0; step < schedule.step_count(); ++step) {
        CollectivePhase phase;
        phase.label = std::string(name_of(call.operation)) + " " + schedule.label(step);
        for (std::int32_t member = 0; member < n; ++member) {
            const CollectiveStep moves = schedule.step(member, step);
            if (!moves.send_to.valid()) continue;
            phase.messages.push_back({world_rank(member), world_rank(moves.send_to.value), moves.send_bytes});
        }
        std::ranges::stable_sort(phase.messages, {}, [](const Message& m) { return m.source.value; });
        phases.push_back(std::move(phase));
    }
    return phases;
}

}  // namespace haichi
