#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/errors.h"
#include "base/host_list.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// The host names of a job's nodes, in node order. A value type.
class HostNames {
  public:
    /// Reads the value of `--hosts`: a pattern if it contains "%" or looks_like_host_list(), otherwise a file with
    /// names or lists of names, one per line. In a file, "#" starts a comment, and "-" is standard input.
    ///
    /// A pattern is a list of names as in expand_host_list(), or a name with one decimal conversion, "node%04d", which
    /// counts from 0.
    ///
    /// Throws OptionError or InputError for invalid host names, for duplicates, and if the number of names is not
    /// `nodes`.
    static HostNames read(const std::string& file_or_pattern, std::int32_t nodes);
    /// Parses a file's text. Errors name `file`.
    static HostNames parse_list(std::string_view text, const std::string& file, std::int32_t nodes);
    static HostNames parse_pattern(const std::string& pattern, std::int32_t nodes);
    /// Takes the names in node order.
    static HostNames of(std::vector<std::string> names, std::int32_t nodes);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::string& name(NodeId node) const { return names_[node.index()]; }
    /// Returns an invalid id when no node has that name.
    [[nodiscard]] NodeId node(std::string_view name) const;

  private:
    HostNames(std::vector<std::string> names, const std::vector<SourcePlace>& places);

    std::vector<std::string> names_;
    std::unordered_map<std::string, NodeId> node_of_name_;  ///< for look-ups only; its order is never used
};

}  // namespace haichi
