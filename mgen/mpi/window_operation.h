#pragma once

#include <cstdint>
#include <memory>

#include "mgen/mpi/payload.h"
#include "mgen/mpi/process.h"
#include "mgen/mpi/window.h"

namespace haichi::mpi {

/// An access of the program in flight, with its effects at the target and at the origin.
class Window::Operation final : public RemoteOperation {
  public:
    Operation(Window& window, const WindowAccess& access, Request* request, std::uint32_t update);

    [[nodiscard]] Call call() const;
    [[nodiscard]] const WindowAccess& access() const { return access_; }
    [[nodiscard]] Request* request() const { return request_; }
    /// True if the access returns no data because of PayloadRule.
    [[nodiscard]] bool lacks_payload() const { return !moves_payload_ && access_.bytes_back() > 0; }

    TargetAnswer at_target(const RemoteAccess& access, std::int64_t now_ps) override;
    void at_origin() override;

  private:
    /// Performs the access in the target's memory.
    void perform();
    [[nodiscard]] std::byte* address() const;
    void check_range(const WindowPart& part, const std::byte* address) const;
    void compare_and_swap(std::byte* at);

    Window* window_;
    std::shared_ptr<WindowShare> share_;
    WindowAccess access_;
    Request* request_;
    std::uint32_t update_;  ///< number among this origin's updates of the target
    bool moves_payload_;
    Payload there_;
    Payload back_;
    bool is_performed_ = false;
    bool is_late_ = false;  ///< the update had to wait for earlier updates
};

/// An operation in flight that acquires or releases a target's lock.
class Window::LockOperation final : public RemoteOperation {
  public:
    LockOperation(Window& window, int target, LockKind kind, bool takes)
        : window_(&window), share_(window.share_), target_(target), kind_(kind), takes_(takes) {}

    TargetAnswer at_target(const RemoteAccess& access, std::int64_t now_ps) override;
    void at_origin() override;

  private:
    Window* window_;
    std::shared_ptr<WindowShare> share_;
    int target_;
    LockKind kind_;
    bool takes_;
};

}  // namespace haichi::mpi
