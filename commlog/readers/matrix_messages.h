#pragma once

#include <string>
#include <vector>

#include "commlog/readers/text_rows.h"
#include "commlog/workload/message_collector.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// The messages of a communication matrix under the limits of a workload; an entry of 0 is no message.
class MatrixMessages {
  public:
    /// `rows` is where the entries are read and where errors point to; it must outlive this.
    explicit MatrixMessages(const TextRows* rows) : rows_(rows) {}

    /// `size_bytes` go from rank `row` to rank `column`, both from 0. Throws InputError.
    void add(std::int64_t row, std::int64_t column, std::int64_t size_bytes) {
        if (size_bytes == 0) return;
        const Message message{RankId(static_cast<std::int32_t>(row)), RankId(static_cast<std::int32_t>(column)),
                              size_bytes};
        if (const auto problem = messages_.add(message)) rows_->fail(*problem);
    }

    /// A workload of one set.
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
