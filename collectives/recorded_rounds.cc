#include "collectives/recorded_rounds.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/errors.h"

namespace haichi::collectives {

namespace {

/// A message that has begun at one end or both, and has no round yet.
struct Transfer {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t bytes = 0;
    std::int32_t rounds_before = 0;  ///< the latest round for which the sender or the receiver has waited
    Exchange::Message sent = 0;
    Exchange::Message received = 0;
    bool is_sent = false;
    bool is_received = false;
    std::uint32_t next = 0;  ///< the next transfer between the same members that the same side began
};
using TransferId = std::uint32_t;
constexpr std::int64_t kMostBegunMessages = std::int64_t{1} << 24;

/// Transfers in the order in which one end began them.
class TransferQueue {
  public:
    [[nodiscard]] std::span<const TransferId> all() const { return std::span(ids_).subspan(first_); }
    void push(TransferId id) { ids_.push_back(id); }
    void remove(TransferId id) {
        if (ids_[first_] == id) {
            ++first_;
        } else {
            ids_.erase(std::find(ids_.begin() + static_cast<std::ptrdiff_t>(first_), ids_.end(), id));
        }
        if (first_ < ids_.size()) return;
        ids_.clear();
        first_ = 0;
    }

  private:
    std::vector<TransferId> ids_;
    std::size_t first_ = 0;
};

class Recorder {
  public:
    Recorder(int members, const std::function<Steps(Exchange&)>& begin) {
        for (int rank = 0; rank < members; ++rank) {
            members_.push_back(std::make_unique<Member>(*this, ExchangeMembers{rank, members, 0}));
            members_.back()->steps = begin(*members_.back());
            runnable_.push_back(rank);
        }
    }

    std::vector<Round> run() {
        do {
            while (!runnable_.empty()) {
                Member& member = *members_[static_cast<std::size_t>(runnable_.front())];
                runnable_.pop_front();
                member.is_queued = false;
                if (member.may_go_on()) member.steps.resume();
            }
        } while (resolve_out_of_order());
        for (const auto& member : members_) {
            if (member->steps.done() && member->open_messages() == 0) continue;
            throw InternalError("rank " + std::to_string(member->rank()) + " of a collective waits forever");
        }
        for (Round& round : rounds_) std::ranges::stable_sort(round, {}, &RoundMessage::from);
        return std::move(rounds_);
    }

  private:
    struct Member final : Exchange {
        Member(Recorder& of, const ExchangeMembers& own) : Exchange(own, /*moves_data=*/false), recorder(of) {}

        void begin_send(const Buffer& buffer, int to, Message message) override {
            recorder.begin(*this, rank(), to, buffer.bytes(), message, true);
        }
        void begin_receive(const Buffer& buffer, int from, Message message) override {
            recorder.begin(*this, from, rank(), buffer.bytes(), message, false);
        }
        void wait_is_over() override {
            if (const auto one = awaited(); one && *one >= first_kept) {
                round = std::max(round, round_of[*one - first_kept]);
            } else if (!one) {
                for (const std::int32_t each : round_of) round = std::max(round, each);
                first_kept += static_cast<Message>(round_of.size());
                round_of.clear();
            }
        }
        void sit_out() override { ++round; }
        void has_round(Message message, std::int32_t its_round) {
            round_of[message - first_kept] = its_round;
            completed(message);
        }

        Recorder& recorder;
        Steps steps;
        bool is_queued = true;
        std::int32_t round = 0;                ///< the latest round that the member has waited for
        std::vector<std::int32_t> round_of{};  ///< rounds of messages from first_kept on
        Message first_kept = 0;
        TransferQueue sends{};  ///< sends without a round
        TransferQueue receives{};
        std::int32_t send_round = 0;  ///< round of the last send that has one
        std::int32_t receive_round = 0;
    };

    void begin(Member& member, std::int32_t from, std::int32_t to, std::int64_t bytes, Exchange::Message message,
               bool is_send) {
        member.round_of.push_back(0);
        const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
        const auto [waiting, is_new] = half_begun_.try_emplace(key);
        const bool is_first = is_new || transfers_[waiting->second.first].is_sent == is_send;
        TransferId id = 0;
        if (is_first) {
            id = new_transfer();
            if (is_new) {
                waiting->second.first = id;
            } else {
                transfers_[waiting->second.last].next = id;
            }
            waiting->second.last = id;
        } else {
            id = waiting->second.first;
            waiting->second.first = transfers_[id].next;
            if (waiting->second.last == id) half_begun_.erase(waiting);
        }
        Transfer& transfer = transfers_[id];
        transfer.from = from;
        transfer.to = to;
        transfer.rounds_before = std::max(transfer.rounds_before, member.round);
        if (is_send) {
            transfer.bytes = bytes;
            transfer.sent = message;
            transfer.is_sent = true;
            member.sends.push(id);
        } else {
            transfer.received = message;
            transfer.is_received = true;
            member.receives.push(id);
        }
        if (!is_first) resolve_from(id);
    }

    TransferId new_transfer() {
        if (free_.empty()) {
            if (static_cast<std::int64_t>(transfers_.size()) == kMostBegunMessages) throw_too_many();
            free_.push_back(static_cast<TransferId>(transfers_.size()));
            transfers_.emplace_back();
        }
        const TransferId id = free_.back();
        free_.pop_back();
        transfers_[id] = {};
        return id;
    }

    [[noreturn]] void throw_too_many() const {
        throw UnsupportedError("a collective on " + std::to_string(members_.size()) + " ranks has more than " +
                                   std::to_string(kMostRecordedMessages) + " messages, or " +
                                   std::to_string(kMostBegunMessages) + " at once",
                               "choose an algorithm with fewer messages");
    }

    Member& member(std::int32_t rank) { return *members_[static_cast<std::size_t>(rank)]; }

    /// Assigns a round to the transfer if it is the next one at both ends, and then to the transfers that follow.
    void resolve_from(TransferId first) {
        to_try_.push_back(first);
        while (!to_try_.empty()) {
            const TransferId id = to_try_.back();
            to_try_.pop_back();
            const Transfer& transfer = transfers_[id];
            if (!transfer.is_sent || !transfer.is_received) continue;
            if (member(transfer.from).sends.all().front() != id) continue;
            if (member(transfer.to).receives.all().front() != id) continue;
            resolve(id);
        }
    }

    void resolve(TransferId id) {
        const Transfer transfer = transfers_[id];
        Member& sender = member(transfer.from);
        Member& receiver = member(transfer.to);
        const std::int32_t round = std::max({transfer.rounds_before, sender.send_round, receiver.receive_round}) + 1;
        sender.send_round = receiver.receive_round = round;
        sender.sends.remove(id);
        receiver.receives.remove(id);
        free_.push_back(id);
        if (++messages_ > kMostRecordedMessages) throw_too_many();
        if (static_cast<std::size_t>(round) > rounds_.size()) rounds_.resize(static_cast<std::size_t>(round));
        rounds_[static_cast<std::size_t>(round) - 1].push_back({transfer.from, transfer.to, transfer.bytes});
        sender.has_round(transfer.sent, round);
        receiver.has_round(transfer.received, round);
        for (Member* const end : {&sender, &receiver}) {
            if (end->is_queued || !end->may_go_on()) continue;
            end->is_queued = true;
            runnable_.push_back(end->rank());
        }
        if (!sender.sends.all().empty()) to_try_.push_back(sender.sends.all().front());
        if (!receiver.receives.all().empty()) to_try_.push_back(receiver.receives.all().front());
    }

    /// All members wait if a sender and a receiver began their messages in different orders. Assigns a round to the
    /// first such message.
    bool resolve_out_of_order() {
        for (const auto& sender : members_) {
            const std::span<const TransferId> sends = sender->sends.all();
            const auto id = std::ranges::find_if(sends, [&](TransferId of) { return transfers_[of].is_received; });
            if (id == sends.end()) continue;
            resolve(TransferId(*id));
            const std::vector<TransferId> next = std::exchange(to_try_, {});
            for (const TransferId each : next) resolve_from(each);
            return true;
        }
        return false;
    }

    std::vector<std::unique_ptr<Member>> members_;
    std::vector<Transfer> transfers_;
    std::vector<TransferId> free_;
    std::vector<TransferId> to_try_;
    /// A list of transfers for each sender and receiver. The map is used only for look-ups.
    struct HalfBegun {
        TransferId first = 0;
        TransferId last = 0;
    };
    std::unordered_map<std::uint64_t, HalfBegun> half_begun_;
    std::deque<int> runnable_;
    std::vector<Round> rounds_;
    std::int64_t messages_ = 0;
};

}  // namespace

std::vector<Round> recorded_rounds(int members, const std::function<Steps(Exchange&)>& begin) {
    return Recorder(members, begin).run();
}

const CallRecorder::Recorded& CallRecorder::record(const SizedCall& call, int members) {
    if (members == members_ && call == call_) return recorded_;
    const SizedArguments sized(call, members);
    const AlgorithmRow& row = *selection_.choose(sized.arguments(), 0, members).row;
    recorded_.label = std::string(name_of(call.collective)) + ' ' + row.name;
    recorded_.rounds = recorded_rounds(
        members, [&](Exchange& exchange) { return collective_steps(exchange, sized.arguments(), selection_); });
    call_ = call;
    members_ = members;
    return recorded_;
}

}  // namespace haichi::collectives
