#include "cli/commands/advise.h"

#include "cli/commands/advise_barrier.h"
#include "cli/commands/advise_rails.h"
#include "cli/commands/advise_shape.h"
#include "cli/commands/advise_spread.h"

namespace haichi::cli {

Command advise_command() {
    return {"advise",
            "advise on job shapes, barriers, NICs per node and clusters",
            "haichi advise shape -m fx10-kyushu -w cg64.json --node-count 96",
            nullptr,
            {advise_shape_command(), advise_barrier_command(), advise_rails_command(), advise_spread_command()}};
}

}  // namespace haichi::cli
