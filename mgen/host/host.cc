#include "mgen/host/host.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace haichi::host {

namespace {

thread_local LiveRank* current_rank = nullptr;

/// A program that has looked so often in vain, and did nothing else, is taken to look on.
constexpr std::uint32_t kLooksInVain = 64;

}  // namespace

LiveRank* LiveRank::current() { return current_rank; }

void LiveRank::suspend() { fiber_.suspend(); }

void LiveRank::wait(Condition condition, WaitCost cost) {
    looks_ = 0;
    condition_ = condition;
    pays_ = cost == WaitCost::kCall;
    suspend();
    condition_ = {};
}

bool LiveRank::look(Condition condition) {
    const std::int64_t cost_ps = std::max(kPollPs, host_->setup_.call_overhead_ps);
    queue(Call::spend(cost_ps));
    suspend();
    if (condition.holds()) {
        looks_ = 0;
        return true;
    }
    if (++looks_ < kLooksInVain) return false;
    // What single looks would give: the first one behind the next thing that happens.
    const std::int64_t begin_ps = now_ps_;
    const std::uint64_t changes = changes_;
    const auto has_changed = [&] { return changes_ != changes || condition.holds(); };
    const std::uint32_t looks = looks_;
    wait(Condition(has_changed), WaitCost::kNone);
    looks_ = looks;
    const std::int64_t passed_ps = now_ps_ - begin_ps;
    if (const std::int64_t rest_ps = passed_ps % cost_ps; rest_ps != 0) {
        queue(Call::spend(cost_ps - rest_ps));
        suspend();
    }
    return condition.holds();
}

void LiveRank::spend(std::int64_t time_ps) {
    looks_ = 0;
    if (time_ps > 0) queue(Call::spend(time_ps));
    suspend();
}

void LiveRank::compute(std::int64_t time_ps) {
    looks_ = 0;
    if (time_ps > 0) queue(Call::compute(time_ps));
}

void LiveRank::hardware_barrier(std::int32_t group) {
    looks_ = 0;
    queue(Call::spend(host_->setup_.call_overhead_ps));
    queue(Call::barrier(group));
    suspend();
}

std::int64_t LiveRank::now_ps() {
    spend(kPollPs);
    return now_ps_;
}

std::int64_t LiveRank::measured_ps() {
    if (!queue_.empty()) suspend();
    return now_ps_;
}

void LiveRank::fail(std::exception_ptr error) {
    host_->error_ = std::move(error);
    for (;;) suspend();
}

void LiveRank::exit(int code) {
    exit_code_ = code;
    has_ended_ = true;
    for (;;) suspend();
}

void LiveRank::abort(int code) {
    host_->abort_code_ = code;
    exit(code);
}

const Envelope* LiveRank::find_unexpected(RankId source, std::int32_t tag, std::uint32_t context) const {
    return host_->model_.find(id_, {.source = source, .tag = tag, .context = context});
}

void LiveRank::reserve_unexpected(RankId source, std::int32_t tag, std::uint32_t context, std::int32_t reservation) {
    host_->model_.reserve(id_, {.source = source, .tag = tag, .context = context}, reservation);
}

bool LiveRank::cancel_receive(std::uint32_t request) { return host_->model_.cancel(id_, request); }

bool LiveRank::has_for_itself(const void* address) const {
    return std::ranges::any_of(host_->setup_.memories,
                               [&](const RankMemory* memory) { return memory->holds(address); });
}

Host::Host(Setup setup)
    : setup_(std::move(setup)),
      stacks_(static_cast<std::size_t>(setup_.ranks), setup_.stack_bytes),
      ranks_(static_cast<std::size_t>(setup_.ranks)) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        ranks_[r].id_ = RankId(r);
        ranks_[r].host_ = this;
    }
}

Host::~Host() = default;

std::int32_t Host::add_barrier_group(std::vector<RankId> ranks, std::int64_t cost_ps) {
    if (setup_.threads > 1) {
        throw OptionError("--threads: a program that uses the machine's barrier network runs in one thread",
                          "leave it out, or choose another barrier: --collectives barrier=dissemination");
    }
    return model_.add_group(std::move(ranks), cost_ps);
}

void Host::enter(void* argument) {
    auto& rank = *static_cast<LiveRank*>(argument);
    rank.exit(rank.host_->setup_.body(rank));
}

void Host::put_in_place(const LiveRank& rank) {
    if (in_place_ == rank.id_) return;
    in_place_ = rank.id_;
    for (RankMemory* memory : setup_.memories) memory->put_in_place(rank.id_);
}

/// What the rank communicates goes on outside of its fiber, but for the rank: operations of the program are called.
void Host::work(LiveRank& rank) {
    struct Working {
        explicit Working(LiveRank& at_work) { current_rank = &at_work; }
        ~Working() { current_rank = nullptr; }
    };
    const Working working(rank);
    rank.listener_->work();
}

/// Until the rank has something to wait for, or calls to make, or has ended.
void Host::run(LiveRank& rank) {
    const auto number = rank.id_.index();
    if (!rank.fiber_.has_started()) {
        stacks_.begin(number);
        rank.fiber_.start(stacks_.stack(number), &Host::enter, &rank);
    }
    current_rank = &rank;
    rank.fiber_.resume();
    current_rank = nullptr;
    for (RankMemory* memory : setup_.memories) memory->has_stopped(rank.id_, rank.now_ps_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (!stacks_.is_whole(number)) {
        throw InputError("rank " + std::to_string(rank.id_.value) + " has overrun its stack of " +
                             std::to_string(stacks_.stack_bytes()) + " bytes" + place(rank.id_),
                         "give the ranks larger ones: --stack");
    }
    if (!rank.has_ended_) return;
    for (RankMemory* memory : setup_.memories) memory->has_ended(rank.id_, rank.now_ps_);
    stacks_.discard(number);
}

Call Host::next(RankId id, std::int64_t now_ps) {
    const std::unique_lock<std::mutex> lock = alone();
    LiveRank& rank = ranks_[id.index()];
    rank.now_ps_ = now_ps;
    return next_of(rank);
}

Call Host::next_of(LiveRank& rank) {
    for (;;) {
        if (rank.queued_ < rank.queue_.size()) return rank.queue_[rank.queued_++];
        rank.queue_.clear();
        rank.queued_ = 0;
        if (rank.has_ended_) return Call::finish();
        if (was_aborted()) return Call::park();
        if (std::exchange(rank.pays_, false)) return Call::wait();
        if (rank.listener_ != nullptr && rank.listener_->has_work()) {
            if (rank.listener_->work_needs_memory()) put_in_place(rank);
            work(rank);
            continue;
        }
        if (rank.condition_.is_set() && !rank.condition_.holds()) return Call::park();
        put_in_place(rank);
        if (rank.listener_ != nullptr) work(rank);
        if (rank.queued_ < rank.queue_.size()) continue;
        run(rank);
    }
}

void Host::completed(RankId id, std::uint32_t request, const CompletedRequest& request_is, std::int64_t /*now_ps*/) {
    const std::unique_lock<std::mutex> lock = alone();
    LiveRank& rank = ranks_[id.index()];
    ++rank.changes_;
    rank.listener_->completed(request, request_is);
}

void Host::accessed(const RemoteAccess& access, std::int64_t /*now_ps*/) {
    const std::unique_lock<std::mutex> lock = alone();
    LiveRank& target = ranks_[access.target.index()];
    if (target.has_ended_ || target.listener_ == nullptr) return;
    ++target.changes_;
    put_in_place(target);
    target.listener_->accessed(access);
}

bool Host::may_resume(RankId id) {
    const std::unique_lock<std::mutex> lock = alone();
    if (was_aborted()) return false;
    const LiveRank& rank = ranks_[id.index()];
    return (rank.listener_ != nullptr && rank.listener_->has_work()) || !rank.condition_.is_set() ||
           rank.condition_.holds();
}

std::string Host::place(RankId id) const {
    const LiveRank& rank = ranks_[id.index()];
    std::string text = rank.call_name != nullptr ? std::string(" in ") + rank.call_name : "";
    if (rank.call_site != nullptr && setup_.place_name) {
        const std::string name = setup_.place_name(rank.call_site);
        if (!name.empty()) text += " (" + name + ")";
    }
    return rank.key ? text + " behind key " + std::to_string(*rank.key) : text;
}

std::uint64_t Host::calls() const {
    std::uint64_t calls = 0;
    for (const LiveRank& rank : ranks_) calls += rank.calls_;
    return calls;
}

}  // namespace haichi::host
