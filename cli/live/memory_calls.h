#pragma once

namespace haichi::cli {

/// Neither the program nor what is preloaded has an allocator of its own: what ranks ask for comes by our names.
[[nodiscard]] bool allocator_is_of_libc();

}  // namespace haichi::cli
