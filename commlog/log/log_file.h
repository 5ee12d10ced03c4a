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

/// Returns true if a file that begins with `prefix` is a job file or a part.
bool is_own_log(std::string_view prefix);

/// Reads a job file, or all parts of a job: for NAME.RANK.part, it also reads the other parts with this NAME. Warns
/// about ranks without a part, processes that did not finish, and full tables. Reports each additional part to
/// `reading`. Throws InputError that states file and offset.
JobLog read_own_log(const std::string& path, const Reading& reading = {});

/// Reads the parts of one job from several directories. For each path, it also reads the other parts with the same NAME
/// in its directory.
JobLog read_parts(const std::vector<std::string>& paths, const Reading& reading = {});

/// Returns the ID of the job to which a part belongs, or nothing if the file is not a readable part.
std::optional<std::uint64_t> job_of_part(const std::string& path);

/// Returns "NAME" for a path "NAME.RANK.part", and nothing for other names.
std::optional<std::string> job_name(const std::string& path);

/// Reads a job file from memory. `file` is the name in error messages.
JobLog parse_own_log(std::span<const std::byte> bytes, const std::string& file);

/// Combines the ranks of one job, which may be in any order and incomplete. Throws InputError that names `place` if
/// ranks belong to different jobs or a rank occurs twice.
JobLog join_ranks(std::vector<RankRecord> ranks, const std::string& place);

}  // namespace haichi
