#include "base/json_text.h"

#include <nlohmann/json.hpp>

namespace haichi {

namespace {

template <class Json>
std::string replaced_text(const Json& value, int indent, bool is_ascii) {
    return value.dump(indent, ' ', is_ascii, Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::json& value, int indent) { return replaced_text(value, indent, false); }

std::string json_text(const nlohmann::ordered_json& value, int indent) { return replaced_text(value, indent, false); }

std::string quoted_json(std::string_view text) { return json_text(nlohmann::json(text)); }

std::string ascii_json_text(const nlohmann::json& value) { return replaced_text(value, -1, true); }

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::ordered_json parse_ordered_json(std::string_view text) { return nlohmann::ordered_json::parse(text); }

}  // namespace haichi
