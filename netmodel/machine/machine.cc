#include "netmodel/machine/machine.h"

#include <filesystem>

#include "base/errors.h"
#include "base/located_json.h"

namespace haichi {

Machine load_machine(const std::string& name_or_path) {
    if (std::optional<Machine> preset = preset_machine(name_or_path)) return *std::move(preset);
    std::error_code ignored;
    const bool is_file = name_or_path == "-" || std::filesystem::exists(name_or_path, ignored);
    const bool looks_like_file = name_or_path.find_first_of("/.") != std::string::npos;
    if (!is_file && !looks_like_file) {
        const std::string near = did_you_mean(name_or_path.substr(0, name_or_path.find(':')), preset_words());
        throw OptionError("unknown machine " + shown(name_or_path),
                          near.empty() ? "a machine is a preset (see 'haichi list machines') or a machine file" : near);
    }
    constexpr std::size_t kLargestBytes = std::size_t{64} << 20;
    return parse_machine(read_file(name_or_path, kLargestBytes), name_or_path);
}

}  // namespace haichi
