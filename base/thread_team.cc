#include "base/thread_team.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/usable_threads.h"

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

int usable_threads(int wanted) {
    static std::atomic<int> known = 1;
    if (wanted <= known) return wanted;
    // Tries to start an eighth more threads than wanted. This reserve is for the memory and the threads that the work
    // itself needs.
    const auto tried = static_cast<std::size_t>(wanted + wanted / 8);
    std::vector<std::thread> threads;
    threads.reserve(tried);
    std::atomic<bool> is_over = false;
    std::string reason;
    try {
        while (threads.size() + 1 < tried) threads.emplace_back([&is_over] { is_over.wait(false); });
    } catch (const std::system_error& error) {
        reason = error.code().message();
    }
    is_over = true;
    is_over.notify_all();
    for (std::thread& thread : threads) thread.join();
    if (!reason.empty()) {
        throw OptionError("cannot start " + std::to_string(wanted) + " threads: " + reason,
                          "use §threads " + std::to_string(std::max<std::size_t>(threads.size() / 2, 1)) +
                              ", as results do not depend on the number of threads");
    }
    known = wanted;
    return wanted;
}

ThreadTeam::ThreadTeam(int count) : errors_(static_cast<std::size_t>(count)) {
    (void)usable_threads(count);
    threads_.reserve(errors_.size());
    try {
        for (int number = 1; number < count; ++number) threads_.emplace_back([this, number] { work_on(number); });
    } catch (...) {
        end();
        throw;
    }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
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
