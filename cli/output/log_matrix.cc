#include "cli/output/log_matrix.h"

#include <algorithm>

#include "base/errors.h"
#include "commlog/workload/workload_json.h"

namespace haichi::cli {

namespace {

using Sink = std::function<void(std::string_view)>;

void write_matrix_market(const Workload& matrix, const Sink& sink) {
    const std::string size = std::to_string(matrix.rank_count());
    sink("%%MatrixMarket matrix coordinate integer general\n" + size + " " + size + " " +
         std::to_string(matrix.messages().size()) + "\n");
    for (const Message& m : matrix.messages()) {
        sink(std::to_string(m.source.value + 1) + " " + std::to_string(m.destination.value + 1) + " " +
             std::to_string(m.size_bytes) + "\n");
    }
}

/// All entries, row by row.
void write_dense(const Workload& matrix, char separator, const Sink& sink) {
    const std::span<const Message> messages = matrix.messages();
    std::size_t next = 0;
    std::string line;
    for (std::int32_t row = 0; row < matrix.rank_count(); ++row) {
        line.clear();
        for (std::int32_t column = 0; column < matrix.rank_count(); ++column) {
            const bool is_there = next < messages.size() && messages[next].source.value == row &&
                                  messages[next].destination.value == column;
            if (column > 0) line += separator;
            line += is_there ? std::to_string(messages[next++].size_bytes) : "0";
        }
        sink(line + "\n");
    }
}

}  // namespace

const std::vector<MatrixFormat>& matrix_formats() {
    static const std::vector<MatrixFormat> kFormats = {
        {"json", "haichi-workload/1, one set", write_workload_json},
        {"matrix-market", "a Matrix Market file, sparse", write_matrix_market},
        {"dense-matrix", "a line of numbers for each rank",
         [](const Workload& matrix, const Sink& sink) { write_dense(matrix, ' ', sink); }},
        {"csv", "the same, with commas",
         [](const Workload& matrix, const Sink& sink) { write_dense(matrix, ',', sink); }}};
    return kFormats;
}

const MatrixFormat& matrix_format(const std::string& name) {
    const auto found = std::ranges::find(matrix_formats(), name, &MatrixFormat::name);
    if (found != matrix_formats().end()) return *found;
    std::vector<std::string> names;
    std::string all;
    for (const MatrixFormat& format : matrix_formats()) {
        names.push_back(format.name);
        all += (all.empty() ? "" : ", ") + format.name;
    }
    const std::string near = did_you_mean(name, names);
    throw OptionError("--to: a matrix cannot be written as " + shown(name), near.empty() ? "formats are " + all : near);
}

}  // namespace haichi::cli
