#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace haichi::collectives {

/// What one member of a collective operation does, message by message, as a coroutine: it begins messages, waits
/// (`co_await exchange.wait()`), and goes on when whoever runs it calls resume(). Steps may be made of others
/// (`co_await other_steps(...)`). Nothing runs before the first resume(). An exception leaves through resume().
/// All frames are freed with the object, also in the middle.
class [[nodiscard]] Steps {
  public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct promise_type {
        // What runs next, of all steps that began with these; only where they are the outermost.
        Handle innermost;
        bool waits = false;

        promise_type* outermost = this;
        Handle caller;
        std::exception_ptr error;

        Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            // resume() goes on with the caller: no stack grows, whatever the compiler makes of tail calls.
            outermost->innermost = caller;
            return std::suspend_always{};
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { error = std::current_exception(); }
    };

    Steps() = default;
    Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Steps& operator=(Steps&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    ~Steps() {
        if (handle_) handle_.destroy();
    }

    /// True from the beginning for an object without steps.
    [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }

    /// Goes on to the next wait that does not hold yet, or to the end; true at the end. Throws what the steps throw;
    /// they are at their end then.
    bool resume() {
        if (done()) return true;
        promise_type& own = handle_.promise();
        if (!own.innermost) own.innermost = handle_;
        own.waits = false;
        while (own.innermost && !own.waits) own.innermost.resume();
        if (own.innermost) return false;
        if (own.error) std::rethrow_exception(std::exchange(own.error, nullptr));
        return true;
    }

    // As part of other steps.
    [[nodiscard]] bool await_ready() const noexcept { return done(); }
    void await_suspend(Handle caller) noexcept {
        promise_type& own = handle_.promise();
        own.caller = caller;
        own.outermost = caller.promise().outermost;
        own.outermost->innermost = handle_;
    }
    void await_resume() const {
        if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    }

  private:
    explicit Steps(Handle handle) : handle_(handle) {}

    Handle handle_;
};

}  // namespace haichi::collectives
