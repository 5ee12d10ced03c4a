#pragma once

#include <algorithm>
#include <cstring>

#include "commlog/log/call_log_memory.h"
#include "commlog/log/hash_table.h"

namespace haichi {

/// Finds loops in a stream of symbols, and loops over these loops, on several levels. Each level stores the symbols
/// with which a loop may still begin. A symbol that last occurred p symbols ago proposes p as a period. When p
/// consecutive symbols equal the p symbols before them, these 2p symbols become a loop. The symbols before the loop
/// move to the next level. Further symbols are compared only with the loop's body. When a symbol differs, the loop
/// moves to the next level as one symbol. Each symbol takes amortised O(1) time, because a proposed period is verified
/// over at most its own length, and shorter periods come first. The finder allocates no memory.
class LoopFinder {
  public:
    explicit LoopFinder(CallLogMemory* memory) : memory_(memory) {}

    void push(Symbol symbol) { push(0, symbol); }

    /// Ends all loops and moves all symbols to `top`.
    void flush() {
        for (std::uint32_t l = 0; l < kLevels; ++l) {
            while (memory_->levels[l].in_loop != 0) leave_loop(l);
            emit_first(l, memory_->levels[l].size);
        }
    }

    /// Inserts the bodies and loops in the memory's arrays into its hash tables.
    void know_loops() {
        for (std::uint32_t b = 0; b < memory_->body_count; ++b) {
            LoopBody& body = memory_->bodies[b];
            body.hash = body_hash(polynomial(memory_->body + body.first, body.length), body.length);
            slot_of(memory_->body_table, body.hash) = {body.hash, b};
        }
        for (std::uint32_t l = 0; l < memory_->loop_count; ++l) {
            const std::uint64_t hash =
                loop_hash(memory_->bodies[memory_->loops[l].body].hash, memory_->loops[l].repetitions);
            slot_of(memory_->loop_table, hash) = {hash, l};
        }
    }

  private:
    static std::uint32_t dense(Symbol symbol) {
        return symbol < kLoopSymbol ? symbol : symbol - kLoopSymbol + kMostEvents;
    }

    void push(std::uint32_t l, Symbol symbol) {
        if (l == kLevels) {
            append_to_top(symbol);
            return;
        }
        LoopLevel& level = memory_->levels[l];
        if (level.in_loop != 0) {
            if (level.pending[level.position] == symbol) {
                if (++level.position == level.size) {
                    level.position = 0;
                    ++level.repetitions;
                }
                return;
            }
            leave_loop(l);
        }
        add(l, symbol);
    }

    /// Adds a symbol outside of a loop to a level.
    void add(std::uint32_t l, Symbol symbol) {
        LoopLevel& level = memory_->levels[l];
        if (level.size == kWindow) emit_first(l, kWindow / 2);
        const std::uint32_t n = level.size;
        level.pending[n] = symbol;
        level.size = n + 1;
        std::uint32_t& last = level.last[dense(symbol)];
        const std::uint32_t number = level.base + n;
        if (level.period != 0 && n >= level.period && level.pending[n - level.period] == symbol) {
            ++level.matched;
        } else {
            const std::uint32_t distance = number - (last - 1);
            level.matched = 0;
            // The distance is too large if the last occurrence is older than the window, or older than the last restart
            // of the count.
            level.period = last != 0 && distance <= n && level.pending[n - distance] == symbol ? distance : 0;
            if (level.period != 0) {
                const std::uint32_t p = level.period;
                while (level.matched < p && level.matched + p <= n &&
                       level.pending[n - level.matched] == level.pending[n - level.matched - p]) {
                    ++level.matched;
                }
            }
        }
        last = number + 1;
        if (level.period != 0 && level.matched >= level.period) enter_loop(l);
    }

    void enter_loop(std::uint32_t l) {
        LoopLevel& level = memory_->levels[l];
        const std::uint32_t p = level.period;
        std::uint32_t start = level.size - 2 * p;
        while (start > 0 && level.pending[start - 1] == level.pending[start - 1 + p]) --start;
        // A loop found earlier in one of these rotations is found with the same body again, whatever precedes it.
        start += known_rotation(level.pending + start, p);
        const std::uint32_t run = level.size - start;
        emit_first(l, start);
        level.base += run - p;
        level.size = p;
        level.in_loop = 1;
        level.period = p;
        level.repetitions = run / p;
        level.position = run % p;
    }

    void leave_loop(std::uint32_t l) {
        LoopLevel& level = memory_->levels[l];
        const std::uint32_t begun = level.position;
        push(l + 1, loop_symbol(level.pending, level.size, level.repetitions));
        level.in_loop = 0;
        level.period = 0;
        level.matched = 0;
        level.base += level.size;
        level.size = 0;
        level.position = 0;
        // The symbols of the unfinished iteration, if any, are added one by one. The array that is read here is also
        // the one to which push() writes, but each symbol stays at its position.
        for (std::uint32_t i = 0; i < begun; ++i) push(l, level.pending[i]);
    }

    void emit_first(std::uint32_t l, std::uint32_t count) {
        LoopLevel& level = memory_->levels[l];
        for (std::uint32_t i = 0; i < count; ++i) push(l + 1, level.pending[i]);
        std::memmove(level.pending, level.pending + count, (level.size - count) * sizeof(Symbol));
        level.size -= count;
        level.base += count;
        if (level.size < level.period) level.period = 0;
    }

    // The hash of a body is the sum of m(symbol i) r^(length - 1 - i) modulo 2^64. This form allows the hash of each
    // rotation to be computed from the previous one.
    static constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15ULL;
    static std::uint64_t coefficient(Symbol symbol) { return mixed(symbol + 0x2545f4914f6cdd1dULL); }
    static std::uint64_t body_hash(std::uint64_t polynomial, std::uint32_t length) {
        return mixed(polynomial ^ mixed(length)) | 1;
    }
    static std::uint64_t loop_hash(std::uint64_t of_body, std::uint64_t repetitions) {
        return mixed(of_body + repetitions * kBase) | 1;
    }
    static std::uint64_t polynomial(const Symbol* symbols, std::uint32_t length) {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < length; ++i) sum = sum * kBase + coefficient(symbols[i]);
        return sum;
    }

    /// Returns the offset within two iterations at `symbols` at which a known body begins; 0 if there is none.
    [[nodiscard]] std::uint32_t known_rotation(const Symbol* symbols, std::uint32_t length) {
        std::uint64_t power = 1;  // the power of kBase that belongs to the first symbol
        for (std::uint32_t i = 1; i < length; ++i) power *= kBase;
        std::uint64_t sum = polynomial(symbols, length);
        for (std::uint32_t first = 0; first < length; ++first) {
            const HashSlot& slot = slot_of(memory_->body_table, body_hash(sum, length));
            if (slot.hash != 0) {
                const LoopBody& body = memory_->bodies[slot.index];
                if (body.length == length &&
                    std::equal(symbols + first, symbols + first + length, memory_->body + body.first)) {
                    return first;
                }
            }
            sum = (sum - coefficient(symbols[first]) * power) * kBase + coefficient(symbols[first]);
        }
        return 0;
    }

    Symbol loop_symbol(const Symbol* symbols, std::uint32_t length, std::uint64_t repetitions) {
        const std::uint64_t hash = body_hash(polynomial(symbols, length), length);
        HashSlot& body_slot = slot_of(memory_->body_table, hash);
        if (body_slot.hash == 0) {
            if (memory_->body_count == kMostLoops || memory_->body_symbols + length > kMostBodySymbols) {
                memory_->lost_symbols += length * repetitions;
                return lost_symbol();
            }
            const std::uint32_t index = memory_->body_count;
            std::memcpy(memory_->body + memory_->body_symbols, symbols, length * sizeof(Symbol));
            memory_->bodies[index] = {hash, 0, memory_->body_symbols, length};
            memory_->body_symbols += length;
            memory_->body_count = index + 1;
            body_slot = {hash, index};
        }
        const std::uint32_t body = body_slot.index;
        memory_->bodies[body].repetitions += repetitions;
        const std::uint64_t whole_hash = loop_hash(hash, repetitions);
        HashSlot& slot = slot_of(memory_->loop_table, whole_hash);
        if (slot.hash == 0) {
            if (memory_->loop_count == kMostLoops) {
                memory_->lost_symbols += length * repetitions;
                return lost_symbol();
            }
            memory_->loops[memory_->loop_count] = {body, 0, repetitions};
            slot = {whole_hash, memory_->loop_count++};
        }
        return kLoopSymbol + slot.index;
    }

    /// The symbol that represents those that did not fit.
    static Symbol lost_symbol() { return kLostEvent; }

    void append_to_top(Symbol symbol) {
        if (memory_->top_count == kMostTop) {
            ++memory_->lost_symbols;
            return;
        }
        memory_->top[memory_->top_count++] = symbol;
    }

    CallLogMemory* memory_;
};

}  // namespace haichi
