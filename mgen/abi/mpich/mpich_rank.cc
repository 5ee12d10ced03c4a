#include "mgen/abi/mpich/mpich_rank.h"

#include <array>
#include <string>
#include <unordered_map>

#include "mgen/host/live_rank.h"

namespace haichi::abi::mpich {

namespace {

using mpi::BasicType;
using mpi::ErrorClass;

struct NamedHandle {
    BasicType type;
    MPI_Datatype handle;
};

constexpr std::array kNamed = {
    NamedHandle{BasicType::kChar, MPI_CHAR},
    NamedHandle{BasicType::kSignedChar, MPI_SIGNED_CHAR},
    NamedHandle{BasicType::kUnsignedChar, MPI_UNSIGNED_CHAR},
    NamedHandle{BasicType::kByte, MPI_BYTE},
    NamedHandle{BasicType::kWchar, MPI_WCHAR},
    NamedHandle{BasicType::kShort, MPI_SHORT},
    NamedHandle{BasicType::kUnsignedShort, MPI_UNSIGNED_SHORT},
    NamedHandle{BasicType::kInt, MPI_INT},
    NamedHandle{BasicType::kUnsigned, MPI_UNSIGNED},
    NamedHandle{BasicType::kLong, MPI_LONG},
    NamedHandle{BasicType::kUnsignedLong, MPI_UNSIGNED_LONG},
    NamedHandle{BasicType::kFloat, MPI_FLOAT},
    NamedHandle{BasicType::kDouble, MPI_DOUBLE},
    NamedHandle{BasicType::kLongDouble, MPI_LONG_DOUBLE},
    NamedHandle{BasicType::kLongLong, MPI_LONG_LONG_INT},
    NamedHandle{BasicType::kUnsignedLongLong, MPI_UNSIGNED_LONG_LONG},
    NamedHandle{BasicType::kPacked, MPI_PACKED},
    NamedHandle{BasicType::kLowerBound, MPI_LB},
    NamedHandle{BasicType::kUpperBound, MPI_UB},
    NamedHandle{BasicType::kInt8, MPI_INT8_T},
    NamedHandle{BasicType::kInt16, MPI_INT16_T},
    NamedHandle{BasicType::kInt32, MPI_INT32_T},
    NamedHandle{BasicType::kInt64, MPI_INT64_T},
    NamedHandle{BasicType::kUint8, MPI_UINT8_T},
    NamedHandle{BasicType::kUint16, MPI_UINT16_T},
    NamedHandle{BasicType::kUint32, MPI_UINT32_T},
    NamedHandle{BasicType::kUint64, MPI_UINT64_T},
    NamedHandle{BasicType::kCBool, MPI_C_BOOL},
    NamedHandle{BasicType::kCFloatComplex, MPI_C_FLOAT_COMPLEX},
    NamedHandle{BasicType::kCDoubleComplex, MPI_C_DOUBLE_COMPLEX},
    NamedHandle{BasicType::kCLongDoubleComplex, MPI_C_LONG_DOUBLE_COMPLEX},
    NamedHandle{BasicType::kAint, MPI_AINT},
    NamedHandle{BasicType::kOffset, MPI_OFFSET},
    NamedHandle{BasicType::kCount, MPI_COUNT},
    NamedHandle{BasicType::kCxxBool, MPI_CXX_BOOL},
    NamedHandle{BasicType::kCxxFloatComplex, MPI_CXX_FLOAT_COMPLEX},
    NamedHandle{BasicType::kCxxDoubleComplex, MPI_CXX_DOUBLE_COMPLEX},
    NamedHandle{BasicType::kCxxLongDoubleComplex, MPI_CXX_LONG_DOUBLE_COMPLEX},
    NamedHandle{BasicType::kCharacter, MPI_CHARACTER},
    NamedHandle{BasicType::kInteger, MPI_INTEGER},
    NamedHandle{BasicType::kLogical, MPI_LOGICAL},
    NamedHandle{BasicType::kReal, MPI_REAL},
    NamedHandle{BasicType::kDoublePrecision, MPI_DOUBLE_PRECISION},
    NamedHandle{BasicType::kComplex, MPI_COMPLEX},
    NamedHandle{BasicType::kDoubleComplex, MPI_DOUBLE_COMPLEX},
    NamedHandle{BasicType::kInteger1, MPI_INTEGER1},
    NamedHandle{BasicType::kInteger2, MPI_INTEGER2},
    NamedHandle{BasicType::kInteger4, MPI_INTEGER4},
    NamedHandle{BasicType::kInteger8, MPI_INTEGER8},
    NamedHandle{BasicType::kReal4, MPI_REAL4},
    NamedHandle{BasicType::kReal8, MPI_REAL8},
    NamedHandle{BasicType::kReal16, MPI_REAL16},
    NamedHandle{BasicType::kComplex8, MPI_COMPLEX8},
    NamedHandle{BasicType::kComplex16, MPI_COMPLEX16},
    NamedHandle{BasicType::kComplex32, MPI_COMPLEX32},
    NamedHandle{BasicType::kFloatInt, MPI_FLOAT_INT},
    NamedHandle{BasicType::kDoubleInt, MPI_DOUBLE_INT},
    NamedHandle{BasicType::kLongInt, MPI_LONG_INT},
    NamedHandle{BasicType::k2Int, MPI_2INT},
    NamedHandle{BasicType::kShortInt, MPI_SHORT_INT},
    NamedHandle{BasicType::kLongDoubleInt, MPI_LONG_DOUBLE_INT},
    NamedHandle{BasicType::k2Integer, MPI_2INTEGER},
    NamedHandle{BasicType::k2Real, MPI_2REAL},
    NamedHandle{BasicType::k2DoublePrecision, MPI_2DOUBLE_PRECISION},
};
static_assert(kNamed.size() == mpi::kBasicTypes);

}  // namespace

std::string hexadecimal(int handle) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(handle));
    return text;
}

const mpi::DatatypeRef* named_type(MPI_Datatype handle) {
    static const auto* const types = [] {
        auto* by_handle = new std::unordered_map<int, const mpi::DatatypeRef*>();
        for (const NamedHandle& named : kNamed) by_handle->emplace(named.handle, &mpi::Datatype::basic(named.type));
        return by_handle;
    }();
    const auto found = types->find(handle);
    return found != types->end() ? found->second : nullptr;
}

MPI_Datatype handle_of(mpi::BasicType type) {
    for (const NamedHandle& named : kNamed) {
        if (named.type == type) return named.handle;
    }
    return MPI_DATATYPE_NULL;
}

int error_code(mpi::ErrorClass error_class) {
    switch (error_class) {
        case ErrorClass::kBuffer:
            return MPI_ERR_BUFFER;
        case ErrorClass::kCount:
            return MPI_ERR_COUNT;
        case ErrorClass::kType:
            return MPI_ERR_TYPE;
        case ErrorClass::kTag:
            return MPI_ERR_TAG;
        case ErrorClass::kCommunicator:
            return MPI_ERR_COMM;
        case ErrorClass::kRank:
            return MPI_ERR_RANK;
        case ErrorClass::kRoot:
            return MPI_ERR_ROOT;
        case ErrorClass::kTruncate:
            return MPI_ERR_TRUNCATE;
        case ErrorClass::kGroup:
            return MPI_ERR_GROUP;
        case ErrorClass::kOperation:
            return MPI_ERR_OP;
        case ErrorClass::kRequest:
            return MPI_ERR_REQUEST;
        case ErrorClass::kTopology:
            return MPI_ERR_TOPOLOGY;
        case ErrorClass::kDimensions:
            return MPI_ERR_DIMS;
        case ErrorClass::kArgument:
            return MPI_ERR_ARG;
        case ErrorClass::kWindow:
            return MPI_ERR_WIN;
        case ErrorClass::kDisplacement:
            return MPI_ERR_DISP;
        case ErrorClass::kSize:
            return MPI_ERR_SIZE;
        case ErrorClass::kLockKind:
            return MPI_ERR_LOCKTYPE;
        case ErrorClass::kAssertion:
            return MPI_ERR_ASSERT;
        case ErrorClass::kRmaSync:
            return MPI_ERR_RMA_SYNC;
        case ErrorClass::kRmaAttach:
            return MPI_ERR_RMA_ATTACH;
        case ErrorClass::kRmaShared:
            return MPI_ERR_RMA_SHARED;
        case ErrorClass::kRmaFlavor:
            return MPI_ERR_RMA_FLAVOR;
        case ErrorClass::kOther:
            break;
    }
    return MPI_ERR_OTHER;
}

void raise(mpi::ErrorClass error_class, const std::string& message) { throw mpi::CallError(error_class, message); }
void raise_code(int code, const std::string& message) { throw CodeError(code, message); }

void set_status(MPI_Status* to, const mpi::Status& status) {
    if (to == MPI_STATUS_IGNORE) return;
    if (to == nullptr) raise(mpi::ErrorClass::kArgument, "the address for the status is null");
    // In MPICH's layout, the count has 63 bits and the cancellation flag has one.
    to->count_lo = static_cast<int>(static_cast<std::uint64_t>(status.bytes) & 0xFFFFFFFF);
    to->count_hi_and_cancelled = static_cast<int>((static_cast<std::uint64_t>(status.bytes) >> 32 << 1) |
                                                  static_cast<unsigned>(status.is_cancelled));
    to->MPI_SOURCE = status.source;
    to->MPI_TAG = status.tag;
    // An empty status contains success. Other statuses leave the error field to calls that complete several requests.
    const bool is_empty = status.source == mpi::kAnySource && status.tag == mpi::kAnyTag && !status.is_cancelled;
    if (is_empty) to->MPI_ERROR = MPI_SUCCESS;
    if (status.error) to->MPI_ERROR = error_code(*status.error);
}

MpichRank::MpichRank(mpi::World& of, host::LiveRank& rank) : process(of.begin(rank)) {
    world.membership = std::make_shared<mpi::Membership>(of.whole(), rank.id());
    world.name = "MPI_COMM_WORLD";
    self.membership = std::make_shared<mpi::Membership>(of.self(rank.id()), rank.id());
    self.name = "MPI_COMM_SELF";
}

MpichRank& MpichRank::current() { return *static_cast<MpichRank*>(host::LiveRank::current()->calls_state); }

Comm& MpichRank::comm(MPI_Comm handle) {
    Comm* found = handle == MPI_COMM_WORLD ? &world : handle == MPI_COMM_SELF ? &self : comms.find(handle);
    if (found == nullptr) {
        raise(ErrorClass::kCommunicator, handle == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                                 : "invalid communicator: " + hexadecimal(handle));
    }
    call_comm = handle;
    return *found;
}

const mpi::DatatypeRef& MpichRank::type(MPI_Datatype handle) {
    if (const mpi::DatatypeRef* named = named_type(handle)) return *named;
    if (const Type* made = types.find(handle)) return made->type;
    raise(ErrorClass::kType, handle == MPI_DATATYPE_NULL ? "the data type is MPI_DATATYPE_NULL"
                                                         : "invalid data type: " + hexadecimal(handle));
}

mpi::GroupRef MpichRank::group(MPI_Group handle) {
    if (handle == MPI_GROUP_EMPTY) return mpi::Group::empty();
    if (const mpi::GroupRef* found = groups.find(handle)) return *found;
    raise(ErrorClass::kGroup,
          handle == MPI_GROUP_NULL ? "the group is MPI_GROUP_NULL" : "invalid group: " + hexadecimal(handle));
}

const mpi::OperationRef& MpichRank::op(MPI_Op handle) {
    // The handles of MPICH's predefined operations begin at 0x58000001, in this order.
    static constexpr std::array kOrder = {
        mpi::OperationKind::kMax,       mpi::OperationKind::kMin,         mpi::OperationKind::kSum,
        mpi::OperationKind::kProduct,   mpi::OperationKind::kLogicalAnd,  mpi::OperationKind::kBitAnd,
        mpi::OperationKind::kLogicalOr, mpi::OperationKind::kBitOr,       mpi::OperationKind::kLogicalXor,
        mpi::OperationKind::kBitXor,    mpi::OperationKind::kMinLocation, mpi::OperationKind::kMaxLocation,
        mpi::OperationKind::kReplace,   mpi::OperationKind::kNoOperation};
    static_assert(MPI_MAX == 0x58000001 && MPI_BXOR == 0x5800000a && MPI_MINLOC == 0x5800000b &&
                  MPI_REPLACE == 0x5800000d && MPI_NO_OP == 0x5800000e);
    if (handle >= MPI_MAX && handle <= MPI_NO_OP) {
        return mpi::Operation::predefined(kOrder[static_cast<std::size_t>(handle - MPI_MAX)]);
    }
    if (const Op* made = ops.find(handle)) return made->operation;
    raise(ErrorClass::kOperation,
          handle == MPI_OP_NULL ? "the operation is MPI_OP_NULL" : "invalid operation: " + hexadecimal(handle));
}

mpi::Request* MpichRank::request(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) return nullptr;
    if (mpi::Request** found = requests.find(handle)) return *found;
    raise(ErrorClass::kRequest, "invalid request: " + hexadecimal(handle));
}

MPI_Request MpichRank::add_request(mpi::Request& request) {
    request.handle = requests.add(&request);
    return request.handle;
}

Keyval& MpichRank::keyval(int handle, Keyval::Kind kind) {
    Keyval* found = keyvals.find(handle);
    if (found == nullptr || found->kind != kind) {
        raise_code(MPI_ERR_KEYVAL, handle == MPI_KEYVAL_INVALID ? "the attribute key is MPI_KEYVAL_INVALID"
                                                                : "invalid attribute key: " + hexadecimal(handle));
    }
    return *found;
}

Info& MpichRank::info(MPI_Info handle) {
    if (Info* found = infos.find(handle)) return *found;
    raise_code(MPI_ERR_INFO,
               handle == MPI_INFO_NULL ? "the info is MPI_INFO_NULL" : "invalid info: " + hexadecimal(handle));
}

Session& MpichRank::session(MPI_Session handle) {
    Session* found = sessions.find(handle);
    if (found == nullptr) {
        raise_code(MPI_ERR_SESSION, handle == MPI_SESSION_NULL ? "the session is MPI_SESSION_NULL"
                                                               : "invalid session: " + hexadecimal(handle));
    }
    call_session = handle;
    return *found;
}

Win& MpichRank::win(MPI_Win handle) {
    Win* found = wins.find(handle);
    if (found == nullptr) {
        raise(ErrorClass::kWindow,
              handle == MPI_WIN_NULL ? "the window is MPI_WIN_NULL" : "invalid window: " + hexadecimal(handle));
    }
    call_win = handle;
    return *found;
}

const mpi::DatatypeRef& MpichRank::committed_type(MPI_Datatype handle) {
    const mpi::DatatypeRef& of = type(handle);
    if (const Type* made = types.find(handle); made != nullptr && !made->is_committed) {
        raise(ErrorClass::kType, "the data type is not committed with MPI_Type_commit");
    }
    return of;
}

mpi::Buffer MpichRank::buffer(const void* data, std::int64_t count, MPI_Datatype handle) {
    if (count < 0) raise(ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    const mpi::Datatype* of = committed_type(handle).get();
    // A derived type may hold absolute addresses. Its buffer may then be MPI_BOTTOM, which is a null pointer.
    if (count > 0 && data == nullptr && of->size() > 0 && of->named()) {
        raise(ErrorClass::kBuffer, "the buffer is null");
    }
    return {const_cast<void*>(data), count, of};
}

mpi::Buffer MpichRank::buffer_without_data(std::int64_t count, MPI_Datatype handle) {
    if (count < 0) raise(ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    return {nullptr, count, type(handle).get()};
}

mpi::MessageArguments MpichRank::message(const void* data, std::int64_t count, MPI_Datatype handle, int partner,
                                         int tag, MPI_Comm comm_handle, bool is_send) {
    const mpi::MembershipRef& membership = comm(comm_handle).membership;
    mpi::MessageArguments arguments{.buffer = buffer(data, count, handle),
                                    .type = type(handle),
                                    .partner = partner,
                                    .tag = tag,
                                    .membership = membership,
                                    .comm_handle = comm_handle};
    const int size = membership->communicator->partners().size();
    const bool is_rank = partner >= 0 && partner < size;
    if (!is_rank && partner != mpi::kNoProcess && (is_send || partner != mpi::kAnySource)) {
        raise(ErrorClass::kRank, "invalid rank: " + std::to_string(partner) + " (the communicator has " +
                                     std::to_string(size) + " ranks)");
    }
    if (tag < 0 && (is_send || tag != mpi::kAnyTag)) {
        raise(ErrorClass::kTag, "the tag " + std::to_string(tag) + " is negative");
    }
    if (tag > kLargestTag) {
        raise(ErrorClass::kTag,
              "the tag " + std::to_string(tag) + " is above MPI_TAG_UB, which is " + std::to_string(kLargestTag));
    }
    return arguments;
}

}  // namespace haichi::abi::mpich
