#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace haichi {

/// Threads that work through many short jobs together: each of `count` does its part, and the call returns when all are
/// done. They wait awake for a while, then asleep, because jobs are short and processors may be shared.
class ThreadTeam {
  public:
    /// The caller of run() is one of them.
    explicit ThreadTeam(int count);
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;
    ~ThreadTeam();

    [[nodiscard]] int count() const { return static_cast<int>(errors_.size()); }

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
