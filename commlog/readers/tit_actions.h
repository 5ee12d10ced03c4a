#pragma once

#include <cstdint>
#include <string_view>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// The actions of the lines in a time-independent trace.
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

/// The positions of the numbers in a collective action: `counts` arrays of one number per rank, and the arguments
/// before them.
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

/// Returns an action by its name in any case, or null for an unknown name. Actions like "ibcast" return the action
/// without "i" and set `nonblocking`.
const TitAction* tit_action(std::string_view name, bool& nonblocking);

/// Returns the size of a datatype by its number in a trace, or 0 for types that the program made (-1) and unknown
/// types.
std::uint64_t tit_type_bytes(std::int64_t type);

}  // namespace haichi
