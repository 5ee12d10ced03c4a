#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace haichi {

/// Threads that process many short jobs together. Each of the `count` threads does its part of a job, and run() returns
/// after all parts. Waiting threads spin for a while and then sleep, because jobs are short and processors may be
/// shared.
class ThreadTeam {
  public:
    /// Starts the threads. The thread that calls run() is one of the `count` threads. Throws OptionError if they cannot
    /// start.
    explicit ThreadTeam(int count);
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;
    ~ThreadTeam();

    [[nodiscard]] int count() const { return static_cast<int>(errors_.size()); }

    /// Calls work(0) to work(count - 1), each in its own thread, and waits for all. If calls throw, rethrows the
    /// exception of the lowest number.
    void run(const std::function<void(int)>& work);

  private:
    void end();
    void work_on(int number);
    void do_part(int number);

    const std::function<void(int)>* work_ = nullptr;  ///< null makes the threads end
    std::atomic<std::uint32_t> round_{0};
    std::atomic<int> busy_{0};
    std::vector<std::exception_ptr> errors_;
    std::vector<std::thread> threads_;
};

}  // namespace haichi
