#include "netmodel/topology/machine_section.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "netmodel/topology/ids.h"

namespace haichi {

MachineSection::MachineSection(const LocatedJson& file, std::string pointer, const std::vector<std::string>& keys)
    : file_(file), pointer_(std::move(pointer)), value_(file.root().at(nlohmann::json::json_pointer(pointer_))) {
    const std::string name = path("");
    const std::string what = name.empty() ? "a machine file" : shown(name);
    if (!value_.is_object()) throw InputError(place(), what + " must be an object, not " + text_of(value_));
    for (const auto& item : value_.items()) {
        if (std::ranges::find(keys, item.key()) == keys.end()) {
            const std::string near = did_you_mean(item.key(), keys);
            std::string all;
            for (const std::string& key : keys) {
                if (!all.empty()) all += ", ";
                all += key;
            }
            throw InputError(place(item.key()), "unknown key " + shown(item.key()) + " in " + what,
                             near.empty() ? "keys are " + all : near);
        }
    }
}

std::string MachineSection::path(const std::string& key) const {
    std::string path = key.empty() ? pointer_ : pointer(key);
    std::ranges::replace(path, '/', '.');
    return path.empty() ? path : path.substr(1);
}

bool MachineSection::has(const std::string& key) const { return value_.contains(key); }

const nlohmann::json& MachineSection::required(const std::string& key) const {
    if (!has(key)) throw InputError(place(), "key " + shown(path(key)) + " is missing");
    return value_.at(key);
}

std::string MachineSection::text(const std::string& key) const {
    const nlohmann::json& value = required(key);
    if (!value.is_string()) fail(key, "a string", value);
    return value.get<std::string>();
}

std::int32_t MachineSection::integer_of(const nlohmann::json& value, const std::string& key, std::int32_t least,
                                        std::int32_t most) const {
    const bool in_range = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                     : value.is_number_integer() && value.get<std::int64_t>() <= most;
    if (!value.is_number_integer() || !in_range || value.get<std::int64_t>() < least) {
        fail(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most), value);
    }
    return static_cast<std::int32_t>(value.get<std::int64_t>());
}

const nlohmann::json& MachineSection::array(const std::string& key) const {
    const nlohmann::json& value = required(key);
    if (!value.is_array() || value.empty()) fail(key, "a non-empty list", value);
    return value;
}

std::vector<std::int32_t> MachineSection::integers(const std::string& key) const {
    std::vector<std::int32_t> numbers;
    for (const nlohmann::json& value : array(key)) {
        const std::string at = key + "/" + std::to_string(numbers.size());
        numbers.push_back(integer_of(value, at, 1, static_cast<std::int32_t>(kMostVertices)));
    }
    return numbers;
}

std::int64_t MachineSection::quantity_of(const nlohmann::json& value, const std::string& key,
                                         const QuantityRange& range) const {
    if (!value.is_string()) fail(key, "a string", value);
    const auto text = value.get<std::string>();
    std::int64_t number = 0;
    try {
        number = range.parse(text, {path(key), 0});
    } catch (const InputError& error) {
        throw InputError(place(key), error.what(), error.hint());  // the message begins with the path already
    }
    if (number < range.least || number > range.most) {
        throw InputError(place(key), "invalid '" + path(key) + "': " + shown(text), "use " + std::string(range.text));
    }
    return number;
}

void MachineSection::fail(const std::string& key, const std::string& expected, const nlohmann::json& value) const {
    throw InputError(place(key), shown(path(key)) + " must be " + expected + ", not " + text_of(value));
}

std::string MachineSection::text_of(const nlohmann::json& value) { return shown(ascii_json_text(value)); }

}  // namespace haichi
