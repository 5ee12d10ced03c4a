#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Reads a whole text file; "-" is standard input. Throws InputError naming the file if it is unreadable, a directory,
/// contains a NUL byte, or is larger than `largest_bytes`.
std::string read_file(const std::string& path, std::size_t largest_bytes);

/// Describes an error in a JSON text where the parser read `token`. The result is the message of nlohmann's exception
/// `id` without its position. That message quotes the whole token, which may be long or badly encoded; the result shows
/// only the end of the token.
std::string json_error_text(int id, std::string_view message, std::string_view token);

/// A small JSON document with the line of every value, so that errors about its content can name the line. Duplicate
/// keys, trailing text, invalid UTF-8 and nesting deeper than 64 are errors.
class LocatedJson {
  public:
    /// Throws InputError with file and line.
    static LocatedJson parse(std::string_view text, std::string file);
    static LocatedJson read(const std::string& path);

    [[nodiscard]] const nlohmann::json& root() const { return *root_; }
    /// True for an object with this key.
    [[nodiscard]] bool has(const std::string& key) const;
    [[nodiscard]] const std::string& file() const { return file_; }

    /// Place of the value at a JSON pointer such as "/link/bandwidth". If it is absent, place of the nearest enclosing
    /// value.
    [[nodiscard]] SourcePlace place(const std::string& pointer) const;

  private:
    std::shared_ptr<const nlohmann::json> root_;  ///< shared by copies
    std::string file_;
    std::map<std::string, std::size_t> line_of_pointer_;
};

}  // namespace haichi
