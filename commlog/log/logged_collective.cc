#include "commlog/log/logged_collective.h"

#include <string_view>

#include "commlog/log/logged_events.h"

namespace haichi {

namespace {

using collectives::CollectiveKind;

CollectiveKind kind_of(CollectiveOperation operation) {
    switch (operation) {
        case CollectiveOperation::kBroadcast:
            return CollectiveKind::kBroadcast;
        case CollectiveOperation::kReduce:
            return CollectiveKind::kReduce;
        case CollectiveOperation::kAllreduce:
            return CollectiveKind::kAllreduce;
        case CollectiveOperation::kGather:
            return CollectiveKind::kGather;
        case CollectiveOperation::kAllgather:
            return CollectiveKind::kAllgather;
        case CollectiveOperation::kScatter:
            return CollectiveKind::kScatter;
        case CollectiveOperation::kAlltoall:
            return CollectiveKind::kAlltoall;
        case CollectiveOperation::kReduceScatter:
            return CollectiveKind::kReduceScatter;
        case CollectiveOperation::kScan:
            return CollectiveKind::kScan;
        case CollectiveOperation::kGatherv:
            return CollectiveKind::kGatherv;
        case CollectiveOperation::kScatterv:
            return CollectiveKind::kScatterv;
        case CollectiveOperation::kAllgatherv:
            return CollectiveKind::kAllgatherv;
        case CollectiveOperation::kAlltoallv:
            return CollectiveKind::kAlltoallv;
        case CollectiveOperation::kAlltoallw:
            return CollectiveKind::kAlltoallw;
        case CollectiveOperation::kReduceScatterBlock:
            return CollectiveKind::kReduceScatterBlock;
        case CollectiveOperation::kExscan:
            return CollectiveKind::kExscan;
        case CollectiveOperation::kBarrier:
        case CollectiveOperation::kNeighbor:
        case CollectiveOperation::kOther:
        case CollectiveOperation::kCount:
            break;
    }
    return CollectiveKind::kBarrier;
}

/// Returns the text of CollectiveSelection::text() that the log states, or otherwise the name of a table.
std::string_view selection_text_of(std::string_view library) {
    constexpr std::string_view kMark = "collectives: ";
    if (const std::size_t at = library.find(kMark); at != std::string_view::npos) {
        return library.substr(at + kMark.size());
    }
    return library.starts_with("Open MPI") ? "openmpi" : "mpich";
}

}  // namespace

collectives::SizedCall sized_call(const LoggedEvent& event, std::size_t members) {
    collectives::SizedCall call;
    call.collective = kind_of(static_cast<CollectiveOperation>(event.key.operation));
    call.sent = contributed_bytes(event, members);
    call.received = result_bytes(event);
    const std::int32_t detail = event.key.tag;
    call.item_bytes = detail & kItemBytes;
    call.commutes = (detail & kOrderedReduction) == 0;
    call.is_user_defined = (detail & kUserDefined) != 0;
    call.in_place = (detail & kInPlace) != 0;
    // Block sizes are known only for a gather or scatter in which all members have the same size.
    call.counts_are_known = false;
    return call;
}

collectives::CollectiveSelection selection_for(const JobLog& job, collectives::CollectiveSelection set) {
    if (!job.ranks.empty()) set.set_default(selection_text_of(job.ranks.front().library));
    return set;
}

}  // namespace haichi
