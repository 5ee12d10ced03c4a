#include "mapper/rankmap/job_script.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/quantity.h"
#include "base/split.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"
#include "netmodel/topology/grid.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::int64_t kMostProcesses = std::int64_t{1} << 31;

/// The words of a shell line up to a comment. Quoted text stays one word. Throws InputError for an unterminated quote.
std::vector<std::string> shell_words(std::string_view line, const SourcePlace& place) {
    std::vector<std::string> words;
    bool inside = false;  // inside a word
    char quote = '\0';
    for (const char c : line) {
        if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
            } else {
                words.back() += c;
            }
            continue;
        }
        if (kBlanks.find(c) != std::string_view::npos) {
            inside = false;
            continue;
        }
        if (!inside && c == '#') break;
        if (!inside) words.emplace_back();
        inside = true;
        if (c == '"' || c == '\'') {
            quote = c;
        } else {
            words.back() += c;
        }
    }
    if (quote != '\0') throw InputError(place, "unterminated quote " + std::string(1, quote) + " in " + shown(line));
    return words;
}

bool has_variable(std::string_view value) { return value.find_first_of("$`") != std::string_view::npos; }

/// The number from 1 to `most` in the text. Empty for any other text.
std::optional<std::int64_t> positive_count(std::string_view text, std::int64_t most) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most) return std::nullopt;
    return count;
}

/// Parses "8", "8x6" or "8x6x4".
std::vector<std::int32_t> parse_node_shape(std::string_view text, const SourcePlace& place) {
    constexpr std::size_t kMostDimensions = 3;
    std::vector<std::int32_t> sizes;
    for (const std::string_view part : split(text, 'x')) {
        if (sizes.size() == kMostDimensions) throw InputError(place, shown(text) + " has more than 3 dimensions");
        const std::optional<std::int64_t> size = positive_count(part, kMostVertices);
        if (!size) {
            throw InputError(place, "invalid size " + shown(part) + " in " + shown(text) + " (expected 1 to " +
                                        std::to_string(kMostVertices) + ")");
        }
        sizes.push_back(static_cast<std::int32_t>(*size));
    }
    return sizes;
}

/// A directive of another scheduler. The prefix must be a whole word: "#PBS -N job" is a directive, "#PBSX" is not.
struct ForeignDirective {
    std::string_view prefix;
    std::string_view scheduler;
};
constexpr std::array<ForeignDirective, 5> kForeignDirectives = {
    {{"#SBATCH", "Slurm"}, {"#PBS", "PBS"}, {"#BSUB", "LSF"}, {"#FLUX:", "Flux"}, {"#$", "Grid Engine"}}};

std::string_view scheduler_of(std::string_view line) {
    for (const auto& [prefix, scheduler] : kForeignDirectives) {
        if (!line.starts_with(prefix) || line.size() == prefix.size()) continue;
        if (kBlanks.find(line[prefix.size()]) != std::string_view::npos) return scheduler;
    }
    return "";
}

class ScriptReader {
  public:
    explicit ScriptReader(JobScript& script) : script_(script) {}

    void read_line(std::string_view line, const SourcePlace& place) {
        place_ = place;
        if (foreign_.empty() && !scheduler_of(line).empty()) {
            foreign_ = scheduler_of(line);
            foreign_place_ = place;
            foreign_line_ = line;
        }
        bool is_directive = false;
        try {
            if (line.starts_with("#PJM") && line.size() > 4 && kBlanks.find(line[4]) != std::string_view::npos) {
                script_.has_directives = true;
                is_directive = true;
                read_directive(shell_words(line.substr(4), place));
            } else if (line.find("mpiexec") != std::string_view::npos ||
                       line.find("mpirun") != std::string_view::npos) {
                read_command(shell_words(line, place));
            }
        } catch (const InputError& error) {
            if (is_directive) script_.has_unread_directive = true;
            note(error);
        }
    }

    /// Throws InputError if the script is for another scheduler.
    void check_scheduler() const {
        if (foreign_.empty() || script_.has_directives) return;
        throw InputError(foreign_place_,
                         "expected a PJM script with #PJM lines, found a " + std::string(foreign_) +
                             " script: " + shown(foreign_line_),
                         "leave out §job: jobs of " + std::string(foreign_) + " have no node shape");
    }

  private:
    void note(const InputError& error) {
        if (script_.problems.size() < kMostProblems) script_.problems.push_back(error);
    }

    /// Sets a parameter. It may be repeated only with the same value.
    template <class T>
    void set(std::optional<Located<T>>& kept, T value, std::string_view parameter) {
        if (!kept) {
            kept = Located<T>{std::move(value), place_};
        } else if (!(kept->value == value)) {
            throw InputError(place_,
                             shown(parameter) + " contradicts " +
                                 (kept->place.line == place_.line ? "an earlier parameter on the same line"
                                                                  : "line " + std::to_string(kept->place.line)));
        }
    }

    void read_directive(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::string_view option = words[i];
            std::string_view list;
            const auto takes_list = [&](std::string_view name) {
                if (option == name) {
                    if (i + 1 == words.size()) throw InputError(place_, std::string(name) + " requires a value");
                    list = words[++i];
                    return true;
                }
                const bool joined = option.starts_with(name) && option.size() > name.size() &&
                                    (name.size() == 2 || option[name.size()] == '=');
                if (joined) list = option.substr(name.size() + (name.size() == 2 ? 0 : 1));
                return joined;
            };
            if (takes_list("-L") || takes_list("--rsc-list")) {
                read_list(list, &ScriptReader::read_resource);
            } else if (takes_list("--mpi")) {
                read_list(list, &ScriptReader::read_mpi);
            }
        }
    }

    void read_list(std::string_view list, void (ScriptReader::*read)(std::string_view)) {
        for (const std::string_view parameter : split(list, ',')) {
            try {
                (this->*read)(parameter);
            } catch (const InputError& error) {
                note(error);
            }
        }
    }

    void read_resource(std::string_view parameter) {
        constexpr std::string_view kNode = "node=";
        constexpr std::string_view kGroup = "rscgrp=";
        if (parameter.starts_with(kGroup)) script_.resource_group = parameter.substr(kGroup.size());
        if (!parameter.starts_with(kNode)) return;
        script_.has_unread_node = true;
        if (has_variable(parameter)) return;
        const std::vector<std::string_view> parts = split(parameter.substr(kNode.size()), ':');
        NodeRequest node{.sizes = parse_node_shape(parts[0], place_), .allocation = ""};
        static const std::vector<std::string> kAllocations = {"torus", "mesh", "noncont"};
        static const std::vector<std::string> kStrictness = {"strict", "strict-io"};
        for (std::size_t i = 1; i < parts.size(); ++i) {
            if (std::ranges::find(kStrictness, parts[i]) != kStrictness.end()) {
                node.strictness = parts[i];
                continue;
            }
            if (std::ranges::find(kAllocations, parts[i]) == kAllocations.end()) {
                std::vector<std::string> known = kAllocations;
                known.insert(known.end(), kStrictness.begin(), kStrictness.end());
                const std::string near = did_you_mean(parts[i], known);
                throw InputError(place_, "unknown kind of allocation " + shown(parts[i]) + " in " + shown(parameter),
                                 near.empty() ? "use torus, mesh, noncont, strict or strict-io" : near);
            }
            if (!node.allocation.empty()) {
                throw InputError(
                    place_, shown(parameter) + " requests both " + node.allocation + " and " + std::string(parts[i]));
            }
            node.allocation = parts[i];
        }
        script_.has_unread_node = false;
        set(script_.node, std::move(node), parameter);
    }

    void read_mpi(std::string_view parameter) {
        static const std::vector<std::string> kKnown = {"shape",
                                                        "proc",
                                                        "max-proc-per-node",
                                                        "rank-map-hostfile",
                                                        "rank-map-bynode",
                                                        "rank-map-bychip",
                                                        "assign-online-node",
                                                        "use-rankdir"};
        const auto end = parameter.find_first_of("=:");
        const std::string_view name = parameter.substr(0, end);
        const std::string_view value = end == std::string_view::npos ? std::string_view{} : parameter.substr(end + 1);
        if (std::ranges::find(kKnown, name) == kKnown.end()) {
            const std::string near = did_you_mean(name, kKnown);
            if (!near.empty()) throw InputError(place_, "unknown MPI parameter " + shown(name), near);
            return;
        }
        if (name == "rank-map-bynode" || name == "rank-map-bychip") {
            return set(script_.rank_rule, std::string(parameter), parameter);
        }
        if (name == "rank-map-hostfile") {
            if (value.empty()) throw InputError(place_, "rank-map-hostfile requires a file");
            return set(script_.host_file, std::string(value), parameter);
        }
        if (name == "proc") script_.has_unread_proc = true;
        if (has_variable(value)) return;
        if (name == "shape") return set(script_.shape, parse_node_shape(value, place_), parameter);
        if (name != "proc" && name != "max-proc-per-node") return;
        const std::optional<std::int64_t> count = positive_count(value, kMostProcesses);
        if (!count) {
            throw InputError(place_, "invalid parameter " + shown(parameter) + " (expected 1 to " +
                                         std::to_string(kMostProcesses) + ")");
        }
        if (name == "proc") script_.has_unread_proc = false;
        set(name == "proc" ? script_.proc : script_.max_proc_per_node, *count, parameter);
    }

    /// Reads the options of mpiexec up to the program.
    void read_command(const std::vector<std::string>& words) {
        static constexpr std::array<std::string_view, 15> kWithValue = {
            "-stdin",   "-stdout", "-stderr", "-std",  "-of",       "-ofout",       "-oferr",      "-std-proc",
            "-of-proc", "-x",      "-wdir",   "-path", "-ofprefix", "-stdout-proc", "-stderr-proc"};
        auto at = std::ranges::find_if(words, [](const std::string& word) {
            const std::string_view command = std::string_view(word).substr(word.rfind('/') + 1);
            return command == "mpiexec" || command == "mpirun";
        });
        if (at == words.end()) return;
        MpiexecCall call{place_, {}, {}};
        for (++at; at != words.end() && at->starts_with('-'); ++at) {
            std::string option = at->starts_with("--") ? at->substr(1) : *at;
            std::string value;
            const auto sign = option.find('=');
            const bool is_joined = sign != std::string::npos;
            if (is_joined) {
                value = option.substr(sign + 1);
                option.resize(sign);
            }
            const bool is_count = option == "-n" || option == "-np";
            const bool is_file = option == "-vcoordfile";
            int values = option == "-mca" ? 2 : 0;
            if (is_count || is_file || std::ranges::find(kWithValue, option) != kWithValue.end()) values = 1;
            for (int v = is_joined ? 1 : 0; v < values; ++v) {
                if (++at == words.end()) throw InputError(place_, option + " requires a value");
                value = *at;
            }
            if (is_count && !has_variable(value)) call.ranks = parse_count(value, kMostProcesses, place_);
            if (is_file) call.coordinate_file = value;
        }
        script_.calls.push_back(std::move(call));
    }

    JobScript& script_;
    SourcePlace place_;
    std::string_view foreign_;  ///< the scheduler of the first directive that is not PJM's
    SourcePlace foreign_place_;
    std::string foreign_line_;
};

}  // namespace

std::string to_text(const NodeRequest& node) {
    return "node=" + sizes_text(node.sizes) + (node.allocation.empty() ? "" : ":" + node.allocation) +
           (node.strictness.empty() ? "" : ":" + node.strictness);
}

JobScript parse_job_script(std::string_view text, const std::string& file) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        throw InputError(file + ": expected a job script, found an empty file");
    }
    JobScript script;
    script.file = file;
    ScriptReader reader(script);
    SourcePlace place{file, 0};
    std::string command;  // lines that end with a backslash continue
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        ++place.line;
        check_line_end(line, place);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.ends_with('\\') && !line.starts_with('#')) {
            command += line.substr(0, line.size() - 1);
            continue;
        }
        command += line;
        reader.read_line(command, place);
        command.clear();
    }
    if (!command.empty()) reader.read_line(command, place);
    reader.check_scheduler();
    return script;
}

}  // namespace haichi
