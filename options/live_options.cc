#include "options/live_options.h"

namespace haichi {

void LiveOptions::declare(OptionTable& options) {
    constexpr double kLeastStack = 16 << 10;
    constexpr double kMostStack = std::int64_t{1} << 36;
    options.begin(OptionGroup::kJob);
    options.add_count(
        "ranks", ranks,
        {.description = "Number of ranks", .otherwise = "as many as the nodes take", .letter = 'n', .is_local = true});
    options.begin(OptionGroup::kSimulation);
    options.add_text(
        "compute", compute,
        {.description = "Computation time between calls: none, or the CPU time that the code takes on this "
                        "machine, times a factor, which is not reproducible",
         .value = "none|measured[*FACTOR]",
         .is_local = true});
    options.add_text("collectives", collectives,
                     {.description = "Algorithms of collectives: those of a library, a file, or of one operation",
                      .value = "openmpi|mpich|FILE|OP=ALGORITHM",
                      .otherwise = "mpich",
                      .is_local = true});
    options.begin(OptionGroup::kExpert);
    options.add_bytes("stack", stack_bytes,
                      {.description = "Stack of each rank, as in 1MiB",
                       .otherwise = "8MiB, less for many ranks",
                       .least = kLeastStack,
                       .most = kMostStack,
                       .is_local = true});
    options.add_text("globals", globals,
                     {.description = "How each rank gets variables of its own: copied or remapped when another rank "
                                     "runs, in an image of the program for each rank, or shared (none)",
                      .choices = {"auto", "none", "copy", "remap", "image"},
                      .is_local = true});
    options.add_text(
        "payload", payload,
        {.description = "Data that is moved between ranks: all, none, or (auto) that of collectives and of "
                        "messages up to 1 GiB / ranks, at least 64 KiB",
         .choices = {"auto", "none", "all"},
         .is_local = true});
    options.add_text(
        "refused-calls", refused_calls,
        {.description = "When a program with MPI calls that cannot be simulated ends: before it starts, or "
                        "at the first such call",
         .choices = {"early", "late"},
         .is_local = true});
}

}  // namespace haichi
