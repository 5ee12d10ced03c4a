#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace haichi {

/// The tag that HAICHI_PLUGIN_OBJECTIVES puts into a shared library (include/haichi/plugin.h), or nothing if it has
/// none. Reads the bytes of the file, so no code of the library runs. `path` is used only in error messages. The file
/// is not trusted.
///
/// Throws InputError for files that are not ELF files or are damaged, and UnsupportedError for libraries for another
/// processor.
std::optional<std::string> plugin_tag(std::span<const std::byte> bytes, const std::string& path);

}  // namespace haichi
