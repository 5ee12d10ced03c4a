#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Reads a whole text file; "-" is standard input. Throws InputError, naming the file, if it is unreadable, a
/// directory, larger than `largest_bytes`, or contains a NUL byte.
std::string read_file(const std::string& path, std::size_t largest_bytes);

/// Describes an error in a JSON text where the parser read `token`. The result is the message of nlohmann's exception
/// `id` without the position. nlohmann's message quotes the whole token, which may be long or badly encoded. The result
/// shows only the end of the token.
std::string json_error_text(int id, std::string_view message, std::string_view token);

/// A small JSON document with the line of every value, so that errors about a value can state its line. Duplicate keys,
/// trailing text, invalid UTF-8 and nesting deeper than 64 are errors.
class LocatedJson {
  public:
    /// Throws InputError with file and line.
    static LocatedJson parse(std::string_view text, std::string file);
    static LocatedJson read(const std::string& path);

    [[nodiscard]] const nlohmann::json& root() const { return *root_; }
    /// True if the root is an object with this key.
    [[nodiscard]] bool has(const std::string& key) const;
    [[nodiscard]] const std::string& file() const { return file_; }

    /// The place of the value at a JSON pointer such as "/link/bandwidth". If the value is absent, the place of the
    /// nearest enclosing value.
    [[nodiscard]] SourcePlace place(const std::string& pointer) const;

  private:
    std::shared_ptr<const nlohmann::json> root_;  ///< shared by copies
    std::string file_;
    std::map<std::string, std::size_t> line_of_pointer_;
};

}  // namespace haichi
