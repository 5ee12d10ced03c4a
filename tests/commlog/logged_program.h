#pragma once

#include <sys/mman.h>

#include <functional>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "commlog/log/call_recorder.h"
#include "commlog/log/log_file.h"

namespace haichi {

/// Makes the log of an MPI program under the profiler without MPI. Ranks write their calls one after the other.
class LoggedProgram {
  public:
    struct Request {
        std::uint64_t number;
        std::uint32_t event;
        bool open = false;  ///< a receive from any source
    };

    class Rank {
      public:
        explicit Rank(std::int32_t rank) : rank_(rank), memory_(new_pages()), recorder_(memory_.get()) {
            communicators_.push_back({1, {}, {}});
        }

        [[nodiscard]] std::int32_t rank() const { return rank_; }
        CallRecorder& recorder() { return recorder_; }
        Rank& compute(std::uint64_t ns) {
            recorder_.add_gap(ns);
            return *this;
        }
        void send(int peer, std::uint64_t bytes, int tag = 0) { recorder_.send(peer, tag, 0, bytes, kBlocking); }
        void receive(int peer, int tag = 0) { recorder_.receive(peer, tag, 0, kBlocking); }
        void receive_any(int came_from, int tag = 0) {
            recorder_.receive(kNobody, tag, 0, kBlocking | kAnySource, came_from, tag);
        }
        Request isend(int peer, std::uint64_t bytes, int tag = 0) {
            const auto number = recorder_.send(peer, tag, 0, bytes, 0);
            return {number, recorder_.last_event()};
        }
        Request irecv(int peer, int tag = 0) {
            const auto number = recorder_.receive(peer, tag, 0, 0);
            return {number, recorder_.last_event()};
        }
        Request irecv_any(int tag = 0) {
            const auto number = recorder_.receive(kNobody, tag, 0, kAnySource);
            return {number, recorder_.last_event(), true};
        }
        void wait(const Request& request, int came_from = kNobody, int tag = 0) {
            recorder_.complete(request.number, request.event, came_from, tag);
        }
        void sendrecv(int to, int from, std::uint64_t bytes, int tag = 0) {
            const Request in = irecv(from, tag);
            const Request out = isend(to, bytes, tag);
            wait(in);
            wait(out);
        }
        void collective(CollectiveOperation operation, std::uint64_t bytes, std::uint64_t received,
                        std::uint32_t communicator = 0, int root = kNobody) {
            recorder_.collective(operation, communicator, root, bytes, received, kBlocking);
        }
        /// Returns the number to pass to collective().
        std::uint32_t communicator(std::uint64_t identity, RankSegment members) {
            communicators_.push_back({identity, {members}, {}});
            return static_cast<std::uint32_t>(communicators_.size() - 1);
        }

      private:
        friend class LoggedProgram;
        /// Pages of zeros that exist once they are touched. calloc() would write all of them for each of a thousand
        /// ranks.
        struct Unmap {
            void operator()(CallLogMemory* memory) const { ::munmap(memory, sizeof(CallLogMemory)); }
        };
        static CallLogMemory* new_pages() {
            void* const pages =
                ::mmap(nullptr, sizeof(CallLogMemory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (pages == MAP_FAILED) throw std::bad_alloc();
            return static_cast<CallLogMemory*>(pages);
        }

        std::int32_t rank_;
        std::unique_ptr<CallLogMemory, Unmap> memory_;
        CallRecorder recorder_;
        std::vector<CommunicatorRecord> communicators_;
    };

    /// Runs `program` for each rank.
    LoggedProgram(int ranks, const std::function<void(Rank&)>& program) : ranks_(ranks) {
        for (int r = 0; r < ranks; ++r) {
            Rank rank(r);
            program(rank);
            records_.push_back(record_of(rank));
        }
    }

    [[nodiscard]] const std::vector<RankRecord>& records() const { return records_; }
    [[nodiscard]] JobLog log() const { return join_ranks(records_, "program"); }

  private:
    RankRecord record_of(Rank& rank) const {
        RankRecord record;
        record.job = 7;
        record.ranks = ranks_;
        record.has_calls = true;
        record.log.rank = rank.rank_;
        record.log.threads.push_back(read_calls(*rank.memory_, 1e9, "rank"));
        record.communicators = rank.communicators_;
        check_calls(record.log.threads.front(), ranks_, record.communicators.size(), "rank");
        return record;
    }

    int ranks_;
    std::vector<RankRecord> records_;
};

}  // namespace haichi
