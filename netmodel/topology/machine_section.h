#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "netmodel/topology/bandwidth.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// A kind of quantity in machine files, with the range of its values.
struct QuantityRange {
    std::int64_t (*parse)(std::string_view, const SourcePlace&) = nullptr;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::string_view text{};  ///< the range with units
};
inline constexpr QuantityRange kBandwidths{parse_bandwidth_bytes_per_s, 1000, kLargestBandwidth, "1 kB/s to 1000 TB/s"};
inline constexpr QuantityRange kTimes{parse_time_ps, 0, 1'000'000'000'000, "0 to 1 s"};
/// A limit for message sizes may be 0 bytes. A buffer must have at least 1 byte.
inline constexpr QuantityRange kMessageSizes{parse_bytes, 0, std::int64_t{1} << 48, "0 to 256 TiB"};
inline constexpr QuantityRange kBufferSizes{parse_bytes, 1, std::int64_t{1} << 40, "1 B to 1 TiB"};

/// One object of the file. Its keys are checked when it is opened, its values when they are read. Messages name a key
/// by its whole path: "topology.bridges.shared_bus".
class MachineSection {
  public:
    MachineSection(const LocatedJson& file, std::string pointer, const std::vector<std::string>& keys);

    [[nodiscard]] bool has(const std::string& key) const;
    [[nodiscard]] std::string pointer(const std::string& key) const { return pointer_ + "/" + key; }
    [[nodiscard]] SourcePlace place() const { return file_.place(pointer_); }
    [[nodiscard]] SourcePlace place(const std::string& key) const { return file_.place(pointer(key)); }
    [[nodiscard]] std::string path(const std::string& key) const;
    [[nodiscard]] const LocatedJson& file() const { return file_; }

    [[nodiscard]] const nlohmann::json& required(const std::string& key) const;

    [[nodiscard]] std::string text(const std::string& key) const;

    [[nodiscard]] std::int32_t integer(const std::string& key, std::int32_t least, std::int32_t most) const {
        return integer_of(required(key), key, least, most);
    }

    /// Parses the integer `value`, which is at `key` of this object or in a list there.
    [[nodiscard]] std::int32_t integer_of(const nlohmann::json& value, const std::string& key, std::int32_t least,
                                          std::int32_t most) const;

    [[nodiscard]] const nlohmann::json& array(const std::string& key) const;

    [[nodiscard]] std::vector<std::int32_t> integers(const std::string& key) const;

    [[nodiscard]] std::int64_t quantity(const std::string& key, const QuantityRange& range) const {
        return quantity_of(required(key), key, range);
    }
    /// Leaves `target` as it is if the key is absent.
    template <class Target>
    void quantity(const std::string& key, const QuantityRange& range, Target& target) const {
        if (has(key)) target = quantity(key, range);
    }
    /// Parses the quantity `value`, which is at `key` of this object or in a list there.
    [[nodiscard]] std::int64_t quantity_of(const nlohmann::json& value, const std::string& key,
                                           const QuantityRange& range) const;

    /// Creates an error about the value of `key`, with its position in the file.
    [[nodiscard]] InputError error(const std::string& key, const std::string& message,
                                   const std::string& hint = {}) const {
        return {place(key), path(key) + ": " + message, hint};
    }
    [[noreturn]] void fail(const std::string& key, const std::string& expected, const nlohmann::json& value) const;

    static std::string text_of(const nlohmann::json& value);

  private:
    const LocatedJson& file_;
    std::string pointer_;
    const nlohmann::json& value_;
};

/// Runs `make` and adds the key and its position to the OptionErrors of topologies and routings.
template <class Make>
auto placed(const MachineSection& section, const std::string& key, const Make& make) {
    try {
        return make();
    } catch (const OptionError& error) {
        throw section.error(key, error.what(), error.hint());
    }
}

}  // namespace haichi
