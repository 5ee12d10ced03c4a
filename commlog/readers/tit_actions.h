#pragma once

#include <cstdint>
#include <string_view>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// What the lines of a time-independent trace do.
enum class TitVerb {
    kInit,
    kFinalize,
    kCompute,
    kSleep,
    kIgnored,
    kSend,
    kIsend,
    kRecv,
    kIrecv,
    kSendrecv,
    kStart,
    kWait,
    kWaitall,
    kWaitany,
    kTest,
    kCollective
};

/// Where a collective action has its numbers: `counts` arrays of one number per rank, and what stands before them.
enum class TitShape {
    kNone,
    kOne,
    kReduce,
    kPair,
    kRootedPair,
    kGatherv,
    kAllgatherv,
    kScatterv,
    kAlltoallv,
    kScatter
};

struct TitAction {
    const char* name;  ///< in lower case
    TitVerb verb;
    const char* function;
    CollectiveOperation operation = CollectiveOperation::kOther;
    TitShape shape = TitShape::kNone;
};

/// By its name, in small or capital letters; null for an unknown one. Actions like "ibcast" are those without "i", not
/// waited for: `nonblocking`.
const TitAction* tit_action(std::string_view name, bool& nonblocking);

/// Size of a datatype by its number in a trace, 0 for one that the program made (-1) and unknown ones.
std::uint64_t tit_type_bytes(std::int64_t type);

}  // namespace haichi
