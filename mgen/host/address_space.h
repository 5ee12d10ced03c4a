#pragma once

#include <cstddef>

namespace haichi::host {

[[nodiscard]] std::size_t page_bytes();
/// The maximum number of memory mappings per process that the kernel allows.
[[nodiscard]] std::size_t most_mappings();

}  // namespace haichi::host
