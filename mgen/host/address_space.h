#pragma once

#include <cstddef>

namespace haichi::host {

[[nodiscard]] std::size_t page_bytes();
/// The maximum number of mappings that the kernel allows a process.
[[nodiscard]] std::size_t most_mappings();

}  // namespace haichi::host
