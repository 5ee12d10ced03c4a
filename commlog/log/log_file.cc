#include "commlog/log/log_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/errors.h"
#include "base/input_file.h"
#include "base/mapped_file.h"
#include "base/opened_names.h"
#include "commlog/log/rank_bytes.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

/// Maximum number of ranks in a job log that haichi reads. Without a limit, a small file that states a huge number of
/// ranks would fill the memory.
constexpr std::int32_t kMostLoggedRanks = 1 << 22;
/// Maximum number of communicator members outside the job, such as the parents of spawned processes.
constexpr std::int32_t kMostOutside = 1 << 20;

bool begins_with(std::span<const std::byte> bytes, const char (&magic)[8]) {
    return bytes.size() >= sizeof(magic) && std::memcmp(bytes.data(), magic, sizeof(magic)) == 0;
}

RankRecord read_part(const std::string& path) {
    const MappedFile file(path);
    const auto bytes = file.bytes();
    if (!begins_with(bytes, kPartMagic)) throw InputError(path + ": not a part of a profile");
    if (bytes.size() != sizeof(ProfileMemory)) {
        throw InputError(path + ": expected a part of " + std::to_string(sizeof(ProfileMemory)) + " bytes, found " +
                             std::to_string(bytes.size()),
                         "the file was cut off, or was written by another version of the profiler");
    }
    // A mapping begins at a page boundary, so the struct is aligned.
    return read_rank(*reinterpret_cast<const ProfileMemory*>(bytes.data()), path);
}

std::vector<std::string> parts_beside(const std::string& path) {
    const std::filesystem::path first(path);
    const auto name = job_name(first.filename().string());
    if (!name) return {path};
    std::vector<std::string> parts;
    const auto folder = first.has_parent_path() ? first.parent_path() : std::filesystem::path(".");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (job_name(entry.path().filename().string()) == name) {
            parts.push_back((first.parent_path() / entry.path().filename()).string());
        }
    }
    std::ranges::sort(parts);
    return parts;
}

/// Formats ascending numbers, such as "3, 5 to 8 and 12 more".
std::string listed(const std::vector<std::int32_t>& ranks) {
    std::string text;
    int shown_runs = 0;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        if (++shown_runs > 8) return text + " and " + std::to_string(ranks.size() - i) + " more";
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(ranks[last]);
        i = last + 1;
    }
    return text;
}

std::vector<std::int32_t> expanded(const std::vector<RankSegment>& segments, std::int32_t ranks,
                                   const std::string& place) {
    std::vector<std::int32_t> members;
    for (const RankSegment& segment : segments) {
        const auto fail = [&] {
            throw InputError(place + ": invalid communicator: " + std::to_string(segment.count) + " ranks from rank " +
                             std::to_string(segment.first) + " (the job has " + std::to_string(ranks) + " ranks)");
        };
        const std::int32_t most = segment.first == kOutside ? kMostOutside : ranks;
        if (segment.count < 0 || segment.count > most) fail();
        if (members.size() + static_cast<std::size_t>(segment.count) > static_cast<std::size_t>(kMostRanks)) fail();
        for (std::int32_t i = 0; i < segment.count; ++i) {
            const std::int64_t member =
                segment.first == kOutside ? kOutside : segment.first + std::int64_t{i} * segment.stride;
            if (member != kOutside && (member < 0 || member >= ranks)) fail();
            members.push_back(static_cast<std::int32_t>(member));
        }
    }
    return members;
}

/// Assigns indices to the communicators of all ranks, by their identity.
class CommunicatorTable {
  public:
    CommunicatorTable(JobLog& job, const std::string& place) : job_(&job), place_(&place) {
        LoggedCommunicator world;
        world.members.resize(static_cast<std::size_t>(job.rank_count));
        for (std::int32_t r = 0; r < job.rank_count; ++r) world.members[static_cast<std::size_t>(r)] = r;
        job.communicators.push_back(std::move(world));
    }

    /// Entry 0 of each rank is MPI_COMM_WORLD, whatever its record contains.
    std::uint32_t number(const CommunicatorRecord& record, bool is_world) {
        if (is_world) return 0;
        const auto [found, is_new] =
            numbers_.try_emplace(record.identity, static_cast<std::uint32_t>(job_->communicators.size()));
        if (is_new) {
            LoggedCommunicator communicator{record.identity, expanded(record.members, job_->rank_count, *place_),
                                            expanded(record.remote_members, job_->rank_count, *place_)};
            members_ += communicator.members.size() + communicator.remote_members.size();
            if (members_ > kMostMembers) {
                throw InputError(*place_ + ": the communicators have more than " + std::to_string(kMostMembers) +
                                 " ranks in total");
            }
            job_->communicators.push_back(std::move(communicator));
        }
        return found->second;
    }

  private:
    static constexpr std::size_t kMostMembers = std::size_t{1} << 30;
    JobLog* job_;
    const std::string* place_;
    std::map<std::uint64_t, std::uint32_t> numbers_;
    std::size_t members_ = 0;
};

/// Collects the ranks to which one warning applies.
struct Finding {
    std::vector<std::int32_t> ranks;
    std::uint64_t sum = 0;

    void add(std::int32_t rank, std::uint64_t count) {
        if (count == 0) return;
        ranks.push_back(rank);
        sum += count;
    }
    void warn(JobLog& job, const std::string& what) const {
        if (!ranks.empty()) {
            job.warnings.push_back(std::to_string(sum) + " " + what + " (rank " + listed(ranks) + ")");
        }
    }
};

void warn_of_losses(JobLog& job, const std::vector<RankRecord>& records) {
    Finding requests, calls, communicators, peers, sites, regions, events, symbols, completions;
    std::vector<std::int32_t> running;
    std::map<int, std::vector<std::int32_t>> signalled;
    std::vector<std::int32_t> aborted;
    for (const RankRecord& record : records) {
        const std::int32_t r = record.log.rank;
        requests.add(r, record.lost_requests);
        calls.add(r, record.uncounted_calls);
        communicators.add(r, record.lost_communicators);
        peers.add(r, record.log.profile.lost_messages);
        sites.add(r, record.log.profile.lost_site_calls);
        regions.add(r, record.log.profile.lost_regions);
        std::uint64_t lost_events = 0, lost_symbols = 0, lost_completions = 0;
        for (const CallSequence& sequence : record.log.threads) {
            lost_events += sequence.lost_events;
            lost_symbols += sequence.lost_symbols;
            lost_completions += sequence.lost_completions;
        }
        events.add(r, lost_events);
        symbols.add(r, lost_symbols);
        completions.add(r, lost_completions);
        if (record.log.state == RankState::kRunning) running.push_back(r);
        if (record.log.state == RankState::kAborted) aborted.push_back(r);
        if (record.log.state == RankState::kSignalled) signalled[record.log.signal].push_back(r);
    }
    const auto warn = [&](const std::vector<std::int32_t>& ranks, const std::string& what) {
        if (!ranks.empty()) job.warnings.push_back("rank " + listed(ranks) + " " + what + ", so its numbers end there");
    };
    warn(running, "did not reach MPI_Finalize");
    warn(aborted, "called MPI_Abort");
    for (const auto& [signal, ranks] : signalled) warn(ranks, "received signal " + std::to_string(signal));
    requests.warn(job, "requests did not fit into the table of open requests and are not tracked");
    calls.warn(job, "calls are not in the profile because too many threads made calls");
    communicators.warn(job, "communicators did not fit into the table");
    peers.warn(job, "messages are not in the matrix because there were too many peers");
    sites.warn(job, "calls are not in the tables of call sites, communicators and regions, which are full");
    regions.warn(job, "entries are not in the table of regions because regions were too many or nested too deep");
    events.warn(job, "different events did not fit into the call log");
    symbols.warn(job, "events outside of loops did not fit into the call log");
    completions.warn(job, "completed requests did not fit into the call log");
}

}  // namespace

bool is_own_log(std::string_view prefix) {
    return prefix.starts_with(std::string_view(kJobMagic, sizeof(kJobMagic))) ||
           prefix.starts_with(std::string_view(kPartMagic, sizeof(kPartMagic)));
}

std::optional<std::string> job_name(const std::string& path) {
    constexpr std::string_view kEnding = ".part";
    if (!path.ends_with(kEnding)) return std::nullopt;
    const std::string rest = path.substr(0, path.size() - kEnding.size());
    const std::size_t dot = rest.rfind('.');
    if (dot == std::string::npos || dot + 1 == rest.size()) return std::nullopt;
    if (rest.find_first_not_of("0123456789", dot + 1) != std::string::npos) return std::nullopt;
    return rest.substr(0, dot);
}

JobLog join_ranks(std::vector<RankRecord> records, const std::string& place) {
    if (records.empty()) throw InputError(place + ": no ranks in the log");
    std::ranges::stable_sort(records, {}, [](const RankRecord& record) { return record.log.rank; });
    JobLog job;
    job.format = "haichi";
    job.rank_count = records.front().ranks;
    if (job.rank_count > kMostLoggedRanks) {
        throw InputError(place + ": " + std::to_string(job.rank_count) + " ranks; at most " +
                         std::to_string(kMostRanks) + " are supported");
    }
    std::vector<std::int32_t> missing;
    std::int32_t next = 0;
    for (const RankRecord& record : records) {
        const std::int32_t rank = record.log.rank;
        if (record.job != records.front().job || record.ranks != job.rank_count) {
            throw InputError(place + ": rank " + std::to_string(rank) + " belongs to another job");
        }
        if (rank < next) throw InputError(place + ": duplicate rank " + std::to_string(rank));
        // This bounds the list: almost all ranks of a job of 10^8 ranks may be missing.
        for (; next < rank && missing.size() < records.size() + 1000; ++next) missing.push_back(next);
        next = rank + 1;
        job.has_profile |= record.has_profile;
        job.has_calls |= record.has_calls;
    }
    const std::int32_t missing_count = job.rank_count - static_cast<std::int32_t>(records.size());
    for (; next < job.rank_count && missing.size() < records.size() + 1000; ++next) missing.push_back(next);
    if (missing_count > 0) {
        job.warnings.push_back(std::to_string(missing_count) + " of " + std::to_string(job.rank_count) +
                               " ranks left no data: rank " + listed(missing));
    }
    warn_of_losses(job, records);
    CommunicatorTable table(job, place);
    for (RankRecord& record : records) {
        RankLog log = std::move(record.log);
        for (std::size_t c = 0; c < record.communicators.size(); ++c) {
            log.communicators.push_back(table.number(record.communicators[c], c == 0));
        }
        job.ranks.push_back(std::move(log));
    }
    return job;
}

JobLog parse_own_log(std::span<const std::byte> bytes, const std::string& file) {
    JobFileHeader header{};
    if (!begins_with(bytes, kJobMagic)) throw InputError(file + ": not the profile of a job");
    if (bytes.size() < sizeof(header)) throw InputError(file + ": the file ends in its header");
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.byte_order != kByteOrder)
        throw InputError(file + ": the file was written on a machine with another byte order");
    if (header.version != kJobVersion) {
        throw InputError(file + ": expected version " + std::to_string(kJobVersion) + " of the format, found " +
                         std::to_string(header.version));
    }
    std::vector<RankRecord> ranks;
    std::size_t at = sizeof(header);
    for (std::uint64_t i = 0; i < header.records; ++i) {
        std::uint64_t length = 0;
        const std::string place = file + ", offset " + std::to_string(at);
        if (bytes.size() - at < sizeof(length)) {
            throw InputError(place + ": the file ends after " + std::to_string(i) + " of " +
                             std::to_string(header.records) + " records");
        }
        std::memcpy(&length, bytes.data() + at, sizeof(length));
        at += sizeof(length);
        if (length > bytes.size() - at) {
            throw InputError(place + ": a record of " + std::to_string(length) + " bytes, but the file has only " +
                             std::to_string(bytes.size() - at) + " more");
        }
        ranks.push_back(decode_rank(bytes.subspan(at, length), file + ", record at offset " + std::to_string(at)));
        at += length;
    }
    if (at != bytes.size()) {
        throw InputError(file + ", offset " + std::to_string(at) + ": " + std::to_string(bytes.size() - at) +
                         " bytes after the last record");
    }
    return join_ranks(std::move(ranks), file);
}

JobLog read_parts(const std::vector<std::string>& paths, const Reading& reading) {
    std::vector<RankRecord> ranks;
    std::vector<std::string> left_out;
    std::set<std::filesystem::path> read;
    const auto take = [&](const std::string& part) {
        if (!read.insert(std::filesystem::weakly_canonical(part)).second) return;
        RankRecord rank = read_part(part);
        if (!ranks.empty() && rank.job != ranks.front().job) {
            left_out.push_back(part + ": left out because it belongs to another job");
        } else {
            ranks.push_back(std::move(rank));
        }
    };
    for (const std::string& path : paths) take(path);
    for (const std::string& path : paths) {
        const OpenedNames names(path, reading.files_below());
        for (const std::string& part : parts_beside(path)) {
            if (std::ranges::find(paths, part) == paths.end()) names.check_found(part);
            reading.found_file(part);
            try {
                take(part);
            } catch (const InputError& error) {
                left_out.push_back(std::string(error.what()) + "; left out");
            }
        }
    }
    JobLog job = join_ranks(std::move(ranks), paths.front());
    job.warnings.insert(job.warnings.begin(), left_out.begin(), left_out.end());
    return job;
}

std::optional<std::uint64_t> job_of_part(const std::string& path) {
    ProfileHeader header{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof(header))) return std::nullopt;
    if (std::memcmp(header.magic, kPartMagic, sizeof(kPartMagic)) != 0) return std::nullopt;
    return header.job;
}

JobLog read_own_log(const std::string& path, const Reading& reading) {
    constexpr std::size_t kMostCopied = std::size_t{1} << 31;
    const auto read_copy = [&] {
        const std::string copy = whole_input(path, kMostCopied);
        const auto bytes = std::as_bytes(std::span(copy));
        if (!begins_with(bytes, kPartMagic)) return parse_own_log(bytes, path);
        throw InputError(path + ": a part of a log requires the other parts beside it",
                         "unpack all parts to files, and use one");
    };
    if (path == "-" || is_compressed(path)) return read_copy();
    {
        const MappedFile file(path);
        if (!begins_with(file.bytes(), kPartMagic)) return parse_own_log(file.bytes(), path);
    }
    return read_parts({path}, reading);
}

}  // namespace haichi
