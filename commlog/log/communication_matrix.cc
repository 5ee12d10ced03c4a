#include "commlog/log/communication_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "commlog/log/job_totals.h"

namespace haichi {

namespace {

void check_bytes(std::int32_t source, std::int32_t destination, std::uint64_t bytes, const std::string& file) {
    if (bytes <= static_cast<std::uint64_t>(kLargestMessageBytes)) return;
    throw InputError(file + ": " + std::to_string(bytes) + " bytes from rank " + std::to_string(source) + " to rank " +
                     std::to_string(destination) + " exceed the limit of 2^48 bytes");
}

}  // namespace

CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file) {
    std::vector<Message> messages;
    const auto add = [&](std::int32_t source, std::int32_t destination, std::uint64_t bytes) {
        if (bytes == 0) return;
        check_bytes(source, destination, bytes, file);
        messages.push_back({RankId(source), RankId(destination), static_cast<std::int64_t>(bytes)});
    };
    std::uint64_t pairs_from_receivers = 0;
    visit_pairs(log, [&](const PairTraffic& pair) {
        add(pair.source, pair.destination, pair.bytes);
        pairs_from_receivers += pair.bytes > 0 && pair.from_receiver ? 1 : 0;
    });
    std::uint64_t one_sided_bytes = 0;
    for (const RankLog& rank : log.ranks) {
        for (const OneSidedTraffic& to : rank.profile.targets) {
            add(rank.rank, to.target, to.traffic.put_bytes);
            add(to.target, rank.rank, to.traffic.got_bytes);
            one_sided_bytes += to.traffic.put_bytes + to.traffic.got_bytes;
        }
    }
    if (messages.empty()) {
        throw InputError(file + ": a communication matrix requires messages between ranks, but the log has none");
    }
    const auto pair_of = [](const Message& m) { return std::pair(m.source.value, m.destination.value); };
    std::ranges::sort(messages, {}, pair_of);
    std::size_t last = 0;
    for (std::size_t i = 1; i < messages.size(); ++i) {
        if (pair_of(messages[i]) != pair_of(messages[last])) {
            messages[++last] = messages[i];
            continue;
        }
        Message& sum = messages[last];
        sum.size_bytes += messages[i].size_bytes;
        check_bytes(sum.source.value, sum.destination.value, static_cast<std::uint64_t>(sum.size_bytes), file);
    }
    messages.resize(last + 1);
    const char* const label =
        one_sided_bytes == 0 ? "all point-to-point messages" : "all point-to-point messages and one-sided operations";
    std::vector<Workload::Set> sets = {{label, 0, 0, messages.size()}};
    return {Workload(log.rank_count, 1, std::move(sets), std::move(messages)), pairs_from_receivers, one_sided_bytes};
}

}  // namespace haichi
