#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/workload/workload.h"

namespace haichi::cli {

/// What the communication matrix of a log can be written as.
struct MatrixFormat {
    std::string name;
    std::string sentence;
    /// Writes a workload of one set, its messages by source and destination.
    void (*write)(const Workload& matrix, const std::function<void(std::string_view)>& sink) = nullptr;
};

const Table<MatrixFormat>& matrix_formats();

}  // namespace haichi::cli
