#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mgen/abi/mpich/handle_table.h"
#include "mgen/mpi/datatype.h"
#include "mgen/mpi/group.h"
#include "mgen/mpi/operation.h"
#include "mgen/mpi/process.h"
#include "mgen/mpi/topology.h"
#include "mgen/mpi/window.h"
#include "mgen/mpi/world.h"

namespace haichi::collectives {
class CollectiveSelection;
}

namespace haichi::abi::mpich {

/// The attributes of an object, the most recent one first. Fortran sets and gets integers, while C sets and gets
/// addresses. For an integer that Fortran has set, C gets its address (attribute_calls.cc).
struct Attributes {
    struct Value {
        int keyval = 0;
        void* value = nullptr;
        int kind = 0;  ///< MPIR_Attr_type
    };
    std::list<Value> values;  // a list, because C may hold addresses of values
};

/// The keys and values of an info object, in the order in which they were set.
struct Info {
    std::vector<std::pair<std::string, std::string>> entries{};
    [[nodiscard]] std::string* find(std::string_view key);
};

/// The topology of a communicator; at most one member is set.
struct Topology {
    std::shared_ptr<const mpi::CartTopology> cart{};
    std::shared_ptr<const mpi::GraphTopology> graph{};
    std::shared_ptr<const mpi::DistGraphTopology> dist_graph{};
    [[nodiscard]] int kind() const {
        return cart ? MPI_CART : graph ? MPI_GRAPH : dist_graph ? MPI_DIST_GRAPH : MPI_UNDEFINED;
    }
};

/// A communicator as one rank sees it, by its handle.
struct Comm {
    mpi::MembershipRef membership{};
    Attributes attributes{};
    std::string name{};
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Topology topology{};
    Info hints{};  ///< hints that differ from the default
};

struct Type {
    mpi::DatatypeRef type{};
    bool is_committed = false;
    bool has_name = false;
    std::string name{};
    Attributes attributes{};
};

struct Errhandler {
    enum class Kind : std::uint8_t { kComm, kWin, kFile, kSession };
    Kind kind = Kind::kComm;
    void (*function)(int* handle, int* code, ...) = nullptr;
    int uses = 1;
    /// Null for functions that take MPICH's handles.
    void (*call)(const Errhandler& of, int handle, int code) = nullptr;
};

struct Keyval {
    enum class Kind : std::uint8_t { kComm, kType, kWin };
    Kind kind = Kind::kComm;
    void* copy = nullptr;  ///< the functions that the program passed
    void* erase = nullptr;
    void* extra = nullptr;
    bool is_freed = false;
    int uses = 0;      ///< number of attributes with this key
    int language = 0;  ///< 0 for C, otherwise the value of MPII_Keyval_set_proxy
    void* copy_proxy = nullptr;
    void* erase_proxy = nullptr;
};

struct Op {
    mpi::OperationRef operation{};
};

/// A window as one rank sees it, by its handle.
struct Win {
    std::unique_ptr<mpi::Window> window{};
    Attributes attributes{};
    std::string name{};
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Info hints{};
    // Storage for predefined attributes, because programs get the addresses of these values.
    MPI_Aint shown_bytes = 0;
    int shown_unit = 0;
    int shown_flavor = 0;
    int shown_model = 0;
};

struct Session {
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    int thread_level = MPI_THREAD_SINGLE;
};

/// Error classes and codes that the program has added, and their texts.
struct UserErrors {
    std::map<int, std::string> classes{};
    std::map<int, std::string> codes{};
};

/// The neighbours of a rank in a communicator with a topology. Each is a rank or MPI_PROC_NULL.
struct Neighbors {
    std::vector<int> sources;
    std::vector<int> destinations;
    bool is_grid = false;  ///< Cartesian: for each dimension, the neighbours down and up
};

/// The objects of one rank, by the handles of MPICH's header, and the state of its calls.
class MpichRank {
  public:
    explicit MpichRank(mpi::World& world, host::LiveRank& rank);

    /// The state of the running rank.
    static MpichRank& current();

    mpi::Process& process;
    /// True if the rank is between MPI_Init and MPI_Finalize, or in a session.
    [[nodiscard]] bool is_in_mpi() const {
        return (process.is_initialized && !process.is_finalized) || sessions.size() > 0;
    }
    const collectives::CollectiveSelection* selection = nullptr;  ///< algorithms of collectives

    Comm world;
    Comm self;
    HandleTable<Comm, 0x84000000> comms;
    HandleTable<Type, 0x8c100000, 0x000FFFFF> types;  // smaller handles are MPICH's pair types
    std::map<int, Type> named_types;                  ///< types whose name or attributes the program has changed
    HandleTable<mpi::GroupRef, 0x88000000> groups;
    HandleTable<Op, 0x98000000> ops;
    HandleTable<mpi::Request*, 0xac000000> requests;
    HandleTable<mpi::MatchedMessage, 0xec000000> messages;
    HandleTable<Errhandler, 0x94000000> errhandlers;
    HandleTable<Keyval, 0xa4000000> keyvals;
    HandleTable<Info, 0x9c000000> infos;
    HandleTable<Session, static_cast<std::uint32_t>(MPI_SESSION_NULL) | 0x80000000> sessions;
    HandleTable<Win, 0xa0000000> wins;
    UserErrors user_errors;
    MPI_Errhandler file_errhandler = MPI_ERRORS_RETURN;  ///< for MPI_FILE_NULL
    /// Storage for predefined attributes, because programs get the addresses.
    std::array<int, 16> shown_attributes{};
    void* attached_buffer = nullptr;   ///< for buffered sends
    std::int64_t attached_bytes = -1;  ///< -1 if no buffer is attached
    int thread_level = MPI_THREAD_SINGLE;
    std::unordered_map<int, long long> words;  ///< words that other ranks change with MGEN_rdma_fetch_and_add
    // The objects whose error handler receives an error of the running call. The session or the window takes precedence
    // over the communicator if it is set.
    MPI_Comm call_comm = MPI_COMM_WORLD;
    MPI_Session call_session = MPI_SESSION_NULL;
    MPI_Win call_win = MPI_WIN_NULL;

    // These throw CallError for invalid handles. comm() sets call_comm, session() sets call_session, win() sets
    // call_win.
    Comm& comm(MPI_Comm handle);
    const mpi::DatatypeRef& type(MPI_Datatype handle);
    const mpi::DatatypeRef& committed_type(MPI_Datatype handle);
    mpi::GroupRef group(MPI_Group handle);
    const mpi::OperationRef& op(MPI_Op handle);
    /// Returns null for MPI_REQUEST_NULL.
    mpi::Request* request(MPI_Request handle);
    MPI_Request add_request(mpi::Request& request);
    Keyval& keyval(int handle, Keyval::Kind kind);
    Info& info(MPI_Info handle);
    Session& session(MPI_Session handle);
    Win& win(MPI_Win handle);
    /// These add or remove a use of an error handler. The last removal deletes the handler, unless it is predefined.
    MPI_Errhandler keep_errhandler(MPI_Errhandler handle);
    void release_errhandler(MPI_Errhandler handle);
    /// Must be called by MPI_Finalize. Deletes the attributes of MPI_COMM_SELF and then of MPI_COMM_WORLD, the most
    /// recent one first (MPI 3.1, 8.7.1).
    void end_attributes();

    /// Throws CallError for communicators without a topology.
    Neighbors neighbors(MPI_Comm comm);
    /// Checks the count and the address as MPICH does, and that the type is committed.
    mpi::Buffer buffer(const void* data, std::int64_t count, MPI_Datatype type);
    /// For calls that only need the size in bytes.
    mpi::Buffer buffer_without_data(std::int64_t count, MPI_Datatype type);
    /// Checks the rank, the tag and the count, as MPICH does.
    mpi::MessageArguments message(const void* data, std::int64_t count, MPI_Datatype type, int partner, int tag,
                                  MPI_Comm comm, bool is_send);
};

/// The value of MPI_TAG_UB.
inline constexpr int kLargestTag = 0x0FFFFFFF;

/// The basic type of a named handle, or null for other handles.
const mpi::DatatypeRef* named_type(MPI_Datatype handle);
MPI_Datatype handle_of(mpi::BasicType type);

/// MPICH's value of an error class.
int error_code(mpi::ErrorClass error_class);
void set_status(MPI_Status* to, const mpi::Status& status);
std::string hexadecimal(int handle);
/// Reports to the error handler that one of several requests of a call has failed. Returns MPI_ERR_IN_STATUS.
int in_status(mpi::ErrorClass first);
[[noreturn]] void raise(mpi::ErrorClass error_class, const std::string& message);

/// An error whose MPI error code has no mpi::ErrorClass.
class CodeError final : public mpi::CallError {
  public:
    CodeError(int code, const std::string& message) : CallError(mpi::ErrorClass::kOther, message), code_(code) {}
    [[nodiscard]] int code() const { return code_; }

  private:
    int code_;
};
[[noreturn]] void raise_code(int code, const std::string& message);

}  // namespace haichi::abi::mpich
