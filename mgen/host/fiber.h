#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace haichi::host {

/// The stacks of all ranks, in one reserved address range. Only touched pages take memory. Each stack ends at a guard
/// page if the kernel allows enough mappings. Otherwise it ends at a few words that must stay zero, which are checked
/// when the fiber suspends.
class StackArena {
  public:
    /// Throws OptionError when the address space is too small.
    StackArena(std::size_t stacks, std::size_t stack_bytes);
    ~StackArena();
    StackArena(const StackArena&) = delete;
    StackArena& operator=(const StackArena&) = delete;

    /// Number of mappings for the guard pages of this many stacks; 0 if the stacks have no guard pages.
    [[nodiscard]] static std::size_t mappings(std::size_t stacks);
    /// Number of mappings that this many stacks leave for the variables of the ranks.
    [[nodiscard]] static std::size_t mappings_left(std::size_t stacks);
    [[nodiscard]] std::span<std::byte> stack(std::size_t number) const;
    /// Creates the guard page of a stack that is about to be used.
    void begin(std::size_t number) const;
    /// True if the words at the end of the stack are still zero. Always true with guard pages.
    [[nodiscard]] bool is_whole(std::size_t number) const;
    /// The stack whose guard page contains the address, or -1 if there is none.
    [[nodiscard]] std::int64_t overrun_stack(const void* address) const;
    /// Releases the memory of a stack that is no longer in use. The release may be delayed until a later call, which
    /// releases several stacks.
    void discard(std::size_t number);
    [[nodiscard]] std::size_t stack_bytes() const { return stack_bytes_; }

  private:
    std::byte* begin_ = nullptr;
    std::size_t stacks_;
    std::size_t stack_bytes_;
    std::size_t stride_;
    bool has_guard_pages_ = false;
    struct {
        std::size_t begin = 0;
        std::size_t end = 0;
    } discarded_;  ///< stacks whose memory is still to be released
};

/// A function with a stack of its own, which can be resumed and suspended (Boost.Context).
class Fiber {
  public:
    using Entry = void (*)(void* argument);  ///< the function must suspend at its end and is not resumed afterwards

    void start(std::span<std::byte> stack, Entry entry, void* argument);
    [[nodiscard]] bool has_started() const { return context_ != nullptr; }
    /// Runs the fiber until it suspends.
    void resume();
    /// Must be called on the fiber itself. The caller of resume() continues.
    void suspend();
    /// The top of the stack of a suspended fiber, where its registers are saved.
    [[nodiscard]] const void* top() const { return context_; }

  private:
    static void run(void* resumer, Fiber& fiber);

    void* context_ = nullptr;  ///< context of the suspended fiber
    void* resumer_ = nullptr;  ///< context of the resumer while the fiber runs
    Entry entry_ = nullptr;
    void* argument_ = nullptr;
    /// The exceptions being handled, which the C++ runtime keeps per thread (Itanium C++ ABI, 2.2.2).
    void* caught_exceptions_ = nullptr;
    unsigned uncaught_exceptions_ = 0;
    int errno_ = 0;
};

}  // namespace haichi::host
