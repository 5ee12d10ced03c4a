#pragma once

namespace haichi::cli {

/// The hint for commands of a part that this build lacks. The first command in the README builds without some parts.
/// Live programs are not built if MPICH is not installed.
inline constexpr const char* kPartHint = "build it: scripts/bootstrap.sh --all && cmake --workflow --preset release";

}  // namespace haichi::cli
