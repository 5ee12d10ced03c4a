#pragma once

#include <string>
#include <vector>

#include "commlog/readers/text_rows.h"
#include "commlog/workload/message_collector.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// Collects the messages of a communication matrix within the limits of a workload. An entry of 0 adds no message.
class MatrixMessages {
  public:
    /// Errors state the position of `rows`, from which the entries are read. `rows` must outlive the object.
    explicit MatrixMessages(const TextRows* rows) : rows_(rows) {}

    /// Adds a message of `size_bytes` bytes from rank `row` to rank `column`; ranks begin at 0. Throws InputError for
    /// messages beyond the limits.
    void add(std::int64_t row, std::int64_t column, std::int64_t size_bytes) {
        if (size_bytes == 0) return;
        const Message message{RankId(static_cast<std::int32_t>(row)), RankId(static_cast<std::int32_t>(column)),
                              size_bytes};
        if (const auto problem = messages_.add(message)) rows_->fail(*problem);
    }

    /// Returns a workload with a single set.
    Workload take(std::int64_t ranks, std::string label) {
        std::vector<Message> messages = messages_.take();
        std::vector<Workload::Set> sets = {{std::move(label), 0, 0, messages.size()}};
        return {static_cast<std::int32_t>(ranks), 1, std::move(sets), std::move(messages)};
    }

  private:
    const TextRows* rows_;
    MessageCollector messages_;
};

}  // namespace haichi
