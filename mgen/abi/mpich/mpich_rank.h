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

/// Values of attributes by key, of communicators and types; the one that was set last comes first. Fortran gets and
/// gives integers, C addresses: of the integer, where Fortran has set it (attribute_calls.cc).
struct Attributes {
    struct Value {
        int keyval = 0;
        void* value = nullptr;
        int kind = 0;  ///< MPIR_Attr_type
    };
    std::list<Value> values;  // C may hold addresses of values
};

/// Keys and values in the order in which they were set.
struct Info {
    std::vector<std::pair<std::string, std::string>> entries{};
    [[nodiscard]] std::string* find(std::string_view key);
};

/// One of them, or none.
struct Topology {
    std::shared_ptr<const mpi::CartTopology> cart{};
    std::shared_ptr<const mpi::GraphTopology> graph{};
    std::shared_ptr<const mpi::DistGraphTopology> dist_graph{};
    [[nodiscard]] int kind() const {
        return cart ? MPI_CART : graph ? MPI_GRAPH : dist_graph ? MPI_DIST_GRAPH : MPI_UNDEFINED;
    }
};

/// What a communicator handle of a rank leads to.
struct Comm {
    mpi::MembershipRef membership{};
    Attributes attributes{};
    std::string name{};
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Topology topology{};
    Info hints{};  ///< that differ from the default
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
};

struct Keyval {
    enum class Kind : std::uint8_t { kComm, kType, kWin };
    Kind kind = Kind::kComm;
    void* copy = nullptr;  ///< functions as the program gave them
    void* erase = nullptr;
    void* extra = nullptr;
    bool is_freed = false;
    int uses = 0;      ///< attributes that have it
    int language = 0;  ///< 0: C; else what MPII_Keyval_set_proxy said
    void* copy_proxy = nullptr;
    void* erase_proxy = nullptr;
};

struct Op {
    mpi::OperationRef operation{};
};

/// What a window handle of a rank leads to.
struct Win {
    std::unique_ptr<mpi::Window> window{};
    Attributes attributes{};
    std::string name{};
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Info hints{};
    // Predefined attributes: programs get addresses.
    MPI_Aint shown_bytes = 0;
    int shown_unit = 0;
    int shown_flavor = 0;
    int shown_model = 0;
};

struct Session {
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    int thread_level = MPI_THREAD_SINGLE;
};

/// Error classes and codes that the program has added, with their texts.
struct UserErrors {
    std::map<int, std::string> classes{};
    std::map<int, std::string> codes{};
};

/// Of a communicator with a topology: ranks, or MPI_PROC_NULL.
struct Neighbors {
    std::vector<int> sources;
    std::vector<int> destinations;
    bool is_grid = false;  ///< a Cartesian one: pairs, down and up, of each dimension
};

/// The objects of one rank, by the handles that MPICH's header names, and what its calls need.
class MpichRank {
  public:
    explicit MpichRank(mpi::World& world, host::LiveRank& rank);

    /// Of the rank that runs.
    static MpichRank& current();

    mpi::Process& process;
    /// Between MPI_Init and MPI_Finalize, or in a session.
    [[nodiscard]] bool is_in_mpi() const {
        return (process.is_initialized && !process.is_finalized) || sessions.size() > 0;
    }
    const collectives::CollectiveSelection* selection = nullptr;  ///< of the algorithms of collectives

    Comm world;
    Comm self;
    HandleTable<Comm, 0x84000000> comms;
    HandleTable<Type, 0x8c100000, 0x000FFFFF> types;  // the first ones are MPICH's pairs
    std::map<int, Type> named_types;  ///< of which the program has changed something: name or attributes
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
    MPI_Errhandler file_errhandler = MPI_ERRORS_RETURN;  ///< of files that are none
    std::array<int, 16> shown_attributes{};              ///< predefined ones: programs get addresses
    void* attached_buffer = nullptr;                     ///< of buffered sends
    std::int64_t attached_bytes = -1;                    ///< -1: none
    int thread_level = MPI_THREAD_SINGLE;
    std::unordered_map<int, long long> words;  ///< that other ranks change (MGEN_rdma_fetch_and_add)
    // Whose error handler an error of the running call goes to: of the session or the window, if there is one.
    MPI_Comm call_comm = MPI_COMM_WORLD;
    MPI_Session call_session = MPI_SESSION_NULL;
    MPI_Win call_win = MPI_WIN_NULL;

    // Throw CallError for handles that are none. comm() notes call_comm, session() call_session, win() call_win.
    Comm& comm(MPI_Comm handle);
    const mpi::DatatypeRef& type(MPI_Datatype handle);
    const mpi::DatatypeRef& committed_type(MPI_Datatype handle);
    mpi::GroupRef group(MPI_Group handle);
    const mpi::OperationRef& op(MPI_Op handle);
    /// Null for MPI_REQUEST_NULL.
    mpi::Request* request(MPI_Request handle);
    MPI_Request add_request(mpi::Request& request);
    Keyval& keyval(int handle, Keyval::Kind kind);
    Info& info(MPI_Info handle);
    Session& session(MPI_Session handle);
    Win& win(MPI_Win handle);
    /// One more use of an error handler, or one less; the last one ends it. Predefined ones stay.
    MPI_Errhandler keep_errhandler(MPI_Errhandler handle);
    void release_errhandler(MPI_Errhandler handle);
    /// At MPI_Finalize: attributes of MPI_COMM_SELF and MPI_COMM_WORLD are deleted, the last first (MPI 3.1, 8.7.1).
    void end_attributes();

    /// CallError for communicators without a topology.
    Neighbors neighbors(MPI_Comm comm);
    /// With the checks that MPICH makes: the count, whether the type is committed, whether there are data.
    mpi::Buffer buffer(const void* data, std::int64_t count, MPI_Datatype type);
    /// To ask how many bytes they are.
    mpi::Buffer buffer_without_data(std::int64_t count, MPI_Datatype type);
    /// With the checks that MPICH makes: the rank, the tag, the count.
    mpi::MessageArguments message(const void* data, std::int64_t count, MPI_Datatype type, int partner, int tag,
                                  MPI_Comm comm, bool is_send);
};

/// MPI_TAG_UB.
inline constexpr int kLargestTag = 0x0FFFFFFF;

/// The basic type of a named handle; null: none.
const mpi::DatatypeRef* named_type(MPI_Datatype handle);
MPI_Datatype handle_of(mpi::BasicType type);

/// MPICH's number of an error class.
int error_code(mpi::ErrorClass error_class);
void set_status(MPI_Status* to, const mpi::Status& status);
std::string hexadecimal(int handle);
/// Of a call with several requests one of which failed: the error handler's part; returns MPI_ERR_IN_STATUS.
int in_status(mpi::ErrorClass first);
[[noreturn]] void raise(mpi::ErrorClass error_class, const std::string& message);

/// An error with an MPI error code that is no mpi::ErrorClass.
class CodeError final : public mpi::CallError {
  public:
    CodeError(int code, const std::string& message) : CallError(mpi::ErrorClass::kOther, message), code_(code) {}
    [[nodiscard]] int code() const { return code_; }

  private:
    int code_;
};
[[noreturn]] void raise_code(int code, const std::string& message);

}  // namespace haichi::abi::mpich
