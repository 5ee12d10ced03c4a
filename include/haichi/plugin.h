#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Objectives in shared libraries. A plug-in is one source file with a class that satisfies
/// haichi::plugin::UserObjective. The file ends with HAICHI_PLUGIN_OBJECTIVES(MyObjective). It is compiled into a
/// shared library with this header alone and does not link to haichi:
///
///     c++ -std=c++20 -O3 -fPIC -shared -I PREFIX/include my_objective.cc -o libmine.so
///
/// The search calls the objective once for every move that it tries. Functions for the inner loops of objectives are
/// therefore inline.
///
/// haichi and a plug-in exchange only the structs below. The tag in the section .note.haichi states their layout.
/// haichi compares this tag before it loads the library.

namespace haichi::plugin {

/// A rank in MPI_COMM_WORLD.
using Rank = std::int32_t;
/// A compute node of the job, numbered from 0 within the job.
using Node = std::int32_t;
/// A directed link of the network.
using Link = std::int32_t;

/// A point-to-point message.
struct Message {
    Rank source;
    Rank destination;
    std::int64_t size_bytes;

    /// True unless the message is from a rank to itself or has 0 bytes. Such messages never cross a link. Ranks on one
    /// node are not taken into account.
    [[nodiscard]] bool crosses_network() const { return source != destination && size_bytes > 0; }
};

/// A message, as seen from one of its two ranks.
struct IncidentMessage {
    Rank partner;
    std::uint32_t set_and_direction;  ///< set * 2, plus 1 if this rank is the source
    std::int64_t size_bytes;

    [[nodiscard]] std::size_t set() const { return set_and_direction >> 1; }
    [[nodiscard]] bool outgoing() const { return (set_and_direction & 1) != 0; }
};

/// The move of one rank from its node to another.
struct Relocation {
    Rank rank;
    Node from_node;
    Node to_node;
};

/// A change of a placement: one rank moves to an empty slot, two ranks swap, or up to four ranks rotate.
using Move = std::span<const Relocation>;

/// The change of the value by a move, in messages of mean size (Problem::mean_message_bytes). The search compares this
/// change with its temperature. The smoothing term varies even where the value is constant. It only guides the search.
struct Change {
    double value;
    double smoothing;
};

/// A value of an objective as haichi stores it. An objective uses one of the two members; the other one is 0.
struct Value {
    std::int64_t count;
    double real;

    friend auto operator<=>(const Value&, const Value&) = default;
    friend bool operator==(const Value&, const Value&) = default;
};

/// The node of every rank.
class Placement {
  public:
    explicit Placement(std::span<const Node> node_of_rank) : node_of_rank_(node_of_rank) {}

    [[nodiscard]] Node node(Rank rank) const { return node_of_rank_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] std::span<const Node> node_of_rank() const { return node_of_rank_; }

  private:
    std::span<const Node> node_of_rank_;
};

/// The data of a Problem. For example, the messages of set s are messages[first_of_set[s]] up to, but not including,
/// messages[first_of_set[s + 1]].
struct ProblemData {
    std::int32_t rank_count;
    std::int32_t node_count;
    std::int32_t ranks_per_node;
    std::int32_t diameter;
    std::uint64_t set_count;
    std::uint64_t link_count;
    double mean_message_bytes;
    const Message* messages;
    const std::uint64_t* first_of_set;  ///< set_count + 1 entries
    const IncidentMessage* incident;
    const std::uint64_t* first_of_rank;  ///< rank_count + 1 entries
    const std::int64_t* unavoidable_bytes;
    const double* seconds_per_byte;
    const std::uint8_t* hop_table;  ///< index a * node_count + b; null if there is no table
    const void* host;
    std::int32_t (*hops)(const void* host, Node a, Node b);
    const Link* (*route)(const void* host, Node source, Node destination, std::uint64_t* count);
};

/// The messages of a job and its network. Immutable and shared by all threads of a search.
class Problem {
  public:
    explicit Problem(const ProblemData& data) : data_(&data) {}

    [[nodiscard]] std::int32_t rank_count() const { return data_->rank_count; }
    [[nodiscard]] std::int32_t node_count() const { return data_->node_count; }
    [[nodiscard]] std::int32_t ranks_per_node() const { return data_->ranks_per_node; }
    /// The number of communication sets. The messages of a set are in transit at the same time.
    [[nodiscard]] std::size_t set_count() const { return data_->set_count; }
    [[nodiscard]] std::span<const Message> messages(std::size_t set) const {
        return {data_->messages + data_->first_of_set[set], data_->messages + data_->first_of_set[set + 1]};
    }
    /// The messages of the rank that can cross a link, in the order of their sets.
    [[nodiscard]] std::span<const IncidentMessage> incident(Rank rank) const {
        const std::uint64_t* const first = data_->first_of_rank + rank;
        return {data_->incident + first[0], data_->incident + first[1]};
    }
    /// The largest size s such that the set's messages of at least s bytes cannot all stay within nodes. 0 if all of
    /// them can.
    [[nodiscard]] std::int64_t unavoidable_bytes(std::size_t set) const { return data_->unavoidable_bytes[set]; }
    [[nodiscard]] double mean_message_bytes() const { return data_->mean_message_bytes; }

    /// The length of the route in hops, or the distance that the machine defines.
    [[nodiscard]] std::int32_t hops(Node a, Node b) const {
        const std::uint8_t* const table = data_->hop_table;
        if (table == nullptr) return data_->hops(data_->host, a, b);
        return table[static_cast<std::size_t>(a) * static_cast<std::size_t>(data_->node_count) +
                     static_cast<std::size_t>(b)];
    }
    /// An upper bound of hops().
    [[nodiscard]] std::int32_t diameter() const { return data_->diameter; }
    /// The links of the route from `source` to `destination`; empty within a node. Valid until the next call in the
    /// same thread.
    [[nodiscard]] std::span<const Link> route(Node source, Node destination) const {
        std::uint64_t count = 0;
        const Link* const links = data_->route(data_->host, source, destination, &count);
        return {links, static_cast<std::size_t>(count)};
    }
    /// An upper bound of the link numbers: all are smaller than this.
    [[nodiscard]] std::size_t link_count() const { return data_->link_count; }
    /// The inverse of the link's bandwidth.
    [[nodiscard]] double seconds_per_byte(Link link) const {
        return data_->seconds_per_byte[static_cast<std::size_t>(link)];
    }

  private:
    const ProblemData* data_;
};

/// A message that a move affects, with its nodes before and after the move.
struct MovedMessage {
    std::size_t set;
    std::int64_t size_bytes;
    Node old_source, old_destination;
    Node new_source, new_destination;
};

/// Calls f(MovedMessage) once for every message of a rank in `move`. `placement` is the placement before the move.
template <class F>
void for_each_moved_message(const Problem& problem, const Placement& placement, Move move, F&& f) {
    for (std::size_t i = 0; i < move.size(); ++i) {
        const Relocation& moved = move[i];
        for (const IncidentMessage& m : problem.incident(moved.rank)) {
            const Node old_partner = placement.node(m.partner);
            Node new_partner = old_partner;
            bool seen = false;
            for (std::size_t j = 0; j < move.size(); ++j) {
                if (move[j].rank == m.partner) {
                    new_partner = move[j].to_node;
                    seen = j < i;  // the other rank of the message has already reported it
                }
            }
            if (seen) continue;
            if (m.outgoing()) {
                f(MovedMessage{m.set(), m.size_bytes, moved.from_node, old_partner, moved.to_node, new_partner});
            } else {
                f(MovedMessage{m.set(), m.size_bytes, old_partner, moved.from_node, new_partner, moved.to_node});
            }
        }
    }
}

/// The description of an objective.
struct ObjectiveInfo {
    const char* name;
    const char* unit;         ///< "seconds" and "1" for real numbers; other units for counts
    const char* description;  ///< one sentence that contains the formula
};

/// An objective during a search. Smaller values are better. The object holds the value of a placement and updates it
/// move by move.
///
/// propose(placement, move) applies `move`; `placement` is the placement before the move. After that, value() is the
/// value of the changed placement. Then either commit() keeps the move, or rollback() reverts it. value_from_scratch()
/// computes the value without the state of these functions. With `--verify`, haichi checks that both values are equal.
/// Every thread of a search has its own object.
///
/// Five members are optional.
///
/// - commit()
/// - smoothing() and smoothing_from_scratch(placement) return the smoothing term (see Change).
/// - lower_bound() returns a value that no placement falls below, or nothing.
/// - in_unit(value) is the value in the unit of kInfo.
/// - append_hot_ranks(placement, ranks) appends the ranks that contribute most to the value.
template <class O>
concept UserObjective = requires(O objective, const O& constant, const Problem& problem, const Placement& placement,
                                 Move move) {
    requires std::same_as<typename O::Value, std::int64_t> || std::same_as<typename O::Value, double>;
    { O::kInfo } -> std::convertible_to<ObjectiveInfo>;
    // `placement` is the default placement of the scheduler. An objective that is not in a plug-in can also take the
    // context of its table.
    requires std::constructible_from<O, const Problem&, const Placement&> ||
        std::constructible_from<O, const Problem&, const Placement&, const void*>;
    objective.reset(placement);
    { objective.propose(placement, move) } -> std::same_as<Change>;
    objective.rollback();
    { constant.value() } -> std::same_as<typename O::Value>;
    { constant.value_from_scratch(placement) } -> std::same_as<typename O::Value>;
};

/// An objective as a table of functions. Only these functions know the types of `context` and `state`. `create` makes a
/// state.
struct ObjectiveTable {
    ObjectiveInfo info;
    std::uint64_t is_real;  ///< 1 if values are real numbers, 0 if they are counts
    void* (*create)(const void* context, const ProblemData* problem, const Node* default_nodes);
    void (*destroy)(void* state);
    void (*reset)(void* state, const Node* nodes);
    Change (*propose)(void* state, const Node* nodes, const Relocation* move, std::uint64_t size);
    void (*commit)(void* state);
    void (*rollback)(void* state);
    Value (*value)(const void* state);
    std::int64_t (*smoothing)(const void* state);
    Value (*value_from_scratch)(const void* state, const Node* nodes);
    std::int64_t (*smoothing_from_scratch)(const void* state, const Node* nodes);
    bool (*lower_bound)(const void* state, Value* bound);  ///< returns false if there is no bound
    double (*in_unit)(const void* state, Value value);
    void (*append_hot_ranks)(const void* state, const Node* nodes, void* ranks, void (*append)(void* ranks, Rank rank));
};

/// The data symbol haichi_plugin, which every plug-in defines.
struct Library {
    const ObjectiveTable* const* objectives;
    std::uint64_t count;
};

namespace detail {

/// The functions of an ObjectiveTable that call an objective class.
template <UserObjective O>
class Functions {
    struct State {
        std::size_t rank_count;
        O objective;

        [[nodiscard]] Placement placement(const Node* nodes) const { return Placement({nodes, rank_count}); }
    };
    static State& of(void* state) { return *static_cast<State*>(state); }
    static const State& of(const void* state) { return *static_cast<const State*>(state); }
    static Value stored(typename O::Value value) {
        if constexpr (std::is_floating_point_v<typename O::Value>)
            return {0, value};
        else
            return {value, 0};
    }
    static typename O::Value taken(Value value) {
        if constexpr (std::is_floating_point_v<typename O::Value>)
            return value.real;
        else
            return value.count;
    }

    static O made(const Problem& problem, const Placement& default_placement, const void* context) {
        if constexpr (std::constructible_from<O, const Problem&, const Placement&, const void*>)
            return O(problem, default_placement, context);
        else
            return O(problem, default_placement);
    }

    static void* create(const void* context, const ProblemData* problem, const Node* default_nodes) {
        const auto rank_count = static_cast<std::size_t>(problem->rank_count);
        return new State{rank_count, made(Problem(*problem), Placement({default_nodes, rank_count}), context)};
    }
    static void destroy(void* state) { delete static_cast<State*>(state); }
    static void reset(void* state, const Node* nodes) { of(state).objective.reset(of(state).placement(nodes)); }
    static Change propose(void* state, const Node* nodes, const Relocation* move, std::uint64_t size) {
        return of(state).objective.propose(of(state).placement(nodes), Move(move, static_cast<std::size_t>(size)));
    }
    static void commit(void* state) {
        if constexpr (requires(O & o) { o.commit(); }) of(state).objective.commit();
    }
    static void rollback(void* state) { of(state).objective.rollback(); }
    static Value value(const void* state) { return stored(of(state).objective.value()); }
    static std::int64_t smoothing(const void* state) {
        if constexpr (requires(const O& o) { o.smoothing(); })
            return of(state).objective.smoothing();
        else
            return 0;
    }
    static Value value_from_scratch(const void* state, const Node* nodes) {
        return stored(of(state).objective.value_from_scratch(of(state).placement(nodes)));
    }
    static std::int64_t smoothing_from_scratch(const void* state, const Node* nodes) {
        if constexpr (requires(const O& o, const Placement& p) { o.smoothing_from_scratch(p); })
            return of(state).objective.smoothing_from_scratch(of(state).placement(nodes));
        else
            return 0;
    }
    static bool lower_bound(const void* state, Value* bound) {
        if constexpr (requires(const O& o) { o.lower_bound(); }) {
            const std::optional<typename O::Value> found = of(state).objective.lower_bound();
            if (found) *bound = stored(*found);
            return found.has_value();
        } else {
            return false;
        }
    }
    static double in_unit(const void* state, Value value) {
        if constexpr (requires(const O& o) { o.in_unit(typename O::Value{}); })
            return of(state).objective.in_unit(taken(value));
        else
            return static_cast<double>(taken(value));
    }
    static void append_hot_ranks(const void* state, const Node* nodes, void* ranks, void (*append)(void*, Rank)) {
        if constexpr (requires(const O& o, const Placement& p, std::vector<Rank>& r) { o.append_hot_ranks(p, r); }) {
            std::vector<Rank> hot;
            of(state).objective.append_hot_ranks(of(state).placement(nodes), hot);
            for (const Rank rank : hot) append(ranks, rank);
        }
    }

  public:
    static constexpr ObjectiveTable kTable{O::kInfo,
                                           std::is_floating_point_v<typename O::Value>,
                                           create,
                                           destroy,
                                           reset,
                                           propose,
                                           commit,
                                           rollback,
                                           value,
                                           smoothing,
                                           value_from_scratch,
                                           smoothing_from_scratch,
                                           lower_bound,
                                           in_unit,
                                           append_hot_ranks};
};

}  // namespace detail

/// The function table of an objective class, for HAICHI_PLUGIN_OBJECTIVES.
template <UserObjective O>
constexpr const ObjectiveTable& table_of() {
    return detail::Functions<O>::kTable;
}

/// The version of this interface. It changes whenever older plug-ins become incompatible.
inline constexpr std::string_view kInterface = "haichi-plugin/4";

namespace detail {

constexpr std::string_view processor() {
#if defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

/// An FNV-1a hash of the sizes and offsets of all data that haichi and a plug-in exchange.
constexpr std::uint32_t layout() {
    std::uint32_t hash = 2166136261U;
    for (const std::size_t number : {sizeof(void*),
                                     sizeof(Message),
                                     offsetof(Message, size_bytes),
                                     sizeof(IncidentMessage),
                                     offsetof(IncidentMessage, size_bytes),
                                     sizeof(Relocation),
                                     offsetof(Relocation, to_node),
                                     sizeof(Change),
                                     sizeof(Value),
                                     offsetof(Value, real),
                                     sizeof(ProblemData),
                                     offsetof(ProblemData, set_count),
                                     offsetof(ProblemData, mean_message_bytes),
                                     offsetof(ProblemData, messages),
                                     offsetof(ProblemData, incident),
                                     offsetof(ProblemData, seconds_per_byte),
                                     offsetof(ProblemData, hop_table),
                                     offsetof(ProblemData, hops),
                                     offsetof(ProblemData, route),
                                     sizeof(ObjectiveTable),
                                     offsetof(ObjectiveTable, is_real),
                                     offsetof(ObjectiveTable, create),
                                     offsetof(ObjectiveTable, propose),
                                     offsetof(ObjectiveTable, value),
                                     offsetof(ObjectiveTable, lower_bound),
                                     offsetof(ObjectiveTable, append_hot_ranks),
                                     sizeof(Library)}) {
        hash = (hash ^ static_cast<std::uint32_t>(number)) * 16777619U;
    }
    return hash;
}

inline constexpr std::size_t kTagBytes = 64;

/// The tag, such as "haichi-plugin/4 x86-64 layout 1234abcd", padded with zeros.
constexpr std::array<char, kTagBytes> tag() {
    std::array<char, kTagBytes> text{};
    std::size_t end = 0;
    for (const std::string_view part : {kInterface, std::string_view(" "), processor(), std::string_view(" layout ")}) {
        for (const char c : part) text[end++] = c;
    }
    for (int digit = 7; digit >= 0; --digit) text[end++] = "0123456789abcdef"[layout() >> (4 * digit) & 15];
    return text;
}

/// An ELF note with the tag. haichi reads the note from the file without loading the library.
struct Note {
    std::uint32_t name_bytes = 7;
    std::uint32_t tag_bytes = kTagBytes;
    std::uint32_t type = 1;
    char name[8] = "haichi\0";
    std::array<char, kTagBytes> text = tag();
};

template <UserObjective... O>
inline constexpr std::array<const ObjectiveTable*, sizeof...(O)> kTables{&table_of<O>()...};

}  // namespace detail

}  // namespace haichi::plugin

/// Defines the symbol that haichi loads from the library, and the tag. Use this macro once per library, outside
/// namespaces. The definitions are constant, so loading the library does not run any of its code.
#define HAICHI_PLUGIN_OBJECTIVES(...)                                                                    \
    [[gnu::section(".note.haichi"), gnu::used,                                                           \
      gnu::aligned(4)]] static constexpr haichi::plugin::detail::Note haichi_plugin_note{};              \
    extern "C" [[gnu::visibility("default")]] const haichi::plugin::Library haichi_plugin;               \
    constexpr haichi::plugin::Library haichi_plugin{haichi::plugin::detail::kTables<__VA_ARGS__>.data(), \
                                                    haichi::plugin::detail::kTables<__VA_ARGS__>.size()};
