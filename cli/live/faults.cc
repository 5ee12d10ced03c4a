#include "cli/live/faults.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cli/fault_report.h"
#include "cli/interrupt.h"
#include "cli/live/live_program.h"

namespace haichi::cli {

namespace {

constexpr std::size_t kHandlerStackBytes = 64 << 10;

/// A code address as the text "MODULE+OFFSET", for FaultReport. It neither allocates memory nor takes a lock, because
/// it is used in signal handlers.
struct PlaceWord {
    std::array<char, 4096 + 32> text{};

    PlaceWord(const LiveProgram& program, std::uintptr_t address) {
        const auto [module, offset] = program.module_offset(reinterpret_cast<const void*>(address));
        if (address == 0 || module == nullptr) return;
        const char* const path = module->is_program ? program.path().c_str() : module->path.c_str();
        std::snprintf(text.data(), text.size(), "%s+%" PRIuPTR, path, offset);
    }
};

std::uintptr_t instruction(const void* context) {
    const auto* const machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine->gregs[REG_RIP]);
#elif defined(__aarch64__)
    return machine->pc;
#endif
}

/// Reports a crash. The heap may be damaged and its lock may be held, so a new process gets the facts and finds the
/// source lines.
void report(int number, siginfo_t* info, void* context) {
    const host::LiveRank* const rank = host::LiveRank::current();
    LiveProgram* const program = LiveProgram::running();
    if (rank == nullptr || program == nullptr) {  // not in the code of a rank: the default action
        ::signal(number, SIG_DFL);
        ::raise(number);
        return;
    }
    if (program->output() != nullptr) program->output()->write_rest();
    SignalWatch::discard_outputs();
    const host::StackArena& stacks = rank->host().stacks();
    const bool is_overrun = number == SIGSEGV && stacks.overrun_stack(info->si_addr) >= 0;
    const PlaceWord place(*program, instruction(context));
    const PlaceWord call_place(*program, reinterpret_cast<std::uintptr_t>(rank->call_site));
    std::array<char, 32> rank_word{}, signal_word{}, address_word{}, stack_word{};
    std::snprintf(rank_word.data(), rank_word.size(), "%" PRId32, rank->id().value);
    std::snprintf(signal_word.data(), signal_word.size(), "%d", number);
    std::snprintf(address_word.data(), address_word.size(), "%p", info->si_addr);
    std::snprintf(stack_word.data(), stack_word.size(), "%zu", is_overrun ? stacks.stack_bytes() : 0);
    const char* const call = rank->call_name != nullptr ? rank->call_name : "";
    const std::array<const char*, FaultReport::kWords + 2> words = {program->haichi().c_str(), FaultReport::kCommand,
                                                                    rank_word.data(),          signal_word.data(),
                                                                    address_word.data(),       stack_word.data(),
                                                                    place.text.data(),         call,
                                                                    call_place.text.data(),    nullptr};
    // haichi refuses execv() to ranks, so this calls the kernel directly.
    ::syscall(SYS_execve, program->haichi().c_str(), words.data(), environ);
    // haichi could not be started, so this process itself prints the most important facts.
    std::array<char, 256> text{};
    const int size = std::snprintf(text.data(), text.size(), "error: rank %s died from signal %s at address %s\n",
                                   rank_word.data(), signal_word.data(), address_word.data());
    (void)!::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size));
    constexpr int kDied = 128;
    ::_exit(kDied + number);
}

/// The stack on which a thread runs its signal handlers.
class HandlerStack {
  public:
    HandlerStack() : stack_(std::make_unique<char[]>(kHandlerStackBytes)) {
        stack_t own{};
        own.ss_sp = stack_.get();
        own.ss_size = kHandlerStackBytes;
        ::sigaltstack(&own, &before_);
    }
    ~HandlerStack() { ::sigaltstack(&before_, nullptr); }
    HandlerStack(const HandlerStack&) = delete;
    HandlerStack& operator=(const HandlerStack&) = delete;

  private:
    std::unique_ptr<char[]> stack_;
    stack_t before_{};
};

}  // namespace

void FaultWatch::begin_thread() {
    thread_local const HandlerStack stack;
    (void)stack;
}

FaultWatch::FaultWatch() {
    begin_thread();
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

FaultWatch::~FaultWatch() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace haichi::cli
