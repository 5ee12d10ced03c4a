#include "mgen/live_choices.h"

namespace haichi::host {

const Table<GlobalsRow>& globals_ways() {
    static const Table<GlobalsRow> kWays(
        {"way to keep the variables of ranks apart", "ways to keep the variables of ranks apart"},
        {{"auto", "copy for few variables, else image where possible, else remap; none for a program without variables",
          GlobalsWay::kAuto},
         {"none", "all ranks share the program's variables", GlobalsWay::kNone},
         {"copy", "the variables are copied when another rank runs", GlobalsWay::kCopy},
         {"remap", "the pages of the variables are exchanged when another rank runs; only written pages take memory",
          GlobalsWay::kRemap},
         {"image", "each rank runs a copy of the whole program at an address of its own", GlobalsWay::kImage}});
    return kWays;
}

}  // namespace haichi::host

namespace haichi::mpi {

const Table<PayloadRow>& payload_rules() {
    static const Table<PayloadRow> kRules({"rule for message data", "rules for message data"},
                                          {{"auto", "all data, up to half of the free memory", PayloadRule::kAuto},
                                           {"none", "no data", PayloadRule::kNone},
                                           {"all", "all data, without a limit", PayloadRule::kAll}});
    return kRules;
}

}  // namespace haichi::mpi
