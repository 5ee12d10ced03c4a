#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Reads a text file whole; throws InputError naming it when it cannot be read, is a directory, has a NUL byte, or is
/// larger than `largest_bytes`. "-" is standard input.
std::string read_file(const std::string& path, std::size_t largest_bytes);

/// Describes an error in a JSON text at the place where `token` was read: the message of nlohmann's exception `id`
/// without its position. That message quotes the whole token, which may be long or badly encoded; this one shows its
/// end only.
std::string json_error_text(int id, std::string_view message, std::string_view token);

/// A small JSON document that remembers the line of every value, so that errors about its content can name it.
/// Duplicate keys, trailing text, invalid UTF-8 and nesting deeper than 64 are errors.
class LocatedJson {
  public:
    /// Throws InputError with file and line.
    static LocatedJson parse(std::string_view text, std::string file);
    static LocatedJson read(const std::string& path);

    [[nodiscard]] const nlohmann::json& root() const { return *root_; }
    /// It is an object with this key.
    [[nodiscard]] bool has(const std::string& key) const;
    [[nodiscard]] const std::string& file() const { return file_; }

    /// Place of the value at a JSON pointer such as "/link/bandwidth"; that of the nearest enclosing value if absent.
    [[nodiscard]] SourcePlace place(const std::string& pointer) const;

  private:
    std::shared_ptr<const nlohmann::json> root_;  ///< copies share it
    std::string file_;
    std::map<std::string, std::size_t> line_of_pointer_;
};

}  // namespace haichi
