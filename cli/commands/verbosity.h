#pragma once

#include <string>

#include "cli/commands/option_table.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// How much a command says besides its results: options that every command has.
struct Verbosity {
    bool quiet = false;
    int verbose = 0;  ///< how often -v is given
    std::string log_level;
    std::string progress_fd;

    void declare(OptionTable& options);
    /// For commands that may take long.
    void declare_progress(OptionTable& options);
    /// Tells the console. HAICHI_LOG counts where no option says anything. Throws OptionError for unknown levels and
    /// for options that exclude each other.
    void apply(Console& console) const;
};

}  // namespace haichi::cli
