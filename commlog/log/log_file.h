#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "commlog/log/job_file_header.h"
#include "commlog/log/job_log.h"
#include "commlog/log/rank_record.h"

namespace haichi {

/// Returns whether a file with this prefix is a job file or a part.
bool is_own_log(std::string_view prefix);

/// Reads a job file, or the parts of one job: for NAME.RANK.part it also reads all other parts of that NAME. Warns
/// about ranks without a part, processes that did not finish, and full tables. Reports the other parts to `reading`.
/// Throws InputError with file and offset.
JobLog read_own_log(const std::string& path, const Reading& reading = {});

/// Reads the parts of one job from several directories. For each path it also reads the other parts of its NAME there.
JobLog read_parts(const std::vector<std::string>& paths, const Reading& reading = {});

/// Returns the number of the job to which a part belongs, or nothing if the file is not a readable part.
std::optional<std::uint64_t> job_of_part(const std::string& path);

/// Returns "NAME" for a path "NAME.RANK.part", and nothing for other names.
std::optional<std::string> job_name(const std::string& path);

/// Reads a job file from memory. Errors name it as `file`.
JobLog parse_own_log(std::span<const std::byte> bytes, const std::string& file);

/// Joins the ranks of one job, in any order; some may be missing. Throws InputError naming `place` if ranks belong to
/// different jobs or a rank appears twice.
JobLog join_ranks(std::vector<RankRecord> ranks, const std::string& place);

}  // namespace haichi
