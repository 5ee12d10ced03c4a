#include "collectives/runs.h"

namespace haichi::collectives {

Steps gather_runs_by_doubling(Exchange& exchange, Ring ring, std::function<Buffer(int begin, int end)> part) {
    const int size = ring.size;
    const int number = ring.number_of(exchange.rank());
    for (int width = 1; width < size; width *= 2) {
        const int partner = number ^ width;
        const int own = round_down(number, width);
        const int other = round_down(partner, width);
        const int own_end = std::min(own + width, size);
        const int other_end = std::min(other + width, size);
        if (partner < size) {
            co_await exchange_with(exchange, part(own, own_end), ring.rank_of(partner), part(other, other_end),
                                   ring.rank_of(partner));
        }
        if (other + width <= size) continue;
        // Members with a partner pass on the received pieces to members of their run without one.
        const int with_partner = size - own - width;
        for (int distance = width / 2; distance > 0; distance /= 2) {
            const int peer = number ^ distance;
            const int limit = round_down(number, 2 * distance) + with_partner;
            if (peer > number && number < limit && peer >= limit) {
                exchange.send(part(own + width, size), ring.rank_of(peer));
                co_await exchange.wait();
            } else if (peer < number && peer < limit && number >= limit) {
                exchange.receive(part(own + width, size), ring.rank_of(peer));
                co_await exchange.wait();
            }
        }
    }
}

}  // namespace haichi::collectives
