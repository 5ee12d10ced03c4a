#include "collectives/meeting.h"

#include <algorithm>

namespace haichi::collectives {

Steps meet_all(Exchange& exchange, Meeting meeting) {
    const int size = exchange.size();
    for (int distance = 1; distance < size; distance *= 2) {
        const std::int64_t members = meeting.gathers ? std::min(distance, size - distance) : 1;
        const Buffer blocks{nullptr, meeting.bytes * members, &byte_type()};
        exchange.receive(blocks, (exchange.rank() - distance + size) % size);
        exchange.send(blocks, (exchange.rank() + distance) % size);
        co_await exchange.wait();
    }
}

Steps meet_twice(Exchange& exchange, Meeting first, Meeting second) {
    co_await meet_all(exchange, first);
    co_await meet_all(exchange, second);
}

}  // namespace haichi::collectives
