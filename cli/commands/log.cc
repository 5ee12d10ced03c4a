#include "cli/commands/log.h"

#include "cli/commands/log_compare.h"
#include "cli/commands/log_convert.h"
#include "cli/commands/log_show.h"

namespace haichi::cli {

Command log_command() {
    return {"log",
            "show, compare or convert the communication log of a run",
            "haichi log show app.haichi-log",
            nullptr,
            {log_show_command(), log_compare_command(), log_convert_command()}};
}

}  // namespace haichi::cli
