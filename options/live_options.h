#pragma once

#include <cstdint>
#include <string>

#include "options/option_table.h"

namespace haichi {

/// How a program runs on the simulated machine. Words whose meaning only live programs know stay words: the program may
/// be built without them.
struct LiveOptions {
    std::int32_t ranks = 0;  ///< 0: as many as the nodes take
    std::size_t stack_bytes = 0;
    std::string globals = "auto";
    std::string payload = "auto";
    std::string refused_calls = "early";
    std::string compute = "none";
    std::string collectives{};

    void declare(OptionTable& options);
};

}  // namespace haichi
