#pragma once

namespace haichi::cli {

/// For commands whose part this build lacks: the first command of the README builds without them, and a build has none
/// of live programs where MPICH is not installed.
inline constexpr const char* kPartHint = "build it: scripts/bootstrap.sh --all && cmake --workflow --preset release";

}  // namespace haichi::cli
