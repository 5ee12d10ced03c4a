#include "options/live_options.h"

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
    options.add_text("compute", compute,
                     {.description = "Computation time between calls: none, or the CPU time measured on this machine, "
                                     "times FACTOR. Measured times are not reproducible",
                      .value = "none|measured[*FACTOR]",
                      .is_local = true});
    options.add_text(
        "collectives", collectives,
        {.description =
             "Algorithms of collectives: the choices of a library or a file, or the algorithm of one operation",
         .value = "openmpi|mpich|FILE|OP=ALGORITHM",
         .otherwise = "mpich",
         .former_names = {"collective"},
         .is_local = true});
    options.begin(OptionGroup::kExpert);
    options.add_bytes("stack", stack_bytes,
                      {.description = "Stack size of each rank, as in 1MiB",
                       .otherwise = "8MiB, less for many ranks",
                       .least = kLeastStack,
                       .most = kMostStack,
                       .is_local = true});
    options.add_text("globals", globals,
                     {.description = "Method for each rank's own global variables: copy or remap them at each switch "
                                     "of ranks, one program image per rank, or none",
                      .choices = {"auto", "none", "copy", "remap", "image"},
                      .is_local = true});
    options.add_text("payload", payload,
                     {.description = "Message data to move between ranks. With auto, haichi moves the data of "
                                     "collectives, and of messages up to 1 GiB / ranks, at least 64 KiB",
                      .choices = {"auto", "none", "all"},
                      .is_local = true});
    options.add_text("refused-calls", refused_calls,
                     {.description = "Time to refuse a program with unsupported MPI calls: before it starts (early) or "
                                     "at the first such call (late)",
                      .choices = {"early", "late"},
                      .is_local = true});
}

}  // namespace haichi
