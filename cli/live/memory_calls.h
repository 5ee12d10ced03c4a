#pragma once

namespace haichi::cli {

/// Whether calls of the allocator reach haichi. They do unless the program or a preloaded library has its own
/// allocator.
[[nodiscard]] bool allocator_is_of_libc();

}  // namespace haichi::cli
