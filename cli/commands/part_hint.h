#pragma once

namespace haichi::cli {

/// Hint for commands whose part this build lacks. The first command of the README builds without these parts, and live
/// programs are not built if MPICH is not installed.
inline constexpr const char* kPartHint = "build it: scripts/bootstrap.sh --all && cmake --workflow --preset release";

}  // namespace haichi::cli
