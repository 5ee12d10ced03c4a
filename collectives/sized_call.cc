#include "collectives/sized_call.h"

#include "base/errors.h"

namespace haichi::collectives {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;
constexpr std::int64_t kLargestGuessedItem = 8;

/// The largest power of two that divides `bytes`, at most the size of a double.
std::int64_t guessed_item(std::int64_t bytes) {
    std::int64_t item = kLargestGuessedItem;
    while (bytes % item != 0) item /= 2;
    return item;
}

std::int64_t block_of(std::int64_t bytes, int members) { return (bytes + members - 1) / members; }

/// Bytes that consist of whole items. The number of bytes is equal for all members if the members' messages depend on
/// it.
std::int64_t bytes_of_items(const SizedCall& call, int members) {
    switch (call.collective) {
        case CollectiveKind::kAlltoall:
            return block_of(call.sent, members);
        case CollectiveKind::kReduceScatterBlock:
            return call.sent | block_of(call.sent, members);
        case CollectiveKind::kGatherv:
        case CollectiveKind::kScatterv:
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            return call.sent | call.received;
        default:
            return common_bytes(call, members);
    }
}

std::int64_t item_of(const SizedCall& call, int members) {
    const std::int64_t bytes = bytes_of_items(call, members);
    if (call.item_bytes <= 0) return guessed_item(bytes);
    // Members of a broadcast may describe the same basic elements with different types.
    if (call.collective == CollectiveKind::kBroadcast) return guessed_item(bytes | call.item_bytes);
    // The mean of several sizes may not be a multiple of the item size.
    return bytes % call.item_bytes == 0 ? call.item_bytes : guessed_item(bytes);
}

void check_size(std::int64_t bytes, std::int64_t blocks, CollectiveKind collective) {
    if (bytes <= kMostBytes / blocks) return;
    throw UnsupportedError("a collective operation " + std::string(name_of(collective)) + " of " +
                           std::to_string(blocks) + " blocks of " + std::to_string(bytes) +
                           " bytes is larger than 2^48 bytes");
}

}  // namespace

std::int64_t common_bytes(const SizedCall& call, int members) {
    switch (call.collective) {
        case CollectiveKind::kBroadcast:
            return std::max(call.sent, call.received);
        case CollectiveKind::kScatter:
        case CollectiveKind::kScatterv:
            return call.received;
        case CollectiveKind::kAllgatherv:
            return call.received > 0 ? call.received : call.sent * members;
        default:
            return call.sent;
    }
}

SizedCall with_common_bytes(SizedCall call, int members, std::int64_t bytes) {
    call.counts_are_known = false;
    switch (call.collective) {
        case CollectiveKind::kGather:
            call.collective = CollectiveKind::kGatherv;
            return call;
        case CollectiveKind::kScatter:
            call.collective = CollectiveKind::kScatterv;
            return call;
        case CollectiveKind::kAlltoall:
            call.collective = CollectiveKind::kAlltoallv;
            return call;
        case CollectiveKind::kGatherv:
        case CollectiveKind::kScatterv:
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            return call;
        case CollectiveKind::kReduceScatterBlock:
            call.received = bytes / members;
            break;
        case CollectiveKind::kAllgatherv:
            call.received = bytes;
            return call;
        default:
            call.received = bytes;
            break;
    }
    call.sent = bytes;
    return call;
}

SizedArguments::SizedArguments(const SizedCall& call, int members)
    : type_(item_of(call, members), item_of(call, members)), reduction_(call.commutes, call.is_user_defined) {
    if (call.root < 0 || call.root >= members) throw InternalError("a collective without ranks");
    check_size(std::max(call.sent, call.received), 1, call.collective);
    arguments_.collective = call.collective;
    arguments_.root = call.root;
    arguments_.counts_are_known = call.counts_are_known;
    switch (call.collective) {
        case CollectiveKind::kBroadcast:
            arguments_.receive = items(std::max(call.sent, call.received));
            break;
        case CollectiveKind::kReduce:
        case CollectiveKind::kAllreduce:
        case CollectiveKind::kScan:
        case CollectiveKind::kExscan:
            arguments_.send = arguments_.receive = items(call.sent);
            arguments_.operation = &reduction_;
            break;
        case CollectiveKind::kGather:
        case CollectiveKind::kAllgather:
            check_size(call.sent, members, call.collective);
            arguments_.send = arguments_.receive = items(call.sent);
            break;
        case CollectiveKind::kScatter:
            check_size(call.received, members, call.collective);
            arguments_.send = arguments_.receive = items(call.received);
            break;
        case CollectiveKind::kAlltoall:
            arguments_.send = arguments_.receive = items(block_of(call.sent, members));
            arguments_.in_place = call.in_place;
            break;
        case CollectiveKind::kReduceScatterBlock:
            arguments_.send = items(call.sent);
            arguments_.receive = items(block_of(call.sent, members));
            arguments_.operation = &reduction_;
            break;
        case CollectiveKind::kGatherv:
            arguments_.send = items(call.sent);
            deal_received(call.received, members);
            break;
        case CollectiveKind::kScatterv:
            arguments_.receive = items(call.received);
            deal_sent(call.sent, members);
            break;
        case CollectiveKind::kAllgatherv:
            arguments_.send = items(call.sent);
            deal_received(common_bytes(call, members), members);
            break;
        case CollectiveKind::kReduceScatter:
            arguments_.send = items(call.sent);
            deal_received(call.sent, members);
            arguments_.operation = &reduction_;
            break;
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            deal_sent(call.sent, members);
            deal_received(call.received, members);
            break;
        default:  // barriers and neighbourhood collectives, whose neighbours are not in a log
            break;
    }
}

Buffer SizedArguments::items(std::int64_t bytes) {
    // The address is never read. Algorithms compute the addresses of blocks from it.
    return {this, bytes / type_.size(), &type_};
}

void SizedArguments::deal_sent(std::int64_t bytes, int members) {
    sent_ = {bytes / type_.size(), members};
    arguments_.send = items(0);
    arguments_.send_counts = arguments_.send_offsets = Counts(&sent_);
}

void SizedArguments::deal_received(std::int64_t bytes, int members) {
    received_ = {bytes / type_.size(), members};
    arguments_.receive = items(0);
    arguments_.receive_counts = arguments_.receive_offsets = Counts(&received_);
}

}  // namespace haichi::collectives
