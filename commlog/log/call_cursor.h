#pragma once

#include <cstdint>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Walks through a call log event by event and unrolls its loops. Its state is one position for each level of nested
/// loops.
class CallCursor {
  public:
    /// `calls` must outlive the cursor.
    explicit CallCursor(const CallSequence& calls) : calls_(&calls) {
        const auto length = static_cast<std::uint32_t>(calls.sequence.size());
        levels_.push_back({calls.sequence.data(), length, 0, 1});
    }

    /// Returns the next event, or null at the end.
    const LoggedEvent* next() {
        for (;;) {
            Level& level = levels_.back();
            if (level.at == level.length) {
                if (--level.repetitions > 0 && level.length > 0) {
                    level.at = 0;
                    continue;
                }
                if (levels_.size() == 1) {
                    level.repetitions = 1;  // remain at the end
                    return nullptr;
                }
                levels_.pop_back();
                continue;
            }
            const Symbol symbol = level.symbols[level.at++];
            if (symbol < kLoopSymbol) return &calls_->events[symbol];
            const Loop& loop = calls_->loops[symbol - kLoopSymbol];
            const LoopBody& body = calls_->bodies[loop.body];
            levels_.push_back({calls_->body.data() + body.first, body.length, 0, loop.repetitions});
        }
    }

  private:
    struct Level {
        const Symbol* symbols = nullptr;
        std::uint32_t length = 0;
        std::uint32_t at = 0;
        std::uint64_t repetitions = 1;  ///< iterations left, including the current one
    };

    const CallSequence* calls_;
    std::vector<Level> levels_;
};

}  // namespace haichi
