#pragma once

#include <string>

#include "cli/commands/option_table.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// Options that every command has: how much it prints besides its results, and which files it opens.
struct CommonOptions {
    bool quiet = false;
    int verbose = 0;  ///< how often -v is given
    std::string log_level;
    std::string progress_fd;
    std::string files_below;

    void declare(OptionTable& options);
    /// For commands that may take long.
    void declare_progress(OptionTable& options);
    /// Hands them to the console. HAICHI_LOG counts where no option says anything. Throws OptionError for unknown
    /// levels and for options that exclude each other.
    void apply(Console& console) const;
};

}  // namespace haichi::cli
