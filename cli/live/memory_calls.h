#pragma once

namespace haichi::cli {

/// Whether neither the program nor a preloaded library has its own allocator, so that the calls of ranks reach haichi.
[[nodiscard]] bool allocator_is_of_libc();

}  // namespace haichi::cli
