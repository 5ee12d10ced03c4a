#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/buffer.h"
#include "collectives/steps.h"

namespace haichi::collectives {

/// The members of a collective operation, as one member sees them.
struct ExchangeMembers {
    int rank = 0;  ///< this member's rank in its group
    int size = 1;  ///< the size of its group
    /// The size of the other group of an inter-communicator, or 0 for an intra-communicator. Messages go to and come
    /// from the ranks of the other group.
    int remote_size = 0;
};

/// The actions available to one member's steps in a collective operation. Messages between two members are in order.
/// Messages of different operations never match, because the implementation chooses their tags.
///
/// The implementation begins messages, calls completed() for complete messages, and calls Steps::resume() when
/// may_go_on() returns true.
class Exchange {
  public:
    /// Index of one of this member's messages, in the order in which they began.
    using Message = std::uint32_t;

    /// Awaitable; see wait().
    class Wait {
      public:
        explicit Wait(Exchange& exchange) : exchange_(exchange) {}
        [[nodiscard]] bool await_ready() const noexcept { return exchange_.may_go_on(); }
        void await_suspend(Steps::Handle steps) const noexcept { steps.promise().outermost->waits = true; }
        void await_resume() const { exchange_.wait_is_over(); }

      private:
        Exchange& exchange_;
    };

    /// If `moves_data` is false, messages have only sizes, and no buffer is read or written.
    explicit Exchange(const ExchangeMembers& members, bool moves_data = true)
        : members_(members), moves_data_(moves_data) {}
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    [[nodiscard]] int rank() const { return members_.rank; }
    [[nodiscard]] int size() const { return members_.size; }
    [[nodiscard]] int remote_size() const { return own_group_only_ ? 0 : members_.remote_size; }
    [[nodiscard]] bool is_inter() const { return remote_size() > 0; }
    /// For an inter-communicator. If true, messages that begin from now on stay in the rank's own group, as if the
    /// group were a separate communicator. Such messages never match messages between the groups.
    void turn_to_own_group(bool own_group_only) { own_group_only_ = own_group_only; }
    [[nodiscard]] bool is_turned_to_own_group() const { return own_group_only_; }

    /// Begins to send to, or receive from, a member, which may be this member. If is_inter(), it is a member of the
    /// other group. Does not block. When a wait() for the message is over, the buffer is no longer accessed and
    /// received data are in it.
    Message send(const Buffer& buffer, int to) {
        const Message message = begin();
        begin_send(buffer, to, message);
        return message;
    }
    Message receive(const Buffer& buffer, int from) {
        const Message message = begin();
        begin_receive(buffer, from, message);
        return message;
    }

    /// `co_await exchange.wait()` waits until all messages that have begun are complete. With a message, it waits only
    /// for that one.
    [[nodiscard]] Wait wait() {
        waits_for_all_ = true;
        return Wait(*this);
    }
    [[nodiscard]] Wait wait(Message message) {
        waits_for_all_ = false;
        waits_for_ = message;
        return Wait(*this);
    }

    /// Marks a round of messages in which this member does not take part.
    virtual void sit_out() {}

    [[nodiscard]] bool moves_data() const { return moves_data_; }
    /// Copies items of one type to items of another type with the same basic types, as MPI does.
    void copy(const Buffer& from, const Buffer& to) {
        if (moves_data_) copy_data(from, to);
    }
    /// inout = in OPERATION inout, item by item. `in` has the same number of items of the same type.
    void combine(const Reduction& operation, const void* in, const Buffer& inout) {
        if (moves_data_) combine_data(operation, in, inout);
    }
    /// Returns uninitialised memory that lives as long as this object. If the exchange moves no data, returns a
    /// placeholder address.
    [[nodiscard]] std::byte* scratch(std::int64_t bytes) {
        if (!moves_data_) return &no_data_;
        scratch_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
        return scratch_.back().get();
    }

    // For the implementation.

    /// Reports that a message is complete. May be called before begin_send() or begin_receive() returns.
    void completed(Message message) {
        const Message index = message - first_;
        if (index < kFirst) {
            first_are_complete_ |= std::uint64_t{1} << index;
        } else {
            others_are_complete_[index - kFirst] = true;
        }
        --open_;
    }
    /// The message that the steps wait for; nullopt if they wait for all messages.
    [[nodiscard]] std::optional<Message> awaited() const {
        return waits_for_all_ ? std::nullopt : std::optional(waits_for_);
    }
    /// True if the wait of the steps is over, so that they can be resumed.
    [[nodiscard]] bool may_go_on() const {
        return open_ == 0 || (!waits_for_all_ && (waits_for_ < first_ || is_complete(waits_for_ - first_)));
    }
    /// Number of messages that have begun and are not complete.
    [[nodiscard]] std::uint32_t open_messages() const { return open_; }

  protected:
    virtual void begin_send(const Buffer& buffer, int to, Message message) = 0;
    virtual void begin_receive(const Buffer& buffer, int from, Message message) = 0;
    /// Called when the steps continue after a wait; see awaited().
    virtual void wait_is_over() {}
    virtual void copy_data(const Buffer& /*from*/, const Buffer& /*to*/) {}
    virtual void combine_data(const Reduction& /*operation*/, const void* /*in*/, const Buffer& /*inout*/) {}

  private:
    Message begin() {
        if (open_ == 0) {
            first_ += begun_;
            begun_ = 0;
            first_are_complete_ = 0;
            others_are_complete_.clear();
        }
        ++open_;
        if (begun_ >= kFirst) others_are_complete_.push_back(false);
        return first_ + begun_++;
    }
    [[nodiscard]] bool is_complete(Message index) const {
        return index < kFirst ? (first_are_complete_ >> index & 1) != 0 : others_are_complete_[index - kFirst];
    }

    ExchangeMembers members_;
    bool moves_data_ = true;
    std::byte no_data_{};
    bool own_group_only_ = false;
    Message waits_for_ = 0;
    bool waits_for_all_ = true;
    std::uint32_t open_ = 0;
    // State of the messages from first_ on. It is cleared when all of them are complete.
    Message first_ = 0;
    Message begun_ = 0;
    static constexpr Message kFirst = 64;
    std::uint64_t first_are_complete_ = 0;  ///< one bit per message
    std::vector<bool> others_are_complete_;
    std::vector<std::unique_ptr<std::byte[]>> scratch_;
};

}  // namespace haichi::collectives
