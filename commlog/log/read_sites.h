#pragma once

#include <string>

#include "commlog/log/job_log.h"

namespace haichi {

/// Reads the modules, regions and sites of a part, after its functions, and adds up the sites of several threads. The
/// header must have been checked. Throws InputError for sites with missing functions, communicators or regions.
void read_sites(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place);

/// Throws InputError if an index of a site is out of range.
void check_sites(const RankProfile& profile, std::size_t communicators, const std::string& place);

}  // namespace haichi
