#include "mapper/anneal/anneal_run.h"

#include <string>

#include "base/errors.h"

namespace haichi {

bool AnyAnnealRun::returns_to_start() {
    if (!state_.cooling.take_return_to_start()) return false;
    state_.best.keep(state_.mapping);
    state_.mapping = state_.start;
    state_.energy = 0;
    state_.hot_ranks_renewed_at = -1;
    return true;
}

void throw_difference(std::string_view objective, const ValuesThatDiffer& values, std::int64_t evaluation,
                      const Move* move) {
    std::string text = std::string(objective) + ": incremental value " + std::to_string(values.value) +
                       ", full evaluation " + std::to_string(values.full_value) + "; smoothing term " +
                       std::to_string(values.smoothing) + ", full evaluation " + std::to_string(values.full_smoothing) +
                       "; evaluation number " + std::to_string(evaluation);
    if (move != nullptr) {
        for (const Relocation& r : *move) {
            text += "; rank " + std::to_string(r.rank.value) + " from slot " + std::to_string(r.from_slot.value) +
                    " to " + std::to_string(r.to_slot.value);
        }
    }
    throw InternalError(text);
}

}  // namespace haichi
