#include "options/extraction_options.h"

#include "options/simulation_options.h"

namespace haichi {

void declare_extraction(OptionTable& options, ExtractionOptions& extraction) {
    options.begin(OptionGroup::kWorkload);
    options.add_count(
        "sends-per-rank", extraction.sends_per_rank,
        {.description =
             "Maximum number of messages that a rank sends or receives in one set; usually the number of NICs per node",
         .value = "K",
         .most = kMostSendsPerRank});
    options.add_bytes("eager-limit", extraction.levels.eager_limit_bytes,
                      {.description = "Size of the largest message whose send does not wait for its receive",
                       .otherwise = "0",
                       .least = 0});
    options.add_read("main-loop", ValueKind::kText,
                     [&extraction](const std::string& word) { extraction.main_loop = parse_main_loop_choice(word); },
                     {.description = "Main loop: its number N in the output of haichi ccs, or the loop with the most "
                                     "bytes or messages. The values outer and inner select the loop around or inside "
                                     "the default one. With whole, the whole log is one iteration",
                      .value = "N|auto|bytes|messages|outer|inner|whole",
                      .otherwise = "auto",
                      .former_names = {"kernel"}});
    options.add_choice(
        "expand", extraction.levels.collectives, collective_scopes(), &CollectiveScopeRow::scope,
        {.description =
             "Collectives to expand into messages: collectives on a part of the ranks (subcomm), all, or none"});
    declare_collectives(options, extraction.levels.algorithms, CollectivesUse::kLog);
    options.add_choice("compute", extraction.compute_time, compute_times(), &ComputeTimeRow::time,
                       {.description = "Computation time before each set: the mean of the ranks, or none. With none, "
                                       "every run of the program gives the same file"});
}

}  // namespace haichi
