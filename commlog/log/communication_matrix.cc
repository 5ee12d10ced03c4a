#include "commlog/log/communication_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "commlog/log/job_totals.h"

namespace haichi {

CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file) {
    std::vector<Message> messages;
    std::uint64_t pairs_from_receivers = 0;
    visit_pairs(log, [&](const PairTraffic& pair) {
        if (pair.bytes == 0) return;
        if (pair.bytes > static_cast<std::uint64_t>(kLargestMessageBytes)) {
            throw InputError(file + ": " + std::to_string(pair.bytes) + " bytes from rank " +
                             std::to_string(pair.source) + " to rank " + std::to_string(pair.destination) +
                             " exceed the limit of 2^48 bytes");
        }
        messages.push_back({RankId(pair.source), RankId(pair.destination), static_cast<std::int64_t>(pair.bytes)});
        pairs_from_receivers += pair.from_receiver ? 1 : 0;
    });
    if (messages.empty()) {
        throw InputError(file + ": a communication matrix requires messages between ranks, but the log has none");
    }
    std::ranges::sort(messages, {}, [](const Message& m) { return std::pair(m.source.value, m.destination.value); });
    std::vector<Workload::Set> sets = {{"all point-to-point messages", 0, 0, messages.size()}};
    return {Workload(log.rank_count, 1, std::move(sets), std::move(messages)), pairs_from_receivers};
}

}  // namespace haichi
