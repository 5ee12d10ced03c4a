#pragma once

#include <cstdint>
#include <string_view>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// The actions that lines of a time-independent trace contain.
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

/// Which numbers a collective action has, and in which order. Some actions have arrays with one number per rank
/// (`counts`).
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

/// Returns an action by its name in upper or lower case, or null for an unknown name. For a name such as "ibcast",
/// returns the action without the "i" and sets `nonblocking`.
const TitAction* tit_action(std::string_view name, bool& nonblocking);

/// Returns the size of a data type by its number in a trace. The result is 0 for types that the program made (-1) and
/// for unknown types.
std::uint64_t tit_type_bytes(std::int64_t type);

}  // namespace haichi
