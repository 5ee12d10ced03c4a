#include "commlog/traces/otf2_location.h"

#include <algorithm>
#include <exception>

#include "base/errors.h"

namespace haichi {

namespace {

/// Maximum number of events that wait because an earlier event is not known yet. Beyond this limit, the earlier event
/// is treated as unknown.
constexpr std::size_t kLongestQueue = std::size_t{1} << 20;
constexpr std::size_t kDeepestStack = 1024;
/// EZTrace writes MPI_PROC_NULL and other special values as the largest 32-bit numbers.
constexpr std::uint32_t kFirstNobody = 0xFFFFFFF0;
constexpr std::uint64_t kOwnRequests = std::uint64_t{1} << 63;

CollectiveOperation operation_of(std::uint8_t op) {
    switch (op) {
        case OTF2_COLLECTIVE_OP_BARRIER:
            return CollectiveOperation::kBarrier;
        case OTF2_COLLECTIVE_OP_BCAST:
            return CollectiveOperation::kBroadcast;
        case OTF2_COLLECTIVE_OP_GATHER:
        case OTF2_COLLECTIVE_OP_GATHERV:
            return CollectiveOperation::kGather;
        case OTF2_COLLECTIVE_OP_SCATTER:
        case OTF2_COLLECTIVE_OP_SCATTERV:
            return CollectiveOperation::kScatter;
        case OTF2_COLLECTIVE_OP_ALLGATHER:
        case OTF2_COLLECTIVE_OP_ALLGATHERV:
            return CollectiveOperation::kAllgather;
        case OTF2_COLLECTIVE_OP_ALLTOALL:
        case OTF2_COLLECTIVE_OP_ALLTOALLV:
        case OTF2_COLLECTIVE_OP_ALLTOALLW:
            return CollectiveOperation::kAlltoall;
        case OTF2_COLLECTIVE_OP_ALLREDUCE:
            return CollectiveOperation::kAllreduce;
        case OTF2_COLLECTIVE_OP_REDUCE:
            return CollectiveOperation::kReduce;
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
            return CollectiveOperation::kReduceScatter;
        case OTF2_COLLECTIVE_OP_SCAN:
        case OTF2_COLLECTIVE_OP_EXSCAN:
            return CollectiveOperation::kScan;
        default:
            return CollectiveOperation::kOther;
    }
}

}  // namespace

/// The library's callbacks. A callback stores an exception until the library has returned.
class Otf2Location::Callbacks {
  public:
    template <Kind kind>
    static OTF2_CallbackCode on_region(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                       OTF2_AttributeList*, OTF2_RegionRef region) {
        return push(user, {.kind = kind, .time = time, .partner = region});
    }
    template <Kind kind>
    static OTF2_CallbackCode on_message(OTF2_LocationRef at, OTF2_TimeStamp time, std::uint64_t number, void* user,
                                        OTF2_AttributeList* attributes, std::uint32_t partner, OTF2_CommRef comm,
                                        std::uint32_t tag, std::uint64_t length) {
        return on_message_of_request<kind>(at, time, number, user, attributes, partner, comm, tag, length, {});
    }
    template <Kind kind>
    static OTF2_CallbackCode on_message_of_request(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                                   OTF2_AttributeList*, std::uint32_t partner, OTF2_CommRef comm,
                                                   std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
        return push(user, {.kind = kind,
                           .time = time,
                           .partner = partner,
                           .comm = comm,
                           .tag = tag,
                           .bytes = length,
                           .request = request});
    }
    template <Kind kind, bool is_known = true>
    static OTF2_CallbackCode on_request(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                        OTF2_AttributeList*, std::uint64_t request) {
        return push(user, {.kind = kind, .known = is_known, .time = time, .request = request});
    }
    static OTF2_CallbackCode on_collective(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                           OTF2_AttributeList*, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                           std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        return push(user, {.kind = Kind::kCollective,
                           .operation = op,
                           .time = time,
                           .partner = root,
                           .comm = comm,
                           .bytes = sent,
                           .received_bytes = received});
    }
    static OTF2_CallbackCode on_complete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                         OTF2_AttributeList*, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                         std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                         std::uint64_t request) {
        Event event{.kind = Kind::kComplete,
                    .operation = op,
                    .time = time,
                    .partner = root,
                    .comm = comm,
                    .bytes = sent,
                    .received_bytes = received,
                    .request = request};
        return push(user, event);
    }

    template <bool gets>
    static OTF2_CallbackCode on_one_sided(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                                          OTF2_AttributeList*, OTF2_RmaWinRef window, std::uint32_t remote,
                                          std::uint64_t bytes, std::uint64_t /*matching*/) {
        return guarded(user, [&](Otf2Location& location) { location.one_sided(window, remote, gets, bytes); });
    }
    static OTF2_CallbackCode on_atomic(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, OTF2_AttributeList*,
                                       OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaAtomicType,
                                       std::uint64_t sent, std::uint64_t received, std::uint64_t /*matching*/) {
        const bool gets = received > 0;
        return guarded(
            user, [&](Otf2Location& location) { location.one_sided(window, remote, gets, gets ? received : sent); });
    }

  private:
    static OTF2_CallbackCode push(void* user, const Event& event) {
        return guarded(user, [&](Otf2Location& location) { location.push(event); });
    }
    template <class Take>
    static OTF2_CallbackCode guarded(void* user, const Take& take) {
        auto& location = *static_cast<Otf2Location*>(user);
        try {
            take(location);
            return OTF2_CALLBACK_SUCCESS;
        } catch (...) {
            location.error_ = std::current_exception();
            return OTF2_CALLBACK_INTERRUPT;
        }
    }
};

Otf2Location::Otf2Location(Otf2Archive* archive, TracedJob* job, Otf2Archive::Location location,
                           const std::vector<std::uint32_t>& communicators)
    : archive_(archive),
      job_(job),
      location_(location),
      traced_(location.rank, archive->ticks_per_second(), communicators) {
    function_ = traced_.function("outside of MPI functions");
    traced_.in_function(function_);
}

void Otf2Location::read() {
    struct Delete {
        void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
    };
    OTF2_Reader* const reader = archive_->reader();
    const std::string what = "read the events of location " + std::to_string(location_.id);
    // Local definitions map numbers within the location to numbers within the archive.
    if (OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader, location_.id)) {
        std::uint64_t read = 0;
        archive_->check(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read), what);
        archive_->check(OTF2_Reader_CloseDefReader(reader, definitions), what);
    }
    OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location_.id);
    if (events == nullptr) archive_->check(OTF2_ERROR_INVALID_DATA, what);
    const std::unique_ptr<OTF2_EvtReaderCallbacks, Delete> callbacks(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks* const c = callbacks.get();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, Callbacks::on_region<Kind::kEnter>);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, Callbacks::on_region<Kind::kLeave>);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, Callbacks::on_message<Kind::kSend>);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, Callbacks::on_message<Kind::kReceive>);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, Callbacks::on_message_of_request<Kind::kStartSend>);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, Callbacks::on_request<Kind::kComplete>);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, (Callbacks::on_request<Kind::kStartReceive, false>));
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, Callbacks::on_message_of_request<Kind::kCompleteReceive>);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, Callbacks::on_request<Kind::kForget>);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, Callbacks::on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
        c, (Callbacks::on_request<Kind::kStartCollective, false>));
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, Callbacks::on_complete);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, Callbacks::on_one_sided<false>);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, Callbacks::on_one_sided<true>);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, Callbacks::on_atomic);
    archive_->check(OTF2_Reader_RegisterEvtCallbacks(reader, events, c, this), what);
    std::uint64_t read = 0;
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
    if (error_) std::rethrow_exception(error_);
    archive_->check(code, what);
    archive_->check(OTF2_Reader_CloseEvtReader(reader, events), what);
    flush(true);
    end_exchange();
    traced_.set_wall_ticks(last_time_ - first_time_);
}

void Otf2Location::one_sided(OTF2_RmaWinRef window, std::uint32_t remote, bool gets, std::uint64_t bytes) {
    const std::int32_t target = archive_->target(window, remote, location_.rank);
    if (target < 0) {
        job_->leave_out("one-sided operation on an unknown window", 1);
    } else {
        traced_.one_sided(target, gets, bytes);
    }
}

Otf2Location::Event* Otf2Location::posted(std::uint64_t request) {
    const auto found = unknown_posts_.find(request);
    if (found == unknown_posts_.end()) return nullptr;
    Event& event = queue_[found->second - first_];
    unknown_posts_.erase(found);
    return &event;
}

void Otf2Location::push(const Event& event) {
    if (event.kind == Kind::kStartReceive || event.kind == Kind::kStartCollective || event.kind == Kind::kStartSend) {
        // The request is used again, although the trace does not state how its earlier use ended.
        if (Event* const before = posted(event.request)) before->known = before->lost = true;
    }
    if (event.kind == Kind::kCompleteReceive || event.kind == Kind::kComplete || event.kind == Kind::kForget) {
        if (Event* const post = posted(event.request)) {
            post->known = true;
            if (event.kind == Kind::kForget) {
                post->kind = Kind::kNothing;
            } else {
                const std::uint64_t time = post->time;
                const Kind kind = post->kind;
                *post = event;
                post->kind = kind;
                post->time = time;
            }
        }
    }
    queue_.push_back(event);
    if (!event.known) unknown_posts_[event.request] = first_ + queue_.size() - 1;
    flush(false);
}

void Otf2Location::flush(bool all) {
    while (!queue_.empty()) {
        Event& event = queue_.front();
        if (!event.known) {
            if (!all && queue_.size() < kLongestQueue) return;
            unknown_posts_.erase(event.request);
            event.lost = true;
        }
        const Event next = event;
        queue_.pop_front();
        ++first_;
        record(next);
    }
}

TracedMessage Otf2Location::message(const Event& event) {
    has_messages_ = true;
    const std::uint32_t comm = archive_->communicator(event.comm, location_.rank);
    const std::int32_t peer = job_->member(comm, event.partner);
    if (peer == kOutside) ++outside_;
    return {peer, static_cast<std::int32_t>(event.tag), comm, event.bytes};
}

TracedOperation Otf2Location::operation(const Event& event) {
    has_messages_ = true;
    const std::uint32_t comm = archive_->communicator(event.comm, location_.rank);
    std::int32_t root = kNobody;
    if (event.partner == OTF2_COLLECTIVE_ROOT_SELF) {
        root = location_.rank;
    } else if (event.partner < kFirstNobody) {
        root = job_->member(comm, event.partner);
    }
    return {operation_of(event.operation), comm, root, event.bytes, event.received_bytes};
}

void Otf2Location::note_open(std::uint64_t request) {
    if (completions_ == 0 && open_.size() < kMostOpenRequests) open_.push_back(request);
}

void Otf2Location::opened(bool done) const {
    if (done) return;
    throw InputError(archive_->path() + ": more than " + std::to_string(kMostOpenRequests) +
                     " requests are open in location " + std::to_string(location_.id));
}

void Otf2Location::record(const Event& event) {
    if (!begun_) first_time_ = event.time;
    begun_ = true;
    last_time_ = std::max(last_time_, event.time);
    const bool is_message = event.kind == Kind::kSend || event.kind == Kind::kReceive || event.kind == Kind::kStartSend;
    if (is_message && event.partner >= kFirstNobody) return;
    switch (event.kind) {
        case Kind::kNothing:
            break;
        case Kind::kEnter:
            enter(event);
            break;
        case Kind::kLeave:
            leave(event);
            break;
        case Kind::kSend:
        case Kind::kReceive:
            if (exchanges_ && exchange_.size() < 2) {
                exchange_.push_back(event);
            } else if (event.kind == Kind::kSend) {
                traced_.send(message(event));
            } else {
                traced_.receive(message(event));
            }
            break;
        case Kind::kStartSend:
            ++requests_;
            note_open(event.request);
            opened(traced_.start_send(event.request, message(event)));
            break;
        case Kind::kStartReceive:
            ++requests_;
            note_open(event.request);
            if (!event.lost) {
                opened(traced_.start_receive(event.request, message(event)));
            } else {
                // An unknown operation is treated as a receive from any source.
                ++unknown_;
                opened(traced_.start_receive(event.request, {}, kAnySource | kAnyTag));
            }
            break;
        case Kind::kStartCollective:
            ++requests_;
            if (event.lost) {
                ++unknown_;
            } else {
                opened(traced_.start_collective(event.request, operation(event)));
            }
            break;
        case Kind::kComplete:
        case Kind::kCompleteReceive:
            ++completions_;
            traced_.complete(event.request);
            break;
        case Kind::kForget:
            traced_.forget(event.request);
            break;
        case Kind::kCollective:
            traced_.collective(operation(event));
            break;
    }
}

void Otf2Location::enter(const Event& event) {
    if (stack_.size() == kDeepestStack) {
        throw InputError(archive_->path() + ": regions of location " + std::to_string(location_.id) +
                         " are nested deeper than 1024");
    }
    const std::string* const name = archive_->mpi_function(event.partner);
    if (name == nullptr) return;
    stack_.push_back(event.partner);
    if (stack_.size() > 1) return;  // an MPI call inside another one belongs to the outer function
    if (left_ != 0 && event.time > left_) traced_.compute(event.time - left_);
    entered_ = event.time;
    traced_.in_function(traced_.function(*name));
    waits_ = name->starts_with("MPI_Wait");
    exchanges_ = name->starts_with("MPI_Sendrecv");
}

void Otf2Location::leave(const Event& event) {
    if (stack_.empty() || stack_.back() != event.partner) return;
    stack_.pop_back();
    if (!stack_.empty()) return;
    end_exchange();
    if (waits_ && completions_ == 0) {
        for (const std::uint64_t request : open_) traced_.complete(request);
        open_.clear();
    }
    traced_.count_call(event.time > entered_ ? event.time - entered_ : 0);
    left_ = event.time;
    traced_.in_function(function_);
    waits_ = exchanges_ = false;
}

void Otf2Location::end_exchange() {
    if (exchange_.empty()) return;
    const auto post = [this](Kind kind, std::uint64_t request) {
        for (const Event& event : exchange_) {
            if (event.kind != kind) continue;
            opened(kind == Kind::kReceive ? traced_.start_receive(request++, message(event))
                                          : traced_.start_send(request++, message(event)));
        }
    };
    post(Kind::kReceive, kOwnRequests);
    post(Kind::kSend, kOwnRequests + 2);
    for (std::uint64_t request = kOwnRequests; request < kOwnRequests + 4; ++request) traced_.complete(request);
    exchange_.clear();
}

}  // namespace haichi
