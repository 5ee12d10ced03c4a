#pragma once

#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// Classifies the effect of an MPI call in an Extrae trace.
enum class ParaverCallType : std::uint8_t {
    kNone,
    kSend,
    kReceive,
    kBoth,
    kStartSend,
    kStartReceive,
    kWait,
    kCollective,
    kStartCollective,
    kPut,
    kGet
};

struct ParaverCall {
    const char* name;
    ParaverCallType type = ParaverCallType::kNone;
    CollectiveOperation operation = CollectiveOperation::kOther;
};

/// Returns a call by Extrae's number, from 1; null for an unknown number.
const ParaverCall* paraver_call(std::int64_t number);

}  // namespace haichi
