#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace haichi {

// These functions are compiled once. Each file that uses the templates of nlohmann's parser and writer would take
// seconds more to compile.

/// The text of a JSON value, by default on one line. Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);
/// The text of a JSON string, with its quotes.
std::string quoted_json(std::string_view text);
/// The text of a JSON value on one line, with escapes for all characters outside ASCII.
std::string ascii_json_text(const nlohmann::json& value);

/// Parses a text that haichi wrote. Throws nlohmann::json::exception. For other texts, use LocatedJson.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

}  // namespace haichi
