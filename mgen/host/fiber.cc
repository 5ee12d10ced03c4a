#include "mgen/host/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/errors.h"
#include "mgen/host/address_space.h"

namespace haichi::host {

namespace {

namespace context = boost::context::detail;

constexpr std::size_t kEndWords = 8;  ///< at the end of a stack without a guard page; zero unless the stack overruns

/// The structure that __cxa_get_globals() returns (Itanium C++ ABI, 2.2.2).
struct ExceptionGlobals {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

}  // namespace

StackArena::StackArena(std::size_t stacks, std::size_t stack_bytes)
    : stacks_(stacks), stack_bytes_((stack_bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
    has_guard_pages_ = mappings(stacks) > 0;
    stride_ = stack_bytes_ + (has_guard_pages_ ? page_bytes() : 0);
    void* memory =
        mmap(nullptr, stacks * stride_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw OptionError("no address space for the stacks of " + std::to_string(stacks) + " ranks with " +
                              std::to_string(stack_bytes_) + " bytes each",
                          "use smaller stacks, for example §stack 64KiB");
    }
    begin_ = static_cast<std::byte*>(memory);
    // A huge page would span many stacks, each with only a few used bytes.
    madvise(memory, stacks * stride_, MADV_NOHUGEPAGE);
}

std::size_t StackArena::mappings(std::size_t stacks) {
    // The other half of the mappings is for the program, its variables and its libraries.
    return 2 * stacks < most_mappings() / 2 ? 2 * stacks : 0;
}

std::size_t StackArena::mappings_left(std::size_t stacks) {
    constexpr std::size_t kOfProgram = 8192;  // for libraries and their memory
    const std::size_t taken = mappings(stacks) + kOfProgram;
    return most_mappings() > taken ? most_mappings() - taken : 0;
}

StackArena::~StackArena() { munmap(begin_, stacks_ * stride_); }

std::span<std::byte> StackArena::stack(std::size_t number) const {
    return {begin_ + number * stride_ + (stride_ - stack_bytes_), stack_bytes_};
}

void StackArena::begin(std::size_t number) const {
    if (has_guard_pages_) mprotect(begin_ + number * stride_, page_bytes(), PROT_NONE);
}

bool StackArena::is_whole(std::size_t number) const {
    if (has_guard_pages_) return true;
    // Untouched memory reads as zeros and takes no pages.
    std::uint64_t words[kEndWords];
    std::memcpy(words, stack(number).data(), sizeof words);
    return std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; });
}

std::int64_t StackArena::overrun_stack(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    if (at < begin_ || at >= begin_ + stacks_ * stride_) return -1;
    const auto offset = static_cast<std::size_t>(at - begin_);
    const std::size_t number = offset / stride_;
    // Without guard pages, the end of one stack is the beginning of the next.
    return offset % stride_ < page_bytes() ? static_cast<std::int64_t>(number) : -1;
}

void StackArena::discard(std::size_t number) {
    // Ranks usually end in the order of their IDs, so that one system call can release many stacks.
    constexpr std::size_t kAtOnce = 64;
    if (number == discarded_.end && number - discarded_.begin < kAtOnce) {
        ++discarded_.end;
        return;
    }
    madvise(begin_ + discarded_.begin * stride_, (discarded_.end - discarded_.begin) * stride_, MADV_DONTNEED);
    discarded_ = {number, number + 1};
}

void Fiber::start(std::span<std::byte> stack, Entry entry, void* argument) {
    entry_ = entry;
    argument_ = argument;
    context_ = context::make_fcontext(stack.data() + stack.size(), stack.size(), [](context::transfer_t from) {
        run(from.fctx, *static_cast<Fiber*>(from.data));
    });
}

void Fiber::run(void* resumer, Fiber& fiber) {
    fiber.resumer_ = resumer;
    fiber.entry_(fiber.argument_);
}

void Fiber::resume() {
    auto& exceptions = *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
    const ExceptionGlobals own = exceptions;
    const int own_errno = errno;
    exceptions = {caught_exceptions_, uncaught_exceptions_};
    errno = errno_;
    context_ = context::jump_fcontext(std::exchange(context_, nullptr), this).fctx;
    errno_ = errno;
    caught_exceptions_ = exceptions.caught;
    uncaught_exceptions_ = exceptions.uncaught;
    exceptions = own;
    errno = own_errno;
}

void Fiber::suspend() { resumer_ = context::jump_fcontext(resumer_, this).fctx; }

}  // namespace haichi::host
