#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/text_stream.h"
#include "commlog/workload/workload.h"

namespace haichi {

inline constexpr std::string_view kWorkloadSchema = "haichi-workload/1";

/// Reads a workload in the format `haichi-workload/1`:
///
///     {"schema": "haichi-workload/1", "ranks": 64, "iterations": 1000,
///      "sets": [{"label": "row exchange 1", "compute_seconds": 0, "messages": [[0, 1, 1048576], ...]}, ...]}
///
/// Keys may be in any order. The keys `iterations` (default 1), `label` (""), `compute_seconds` (0) and `transfer`
/// ("messages" or "put") are optional. The list of sets may be empty, and so may the messages of a set. Ranks, sizes in
/// bytes and counts are whole numbers, written without fraction or exponent. Unknown and duplicate keys are errors.
/// Throws InputError that states file, line and the offending value. The function reads a stream, takes time linear in
/// its length, and needs no more memory than the workload.
Workload read_workload_json(TextStream& stream);
/// Reads a workload from a text in memory. `file` is the name in error messages.
Workload read_workload_json(std::string_view text, const std::string& file);

/// Writes a workload in a form that read_workload_json() reads as an equal workload. Each set is on one line, and equal
/// workloads produce byte-identical text. `sink` gets the text in pieces of about 64 KiB. Label bytes that are not
/// valid UTF-8 are replaced by U+FFFD.
void write_workload_json(const Workload& workload, const std::function<void(std::string_view)>& sink);

}  // namespace haichi
