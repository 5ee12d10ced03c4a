#include "cli/output/log_matrix.h"

#include <algorithm>

#include "base/errors.h"
#include "commlog/workload/workload_json.h"

namespace haichi::cli {

namespace {

using Sink = std::function<void(std::string_view)>;

/// Collects short lines and passes them on in pieces of about 64 KiB.
class Pieces {
  public:
    explicit Pieces(const Sink& sink) : sink_(&sink) {}

    std::string& text() {
        constexpr std::size_t kPiece = std::size_t{1} << 16;
        if (text_.size() >= kPiece) flush();
        return text_;
    }
    void flush() {
        (*sink_)(text_);
        text_.clear();
    }

  private:
    const Sink* sink_;
    std::string text_;
};

void write_matrix_market(const Workload& matrix, const Sink& sink) {
    Pieces pieces(sink);
    const std::string size = std::to_string(matrix.rank_count());
    pieces.text().append("%%MatrixMarket matrix coordinate integer general\n");
    pieces.text().append(size + " " + size + " " + std::to_string(matrix.messages().size()) + "\n");
    for (const Message& m : matrix.messages()) {
        pieces.text().append(std::to_string(m.source.value + 1) + " " + std::to_string(m.destination.value + 1) + " " +
                             std::to_string(m.size_bytes) + "\n");
    }
    pieces.flush();
}

/// Writes all entries of the matrix, row by row.
void write_dense(const Workload& matrix, char separator, const Sink& sink) {
    const std::span<const Message> messages = matrix.messages();
    std::size_t next = 0;
    Pieces pieces(sink);
    for (std::int32_t row = 0; row < matrix.rank_count(); ++row) {
        for (std::int32_t column = 0; column < matrix.rank_count(); ++column) {
            const bool is_there = next < messages.size() && messages[next].source.value == row &&
                                  messages[next].destination.value == column;
            std::string& text = pieces.text();
            if (column > 0) text += separator;
            text += is_there ? std::to_string(messages[next++].size_bytes) : "0";
        }
        pieces.text() += '\n';
    }
    pieces.flush();
}

}  // namespace

const Table<MatrixFormat>& matrix_formats() {
    static const Table<MatrixFormat> kFormats(
        {"matrix format", "formats"},
        {{"json", "haichi-workload/1, one set", write_workload_json},
         {"matrix-market", "a Matrix Market file, sparse", write_matrix_market},
         {"dense-matrix", "a line of numbers for each rank",
          [](const Workload& matrix, const Sink& sink) { write_dense(matrix, ' ', sink); }},
         {"csv", "a line of numbers with commas for each rank",
          [](const Workload& matrix, const Sink& sink) { write_dense(matrix, ',', sink); }}});
    return kFormats;
}

}  // namespace haichi::cli
