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
    RankId source;  ///< invalid for any source
    std::int32_t tag = 0;
    std::uint32_t context = 0;
    std::uint32_t request = 0;
    std::int64_t bytes = 0;
    std::uint32_t next = 0;   ///< the next receive of the same source, posted later
    std::uint64_t order = 0;  ///< position among the rank's receives
};

/// MPI matching at one receiver. An arriving message takes the fitting receive that was posted first. A receive takes
/// the fitting message that arrived first. Messages of a pair must be passed in the order of their sends. An operation
/// takes time linear in the number of open receives or messages of one source. A receive from any source takes time
/// linear in those of all sources. Memory is proportional to the number of open receives and messages.
class Matching {
  public:
    /// Returns the posted receive that matches the message, and removes it from the list. If none matches, keeps the
    /// message as unexpected.
    std::optional<PostedReceive> arrive(Envelope& message);
    /// Returns the unexpected message that fits the receive, and removes it from the list. If none fits, posts the
    /// receive and returns null. post() itself sets `next` and `order`.
    Envelope* post(const PostedReceive& wanted);

    /// The message that post() would take, or null.
    [[nodiscard]] Envelope* find(const PostedReceive& wanted);
    /// Withdraws a posted receive in O(open receives). Returns false if it is not posted.
    bool withdraw(std::uint32_t request);

    /// Returns the posted receives in the order of the calls to post().
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
        Envelope* first = nullptr;  ///< unexpected messages
        Envelope* last = nullptr;
        [[nodiscard]] bool is_empty() const { return posted.first == kNone && first == nullptr; }
    };
    /// The index of a list entry, and of the entry before it.
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
