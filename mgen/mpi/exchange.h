#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mgen/mpi/steps.h"

namespace haichi::mpi {

struct Buffer;
class Operation;

/// Who takes part in a collective operation, as one member sees it.
struct ExchangeMembers {
    int rank = 0;  ///< of this member in its group
    int size = 1;  ///< of its group
    /// Of the other group, for an inter-communicator: messages go to and come from the ranks of that group. 0: there
    /// is none.
    int remote_size = 0;
};

/// What one member's steps of one collective operation may do. Messages between two members are in order; those of
/// different operations never meet: the tag is the implementer's affair.
///
/// The implementer begins messages, says completed() when they are, and calls Steps::resume() when may_go_on().
class Exchange {
  public:
    /// A message of this member, in the order in which they began.
    using Message = std::uint32_t;

    /// Awaitable: see wait().
    class Wait {
      public:
        explicit Wait(const Exchange& exchange) : exchange_(exchange) {}
        [[nodiscard]] bool await_ready() const noexcept { return exchange_.may_go_on(); }
        void await_suspend(Steps::Handle steps) const noexcept { steps.promise().outermost->waits = true; }
        void await_resume() const noexcept {}

      private:
        const Exchange& exchange_;
    };

    explicit Exchange(const ExchangeMembers& members) : members_(members) {}
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    [[nodiscard]] int rank() const { return members_.rank; }
    [[nodiscard]] int size() const { return members_.size; }
    [[nodiscard]] int remote_size() const { return own_group_only_ ? 0 : members_.remote_size; }
    [[nodiscard]] bool is_inter() const { return remote_size() > 0; }
    /// Of an inter-communicator: messages that begin from now on stay in the own group, as if it were a communicator of
    /// its own; they never meet those between the groups. And back.
    void turn_to_own_group(bool own_group_only) { own_group_only_ = own_group_only; }
    [[nodiscard]] bool is_turned_to_own_group() const { return own_group_only_; }

    /// Begins to send to, or receive from, a member (of the other group if is_inter()); itself is one as well. Does
    /// not block. The buffer is left alone, and what is received is there, when a wait() for the message is over.
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

    /// `co_await exchange.wait()`: until all messages are complete that have begun. With a message: until that one is.
    [[nodiscard]] Wait wait() {
        waits_for_all_ = true;
        return Wait(*this);
    }
    [[nodiscard]] Wait wait(Message message) {
        waits_for_all_ = false;
        waits_for_ = message;
        return Wait(*this);
    }

    /// As MPI copies: items of one type into items of another with the same basic types.
    virtual void copy(const Buffer& from, const Buffer& to) = 0;
    /// inout = in OPERATION inout, item by item; `in` has as many items of the same type.
    virtual void combine(const Operation& operation, const void* in, const Buffer& inout) = 0;
    /// Memory, not set, that lives as long as this object.
    [[nodiscard]] virtual std::byte* scratch(std::int64_t bytes) {
        scratch_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
        return scratch_.back().get();
    }

    // For the implementer.

    /// A message is complete. May be said before begin_send() or begin_receive() return.
    void completed(Message message) {
        is_complete_[message - first_] = true;
        --open_;
    }
    /// What the steps wait for holds: resume() them.
    [[nodiscard]] bool may_go_on() const {
        return open_ == 0 || (!waits_for_all_ && (waits_for_ < first_ || is_complete_[waits_for_ - first_]));
    }
    /// Messages that have begun and are not complete.
    [[nodiscard]] std::uint32_t open_messages() const { return open_; }

  protected:
    virtual void begin_send(const Buffer& buffer, int to, Message message) = 0;
    virtual void begin_receive(const Buffer& buffer, int from, Message message) = 0;

  private:
    Message begin() {
        if (open_ == 0) {
            first_ += static_cast<Message>(is_complete_.size());
            is_complete_.clear();
        }
        ++open_;
        is_complete_.push_back(false);
        return first_ + static_cast<Message>(is_complete_.size()) - 1;
    }

    ExchangeMembers members_;
    bool own_group_only_ = false;
    Message waits_for_ = 0;
    bool waits_for_all_ = true;
    std::uint32_t open_ = 0;
    // Of the messages from first_ on; they are forgotten when all are complete.
    Message first_ = 0;
    std::vector<bool> is_complete_;
    std::vector<std::unique_ptr<std::byte[]>> scratch_;
};

}  // namespace haichi::mpi
