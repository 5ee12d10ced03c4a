#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// A value of a YAML document and its position in the file.
struct YamlValue {
    enum class Kind : std::uint8_t { kNothing, kText, kList, kMap };

    Kind kind = Kind::kNothing;
    SourcePlace place{};
    std::string text{};                                        ///< a scalar without its quotes
    std::vector<YamlValue> items{};                            ///< items of a list
    std::vector<std::pair<std::string, YamlValue>> entries{};  ///< entries of a map, in the order of the file

    /// Null if this is not a map or has no such key.
    [[nodiscard]] const YamlValue* find(std::string_view key) const;
    /// The value at a key. Throws InputError if it is missing.
    [[nodiscard]] const YamlValue& at(std::string_view key) const;
    /// The items of the list at a key; none if the key is missing. Throws InputError for another kind of value.
    [[nodiscard]] const std::vector<YamlValue>& list(std::string_view key) const;
    /// The scalar at a key. Throws InputError if it is missing or of another kind.
    [[nodiscard]] const std::string& text_at(std::string_view key) const;
    /// Throws InputError for a key that is not in the list.
    void check_keys(const std::vector<std::string>& known) const;
};

/// Reads one document; aliases are copies of their values. Throws InputError with file and line for an invalid
/// document, a second one, duplicate keys, keys that are not strings, and nesting deeper than 32.
YamlValue read_yaml(std::string_view text, const std::string& file);

}  // namespace haichi
