#pragma once

#include <optional>

#include "commlog/log/call_recorder.h"
#include "commlog/profiler/clock.h"
#include "commlog/profiler/communicators.h"
#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

/// A post with a handle that the MPI shares among all sends that complete immediately. Several such posts have the same
/// handle, so these posts are queued here.
struct SharedPost {
    const void* where;   ///< address of the variable to which the request was written
    std::uint64_t post;  ///< 0 if nothing is logged, as for a send to MPI_PROC_NULL
    std::uint32_t event;
    bool waiting;
};
inline constexpr std::uint32_t kMostSharedPosts = 1U << 14;

/// A region that the thread has entered and not left.
struct OpenRegion {
    std::uint64_t entered;
    std::uint16_t number;
};
inline constexpr std::uint32_t kDeepestRegion = 32;

/// The state of a thread that is not in the part file.
struct alignas(64) Thread {
    ThreadMemory* memory;
    std::uint64_t entered, left, last_left;
    std::uint64_t caller;  ///< return address of the current call; 0 if not recorded
    CallSite* site;        ///< call site of the current call, or `no_site` if it is not counted
    // The most recent results for handles, which are valid while handle_epoch equals `epoch`.
    std::uint32_t epoch;
    std::uint32_t number;
    MPI_Comm last_communicator_handle;
    Communicator* last_communicator;
    MPI_Datatype last_type;
    std::uint64_t last_type_size;
    std::optional<CallRecorder> recorder;
    // Arrays of `room` entries, for calls that complete several requests. They grow to the size of the largest call.
    MPI_Request* requests;
    std::uint32_t* slots;
    MPI_Status* statuses;
    std::uint32_t room;
    std::uint32_t shared_first, shared_count;
    std::uint32_t region, region_depth;
    OpenRegion regions[kDeepestRegion];
    CallSite no_site;
    SharedPost shared[kMostSharedPosts];
};

/// The call site of the current call, in the form that RequestEntry stores.
inline constexpr std::uint32_t kNoSite = kMostSites;
inline std::uint32_t site_number(const Thread& t) {
    return t.site == &t.no_site ? kNoSite : static_cast<std::uint32_t>(t.site - t.memory->sites);
}

/// Per thread: its state, and a value other than 0 while a wrapper is active on its stack.
struct Gate {
    Thread* thread;
    std::uint32_t inside;
    bool is_uncounted;
};
extern thread_local Gate gate __attribute__((tls_model("initial-exec")));

/// The global state of the profiler; every wrapper first tests `stage`.
enum class Stage : std::uint32_t { kInert, kRecording, kPaused, kOver };
struct alignas(64) Profiler {
    Stage stage;
    bool keeps_profile, keeps_calls;
    bool has_many_threads;  ///< true for MPI_THREAD_MULTIPLE
    bool dense_peers;
    bool keeps_sites;
    bool selects;  ///< true if only some functions are counted
    ProfileMemory* memory;
    std::uint8_t* selected;  ///< by function
};
extern Profiler profiler;

/// Must be called before the first thread calls enter_thread(). Returns false if there is no memory.
bool start_threads();

/// Returns a slot for a thread that calls MPI for the first time, or null if all slots are in use.
Thread* enter_thread();

/// Enlarges the arrays for requests to at least `count` entries. Returns false if there is no memory.
bool grow(Thread& thread, std::uint32_t count);

/// A call from the program into MPI. It begins if no other wrapper is active on the stack, and ends with the wrapper.
class Call {
  public:
    /// `caller` is the return address of the call.
    explicit Call(void* caller) {
        if (profiler.stage != Stage::kRecording) [[unlikely]]
            return;
        Gate& g = gate;
        if (g.inside != 0) [[unlikely]]
            return;
        Thread* const thread = g.thread != nullptr ? g.thread : enter_thread();
        if (thread == nullptr) [[unlikely]]
            return;
        g.inside = 1;
        thread_ = thread;
        thread->caller = profiler.keeps_sites ? reinterpret_cast<std::uintptr_t>(caller) : 0;
        thread->entered = ticks();
    }
    ~Call() {
        if (thread_ != nullptr) gate.inside = 0;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    [[nodiscard]] bool is_recorded() const { return thread_ != nullptr; }
    void over() { thread_->left = ticks(); }
    Thread& thread() { return *thread_; }

  private:
    Thread* thread_ = nullptr;
};

/// Returns the table entry for a new call site. If the table is full, counts the lost call and returns `no_site`.
CallSite* enter_site(Thread& t, std::uint64_t key, std::uint32_t at);

/// Returns the call site of the current call.
inline CallSite* site_of(Thread& t, std::uint32_t function, std::uint32_t communicator) {
    const std::uint64_t key = site_key(function, communicator, t.region);
    const std::uint64_t hash = (t.caller ^ key * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
    const auto at = static_cast<std::uint32_t>(hash >> 51);
    static_assert(kMostSites == 1U << 13);
    CallSite& site = t.memory->sites[at];
    if (site.address == t.caller && (site.key & kSiteKeyMask) == key) [[likely]]
        return &site;
    return enter_site(t, key, at);
}

/// Every wrapper must call this once, before it records messages. `communicator` is the index of the call's
/// communicator, or kNoCommunicator.
inline void count_call(Thread& t, std::uint32_t function, std::uint32_t communicator) {
    const std::uint64_t inside = t.left > t.entered ? t.left - t.entered : 0;
    ThreadMemory& m = *t.memory;
    if (profiler.keeps_profile && profiler.selected[function] != 0) {
        m.functions[function].add_call(inside);
        t.site = site_of(t, function, communicator);
        t.site->add_call(inside);
    } else {
        t.site = &t.no_site;
    }
    m.mpi_ticks += inside;
    m.last_ticks = t.left;
    if (t.recorder && t.entered > t.last_left) t.recorder->add_gap(t.entered - t.last_left);
    t.last_left = t.left;
}

}  // namespace haichi::profiler
