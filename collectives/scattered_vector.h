#pragma once

#include <vector>

#include "collectives/pieces.h"

namespace haichi::collectives {

/// The vector of a reduce_scatter. It consists of adjacent blocks, one for each member.
class ScatteredVector {
  public:
    ScatteredVector(const CollectiveArguments& arguments, int members)
        : members_(members), block_(arguments.receive.count), input_(contribution(arguments)) {
        if (!arguments.receive_counts.empty()) {
            first_.resize(static_cast<std::size_t>(members) + 1);
            for (int i = 0; i < members; ++i) {
                const auto at = static_cast<std::size_t>(i);
                first_[at + 1] = first_[at] + arguments.receive_counts[i];
            }
        }
        if (input_.type == nullptr) input_.type = arguments.receive.type;
        input_.count = first(members);
    }

    [[nodiscard]] std::int64_t first(int member) const {
        return first_.empty() ? member * block_ : first_[static_cast<std::size_t>(member)];
    }
    [[nodiscard]] std::int64_t count(int begin, int end) const { return first(end) - first(begin); }
    /// The member's input.
    [[nodiscard]] const Buffer& input() const { return input_; }
    /// The blocks of members [begin, end) in a vector that has the layout of the input.
    [[nodiscard]] Buffer blocks(const Buffer& vector, int begin, int end) const {
        return items(vector, first(begin), count(begin, end));
    }
    [[nodiscard]] Buffer block(const Buffer& vector, int member) const { return blocks(vector, member, member + 1); }
    [[nodiscard]] Buffer copied_input(Exchange& exchange) const {
        const Buffer copy = room_like(exchange, input_);
        exchange.copy(input_, copy);
        return copy;
    }
    /// The destination of a member's result.
    [[nodiscard]] Buffer result(const CollectiveArguments& arguments, int member) const {
        return {arguments.receive.data, count(member, member + 1), input_.type};
    }
    [[nodiscard]] int members() const { return members_; }

  private:
    int members_;
    std::int64_t block_;
    std::vector<std::int64_t> first_;
    Buffer input_;
};

}  // namespace haichi::collectives
