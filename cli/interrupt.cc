#include "cli/interrupt.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/errors.h"

namespace haichi::cli {

namespace {

/// The only global state of the program. Signals belong to the process, so this state must be global.
struct SignalState {
    std::mutex changing;
    bool may_have_result = false;
    StopFlag stop;
    Outputs* outputs = nullptr;
    RunMonitor* monitor = nullptr;
    std::atomic<bool> interrupted{false};
    std::chrono::steady_clock::time_point first_signal;
    std::atomic<bool> is_over{false};
    std::optional<std::thread> watcher;
    sigset_t watched{};
};

SignalState& state() {
    static SignalState the;
    return the;
}

/// Ends the program without a result. The lock of the state must be held.
[[noreturn]] void end() {
    std::unique_lock<std::mutex> nothing_new;
    if (state().outputs != nullptr) nothing_new = state().outputs->discard();
    ::_exit(kExitInterrupted);
}

void on_signal() {
    // timeout(1), for instance, sends a signal to a program and then to its process group. The two count as one signal.
    constexpr std::chrono::milliseconds kOneSignal{300};
    SignalState& now = state();
    const std::unique_lock<std::mutex> lock(now.changing);
    const bool is_first = !now.interrupted.exchange(true);
    const auto time = std::chrono::steady_clock::now();
    if (is_first) now.first_signal = time;
    now.stop = true;
    if (now.may_have_result && now.stop.was_read()) {
        if (time - now.first_signal < kOneSignal) return;
        constexpr std::string_view kWords = "interrupted again: the run ends now, without a result\n";
        (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
    }
    end();
}

void ask_monitor() {
    SignalState& now = state();
    const std::unique_lock<std::mutex> lock(now.changing);
    if (now.monitor != nullptr && now.monitor->must_end(now.interrupted)) end();
}

/// Prints that a second signal ends the program. It is called some time after the first signal. During a long step,
/// such as the computation of a live rank, the program would otherwise seem to ignore the signal.
void tell_of_second_signal() {
    constexpr std::string_view kWords =
        "interrupted: the run ends after its current step. Press Ctrl-C again to end it now, without a result\n";
    (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
}

void watch() {
    constexpr timespec kSecond{.tv_sec = 1, .tv_nsec = 0};
    bool is_to_tell = false;
    for (;;) {
        const int number = ::sigtimedwait(&state().watched, nullptr, &kSecond);
        if (state().is_over) return;
        if (number > 0) {
            on_signal();
            is_to_tell = true;
        } else if (errno == EAGAIN) {
            ask_monitor();
            if (std::exchange(is_to_tell, false)) tell_of_second_signal();
        }
    }
}

}  // namespace

sigset_t interrupting_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaddset(&signals, number);
    }
    return signals;
}

SignalWatch::SignalWatch() {
    SignalState& now = state();
    now.watched = interrupting_signals();
    if (sigisemptyset(&now.watched) != 0) return;
    ::pthread_sigmask(SIG_BLOCK, &now.watched, nullptr);
    now.watcher.emplace(watch);
}

SignalWatch::~SignalWatch() {
    SignalState& now = state();
    if (!now.watcher) return;
    now.is_over = true;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        if (sigismember(&now.watched, number) == 1) ::pthread_kill(now.watcher->native_handle(), number);
    }
    now.watcher->join();
    now.watcher.reset();
}

bool SignalWatch::was_interrupted() { return state().interrupted; }

void SignalWatch::set_outputs(Outputs* outputs) {
    const std::unique_lock<std::mutex> lock(state().changing);
    state().outputs = outputs;
}

void SignalWatch::set_monitor(RunMonitor* monitor) {
    const std::unique_lock<std::mutex> lock(state().changing);
    state().monitor = monitor;
}

void SignalWatch::discard_outputs() noexcept {
    if (Outputs* const outputs = state().outputs; outputs != nullptr) (void)outputs->discard();
}

InterruptWatch::InterruptWatch() {
    const std::unique_lock<std::mutex> lock(state().changing);
    state().may_have_result = true;
}

InterruptWatch::~InterruptWatch() {
    const std::unique_lock<std::mutex> lock(state().changing);
    state().may_have_result = false;
}

const StopFlag& InterruptWatch::flag() { return state().stop; }

void prepare_process() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
    ::sigaction(SIGXFSZ, &action, nullptr);  // a write beyond a file-size limit fails instead of killing the program
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // The descriptor is opened in the wrong direction, so that any use of it fails.
        if (::fcntl(descriptor, F_GETFD) < 0) {
            (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace haichi::cli
