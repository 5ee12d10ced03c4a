#pragma once

#include <cstdint>
#include <string>

#include "options/option_table.h"

namespace haichi {

/// How a program runs on the simulated machine. Values that only the module of live programs understands are kept as
/// words, because haichi may be built without that module.
struct LiveOptions {
    std::int32_t ranks = 0;  ///< 0: as many as fit on the nodes
    std::size_t stack_bytes = 0;
    std::string globals = "auto";
    std::string payload = "auto";
    std::string refused_calls = "early";
    std::string compute = "none";
    std::string collectives{};

    void declare(OptionTable& options);
};

}  // namespace haichi
