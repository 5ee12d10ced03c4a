#include "commlog/log/write_log.h"

#include <cstring>
#include <string>
#include <vector>

#include "commlog/log/log_file.h"
#include "commlog/log/rank_bytes.h"

namespace haichi {

namespace {

std::vector<RankSegment> segments_of(const std::vector<std::int32_t>& members) {
    std::vector<RankSegment> segments;
    for (const std::int32_t member : members) {
        if (!segments.empty()) {
            RankSegment& last = segments.back();
            if (last.count == 1 && member > last.first) last.stride = member - last.first;
            if (member >= 0 && last.first >= 0 && member == last.first + last.count * last.stride) {
                ++last.count;
                continue;
            }
            if (last.count == 1) last.stride = 1;
        }
        segments.push_back({member, 1, 1});
    }
    return segments;
}

template <typename T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

}  // namespace

void write_own_log(const JobLog& log, const std::function<void(std::string_view)>& write) {
    JobFileHeader header{};
    std::memcpy(header.magic, kJobMagic, sizeof(header.magic));
    header.version = kJobVersion;
    header.byte_order = kByteOrder;
    header.records = log.ranks.size();
    write(bytes_of(header));
    for (const RankLog& rank : log.ranks) {
        RankRecord record;
        record.job = 1;
        record.ranks = log.rank_count;
        record.has_profile = log.has_profile;
        record.has_calls = log.has_calls;
        record.log = rank;
        for (const std::uint32_t communicator : rank.communicators) {
            const LoggedCommunicator& of = log.communicators[communicator];
            record.communicators.push_back({communicator + 1, segments_of(of.members), segments_of(of.remote_members)});
        }
        const std::vector<std::byte> bytes = encode_rank(record);
        write(bytes_of(static_cast<std::uint64_t>(bytes.size())));
        write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
}

}  // namespace haichi
