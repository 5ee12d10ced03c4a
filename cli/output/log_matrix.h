#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/workload/workload.h"

namespace haichi::cli {

/// An output format for the communication matrix of a log.
struct MatrixFormat {
    std::string name;
    std::string sentence;
    /// Writes a workload of one set. Its messages must be sorted by source and destination.
    void (*write)(const Workload& matrix, const std::function<void(std::string_view)>& sink) = nullptr;
};

const Table<MatrixFormat>& matrix_formats();

}  // namespace haichi::cli
