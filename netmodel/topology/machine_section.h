#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/located_json.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// One object of the file. Its keys are checked when it is opened, its values when they are read.
class MachineSection {
  public:
    MachineSection(const LocatedJson& file, std::string pointer, const std::vector<std::string>& keys);

    [[nodiscard]] bool has(const std::string& key) const;
    [[nodiscard]] std::string pointer(const std::string& key) const { return pointer_ + "/" + key; }
    [[nodiscard]] SourcePlace place() const { return file_.place(pointer_); }
    [[nodiscard]] SourcePlace place(const std::string& key) const { return file_.place(pointer(key)); }
    [[nodiscard]] const LocatedJson& file() const { return file_; }

    [[nodiscard]] const nlohmann::json& required(const std::string& key) const;

    [[nodiscard]] std::string text(const std::string& key) const;

    [[nodiscard]] std::int32_t integer(const std::string& key, std::int32_t least, std::int32_t most) const {
        return integer_of(required(key), place(key), "'" + key + "'", least, most);
    }

    [[nodiscard]] static std::int32_t integer_of(const nlohmann::json& value, const SourcePlace& place,
                                                 const std::string& what, std::int32_t least, std::int32_t most);

    [[nodiscard]] const nlohmann::json& array(const std::string& key) const;

    [[nodiscard]] std::vector<std::int32_t> integers(const std::string& key) const;

    using Parse = std::int64_t (*)(std::string_view, const SourcePlace&);
    /// Leaves `target` empty if the key is absent.
    void quantity(const std::string& key, Parse parse, std::optional<std::int64_t>& target) const {
        if (has(key)) target = parse(text(key), place(key));
    }

    [[noreturn]] void fail(const std::string& key, const std::string& expected, const nlohmann::json& value) const;

    static std::string text_of(const nlohmann::json& value);

  private:
    const LocatedJson& file_;
    std::string pointer_;
    const nlohmann::json& value_;
};

/// Runs `make` and adds a place in the file to the OptionErrors of topologies and routings.
template <class Make>
auto placed(const SourcePlace& place, const Make& make) {
    try {
        return make();
    } catch (const OptionError& error) {
        throw InputError(place, error.what(), error.hint());
    }
}

}  // namespace haichi
