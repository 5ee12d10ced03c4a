#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/text_stream.h"
#include "commlog/workload/workload.h"

namespace haichi {

inline constexpr std::string_view kWorkloadSchema = "haichi-workload/1";

/// Reads `haichi-workload/1`:
///
///     {"schema": "haichi-workload/1", "ranks": 64, "iterations": 1000,
///      "sets": [{"label": "row exchange 1", "compute_seconds": 0, "messages": [[0, 1, 1048576], ...]}, ...]}
///
/// Keys may have any order. `iterations` (1), `label` (""), `compute_seconds` (0) and `transfer` ("messages" or "put")
/// may be missing. There may be no sets, and sets may have no messages. Ranks, sizes in bytes and counts are whole
/// numbers, written without fraction or exponent. Unknown and repeated keys are errors. Throws InputError with file,
/// line and the offending value. It reads a stream, takes O(length) time and needs no more memory than the workload
/// itself.
Workload read_workload_json(TextStream& stream);
/// Reads a text in memory. Errors name it as `file`.
Workload read_workload_json(std::string_view text, const std::string& file);

/// Writes a workload so that reading it gives the same workload. It writes one set per line, and byte-identical text
/// for equal workloads. `sink` gets pieces of about 64 KiB. Bytes of labels that are not valid UTF-8 become U+FFFD.
void write_workload_json(const Workload& workload, const std::function<void(std::string_view)>& sink);

}  // namespace haichi
