#include "commlog/collectives/collective_schedule.h"

#include <utility>

#include "base/errors.h"

namespace haichi {

CollectiveSchedule::CollectiveSchedule(std::vector<CollectiveStage> stages, std::int32_t members, std::int32_t root)
    : stages_(std::move(stages)), members_(members), root_(root) {
    for (const CollectiveStage& stage : stages_) steps_ += collective_step_count(stage.algorithm, members);
}

CollectiveSchedule CollectiveSchedule::dissemination(std::int32_t members) {
    return {{{.algorithm = CollectiveAlgorithm::kBruck}}, members};
}

CollectiveSchedule::Place CollectiveSchedule::place_of(std::int32_t step) const {
    for (const CollectiveStage& stage : stages_) {
        const std::int32_t steps = collective_step_count(stage.algorithm, members_);
        if (step < steps) return {&stage, stage.backwards ? steps - 1 - step : step};
        step -= steps;
    }
    throw InternalError("a collective has no step " + std::to_string(step));
}

CollectiveStep CollectiveSchedule::step(std::int32_t member, std::int32_t step) const {
    const Place at = place_of(step);
    const std::int64_t bytes = at.stage->doubles ? at.stage->block_bytes << at.step : at.stage->block_bytes;
    const std::int32_t relative = member >= root_ ? member - root_ : member - root_ + members_;
    CollectiveStep moves = collective_step(at.stage->algorithm, members_, RankId(relative), at.step, bytes);
    if (at.stage->backwards) {
        std::swap(moves.send_to, moves.receive_from);
        std::swap(moves.send_bytes, moves.receive_bytes);
    }
    for (RankId* partner : {&moves.send_to, &moves.receive_from}) {
        if (!partner->valid()) continue;
        const std::int32_t own = partner->value + root_;
        *partner = RankId(own >= members_ ? own - members_ : own);
    }
    return moves;
}

std::string CollectiveSchedule::label(std::int32_t step) const {
    const Place at = place_of(step);
    return collective_step_label(at.stage->algorithm, members_, at.step);
}

}  // namespace haichi
