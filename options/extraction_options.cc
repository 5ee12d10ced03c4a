#include "options/extraction_options.h"

#include "options/simulation_options.h"

namespace haichi {

void declare_extraction(OptionTable& options, ExtractionOptions& extraction) {
    options.begin(OptionGroup::kWorkload);
    options.add_count("sends-per-rank", extraction.sends_per_rank,
                      {.description = "Most messages that a rank sends and receives in one set: the NICs of a node",
                       .value = "K",
                       .most = kMostSendsPerRank});
    options.add_bytes("eager-limit", extraction.levels.eager_limit_bytes,
                      {.description = "Up to this size a message does not wait for its receive to be posted",
                       .otherwise = "0",
                       .least = 0});
    options.add_read(
        "kernel", ValueKind::kText,
        [&extraction](const std::string& word) { extraction.kernel = parse_kernel_choice(word); },
        {.description = "Main loop: the N-th of those listed, the one with the most bytes or messages, the loop around "
                        "(outer) or inside (inner) the usual one, or the whole log as one iteration",
         .value = "N|bytes|messages|outer|inner|whole",
         .otherwise = "auto"});
    options.add_choice("expand", extraction.levels.collectives, collective_scopes(), &CollectiveScopeRow::scope,
                       {.description = "Collectives that are expanded to messages: those on part of the ranks "
                                       "(subcomm), all, or none"});
    declare_collectives(options, extraction.levels.algorithms);
    options.add_choice("compute", extraction.compute_time, compute_times(), &ComputeTimeRow::time,
                       {.description = "Computation time before each set: the mean of the ranks, or none, which gives "
                                       "the same file from every run"});
}

}  // namespace haichi
