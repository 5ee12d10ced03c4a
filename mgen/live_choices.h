#pragma once

#include <cstdint>
#include <string_view>

#include "base/table.h"

// Options of a run of a live program, in a header that needs no module of live programs.

namespace haichi::host {

/// The way in which each rank gets its own global variables (`--globals`).
enum class GlobalsWay : std::uint8_t {
    kAuto,   ///< chosen according to what the program needs
    kNone,   ///< shared by all ranks
    kCopy,   ///< copied out and in when the running rank changes
    kRemap,  ///< their pages are remapped when the running rank changes
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
    kAuto,  ///< all, until the data in flight fills half of the free memory
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
