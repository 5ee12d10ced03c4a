#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace haichi::host {

/// The stacks of all ranks, in one reserved part of the address space: only pages that were touched take memory. Each
/// stack ends at a page that cannot be touched, as long as the kernel allows so many mappings; else at a few words
/// that must stay zero, which are looked at when the fiber stops.
class StackArena {
  public:
    /// Throws OptionError when the address space is too small.
    StackArena(std::size_t stacks, std::size_t stack_bytes);
    ~StackArena();
    StackArena(const StackArena&) = delete;
    StackArena& operator=(const StackArena&) = delete;

    /// How many parts of the address space the guard pages of so many stacks make; 0: there are none.
    [[nodiscard]] static std::size_t mappings(std::size_t stacks);
    /// How many the kernel has then for the variables of the ranks.
    [[nodiscard]] static std::size_t mappings_left(std::size_t stacks);
    [[nodiscard]] std::span<std::byte> stack(std::size_t number) const;
    /// Makes the guard page of a stack that will be used.
    void begin(std::size_t number) const;
    /// Whether the words at its end are still zero; true where there are guard pages.
    [[nodiscard]] bool is_whole(std::size_t number) const;
    /// The stack behind whose end the address lies, in its guard page; -1: none.
    [[nodiscard]] std::int64_t overrun_stack(const void* address) const;
    /// The memory of the stack is given back, at the latest with the next ones. Nothing runs on it any more.
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
    } discarded_;  ///< whose memory is still to be given back
};

/// A function with a stack of its own, resumed and suspended (Boost.Context).
class Fiber {
  public:
    using Entry = void (*)(void* argument);  ///< must suspend in the end, and is not resumed then

    void start(std::span<std::byte> stack, Entry entry, void* argument);
    [[nodiscard]] bool has_started() const { return context_ != nullptr; }
    /// Runs until the fiber suspends.
    void resume();
    /// Called on the fiber itself: goes on behind resume().
    void suspend();
    /// While it is suspended: the end of its stack, where its registers are.
    [[nodiscard]] const void* top() const { return context_; }

  private:
    static void run(void* resumer, Fiber& fiber);

    void* context_ = nullptr;  ///< of the fiber while it is suspended
    void* resumer_ = nullptr;  ///< of who resumed it, while it runs
    Entry entry_ = nullptr;
    void* argument_ = nullptr;
    /// Of exceptions that are being handled, which the C++ runtime keeps by thread (Itanium C++ ABI, 2.2.2).
    void* caught_exceptions_ = nullptr;
    unsigned uncaught_exceptions_ = 0;
    int errno_ = 0;
};

}  // namespace haichi::host
