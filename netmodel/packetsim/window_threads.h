#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace haichi {

/// Threads that work through short windows together: each of `count` does its part, and none goes on before all are
/// done. They wait awake for a while, then asleep, because windows are short and processors may be shared.
class WindowThreads {
  public:
    /// The caller of run() is one of them.
    explicit WindowThreads(int count);
    WindowThreads(const WindowThreads&) = delete;
    WindowThreads& operator=(const WindowThreads&) = delete;
    ~WindowThreads();

    /// Calls work(0) to work(count - 1), each in its thread, and waits for all. Throws what the lowest of them threw.
    void run(const std::function<void(int)>& work);

  private:
    void work_on(int number);
    void do_part(int number);

    const std::function<void(int)>* work_ = nullptr;  ///< null: to stop
    std::atomic<std::uint32_t> round_{0};
    std::atomic<int> busy_{0};
    std::vector<std::exception_ptr> errors_;
    std::vector<std::thread> threads_;
};

}  // namespace haichi
