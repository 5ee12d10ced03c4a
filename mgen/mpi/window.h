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

/// The state that the members of a window share. After the window's creation, each member's part is accessed only at
/// that member's node.
struct WindowShare {
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    WindowFlavor flavor = WindowFlavor::kCreated;
    std::vector<WindowPart> parts{};
    std::unique_ptr<std::byte, Free> memory{};  ///< the memory of all members of a shared window
};

/// A rank's side of a window: its accesses to the members' memory, and their synchronisation (MPI 4.0, chapter 12). An
/// access begins at once, or as soon as the required lock is granted. An access is complete when the target's NIC has
/// answered. Functions must be called on the rank's fiber; blocking functions let other ranks run. They throw CallError
/// for arguments that MPI does not allow.
class Window {
  public:
    struct Memory {
        std::byte* base = nullptr;
        std::int64_t bytes = 0;
        std::int64_t displacement_unit = 1;
    };
    /// All members of the communicator must call this in the same order.
    static std::unique_ptr<Window> create(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                          const Memory& memory);
    /// Allocates memory that is freed with the window, and sets `memory.base`. kShared allocates one block for all
    /// members, in the order of their ranks. Unless `is_contiguous`, each member's part begins at a page boundary.
    static std::unique_ptr<Window> allocate(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                            Memory& memory, bool is_contiguous = true);
    Window(Process& process, MembershipRef membership, std::shared_ptr<WindowShare> share);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// All members must call this. The window must not be used afterwards.
    void end();

    [[nodiscard]] const MembershipRef& membership() const { return membership_; }
    [[nodiscard]] WindowFlavor flavor() const { return share_->flavor; }
    [[nodiscard]] const WindowPart& part(int rank) const { return share_->parts[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const WindowPart& own_part() const { return part(membership_->rank); }
    /// The part of the first member that has memory, for MPI_PROC_NULL in shared windows; nullptr if there is none.
    [[nodiscard]] const WindowPart* first_part() const;
    /// Allows other ranks to access memory of a dynamic window; detach() ends the permission.
    void attach(std::byte* base, std::int64_t bytes);
    void detach(const std::byte* base);

    /// Begins an access. `request` completes when the access completes; it is null if the access needs no request.
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
    /// Like wait(), but returns false instead of waiting.
    bool test();

    // Passive synchronisation.
    void lock(LockKind kind, int target, bool no_check);
    void unlock(int target);
    void lock_all(bool no_check);
    void unlock_all();
    /// These complete the accesses to one target or to all targets; the _local variants complete them only at the
    /// origin.
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
    /// The state of one target at this rank: its lock and pending accesses.
    struct Target {
        Lock lock = Lock::kNone;
        LockKind kind = LockKind::kShared;
        /// False with MPI_MODE_NOCHECK, which takes no lock at the target.
        bool is_checked = true;
        std::uint32_t open = 0;        ///< number of incomplete accesses
        std::uint32_t open_reads = 0;  ///< number of incomplete accesses that return data
        /// Number of updates begun, which determines the order of updates.
        std::uint32_t updates = 0;
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
    std::uint32_t open_ = 0;        ///< number of incomplete accesses to all targets
    std::uint32_t open_reads_ = 0;  ///< number of incomplete accesses to all targets that return data
    std::uint32_t releases_ = 0;    ///< number of lock releases in flight
    std::vector<int> access_group_;
    bool is_exposed_ = false;
    std::vector<Request*> completions_;  ///< messages that this rank expects from the origins during exposure
};

}  // namespace haichi::mpi
