#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi::cli {

/// What the communication matrix of a log can be written as.
struct MatrixFormat {
    std::string name;
    std::string description;
    /// Writes a workload of one set, its messages by source and destination.
    void (*write)(const Workload& matrix, const std::function<void(std::string_view)>& sink) = nullptr;
};

const std::vector<MatrixFormat>& matrix_formats();

/// Throws OptionError with did-you-mean.
const MatrixFormat& matrix_format(const std::string& name);

}  // namespace haichi::cli
