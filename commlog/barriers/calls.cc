#include "commlog/barriers/calls.h"

#include <map>

#include "commlog/barriers/following.h"

namespace haichi::barriers {

int inside = 0;

namespace {

constexpr int kAny = -1;

std::map<std::uint64_t, Post> persistent;                  // persistent requests, by number
std::map<std::uint64_t, Post> messages;                    // messages found by MPI_Mprobe or MPI_Improbe
std::map<std::uint64_t, std::uint32_t> members_of_object;  // members_hash() of windows and files

std::int32_t world_rank(const Members& members, int rank) {
    return rank >= 0 && rank < static_cast<int>(members.ranks.size()) ? members.ranks[static_cast<std::size_t>(rank)]
                                                                      : kNobody;
}

/// Returns the post for a call on this communicator. Stops following the script if the communicator is not supported.
Post post_on(MPI_Comm comm, std::uint32_t call, int peer, int tag) {
    const Members& members = members_of(comm);
    if (!members.is_known) stop_following("the program uses an intercommunicator");
    Post post;
    post.call = call;
    post.members = members.hash;
    post.peer = world_rank(members, peer);
    post.tag = tag;
    return post;
}

Post send_post(const Send& send, MPI_Comm comm, std::uint8_t flags) {
    return post_on(comm, call_of(CallKind::kSend, flags), send.destination, send.tag);
}
Post receive_post(const Receive& receive, MPI_Comm comm, std::uint8_t flags) {
    return post_on(comm, call_of(CallKind::kReceive, flags), receive.source == MPI_ANY_SOURCE ? kAny : receive.source,
                   receive.tag == MPI_ANY_TAG ? kAny : receive.tag);
}
Post collective_post(CollectiveOperation operation, MPI_Comm comm, int root, std::uint8_t flags) {
    return post_on(comm, call_of(CallKind::kCollective, flags, operation), root, kAny);
}

void before_one(const Post& post) { before_call(std::span(&post, 1)); }

/// If the request is persistent, appends the post that its start makes.
void add_start(std::uint64_t request, std::vector<Post>& posts) {
    if (const auto found = persistent.find(request); found != persistent.end()) posts.push_back(found->second);
}

/// `number` converts request i to a number.
template <class Number>
int start_numbers(int count, const Number& number, const StartRange& start) {
    std::vector<Post> posts;
    std::vector<int> request_of_post;
    for (int i = 0; i < count; ++i) {
        add_start(number(i), posts);
        if (request_of_post.size() < posts.size()) request_of_post.push_back(i);
    }
    int started = 0;
    int result = MPI_SUCCESS;
    const auto start_until = [&](int end) {
        if (result == MPI_SUCCESS) result = start(started, end);
        started = end;
    };
    before_call(posts, [&](std::size_t post) { start_until(request_of_post[post]); });
    start_until(count);
    return result;
}

}  // namespace

void send(const Send& send, MPI_Comm comm, std::uint8_t flags) {
    if (send.destination != MPI_PROC_NULL) before_one(send_post(send, comm, flags));
}

void receive(const Receive& receive, MPI_Comm comm, std::uint8_t flags) {
    if (receive.source != MPI_PROC_NULL) before_one(receive_post(receive, comm, flags));
}

void send_and_receive(const Send& send, const Receive& receive, MPI_Comm comm) {
    Post posts[2];
    std::size_t count = 0;
    if (receive.source != MPI_PROC_NULL) posts[count++] = receive_post(receive, comm, 0);
    if (send.destination != MPI_PROC_NULL) posts[count++] = send_post(send, comm, 0);
    before_call(std::span(posts, count));
}

void collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint8_t flags) {
    before_one(collective_post(operation, comm, root, flags));
}

void free_communicator(MPI_Comm comm) {
    collective(CollectiveOperation::kOther, comm, kNobody, kBlocking);
    forget_members(comm);
}

void made_by_members(MPI_Comm comm) {
    // In processes outside of the new communicator, the handle is MPI_COMM_NULL.
#if defined(OPEN_MPI)
    if (comm == preload::find_symbol("ompi_mpi_comm_null")) return;
#else
    if (comm == MPI_COMM_NULL) return;
#endif
    collective(CollectiveOperation::kOther, comm, kNobody, kBlocking);
}

void new_object(std::uint64_t object, MPI_Comm comm) { members_of_object[object] = members_of(comm).hash; }

void object_operation(std::uint64_t object) {
    Post post;
    post.call = call_of(CallKind::kCollective, kBlocking, CollectiveOperation::kOther);
    if (const auto found = members_of_object.find(object); found != members_of_object.end()) {
        post.members = found->second;
    }
    before_one(post);
}

void found_message(const Receive& probe, MPI_Comm comm, std::uint64_t message) {
    if (probe.source != MPI_PROC_NULL) messages[message] = receive_post(probe, comm, 0);
}

void receive_message(std::uint64_t message, std::uint8_t flags) {
    const auto found = messages.find(message);
    if (found == messages.end()) return;
    Post post = found->second;
    post.call = call_of(CallKind::kReceive, flags);
    messages.erase(found);
    before_one(post);
}

void prepare_send(const Send& send, MPI_Comm comm, std::uint8_t flags, std::uint64_t request) {
    persistent.erase(request);
    if (send.destination != MPI_PROC_NULL) persistent[request] = send_post(send, comm, flags);
}
void prepare_receive(const Receive& receive, MPI_Comm comm, std::uint64_t request) {
    persistent.erase(request);
    if (receive.source != MPI_PROC_NULL) persistent[request] = receive_post(receive, comm, 0);
}
void prepare_collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint64_t request) {
    persistent[request] = collective_post(operation, comm, root, 0);
}

void start(std::uint64_t request) {
    std::vector<Post> posts;
    add_start(request, posts);
    before_call(posts);
}
int start_all(int count, const MPI_Request* requests, const StartRange& start) {
    return start_numbers(
        count, [&](int i) { return number_of(requests[i]); }, start);
}
int start_all_fortran(int count, const MPI_Fint* requests, const StartRange& start) {
    return start_numbers(
        count, [&](int i) { return fortran_number(requests[i]); }, start);
}

std::uint64_t fortran_number(MPI_Fint handle) {
#if defined(OPEN_MPI)
    return std::uint64_t{1} << 62 | static_cast<std::uint32_t>(handle);
#else
    // The same number as in C, because some Fortran functions call the C functions.
    return static_cast<std::uint32_t>(handle);
#endif
}

#if defined(OPEN_MPI)
MPI_Comm comm_of(MPI_Fint handle) {
    static const auto convert = OWN(PMPI_Comm_f2c);
    return convert(handle);
}
#endif

}  // namespace haichi::barriers
