#include "options/live_options.h"

#include "options/simulation_options.h"

namespace haichi {

void LiveOptions::declare(OptionTable& options) {
    constexpr double kLeastStack = 16 << 10;
    constexpr double kMostStack = std::int64_t{1} << 36;
    options.begin(OptionGroup::kJob);
    options.add_count("ranks", ranks,
                      {.description = "Number of ranks",
                       .otherwise = "as many as fit on the nodes",
                       .letter = 'n',
                       .is_local = true});
    options.begin(OptionGroup::kSimulation);
    options.add_read("compute", ValueKind::kText,
                     [this](const std::string& word) { measures_computing = word == "measured"; },
                     {.description = "Computation time between calls: none, or the CPU time measured on this machine, "
                                     "which is not reproducible",
                      .otherwise = "none",
                      .choices = {"none", "measured"},
                      .is_local = true});
    options.add_number("compute-factor", compute_factor,
                       {.description = "Factor on the computation time",
                        .least = 1e-6,
                        .most = 1e6,
                        .needs = {"compute"},
                        .is_local = true});
    declare_collectives(options, collectives, CollectivesUse::kProgram);
    options.begin(OptionGroup::kExpert);
    options.add_bytes("stack", stack_bytes,
                      {.description = "Stack size of each rank, as in 1MiB",
                       .otherwise = "8MiB, less for many ranks",
                       .least = kLeastStack,
                       .most = kMostStack,
                       .is_local = true});
    options.add_choice("globals", globals, host::globals_ways(), &host::GlobalsRow::way,
                       {.description = "Method for each rank's own global variables: copy or remap them at each switch "
                                       "of ranks, one program image per rank, or none",
                        .is_local = true});
    options.add_choice("payload", payload, mpi::payload_rules(), &mpi::PayloadRow::rule,
                       {.description = "Message data to move between ranks. With auto, haichi moves the data of "
                                       "collectives, and of messages up to 1 GiB / ranks, at least 64 KiB",
                        .is_local = true});
    options.add_read("refused-calls", ValueKind::kText,
                     [this](const std::string& word) { starts_with_refused_calls = word == "late"; },
                     {.description = "Time to refuse a program with unsupported MPI calls: before it starts (early) or "
                                     "at the first such call (late)",
                      .otherwise = "early",
                      .choices = {"early", "late"},
                      .is_local = true});
}

}  // namespace haichi
