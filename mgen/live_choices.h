#pragma once

#include <cstdint>
#include <string_view>

#include "base/table.h"

// Choices of a run of a live program, which the command line also knows without the module of live programs.

namespace haichi::host {

/// How each rank gets its own variables (`--globals`).
enum class GlobalsWay : std::uint8_t {
    kAuto,   ///< chosen by the needs of the program
    kNone,   ///< shared by all ranks
    kCopy,   ///< copied out and in when another rank runs
    kRemap,  ///< their pages are exchanged when another rank runs
    kImage,  ///< each rank runs a copy of the whole program
};
struct GlobalsRow {
    std::string_view name;
    std::string_view sentence;
    GlobalsWay way;
};
const Table<GlobalsRow>& globals_ways();

}  // namespace haichi::host

namespace haichi::mpi {

/// Selects the messages that carry their data (`--payload`).
enum class PayloadRule : std::uint8_t {
    kAuto,  ///< all, until those in flight take half of the free memory
    kNone,
    kAll
};
struct PayloadRow {
    std::string_view name;
    std::string_view sentence;
    PayloadRule rule;
};
const Table<PayloadRow>& payload_rules();

}  // namespace haichi::mpi
