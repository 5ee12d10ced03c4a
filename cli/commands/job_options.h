#pragma once

#include <CLI/App.hpp>
#include <initializer_list>
#include <optional>
#include <string>

#include "cli/command_outputs.h"
#include "cli/output/console.h"
#include "mapper/rankmap/rankmap.h"
#include "netmodel/machine/allocation.h"

namespace haichi::cli {

/// The options that say which machine and which part of it, as written.
struct JobOptions {
    std::string machine;
    std::string shape;
    std::string nodes;
    std::string faulty;
    std::string origin;
    std::string ranks_per_node;
    std::string routing;
    std::string fold;
    std::string hosts;
    bool count_nic = false;

    /// --routing and --count-nic are declared only where messages are routed.
    void declare(CLI::App& app, bool routes_messages);
    /// Throws OptionError.
    [[nodiscard]] AllocationRequest request() const;
    /// What --hosts names; nothing when it is not given.
    [[nodiscard]] std::optional<HostNames> host_names(const Allocation& allocation) const;
    /// The files that these options name.
    void add_inputs(Outputs& outputs) const;
    /// Standard input can be read once only: throws OptionError when more than one of the job's files and `others` is
    /// standard input.
    void check_standard_input(std::initializer_list<std::string> others) const;
};

/// Says what a user has to know about a map that was written to `file`: the lines for the job script, warnings.
void say_about_map(const RankMapFormat& format, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console);

}  // namespace haichi::cli
