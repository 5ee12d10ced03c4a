#include "mgen/mpi/collective.h"

#include "mgen/mpi/operation.h"
#include "mgen/mpi/process.h"

namespace haichi::mpi {

void Collective::copy(const Buffer& from, const Buffer& to) {
    if (from.count == 0 || to.count == 0) return;
    copy_typed(from.data, from.count, *from.type, to.data, to.count, *to.type);
}

void Collective::combine(const Operation& operation, const void* in, const Buffer& inout) {
    operation.apply(in, inout.data, inout.count, *inout.type);
}

void Collective::begin_send(const Buffer& buffer, int to, Message message) {
    setup_.process->send_for({this, message, partners().world_rank(to), setup_.membership->communicator->context + 1,
                              setup_.tag, setup_.moves_payload},
                             buffer);
}

void Collective::begin_receive(const Buffer& buffer, int from, Message message) {
    setup_.process->receive_for({this, message, partners().world_rank(from),
                                 setup_.membership->communicator->context + 1, setup_.tag, setup_.moves_payload},
                                buffer);
}

}  // namespace haichi::mpi
