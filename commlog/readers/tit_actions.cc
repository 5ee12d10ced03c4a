#include "commlog/readers/tit_actions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>

namespace haichi {

namespace {

/// Sizes of the data types, indexed by their number in a trace. The number -1 means a type that the program made.
constexpr std::array<std::uint8_t, 38> kTypeBytes = {8, 4, 1, 2, 8, 4, 1, 8,  1,  1, 2, 4, 8,  8,  16, 4, 1, 1,  2,
                                                     4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 12, 6,  8, 8, 16, 16};

constexpr auto kActions = std::to_array<TitAction>({
    {"init", TitVerb::kInit, ""},
    {"finalize", TitVerb::kFinalize, ""},
    {"compute", TitVerb::kCompute, ""},
    {"sleep", TitVerb::kSleep, ""},
    {"location", TitVerb::kIgnored, ""},
    {"comm_size", TitVerb::kIgnored, ""},
    {"comm_split", TitVerb::kIgnored, ""},
    {"comm_dup", TitVerb::kIgnored, ""},
    {"probe", TitVerb::kIgnored, ""},
    {"iprobe", TitVerb::kIgnored, ""},
    {"testall", TitVerb::kIgnored, ""},
    {"testany", TitVerb::kIgnored, ""},
    {"testsome", TitVerb::kIgnored, ""},
    {"send", TitVerb::kSend, "MPI_Send"},
    {"ssend", TitVerb::kSend, "MPI_Ssend"},
    {"bsend", TitVerb::kSend, "MPI_Bsend"},
    {"rsend", TitVerb::kSend, "MPI_Rsend"},
    {"isend", TitVerb::kIsend, "MPI_Isend"},
    {"issend", TitVerb::kIsend, "MPI_Issend"},
    {"ibsend", TitVerb::kIsend, "MPI_Ibsend"},
    {"irsend", TitVerb::kIsend, "MPI_Irsend"},
    {"recv", TitVerb::kRecv, "MPI_Recv"},
    {"irecv", TitVerb::kIrecv, "MPI_Irecv"},
    {"sendrecv", TitVerb::kSendrecv, "MPI_Sendrecv"},
    {"sendrecv_replace", TitVerb::kSendrecv, "MPI_Sendrecv"},
    {"start", TitVerb::kStart, "MPI_Start"},
    {"wait", TitVerb::kWait, "MPI_Wait"},
    {"waitall", TitVerb::kWaitall, "MPI_Waitall"},
    {"waitany", TitVerb::kWaitany, "MPI_Waitany"},
    {"waitsome", TitVerb::kWaitany, "MPI_Waitsome"},
    {"test", TitVerb::kTest, "MPI_Test"},
    {"barrier", TitVerb::kCollective, "MPI_Barrier", CollectiveOperation::kBarrier},
    {"bcast", TitVerb::kCollective, "MPI_Bcast", CollectiveOperation::kBroadcast, TitShape::kOne},
    {"reduce", TitVerb::kCollective, "MPI_Reduce", CollectiveOperation::kReduce, TitShape::kReduce},
    {"allreduce", TitVerb::kCollective, "MPI_Allreduce", CollectiveOperation::kAllreduce, TitShape::kReduce},
    {"scan", TitVerb::kCollective, "MPI_Scan", CollectiveOperation::kScan, TitShape::kReduce},
    {"exscan", TitVerb::kCollective, "MPI_Exscan", CollectiveOperation::kScan, TitShape::kReduce},
    {"alltoall", TitVerb::kCollective, "MPI_Alltoall", CollectiveOperation::kAlltoall, TitShape::kPair},
    {"allgather", TitVerb::kCollective, "MPI_Allgather", CollectiveOperation::kAllgather, TitShape::kPair},
    {"gather", TitVerb::kCollective, "MPI_Gather", CollectiveOperation::kGather, TitShape::kRootedPair},
    {"scatter", TitVerb::kCollective, "MPI_Scatter", CollectiveOperation::kScatter, TitShape::kRootedPair},
    {"gatherv", TitVerb::kCollective, "MPI_Gatherv", CollectiveOperation::kGather, TitShape::kGatherv},
    {"allgatherv", TitVerb::kCollective, "MPI_Allgatherv", CollectiveOperation::kAllgather, TitShape::kAllgatherv},
    {"scatterv", TitVerb::kCollective, "MPI_Scatterv", CollectiveOperation::kScatter, TitShape::kScatterv},
    {"alltoallv", TitVerb::kCollective, "MPI_Alltoallv", CollectiveOperation::kAlltoall, TitShape::kAlltoallv},
    {"reducescatter", TitVerb::kCollective, "MPI_Reduce_scatter", CollectiveOperation::kReduceScatter,
     TitShape::kScatter},
});

const TitAction* action_of(std::string_view name) {
    static const auto kByName = [] {
        std::unordered_map<std::string_view, const TitAction*> actions;
        for (const TitAction& action : kActions) actions.emplace(action.name, &action);
        return actions;
    }();
    const auto found = kByName.find(name);
    if (found != kByName.end()) return found->second;
    std::string lower(name.substr(0, 32));
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto again = kByName.find(lower);
    return again == kByName.end() ? nullptr : again->second;
}

}  // namespace

const TitAction* tit_action(std::string_view name, bool& nonblocking) {
    nonblocking = false;
    const TitAction* const action = action_of(name);
    if (action != nullptr || name.size() < 2 || (name.front() != 'i' && name.front() != 'I')) return action;
    nonblocking = true;
    const TitAction* const blocking = action_of(name.substr(1));
    return blocking != nullptr && blocking->verb == TitVerb::kCollective ? blocking : nullptr;
}

std::uint64_t tit_type_bytes(std::int64_t type) {
    return type < 0 || static_cast<std::size_t>(type) >= kTypeBytes.size() ? 0
                                                                           : kTypeBytes[static_cast<std::size_t>(type)];
}

}  // namespace haichi
