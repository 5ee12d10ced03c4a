#include "options/live_options.h"

#include "base/errors.h"
#include "options/simulation_options.h"

namespace haichi {

namespace {

/// Parses "measured" (factor 1) or "measured*FACTOR" to the factor. Returns nothing for "none".
std::optional<double> parse_measured(const std::string& word) {
    constexpr std::string_view kMeasured = "measured";
    if (word == "none") return std::nullopt;
    if (word == kMeasured) return 1.0;
    if (!word.starts_with(kMeasured) || word[kMeasured.size()] != '*') {
        throw OptionError("§compute: expected none, measured or measured*FACTOR, found " + shown(word),
                          "name one of these, or state computation times in the program with MGEN_Comp() of mgen.h");
    }
    double factor = 1;
    OptionTable number;
    number.add_number("compute", factor, {.description = "", .least = 1e-6, .most = 1e6});
    number.take("compute", {word.substr(kMeasured.size() + 1)});
    return factor;
}

}  // namespace

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
                     [this](const std::string& word) { measured_factor = parse_measured(word); },
                     {.description = "Computation time between calls: none, or the CPU time measured on this machine, "
                                     "times FACTOR. Measured times are not reproducible",
                      .value = "none|measured[*FACTOR]",
                      .otherwise = "none",
                      .is_local = true});
    declare_collectives(options, collectives, CollectivesUse::kProgram);
    options.begin(OptionGroup::kExpert);
    options.add_bytes("stack", stack_bytes,
                      {.description = "Stack size of each rank, as in 1MiB",
                       .otherwise = "8MiB, less for many ranks",
                       .least = kLeastStack,
                       .most = kMostStack,
                       .is_local = true});
    options.add_choice(
        "globals", globals, host::globals_ways(), &host::GlobalsRow::way,
        {.description =
             "Global variables of ranks: one program image per rank (image), exchanged when another rank runs "
             "(copy, remap), or shared by all ranks (none)",
         .is_local = true});
    options.add_choice(
        "payload", payload, mpi::payload_rules(), &mpi::PayloadRow::rule,
        {.description = "Message data to copy between ranks: at most half of the free memory (auto), all "
                        "data without a limit (all), or none",
         .is_local = true});
    options.add_read("refused-calls", ValueKind::kText,
                     [this](const std::string& word) { starts_with_refused_calls = word == "late"; },
                     {.description = "When to refuse a program with unsupported MPI calls: before it starts (early) or "
                                     "at the first such call (late)",
                      .otherwise = "early",
                      .choices = {"early", "late"},
                      .is_local = true});
}

}  // namespace haichi
