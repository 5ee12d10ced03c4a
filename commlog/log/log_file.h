#pragma once

#include <span>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// A job file: kJobMagic, kPartVersion, kByteOrder (32 bits each), the number of records (64 bits), then each record's
/// length (64 bits) and bytes, padded to 8.
inline constexpr char kJobMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'J', 'L'};

/// Whether a file that begins like this is a job file or a part.
bool is_own_log(std::string_view prefix);

/// Reads a job file, or parts of one job (more are looked for beside the first: NAME.RANK.part). Warns of ranks without
/// a part, of processes that did not finish, and of tables that ran full. Throws InputError with file and offset.
JobLog read_own_log(const std::string& path);

}  // namespace haichi
