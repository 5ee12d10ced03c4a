#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// Reads the modules, regions and call sites of a part, and adds up the call sites of several threads. Call it after
/// the functions were read. The header must already be validated. Throws InputError for call sites with unknown
/// functions, communicators or regions.
void read_sites(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place);

/// Throws InputError if an index of a call site is out of range.
void check_sites(const RankProfile& profile, std::size_t communicators, const std::string& place);

}  // namespace haichi
