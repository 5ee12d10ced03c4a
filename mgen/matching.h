#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mgen/envelope.h"
#include "mgen/rank_table.h"

namespace haichi {

/// A receive that waits for its message.
struct PostedReceive {
    RankId source;  ///< invalid: any
    std::int32_t tag = 0;
    std::uint32_t context = 0;
    std::uint32_t request = 0;
    std::int64_t bytes = 0;
    std::uint32_t next = 0;   ///< of the same source, posted later
    std::uint64_t order = 0;  ///< among the receives of the rank
};

/// MPI matching of one receiver: an arriving message takes the receive posted first that fits it, a receive the fitting
/// message that arrived first. Messages of a pair must be handed over in the order of their sends. A step costs the
/// open receives or messages of one source (of all with any source), not of all; memory is what is open.
class Matching {
  public:
    /// The receive that the message belongs to, no longer posted; else the message is kept as unexpected.
    std::optional<PostedReceive> arrive(Envelope& message);
    /// The message that fits the receive, no longer kept; else null, and the receive is posted. `next` and `order` are
    /// its own.
    Envelope* post(const PostedReceive& wanted);

    /// The message that post() would take; null: none.
    [[nodiscard]] Envelope* find(const PostedReceive& wanted);
    /// Takes a posted receive back. O(open receives). False when it is not posted (any more).
    bool withdraw(std::uint32_t request);

    /// In the order of the calls.
    [[nodiscard]] std::vector<PostedReceive> posted() const;
    [[nodiscard]] std::size_t memory_bytes() const {
        return sources_.memory_bytes() + receives_.capacity() * sizeof(PostedReceive);
    }

  private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    struct List {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
    };
    struct Source {
        List posted;
        Envelope* first = nullptr;  ///< unexpected
        Envelope* last = nullptr;
        [[nodiscard]] bool is_empty() const { return posted.first == kNone && first == nullptr; }
    };
    /// A place in a list, and the one before it.
    struct Found {
        std::uint32_t at = kNone;
        std::uint32_t before = kNone;
    };

    [[nodiscard]] Found find_posted(const List& list, const Envelope& message) const;
    [[nodiscard]] Found find_request(const List& list, std::uint32_t request) const;
    PostedReceive take(List& list, Found found);
    void give_memory_back();
    Envelope* take_unexpected(Source& source, const PostedReceive& wanted);
    void keep(Envelope& message);

    RankTable<Source> sources_;
    List any_source_;
    Envelope* first_arrived_ = nullptr;
    Envelope* last_arrived_ = nullptr;
    std::vector<PostedReceive> receives_;
    std::uint32_t first_unused_ = kNone;
    std::uint32_t open_receives_ = 0;
    std::uint64_t posted_so_far_ = 0;
};

}  // namespace haichi
