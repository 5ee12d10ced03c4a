#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/errors.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// The host names of a job's nodes, in node order. A value.
class HostNames {
  public:
    /// What `--hosts` takes: a pattern, recognised by a "[" or "%" in it, or a file with one name per line ("#" starts
    /// a comment, "-" is standard input). Patterns: a list with ranges as Slurm writes it, "node[000-095]" or
    /// "rack[1-2]n[00-07,9],gpu1" (of several ranges in one name the last is the fastest), or a name with one decimal
    /// conversion, "node%04d", which counts from 0. Throws OptionError or InputError for names that cannot be host
    /// names, names that stand twice, and another number of names than `nodes`.
    static HostNames read(const std::string& file_or_pattern, std::int32_t nodes);
    /// A file's text; `file` names it in errors.
    static HostNames parse_list(std::string_view text, const std::string& file, std::int32_t nodes);
    static HostNames parse_pattern(const std::string& pattern, std::int32_t nodes);
    /// The names themselves, in node order.
    static HostNames of(std::vector<std::string> names, std::int32_t nodes);

    [[nodiscard]] const std::string& name(NodeId node) const { return names_[node.index()]; }
    /// Invalid id when no node has that name.
    [[nodiscard]] NodeId node(std::string_view name) const;

  private:
    HostNames(std::vector<std::string> names, const std::vector<SourcePlace>& places);

    std::vector<std::string> names_;
    std::unordered_map<std::string, NodeId> node_of_name_;  ///< only looked up, never gone through
};

/// The part of a list before its next comma outside brackets; `list` is left with what follows the comma.
std::string_view next_host_entry(std::string_view& list);

/// The names that a list with ranges stands for, in order. Throws InputError at `place` for what is no such list, for
/// names that cannot be host names, and for more than `most` names. O(names).
std::vector<std::string> expand_host_list(std::string_view list, std::int64_t most, const SourcePlace& place);

}  // namespace haichi
