#include "cli/commands/log.h"

#include "cli/commands/analysis_commands.h"

namespace haichi::cli {

Command log_command() {
    return {"log", "show, compare or convert the communication log of a run", "haichi log show app.haichi-log", nullptr,
            log_commands()};
}

}  // namespace haichi::cli
