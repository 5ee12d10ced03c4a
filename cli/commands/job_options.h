#pragma once

#include <CLI/App.hpp>
#include <initializer_list>
#include <string>

#include "netmodel/machine/allocation.h"

namespace haichi::cli {

/// The options that say which machine and which part of it, as written.
struct JobOptions {
    std::string machine;
    std::string shape;
    std::string nodes;
    std::string origin;
    std::string ranks_per_node;
    std::string routing;
    std::string fold;
    bool count_nic = false;

    /// --routing and --count-nic are declared only where messages are routed.
    void declare(CLI::App& app, bool routes_messages);
    /// Throws OptionError.
    [[nodiscard]] AllocationRequest request() const;
    /// Standard input can be read once only: throws OptionError when more than one of the job's files and `others` is
    /// standard input.
    void check_standard_input(std::initializer_list<std::string> others) const;
};

}  // namespace haichi::cli
