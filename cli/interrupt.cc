#include "cli/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/errors.h"

namespace haichi::cli {

namespace {

/// Signal handlers can only reach globals.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) {
    if (interrupted.exchange(true)) ::_exit(kExitInterrupted);
}

constexpr int kSignals[] = {SIGINT, SIGTERM};

}  // namespace

InterruptWatch::InterruptWatch() {
    interrupted = false;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_RESTART;
    for (const int number : kSignals) {
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) ::sigaction(number, &ours, nullptr);  // ignored: as whoever started us wants
    }
}

InterruptWatch::~InterruptWatch() {
    for (const int number : kSignals) {
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        if (now.sa_handler == on_signal) ::signal(number, SIG_DFL);
    }
}

const std::atomic<bool>& InterruptWatch::flag() { return interrupted; }

void prepare_process() {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
    ::sigaction(SIGXFSZ, &action, nullptr);  // a file-size limit is an error when writing, not a death
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // Opened the wrong way round, so that using it is an error.
        if (::fcntl(descriptor, F_GETFD) < 0) {
            (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace haichi::cli
