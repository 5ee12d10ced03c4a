#include "mgen/host/host.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "mgen/process_model.h"

namespace haichi::host {

namespace {

thread_local LiveRank* current_rank = nullptr;

/// After this many failed polls in a row, haichi checks whether the program has returned to an earlier state.
constexpr std::uint32_t kWatchedLooks = 64;
/// After this many failed polls, a program is assumed to poll forever, whatever its state.
constexpr std::uint32_t kMostSingleLooks = 10'000;
/// Only the most recent part of a deep stack is hashed.
constexpr std::ptrdiff_t kMostStackBytes = 64 << 10;

/// FNV-1a over 64-bit words.
std::uint64_t hash_of(const std::byte* at, const std::byte* end) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t hash = 0xcbf29ce484222325;
    for (; end - at >= static_cast<std::ptrdiff_t>(sizeof(std::uint64_t)); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 29U;
    }
    return hash;
}

}  // namespace

LiveRank* LiveRank::current() { return current_rank; }

void LiveRank::charge_code() {
    if (meter_ == nullptr) return;
    const std::int64_t until_ns = CodeMeter::now_ns();
    const std::int64_t time_ps = meter_->simulated_ps(std::exchange(code_since_ns_, until_ns), until_ns);
    if (time_ps > 0) queue_.push_back(Call::compute(time_ps));
}

void LiveRank::suspend() {
    if (depth_ == 0) charge_code();
    fiber_.suspend();
    if (meter_ != nullptr && depth_ == 0) code_since_ns_ = CodeMeter::now_ns();
}

void LiveRank::wait(Condition condition, WaitCost cost) {
    stop_looking();
    condition_ = condition;
    pays_ = cost == WaitCost::kCall;
    suspend();
    condition_ = {};
}

/// True if the program continues at once after a failed poll. `has_come_back`: the program is in the same state as at
/// an earlier poll, so it will repeat its behaviour.
bool LiveRank::looks_on(bool has_come_back) {
    if (idle_looks_ > 0) {
        has_looked_out_ = --idle_looks_ == 0;
        return !has_looked_out_;
    }
    return looks_ < kWatchedLooks || (looks_ < kMostSingleLooks && !has_come_back);
}

bool LiveRank::look(Condition condition) {
    const std::int64_t cost_ps = std::max(kPollPs, host_->setup_.call_overhead_ps);
    queue_.push_back(Call::spend(cost_ps));
    clock_looks_ = 0;
    waits_for_time_ = false;
    is_stack_wanted_ = looks_ + 1 >= kWatchedLooks && looks_ < kMostSingleLooks;
    suspend();
    if (condition.holds()) {
        stop_looking();
        return true;
    }
    ++looks_;
    // Brent's cycle detection: the earlier state is from the last power of two, so it detects loops of any length.
    const bool has_come_back = looks_ > kWatchedLooks && stack_state_ == earlier_stack_state_;
    if (std::has_single_bit(looks_)) earlier_stack_state_ = stack_state_;
    if (looks_on(has_come_back)) return false;
    // Simulated results are the same as with single polls: the rank resumes with the first poll after the next event.
    const std::int64_t begin_ps = now_ps_;
    const std::uint64_t changes = changes_;
    const auto has_changed = [&] { return changes_ != changes || idle_looks_ > 0 || condition.holds(); };
    condition_ = Condition(has_changed);
    is_looking_ = true;
    suspend();
    is_looking_ = false;
    condition_ = {};
    const std::int64_t passed_ps = now_ps_ - begin_ps;
    if (const std::int64_t rest_ps = passed_ps % cost_ps; rest_ps != 0) {
        queue_.push_back(Call::spend(cost_ps - rest_ps));
        suspend();
    }
    return condition.holds();
}

void LiveRank::spend(std::int64_t time_ps) {
    if (depth_ == 0) charge_code();
    if (time_ps > 0) queue(Call::spend(time_ps));
    stop_looking();
    suspend();
}

void LiveRank::compute(std::int64_t time_ps) {
    if (time_ps > 0) queue(Call::compute(time_ps));
}

void LiveRank::hardware_barrier(std::int32_t group) {
    queue(Call::spend(host_->setup_.call_overhead_ps));
    queue(Call::barrier(group));
    suspend();
}

/// There are two clock functions, so that a reading leaves nothing on the stack, whose state is compared.
[[gnu::noinline]] void LiveRank::begin_clock_look() {
    if (depth_ == 0) charge_code();
    const std::uint32_t looks = clock_looks_ + 1;
    const std::int64_t waited_ps = waits_for_time_ ? now_ps_ - clock_since_ps_ : 0;
    stop_looking();
    clock_looks_ = looks;
    is_stack_wanted_ = looks >= kWatchedLooks;
    queue_.push_back(Call::spend(std::max(kPollPs, waited_ps / kClockFraction)));
}

[[gnu::noinline]] void LiveRank::end_clock_look() {
    if (clock_looks_ == 1) clock_since_ps_ = now_ps_;
    waits_for_time_ = clock_looks_ > kWatchedLooks && stack_state_ == earlier_stack_state_;
    if (std::has_single_bit(clock_looks_)) earlier_stack_state_ = stack_state_;
}

std::int64_t LiveRank::now_ps() {
    begin_clock_look();
    suspend();
    end_clock_look();
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

void LiveRank::fail_at(const void* site, std::string what, std::string hint) {
    host_->failure_ = {.rank = id_, .site = site, .what = std::move(what), .hint = std::move(hint)};
    for (;;) suspend();
}

void LiveRank::exit(int code) {
    if (depth_ == 0) charge_code();
    exit_code_ = code;
    has_ended_ = true;
    for (;;) suspend();
}

void LiveRank::abort(int code) {
    host_->abort_code_ = code;
    exit(code);
}

const Envelope* LiveRank::find_unexpected(RankId source, std::int32_t tag, std::uint32_t context) const {
    return host_->model_->find_unexpected(id_, {.source = source, .tag = tag, .context = context});
}

void LiveRank::reserve_unexpected(RankId source, std::int32_t tag, std::uint32_t context, std::int32_t reservation) {
    host_->model_->reserve_unexpected(id_, {.source = source, .tag = tag, .context = context}, reservation);
}

void LiveRank::answer(const RemoteAccess& access, std::int64_t now_ps) { host_->model_->answer_access(access, now_ps); }

bool LiveRank::cancel_receive(std::uint32_t request) { return host_->model_->cancel_receive(id_, request); }

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
        if (setup_.code_meter) ranks_[r].meter_ = &*setup_.code_meter;
    }
}

Host::~Host() = default;

std::int32_t Host::add_barrier_group(std::vector<RankId> ranks, std::int64_t cost_ps) {
    return model_->add_group(std::move(ranks), cost_ps);
}

void Host::enter(void* argument) {
    auto& rank = *static_cast<LiveRank*>(argument);
    if (rank.meter_ != nullptr) rank.code_since_ns_ = CodeMeter::now_ns();
    rank.exit(rank.host_->setup_.body(rank));
}

void Host::put_in_place(const LiveRank& rank) {
    if (in_place_ == rank.id_) return;
    in_place_ = rank.id_;
    for (RankMemory* memory : setup_.memories) memory->put_in_place(rank.id_);
}

/// Performs the rank's communication work outside of its fiber. The work may call reduction operations of the program,
/// so the rank becomes the current one.
void Host::work(LiveRank& rank) {
    struct Working {
        explicit Working(LiveRank& at_work) { current_rank = &at_work; }
        ~Working() { current_rank = nullptr; }
    };
    const Working working(rank);
    rank.listener_->work();
}

void Host::throw_failure() {
    const Failure failure = *std::exchange(failure_, std::nullopt);
    const std::string place = setup_.place_name ? setup_.place_name(failure.site) : "";
    throw InputError(
        "rank " + std::to_string(failure.rank.value) + ' ' + failure.what + (place.empty() ? "" : " (" + place + ")"),
        failure.hint);
}

/// Runs the rank until it waits, has calls to make, or has ended.
void Host::run(LiveRank& rank) {
    const auto number = rank.id_.index();
    if (!rank.fiber_.has_started()) {
        stacks_.begin(number);
        rank.fiber_.start(stacks_.stack(number), &Host::enter, &rank);
    }
    for (RankMemory* memory : setup_.memories) memory->will_run(rank.id_);
    current_rank = &rank;
    rank.fiber_.resume();
    current_rank = nullptr;
    if (std::exchange(rank.is_stack_wanted_, false)) {
        const std::span<const std::byte> stack = stacks_.stack(number);
        const auto* const top = static_cast<const std::byte*>(rank.fiber_.top());
        const std::byte* const end = stack.data() + stack.size();
        rank.stack_state_ = hash_of(top, end - top > kMostStackBytes ? top + kMostStackBytes : end);
    }
    for (RankMemory* memory : setup_.memories) memory->has_stopped(rank.id_, rank.now_ps_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (failure_) throw_failure();
    if (!stacks_.is_whole(number)) {
        throw InputError("rank " + std::to_string(rank.id_.value) + " has overrun its stack of " +
                             std::to_string(stacks_.stack_bytes()) + " bytes" + place(rank.id_),
                         "use a larger §stack");
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
    rank.note_change();
    rank.listener_->completed(request, request_is);
}

TargetAnswer Host::accessed(const RemoteAccess& access, std::int64_t now_ps) {
    const std::unique_lock<std::mutex> lock = alone();
    LiveRank& target = ranks_[access.target.index()];
    if (target.has_ended_ || target.listener_ == nullptr) return TargetAnswer::kNow;
    target.note_change();
    put_in_place(target);
    return target.listener_->accessed(access, now_ps);
}

bool Host::may_resume(RankId id, std::uint32_t /*open_requests*/) {
    const std::unique_lock<std::mutex> lock = alone();
    if (was_aborted()) return false;
    const LiveRank& rank = ranks_[id.index()];
    return (rank.listener_ != nullptr && rank.listener_->has_work()) || !rank.condition_.is_set() ||
           rank.condition_.holds();
}

bool Host::may_look_again(std::span<const RankId> waiting) {
    std::vector<LiveRank*> looking;
    for (const RankId id : waiting) {
        LiveRank& rank = ranks_[id.index()];
        if (rank.is_looking_ && !rank.has_looked_out_) looking.push_back(&rank);
    }
    for (LiveRank* rank : looking) {
        rank->idle_looks_ = std::clamp(LiveRank::kMostIdlePolls / static_cast<std::uint32_t>(looking.size()),
                                       LiveRank::kLeastIdlePollsOfRank, LiveRank::kMostIdlePollsOfRank);
    }
    return !looking.empty();
}

std::string Host::hint_when_stuck() const {
    std::string hint;
    // Other ranks may be waiting for a rank that has ended.
    const auto ended = std::ranges::find_if(ranks_, [](const LiveRank& rank) { return rank.has_ended_; });
    if (ended != ranks_.end()) {
        const auto failed = std::ranges::find_if(
            ended, ranks_.end(), [](const LiveRank& rank) { return rank.has_ended_ && rank.exit_code_ != 0; });
        const LiveRank& named = failed != ranks_.end() ? *failed : *ended;
        hint = "rank " + std::to_string(named.id_.value) + " ended with exit code " + std::to_string(named.exit_code_) +
               "; ";
    }
    hint += "check why the messages that these ranks wait for are never sent";
    const auto looked = std::ranges::find_if(ranks_, [](const LiveRank& rank) { return rank.has_looked_out_; });
    if (looked != ranks_.end()) {
        hint += "\n  polling ranks (rank " + std::to_string(looked->id_.value) + " first) made at least " +
                std::to_string(LiveRank::kLeastIdlePollsOfRank) + " polls while nothing else could happen";
    }
    if (setup_.hint_when_stuck) hint += setup_.hint_when_stuck();
    return hint;
}

std::string Host::place(RankId id) const {
    const LiveRank& rank = ranks_[id.index()];
    std::string text = rank.call_name != nullptr ? std::string(" in ") + rank.call_name : "";
    if (rank.call_site != nullptr && setup_.place_name) {
        const std::string name = setup_.place_name(rank.call_site);
        if (!name.empty()) text += " (" + name + ")";
    }
    return text;
}

std::uint64_t Host::calls() const {
    std::uint64_t calls = 0;
    for (const LiveRank& rank : ranks_) calls += rank.calls_;
    return calls;
}

}  // namespace haichi::host
