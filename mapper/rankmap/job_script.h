#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// A value and its location.
template <class T>
struct Located {
    T value{};
    SourcePlace place{};
};

/// The request in "#PJM -L node=8x6x4:torus:strict".
struct NodeRequest {
    std::vector<std::int32_t> sizes;  ///< 1 to 3 sizes
    std::string allocation;           ///< "torus", "mesh", "noncont", or "" for the resource group's default
    std::string strictness{};         ///< "strict" or "strict-io" if PJM must not rotate the request, otherwise ""
    friend bool operator==(const NodeRequest&, const NodeRequest&) = default;
};

/// "node=8x6x4:torus:strict"
std::string to_text(const NodeRequest& node);

/// A line that starts the program.
struct MpiexecCall {
    SourcePlace place;
    std::optional<std::int64_t> ranks;           ///< -n; empty if it is missing or holds a variable
    std::optional<std::string> coordinate_file;  ///< --vcoordfile
};

/// The nodes, processes and rank map in a PJM job script. Other options are ignored.
struct JobScript {
    std::string file;
    bool has_directives = false;  ///< has any "#PJM" line
    std::string resource_group;   ///< rscgrp, "" if it is missing
    std::optional<Located<NodeRequest>> node;
    bool has_unread_node = false;                             ///< true if node= contains a variable or an error
    std::optional<Located<std::vector<std::int32_t>>> shape;  ///< shape of the static processes
    std::optional<Located<std::int64_t>> proc;
    bool has_unread_proc = false;       ///< a proc= with a variable or an error
    bool has_unread_directive = false;  ///< a "#PJM" line with an error, such as an unclosed quote
    std::optional<Located<std::int64_t>> max_proc_per_node;
    std::optional<Located<std::string>> host_file;  ///< rank-map-hostfile
    std::optional<Located<std::string>> rank_rule;  ///< "rank-map-bynode" or "rank-map-bychip", with its axes
    std::vector<MpiexecCall> calls;
    std::vector<InputError> problems;  ///< errors that PJM would reject, at most 100
};

/// Reads the "#PJM" lines (-L and --rsc-list, --mpi) and the mpiexec lines of a job script. Errors in lines go to
/// `problems` and are not thrown. Throws InputError for a script of another scheduler. O(length of the text).
JobScript parse_job_script(std::string_view text, const std::string& file);

}  // namespace haichi
