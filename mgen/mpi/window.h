#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mgen/mpi/communicator.h"
#include "mgen/mpi/request.h"
#include "mgen/mpi/window_access.h"
#include "mgen/mpi/window_part.h"

namespace haichi::mpi {

class Process;

enum class WindowFlavor : std::uint8_t { kCreated, kAllocated, kDynamic, kShared };

/// What the members of a window share. Each member's part is touched at its own node only, but for what is written
/// before the window is there.
struct WindowShare {
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    WindowFlavor flavor = WindowFlavor::kCreated;
    std::vector<WindowPart> parts{};
    std::unique_ptr<std::byte, Free> memory{};  ///< of all members of a shared window
};

/// A rank's side of a window: its accesses to the memory of the members, and how they are synchronised (MPI 4.0,
/// chapter 12). An access is begun at once, or when the lock that it needs is there; it is complete when the target's
/// NIC has answered. Functions are called on the fiber of the rank; those that block let others run. CallError for what
/// MPI does not allow.
class Window {
  public:
    struct Memory {
        std::byte* base = nullptr;
        std::int64_t bytes = 0;
        std::int64_t displacement_unit = 1;
    };
    /// By all members of a communicator, in the same order.
    static std::unique_ptr<Window> create(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                          const Memory& memory);
    /// Memory that ends with the window; `base` is set here. kShared: one piece for all members, in the order of their
    /// ranks, each beginning at a page if not `is_contiguous`.
    static std::unique_ptr<Window> allocate(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                            Memory& memory, bool is_contiguous = true);
    Window(Process& process, MembershipRef membership, std::shared_ptr<WindowShare> share);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// By all members. Nothing may be done with the window behind it.
    void end();

    [[nodiscard]] const MembershipRef& membership() const { return membership_; }
    [[nodiscard]] WindowFlavor flavor() const { return share_->flavor; }
    [[nodiscard]] const WindowPart& part(int rank) const { return share_->parts[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const WindowPart& own_part() const { return part(membership_->rank); }
    /// The first member with memory, for MPI_PROC_NULL of shared windows; nullptr: none has any.
    [[nodiscard]] const WindowPart* first_part() const;
    /// Of a dynamic window: memory that others may access from now on, or no more.
    void attach(std::byte* base, std::int64_t bytes);
    void detach(const std::byte* base);

    /// Begins an access. `request` is complete with it; null: nobody asks for it alone.
    void access(const WindowAccess& access, Request* request);

    // Active synchronisation.
    struct FenceAssertions {
        bool no_precede = false;
        bool no_succeed = false;
    };
    void fence(const FenceAssertions& assertions);
    void post(const GroupRef& origins, bool no_check);
    void start(const GroupRef& targets, bool no_check);
    void complete();
    void wait();
    /// As wait(), where it would not block; false: it would.
    bool test();

    // Passive synchronisation.
    void lock(LockKind kind, int target, bool no_check);
    void unlock(int target);
    void lock_all(bool no_check);
    void unlock_all();
    /// Accesses to a target, or to all, are complete there, or here only.
    void flush(int target);
    void flush_all();
    void flush_local(int target);
    void flush_local_all();

  private:
    class Operation;
    class LockOperation;
    friend class Operation;
    friend class LockOperation;

    enum class Epoch : std::uint8_t { kNone, kFence, kStart, kLock, kLockAll };
    enum class Lock : std::uint8_t { kNone, kAsked, kHeld };
    /// What this rank has under way at a target.
    struct Target {
        Lock lock = Lock::kNone;
        LockKind kind = LockKind::kShared;
        bool is_checked = true;                             ///< not MPI_MODE_NOCHECK: the target knows of the lock
        std::uint32_t open = 0;                             ///< accesses that are not complete
        std::uint32_t open_reads = 0;                       ///< of these, those that bring something
        std::uint32_t updates = 0;                          ///< begun: their order
        std::vector<std::unique_ptr<Operation>> waiting{};  ///< for the lock
    };

    void check_target(int target) const;
    void check_epoch_may_begin(const char* what) const;
    [[nodiscard]] Target& locked(int target);
    void begin(std::unique_ptr<Operation> operation);
    void ask_for_lock(int target, Target& state, LockKind kind);
    void release_lock(int target, Target& state);
    void granted(int target);
    void ended(const Operation& operation);
    void wait_for(const Target& target);
    void wait_for_all();
    void send_empty(int to, int tag);
    void wait_for_lock(const Target& target);
    [[nodiscard]] std::vector<int> members_of(const Group& group) const;
    void end_exposure();

    Process* process_;
    MembershipRef membership_;
    std::shared_ptr<WindowShare> share_;
    std::unique_ptr<std::byte, WindowShare::Free> own_memory_;  ///< of an allocated window
    Epoch epoch_ = Epoch::kNone;
    bool fence_is_used_ = false;
    bool all_are_checked_ = true;  ///< of lock_all()
    int locks_ = 0;
    std::unordered_map<int, Target> targets_;
    std::uint32_t open_ = 0;        ///< of all targets
    std::uint32_t open_reads_ = 0;  ///< of all targets
    std::uint32_t releases_ = 0;    ///< of locks, that are under way
    std::vector<int> access_group_;
    bool is_exposed_ = false;
    std::vector<Request*> completions_;  ///< of the origins, while exposed
};

}  // namespace haichi::mpi
