#include "mgen/mpi/collective.h"

#include "mgen/mpi/operation.h"
#include "mgen/mpi/process.h"

namespace haichi::mpi {

void Collective::copy_data(const collectives::Buffer& from, const collectives::Buffer& to) {
    if (from.count == 0 || to.count == 0) return;
    copy_typed(from.data, from.count, *Buffer::of(from).type, to.data, to.count, *Buffer::of(to).type);
}

void Collective::combine_data(const collectives::Reduction& operation, const void* in,
                              const collectives::Buffer& inout) {
    static_cast<const Operation&>(operation).apply(in, inout.data, inout.count, *Buffer::of(inout).type);
}

void Collective::begin_send(const collectives::Buffer& buffer, int to, Message message) {
    setup_.process->send_for({this, message, partners().world_rank(to), setup_.membership->communicator->context + 1,
                              setup_.tag, setup_.moves_payload},
                             Buffer::of(buffer));
}

void Collective::begin_receive(const collectives::Buffer& buffer, int from, Message message) {
    setup_.process->receive_for({this, message, partners().world_rank(from),
                                 setup_.membership->communicator->context + 1, setup_.tag, setup_.moves_payload},
                                Buffer::of(buffer));
}

}  // namespace haichi::mpi
