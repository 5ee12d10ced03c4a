#include "cli/commands/advise.h"

#include "cli/commands/analysis_commands.h"

namespace haichi::cli {

Command advise_command() {
    return {"advise", "advise on job shapes, barriers, NICs per node and clusters",
            "haichi advise shape -m fx10-kyushu -w cg64.json --node-count 96", nullptr, advise_commands()};
}

}  // namespace haichi::cli
