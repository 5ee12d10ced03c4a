#include "base/thread_team.h"

#include <utility>

namespace haichi {

namespace {

/// Waits until `value` differs from `old`.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
    constexpr int kTurnsAwake = 4000;  // tens of microseconds
    for (int turn = 0; turn < kTurnsAwake; ++turn) {
        if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int count) : errors_(static_cast<std::size_t>(count)) {
    for (int number = 1; number < count; ++number) {
        threads_.emplace_back([this, number] { work_on(number); });
    }
}

ThreadTeam::~ThreadTeam() {
    work_ = nullptr;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::do_part(int number) {
    try {
        (*work_)(number);
    } catch (...) {
        errors_[static_cast<std::size_t>(number)] = std::current_exception();
    }
}

void ThreadTeam::work_on(int number) {
    for (std::uint32_t round = 0;; ++round) {
        wait_for_change(round_, round);
        if (work_ == nullptr) return;
        do_part(number);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

void ThreadTeam::run(const std::function<void(int)>& work) {
    work_ = &work;
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    do_part(0);
    for (int busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire)) {
        wait_for_change(busy_, busy);
    }
    for (std::exception_ptr& error : errors_) {
        if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
}

}  // namespace haichi
