#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "commlog/log/job_log.h"
#include "commlog/log/rank_record.h"

namespace haichi {

/// A job file is JobFileHeader, then for each record its length (64 bits) and its bytes (encode_rank). Numbers are in
/// the byte order of the machine that wrote it, which the header states.
inline constexpr char kJobMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'J', 'L'};
inline constexpr std::uint32_t kJobVersion = 3;

struct JobFileHeader {
    char magic[8];             ///< kJobMagic
    std::uint32_t version;     ///< kJobVersion
    std::uint32_t byte_order;  ///< kByteOrder
    std::uint64_t records;
};

/// Whether a file that begins like this is a job file or a part.
bool is_own_log(std::string_view prefix);

/// Reads a job file, or the parts of one job: with NAME.RANK.part all others of that NAME. Warns of ranks without a
/// part, of processes that did not finish, and of tables that ran full. `reading` is told the other parts. Throws
/// InputError with file and offset.
JobLog read_own_log(const std::string& path, const Reading& reading = {});

/// The same of parts that need not lie beside each other: with each of them all others of its NAME in its folder.
JobLog read_parts(const std::vector<std::string>& paths, const Reading& reading = {});

/// The number of the job that a part is of; nothing where the file is no part or cannot be read.
std::optional<std::uint64_t> job_of_part(const std::string& path);

/// "NAME" of the path "NAME.RANK.part"; nothing for other names.
std::optional<std::string> job_name(const std::string& path);

/// The same from a job file in memory; `file` names it in errors.
JobLog parse_own_log(std::span<const std::byte> bytes, const std::string& file);

/// Ranks of one job, in any order, some may be missing. Throws InputError, naming `place`, for ranks of different jobs
/// or twice the same.
JobLog join_ranks(std::vector<RankRecord> ranks, const std::string& place);

}  // namespace haichi
