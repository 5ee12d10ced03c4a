#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "base/random.h"
#include "collectives/exchange.h"
#include "mgen/mpi/buffer.h"
#include "mgen/mpi/operation.h"

namespace haichi::mpi {

using namespace collectives;

/// Messages and bytes from each member to each other member.
struct MessageMatrix {
    struct Cell {
        std::int64_t messages = 0;
        std::int64_t bytes = 0;

        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::map<std::pair<int, int>, Cell> cells;
};

/// Members of one or two groups in memory. Their messages arrive in any order that MPI allows. Eager messages are
/// complete for the sender at once; others are read only when they are received.
class CollectiveJob {
  public:
    /// A positive `second_group` makes an inter-communicator.
    CollectiveJob(int members, int second_group, std::uint64_t seed) : sizes_{members, second_group}, random_(seed) {
        for (int group = 0; group < 2; ++group) {
            for (int rank = 0; rank < sizes_[group]; ++rank) {
                const ExchangeMembers own{rank, sizes_[group], sizes_[1 - group]};
                members_.push_back(std::make_unique<Member>(*this, own, group));
            }
        }
    }

    /// Runs the steps that `begin` returns for each member to completion, starting with the first group.
    void run(const std::function<Steps(Exchange&, int group)>& begin) {
        for (const auto& member : members_) {
            member->steps = begin(*member, member->group);
            to_resume_.push_back(member.get());
        }
        while (!to_resume_.empty() || !events_.empty()) step();
        for (const auto& member : members_) {
            if (!member->steps.done()) {
                throw InternalError("member " + std::to_string(member->rank()) + " of group " +
                                    std::to_string(member->group) + " waits forever");
            }
            if (member->open_messages() > 0) throw InternalError("a message is left");
        }
        for (const auto& [key, channel] : channels_) {
            if (!channel.sent.empty() || !channel.awaited.empty()) throw InternalError("a message has no partner");
        }
    }

    [[nodiscard]] const MessageMatrix& matrix() const { return matrix_; }

  private:
    struct Member;
    struct Sent {
        Member* sender;
        Exchange::Message message;
        Buffer buffer;
        std::vector<std::byte> bytes;  ///< for eager messages
        bool is_eager;
    };
    struct Awaited {
        Member* receiver;
        Exchange::Message message;
        Buffer buffer;
    };
    /// Group and rank of one member, then of another.
    using Key = std::tuple<int, int, int, int>;
    struct Channel {
        std::deque<Sent> sent;
        std::deque<Awaited> awaited;
    };

    struct Member final : Exchange {
        Member(CollectiveJob& own_job, const ExchangeMembers& own, int own_group)
            : Exchange(own), job(own_job), group(own_group) {}

        void copy_data(const collectives::Buffer& from, const collectives::Buffer& to) override {
            if (from.count == 0 || to.count == 0) return;
            copy_typed(from.data, from.count, *Buffer::of(from).type, to.data, to.count, *Buffer::of(to).type);
        }
        void combine_data(const Reduction& operation, const void* in, const collectives::Buffer& inout) override {
            if (inout.count == 0) return;
            static_cast<const Operation&>(operation).apply(in, inout.data, inout.count, *Buffer::of(inout).type);
        }
        void begin_send(const collectives::Buffer& buffer, int to, Message message) override {
            job.sent(*this, Buffer::of(buffer), to, message);
        }
        void begin_receive(const collectives::Buffer& buffer, int from, Message message) override {
            job.awaited(*this, Buffer::of(buffer), from, message);
        }
        [[nodiscard]] int other_group() const { return is_inter() ? 1 - group : group; }

        CollectiveJob& job;
        int group;
        Steps steps;
        bool is_queued = false;
    };

    static std::vector<std::byte> packed_bytes(const Buffer& buffer) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.bytes()));
        if (!bytes.empty()) buffer.type->pack(buffer.data, buffer.count, bytes.data());
        return bytes;
    }

    void sent(Member& sender, const Buffer& buffer, int to, Exchange::Message message) {
        if (to < 0 || to >= sizes_[sender.other_group()]) throw InternalError("no member " + std::to_string(to));
        if (sender.group == 0 && sender.other_group() == 0) {
            MessageMatrix::Cell& cell = matrix_.cells[{sender.rank(), to}];
            ++cell.messages;
            cell.bytes += buffer.bytes();
        }
        const bool eager = random_.below(2) == 0;
        const Key key{sender.group, sender.rank(), sender.other_group(), to};
        channels_[key].sent.push_back(
            {&sender, message, buffer, eager ? packed_bytes(buffer) : std::vector<std::byte>(), eager});
        if (eager) complete(sender, message);
        if (!channels_[key].awaited.empty()) events_.push_back(key);
    }
    void awaited(Member& receiver, const Buffer& buffer, int from, Exchange::Message message) {
        if (from < 0 || from >= sizes_[receiver.other_group()])
            throw InternalError("no member " + std::to_string(from));
        const Key key{receiver.other_group(), from, receiver.group, receiver.rank()};
        channels_[key].awaited.push_back({&receiver, message, buffer});
        if (!channels_[key].sent.empty()) events_.push_back(key);
    }

    void complete(Member& member, Exchange::Message message) {
        member.completed(message);
        if (member.is_queued || !member.may_go_on()) return;
        member.is_queued = true;
        to_resume_.push_back(&member);
    }

    void step() {
        const std::size_t choices = to_resume_.size() + events_.size();
        std::size_t choice = static_cast<std::size_t>(random_.below(static_cast<std::uint32_t>(choices)));
        if (choice < to_resume_.size()) {
            Member& member = *to_resume_[choice];
            to_resume_.erase(to_resume_.begin() + static_cast<std::ptrdiff_t>(choice));
            member.is_queued = false;
            if (!member.steps.done() && member.may_go_on()) member.steps.resume();
            return;
        }
        choice -= to_resume_.size();
        const Key key = events_[choice];
        events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(choice));
        Channel& channel = channels_[key];
        if (channel.sent.empty() || channel.awaited.empty()) return;
        const Sent sent = std::move(channel.sent.front());
        const Awaited awaited = channel.awaited.front();
        channel.sent.pop_front();
        channel.awaited.pop_front();
        const std::vector<std::byte> bytes = sent.is_eager ? sent.bytes : packed_bytes(sent.buffer);
        if (static_cast<std::int64_t>(bytes.size()) != awaited.buffer.bytes()) {
            throw InternalError("a message of " + std::to_string(bytes.size()) + " bytes where " +
                                std::to_string(awaited.buffer.bytes()) + " are expected");
        }
        if (!bytes.empty()) {
            awaited.buffer.type->unpack(awaited.buffer.data, awaited.buffer.count, bytes.data(),
                                        static_cast<std::int64_t>(bytes.size()));
        }
        if (!sent.is_eager) complete(*sent.sender, sent.message);
        complete(*awaited.receiver, awaited.message);
    }

    int sizes_[2];
    Random random_;
    std::vector<std::unique_ptr<Member>> members_;
    std::map<Key, Channel> channels_;
    std::vector<Member*> to_resume_;
    std::vector<Key> events_;
    MessageMatrix matrix_;
};

}  // namespace haichi::mpi
