#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace haichi::collectives {

/// One member's part in a collective operation, message by message, as a coroutine. It begins messages, waits
/// (`co_await exchange.wait()`), and continues when its owner calls resume(). Steps may contain other steps (`co_await
/// other_steps(...)`). Nothing runs before the first resume(). An exception leaves through resume(). All frames are
/// freed with the object, even if the steps are not done.
class [[nodiscard]] Steps {
  public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct promise_type {
        // The coroutine that runs next, among all steps that began with these. Used only in the outermost steps.
        Handle innermost;
        bool waits = false;

        promise_type* outermost = this;
        Handle caller;
        std::exception_ptr error;

        Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            // resume() continues with the caller. The stack does not grow, even if the compiler makes no tail calls.
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

    /// Continues to the next wait that is not over, or to the end. Returns true at the end. Throws the steps'
    /// exceptions; the steps are then done.
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

    // For use inside other steps.
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
