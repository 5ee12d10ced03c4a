#include "netmodel/networkfiles/slurm_topology.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/host_list.h"
#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/networkfiles/graph_builder.h"
#include "netmodel/networkfiles/slurm_model.h"
#include "netmodel/networkfiles/slurm_yaml.h"

namespace haichi {

namespace {

std::string lower(std::string_view text) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return word;
}

/// The KEY=VALUE words of one line of topology.conf. Keys are converted to lower case, because Slurm ignores case.
class ConfigLine {
  public:
    ConfigLine(std::string_view text, SourcePlace place) : place_(std::move(place)) {
        while (!(text = trimmed(text)).empty()) {
            const auto equals = text.find_first_of("= \t");
            if (equals == std::string_view::npos || text[equals] != '=') {
                throw InputError(place_, "expected KEY=VALUE, found " + shown(text.substr(0, equals)),
                                 lower(text).starts_with("include") ? "put the included file's lines into this file"
                                                                    : "lines begin with SwitchName= or BlockName=");
            }
            const std::string key = lower(text.substr(0, equals));
            text.remove_prefix(equals + 1);
            const bool is_quoted = text.starts_with('"');
            if (is_quoted) text.remove_prefix(1);
            const auto end = text.find_first_of(is_quoted ? "\"" : " \t");
            if (!values_.try_emplace(key, text.substr(0, end)).second) {
                throw InputError(place_, "duplicate key " + shown(key));
            }
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + (is_quoted ? 1 : 0));
        }
    }

    [[nodiscard]] bool empty() const { return values_.empty(); }
    [[nodiscard]] const SourcePlace& place() const { return place_; }
    [[nodiscard]] std::optional<std::string_view> value(const std::string& key) const {
        const auto found = values_.find(key);
        if (found == values_.end()) return std::nullopt;
        return found->second;
    }
    [[nodiscard]] std::vector<std::string> names(const std::string& key, SlurmNames& names) const {
        const auto list = value(key);
        return list ? names.expand(*list, place_) : std::vector<std::string>{};
    }
    /// Throws InputError for a key that is not in the list.
    void check_keys(const std::vector<std::string>& known) const {
        for (const auto& [key, value] : values_) {
            if (std::ranges::find(known, key) != known.end()) continue;
            throw InputError(place_, "unknown key " + shown(key), near_or_all(key, known, "keys are "));
        }
    }

  private:
    SourcePlace place_;
    std::map<std::string, std::string_view> values_;
};

SlurmSwitch switch_of(const ConfigLine& line, SlurmNames& names) {
    line.check_keys({"switchname", "switches", "nodes", "linkspeed", "level"});
    SlurmSwitch read{.name = std::string(*line.value("switchname")), .place = line.place()};
    read.children = line.names("switches", names);
    read.nodes = line.names("nodes", names);
    if (const auto speed = line.value("linkspeed")) read.link_speed = parse_count(*speed, UINT32_MAX, line.place());
    return read;
}

}  // namespace

bool is_slurm_topology(std::string_view text) {
    if (is_slurm_yaml(text)) return true;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (line.empty() || line.front() == '#') continue;
        const std::string word = lower(line.substr(0, 16));
        return word.starts_with("switchname=") || word.starts_with("blockname=") || word.starts_with("blocksizes=");
    }
    return false;
}

Graph read_slurm_topology(const NetworkText& from) {
    if (is_slurm_yaml(from.text)) return read_slurm_yaml(from);
    SlurmTree tree;
    SlurmBlocks blocks;
    SlurmNames names;
    std::size_t number = 0;
    std::string whole;  // a line, joined with its continuation lines
    std::size_t first = 0;
    for (std::string_view line : split(from.text, '\n')) {
        ++number;
        line = trimmed(line.substr(0, line.find('#')));
        if (whole.empty()) first = number;
        const bool goes_on = line.ends_with('\\');
        if (goes_on) line.remove_suffix(1);
        whole.append(line).append(" ");
        if (goes_on) continue;
        const ConfigLine words(whole, {from.file, first});
        if (words.value("switchname")) {
            tree.switches.push_back(switch_of(words, names));
        } else if (words.value("blockname")) {
            words.check_keys({"blockname", "nodes", "blockindex", "blocksize"});
            blocks.blocks.push_back(
                {std::string(*words.value("blockname")), words.names("nodes", names), words.place()});
            if (const auto size = words.value("blocksize"); size && blocks.sizes.empty()) {
                blocks.sizes = {parse_count(*size, INT32_MAX, words.place())};
                blocks.place_of_sizes = words.place();
            }
        } else if (const auto sizes = words.value("blocksizes")) {
            words.check_keys({"blocksizes"});
            blocks.sizes.clear();
            blocks.place_of_sizes = words.place();
            for (const std::string_view size : split(*sizes, ',')) {
                blocks.sizes.push_back(parse_count(trimmed(size), INT32_MAX, words.place()));
            }
        } else if (words.value("aggregatedblock")) {
            // scontrol prints the larger blocks again, with all their nodes.
            const std::int64_t size = parse_count(words.value("blocksize").value_or("0"), INT32_MAX, words.place());
            if (size > 0 && std::ranges::find(blocks.sizes, size) == blocks.sizes.end()) blocks.sizes.push_back(size);
            blocks.place_of_sizes = words.place();
        } else if (!words.empty()) {
            throw InputError(words.place(), "expected SwitchName= or BlockName=, found " + shown(trimmed(whole)));
        }
        whole.clear();
    }
    if (!tree.switches.empty() && !blocks.blocks.empty()) {
        throw InputError(blocks.blocks.front().place, "the file has switches as well as blocks",
                         "keep the lines of the plugin that the site uses");
    }
    return tree.switches.empty() ? graph_of(std::move(blocks), from) : graph_of(std::move(tree), from);
}

}  // namespace haichi
