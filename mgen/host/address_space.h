#pragma once

#include <cstddef>

namespace haichi::host {

[[nodiscard]] std::size_t page_bytes();
/// Parts of the address space that the kernel lets a process have.
[[nodiscard]] std::size_t most_mappings();

}  // namespace haichi::host
