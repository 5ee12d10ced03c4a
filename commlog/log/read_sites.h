#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// Modules, regions and sites of a part, whose header has been checked, behind its functions; those of several threads
/// added up. Throws InputError for sites of functions, communicators or regions that are not there.
void read_sites(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place);

/// Throws InputError where an index of a site is out of range.
void check_sites(const RankProfile& profile, std::size_t communicators, const std::string& place);

}  // namespace haichi
