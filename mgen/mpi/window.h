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

/// The state that the members of a window share. After the creation of the window, each member's part is accessed only
/// at its own node.
struct WindowShare {
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    WindowFlavor flavor = WindowFlavor::kCreated;
    std::vector<WindowPart> parts{};
    std::unique_ptr<std::byte, Free> memory{};  ///< the memory of all members of a shared window
};

/// A rank's side of a window: its accesses to the members' memory, and their synchronisation (MPI 4.0, chapter 12). An
/// access begins at once, or when the required lock is granted. It is complete when the target's NIC has answered.
/// Functions are called on the rank's fiber; blocking functions let other ranks run. They throw CallError for arguments
/// that MPI does not allow.
class Window {
  public:
    struct Memory {
        std::byte* base = nullptr;
        std::int64_t bytes = 0;
        std::int64_t displacement_unit = 1;
    };
    /// Called by all members of a communicator in the same order.
    static std::unique_ptr<Window> create(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                          const Memory& memory);
    /// Allocates memory that is freed with the window, and sets `base`. kShared allocates one block for all members, in
    /// the order of their ranks. Unless `is_contiguous`, each member's part begins at a page.
    static std::unique_ptr<Window> allocate(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                            Memory& memory, bool is_contiguous = true);
    Window(Process& process, MembershipRef membership, std::shared_ptr<WindowShare> share);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Called by all members. The window must not be used afterwards.
    void end();

    [[nodiscard]] const MembershipRef& membership() const { return membership_; }
    [[nodiscard]] WindowFlavor flavor() const { return share_->flavor; }
    [[nodiscard]] const WindowPart& part(int rank) const { return share_->parts[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const WindowPart& own_part() const { return part(membership_->rank); }
    /// The part of the first member with memory, for MPI_PROC_NULL of shared windows; nullptr if no member has memory.
    [[nodiscard]] const WindowPart* first_part() const;
    /// For a dynamic window: allows other ranks to access memory, or ends that permission.
    void attach(std::byte* base, std::int64_t bytes);
    void detach(const std::byte* base);

    /// Begins an access. `request` completes with it; null if the access needs no request of its own.
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
    /// Like wait(), but returns false instead of blocking.
    bool test();

    // Passive synchronisation.
    void lock(LockKind kind, int target, bool no_check);
    void unlock(int target);
    void lock_all(bool no_check);
    void unlock_all();
    /// Completes the accesses to one target or to all targets; the _local variants complete them only at the origin.
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
    /// This rank's pending accesses and locks at a target.
    struct Target {
        Lock lock = Lock::kNone;
        LockKind kind = LockKind::kShared;
        bool is_checked = true;                             ///< false with MPI_MODE_NOCHECK: no lock at the target
        std::uint32_t open = 0;                             ///< number of incomplete accesses
        std::uint32_t open_reads = 0;                       ///< number of incomplete accesses that return data
        std::uint32_t updates = 0;                          ///< number of updates begun; it determines their order
        std::vector<std::unique_ptr<Operation>> waiting{};  ///< accesses that wait for the lock
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
    std::unique_ptr<std::byte, WindowShare::Free> own_memory_;  ///< the memory of an allocated window
    Epoch epoch_ = Epoch::kNone;
    bool fence_is_used_ = false;
    bool all_are_checked_ = true;  ///< false after lock_all() with MPI_MODE_NOCHECK
    int locks_ = 0;
    std::unordered_map<int, Target> targets_;
    std::uint32_t open_ = 0;        ///< at all targets
    std::uint32_t open_reads_ = 0;  ///< at all targets
    std::uint32_t releases_ = 0;    ///< number of lock releases in flight
    std::vector<int> access_group_;
    bool is_exposed_ = false;
    std::vector<Request*> completions_;  ///< messages expected from the origins while exposed
};

}  // namespace haichi::mpi
