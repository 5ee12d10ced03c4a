#include "cli/commands/analysis_commands.h"

#include "cli/commands/advise_barrier.h"
#include "cli/commands/advise_rails.h"
#include "cli/commands/advise_shape.h"
#include "cli/commands/advise_spread.h"
#include "cli/commands/log_compare.h"
#include "cli/commands/log_convert.h"
#include "cli/commands/log_show.h"

namespace haichi::cli {

std::vector<Command> advise_commands() {
    return {advise_shape_command(), advise_barrier_command(), advise_rails_command(), advise_spread_command()};
}

std::vector<Command> log_commands() { return {log_show_command(), log_compare_command(), log_convert_command()}; }

}  // namespace haichi::cli
