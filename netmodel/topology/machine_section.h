#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/located_json.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// One object of the file: its keys are checked when it is opened, its values when they are asked for.
class MachineSection {
  public:
    MachineSection(const LocatedJson& file, std::string pointer, const std::vector<std::string>& keys)
        : file_(file), pointer_(std::move(pointer)), value_(file.root().at(nlohmann::json::json_pointer(pointer_))) {
        const std::string what = pointer_.empty() ? "a machine file" : shown(pointer_.substr(1));
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

    [[nodiscard]] bool has(const std::string& key) const { return value_.contains(key); }
    [[nodiscard]] std::string pointer(const std::string& key) const { return pointer_ + "/" + key; }
    [[nodiscard]] SourcePlace place() const { return file_.place(pointer_); }
    [[nodiscard]] SourcePlace place(const std::string& key) const { return file_.place(pointer(key)); }
    [[nodiscard]] const LocatedJson& file() const { return file_; }

    [[nodiscard]] const nlohmann::json& required(const std::string& key) const {
        if (!has(key)) throw InputError(place(), "key " + shown(key) + " is missing");
        return value_.at(key);
    }

    [[nodiscard]] std::string text(const std::string& key) const {
        const nlohmann::json& value = required(key);
        if (!value.is_string()) fail(key, "a string", value);
        return value.get<std::string>();
    }

    [[nodiscard]] std::int32_t integer(const std::string& key, std::int32_t least, std::int32_t most) const {
        return integer_of(required(key), place(key), "'" + key + "'", least, most);
    }

    [[nodiscard]] static std::int32_t integer_of(const nlohmann::json& value, const SourcePlace& place,
                                                 const std::string& what, std::int32_t least, std::int32_t most) {
        const bool in_range = value.is_number_unsigned()
                                  ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                  : value.is_number_integer() && value.get<std::int64_t>() <= most;
        if (!value.is_number_integer() || !in_range || value.get<std::int64_t>() < least) {
            throw InputError(place, what + " must be a whole number from " + std::to_string(least) + " to " +
                                        std::to_string(most) + ", not " + text_of(value));
        }
        return static_cast<std::int32_t>(value.get<std::int64_t>());
    }

    [[nodiscard]] const nlohmann::json& array(const std::string& key) const {
        const nlohmann::json& value = required(key);
        if (!value.is_array() || value.empty()) fail(key, "a list that is not empty", value);
        return value;
    }

    [[nodiscard]] std::vector<std::int32_t> integers(const std::string& key) const {
        std::vector<std::int32_t> numbers;
        for (const nlohmann::json& value : array(key)) {
            const std::string at = key + "/" + std::to_string(numbers.size());
            numbers.push_back(
                integer_of(value, place(at), "'" + key + "'", 1, static_cast<std::int32_t>(kMostVertices)));
        }
        return numbers;
    }

    using Parse = std::int64_t (*)(std::string_view, const SourcePlace&);
    /// Leaves `target` empty when the key is absent.
    void quantity(const std::string& key, Parse parse, std::optional<std::int64_t>& target) const {
        if (has(key)) target = parse(text(key), place(key));
    }

    [[noreturn]] void fail(const std::string& key, const std::string& expected, const nlohmann::json& value) const {
        throw InputError(place(key), shown(key) + " must be " + expected + ", not " + text_of(value));
    }

    static std::string text_of(const nlohmann::json& value) {
        return shown(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    }

  private:
    const LocatedJson& file_;
    std::string pointer_;
    const nlohmann::json& value_;
};

/// Runs `make` and gives the OptionErrors of topologies and routings a place in the file.
template <class Make>
auto placed(const SourcePlace& place, const Make& make) {
    try {
        return make();
    } catch (const OptionError& error) {
        throw InputError(place, error.what(), error.hint());
    }
}

}  // namespace haichi
