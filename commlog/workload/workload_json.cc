#include "commlog/workload/workload_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/text_stream.h"
#include "commlog/workload/message_collector.h"

namespace haichi {

using nlohmann::json;

namespace {

constexpr std::int64_t kLargestCount = std::numeric_limits<std::int64_t>::max();

/// The parser's position in the schema, which has four levels. Deeper input has a wrong type, so nesting needs no limit
/// of its own.
enum class Inside { kNothing, kWorkload, kSets, kSet, kMessages, kMessage };

enum Key : unsigned { kSchema, kRanks, kIterations, kSets, kLabel, kComputeSeconds, kTransfer, kMessages, kKeyCount };

struct KeyRow {
    const char* name;
    Inside object;  ///< kind of object that contains the key
    bool required;
    const char* expected;  ///< the text for "expected ..., found ..."
};

constexpr std::array<KeyRow, kKeyCount> kKeys = {{
    {"schema", Inside::kWorkload, true, "the text \"haichi-workload/1\""},
    {"ranks", Inside::kWorkload, true, "a whole number"},
    {"iterations", Inside::kWorkload, false, "a whole number"},
    {"sets", Inside::kWorkload, true, "a list of sets"},
    {"label", Inside::kSet, false, "a string"},
    {"compute_seconds", Inside::kSet, false, "a number of seconds"},
    {"transfer", Inside::kSet, false, "\"messages\" or \"put\""},
    {"messages", Inside::kSet, true, "a list of messages"},
}};

/// Builds the workload from the events of a SAX parser. An event that does not fit the schema throws an error with its
/// position in the text.
class WorkloadSax {
  public:
    explicit WorkloadSax(TextStream* stream) : stream_(stream) {}

    Workload take() { return {*ranks_, iterations_, std::move(sets_), messages_.take()}; }

    bool null() { wrong_type("null"); }
    bool boolean(bool value) { wrong_type(value ? "true" : "false"); }
    bool binary(json::binary_t&) { wrong_type("binary data"); }

    bool number_unsigned(json::number_unsigned_t value) {
        stream_->note_progress();
        if (inside_ == Inside::kMessage) {
            // This is the critical path, for the numbers of messages. All other numbers occur only a few times per
            // file.
            switch (field_++) {
                case 0:
                    message_.source = rank(value);
                    return true;
                case 1:
                    message_.destination = rank(value);
                    return true;
                case 2:
                    if (value > static_cast<std::uint64_t>(kLargestMessageBytes)) {
                        fail("message size " + std::to_string(value) + " is outside 0..2^48 bytes");
                    }
                    message_.size_bytes = static_cast<std::int64_t>(value);
                    return true;
                default:
                    fail("expected a message [source, destination, bytes], found a fourth number " +
                         std::to_string(value));
            }
        }
        if (inside_ == Inside::kWorkload && key_ == kRanks) {
            set_ranks(value);
        } else if (inside_ == Inside::kWorkload && key_ == kIterations) {
            if (value < 1 || value > static_cast<std::uint64_t>(kLargestCount)) {
                fail(std::to_string(value) + " is outside 1..2^63 - 1");
            }
            iterations_ = static_cast<std::int64_t>(value);
        } else if (inside_ == Inside::kSet && key_ == kComputeSeconds) {
            set_compute_seconds(static_cast<double>(value), std::to_string(value));
        } else {
            wrong_type(std::to_string(value));
        }
        return true;
    }

    bool number_integer(json::number_integer_t value) {
        if (value >= 0) return number_unsigned(static_cast<std::uint64_t>(value));  // "-0"
        if (expects_number()) fail(element() + "must not be negative, found " + std::to_string(value));
        wrong_type(std::to_string(value));
    }

    bool number_float(json::number_float_t value, const std::string& text) {
        stream_->note_progress();
        if (inside_ == Inside::kSet && key_ == kComputeSeconds) {
            if (value < 0) fail("must not be negative, found " + shown(text));
            set_compute_seconds(value, text);
            return true;
        }
        if (!expects_number()) wrong_type(shown(text));
        if (text.find_first_of(".eE") == std::string::npos) fail("the number " + shown(text) + " is too large");
        fail(inside_ == Inside::kMessage ? element() + "must be a whole number, found " + shown(text)
                                         : "expected a whole number, found " + shown(text),
             "write the number in digits only: 1048576, not 1048576.0 or 1e6");
    }

    bool string(std::string& value) {
        stream_->note_progress();
        if (inside_ == Inside::kWorkload && key_ == kSchema) {
            if (value != kWorkloadSchema) {
                fail("expected " + shown(kWorkloadSchema) + ", found " + shown(value));
            }
        } else if (inside_ == Inside::kSet && key_ == kLabel) {
            sets_.back().label = std::move(value);
        } else if (inside_ == Inside::kSet && key_ == kTransfer) {
            try {
                sets_.back().transfer = parse_transfer(value);
            } catch (const InputError& error) {
                fail(error.what());
            }
        } else {
            wrong_type("the text " + shown(value));
        }
        return true;
    }

    bool start_object(std::size_t) {
        stream_->note_progress();
        if (inside_ == Inside::kNothing) {
            enter(Inside::kWorkload);
        } else if (inside_ == Inside::kSets) {
            if (sets_.size() >= static_cast<std::size_t>(kMostSets))
                fail("more than " + std::to_string(kMostSets) + " sets");
            sets_.push_back({{}, 0, messages_.size(), messages_.size(), Transfer::kMessages});
            enter(Inside::kSet);
        } else {
            wrong_type("an object");
        }
        return true;
    }

    bool end_object() {
        stream_->note_progress();
        for (unsigned key = 0; key < kKeyCount; ++key) {
            const KeyRow& row = kKeys[key];
            if (row.object == inside_ && row.required && (seen_[level(inside_)] >> key & 1U) == 0) {
                key_ = kKeyCount;
                fail("the key " + shown(row.name) + " is missing");
            }
        }
        inside_ = inside_ == Inside::kSet ? Inside::kSets : Inside::kNothing;
        return true;
    }

    bool start_array(std::size_t) {
        stream_->note_progress();
        if (inside_ == Inside::kWorkload && key_ == kSets) {
            inside_ = Inside::kSets;
        } else if (inside_ == Inside::kSet && key_ == kMessages) {
            inside_ = Inside::kMessages;
        } else if (inside_ == Inside::kMessages) {
            inside_ = Inside::kMessage;
            field_ = 0;
        } else {
            wrong_type("a list");
        }
        return true;
    }

    bool end_array() {
        stream_->note_progress();
        switch (inside_) {
            case Inside::kMessage:
                finish_message();
                inside_ = Inside::kMessages;
                break;
            case Inside::kMessages:
                sets_.back().end = messages_.size();
                inside_ = Inside::kSet;
                break;
            default:
                key_ = kSets;
                inside_ = Inside::kWorkload;
        }
        return true;
    }

    bool key(std::string& name) {
        stream_->note_progress();
        std::vector<std::string> known;
        for (unsigned key = 0; key < kKeyCount; ++key) {
            if (kKeys[key].object != inside_) continue;
            if (name != kKeys[key].name) {
                known.emplace_back(kKeys[key].name);
                continue;
            }
            unsigned& seen = seen_[level(inside_)];
            if ((seen >> key & 1U) != 0) fail_at(where(false), "duplicate key " + shown(name));
            seen |= 1U << key;
            key_ = static_cast<Key>(key);
            return true;
        }
        constexpr auto kNodeLink =
            std::to_array<std::string_view>({"directed", "multigraph", "graph", "nodes", "links", "edges"});
        if (inside_ == Inside::kWorkload && std::ranges::find(kNodeLink, name) != kNodeLink.end()) {
            fail_at(where(false),
                    "expected haichi-workload/1, found " + shown(name) + " of a node-link graph (NetworkX)",
                    "read it in Python: haichi.Workload.from_graph(networkx.node_link_graph(json.load(file)))");
        }
        fail_at(where(false), "unknown key " + shown(name), did_you_mean(name, known));
    }

    bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) {
        constexpr int kNumberOverflow = 406;
        if (error.id == kNumberOverflow) fail("the number " + shown(token) + " is too large");
        throw InputError(stream_->place(), json_error_text(error.id, error.what(), token));
    }

  private:
    static std::size_t level(Inside inside) { return inside == Inside::kSet ? 1 : 0; }

    void enter(Inside object) {
        inside_ = object;
        key_ = kKeyCount;
        seen_[level(object)] = 0;
    }

    void set_compute_seconds(double seconds, const std::string& text) {
        constexpr double kMost = 2'305'843;  // no simulation takes longer
        if (seconds > kMost) fail("must be at most 2305843 seconds (26 days), found " + shown(text));
        sets_.back().compute_seconds = seconds;
    }

    [[nodiscard]] bool expects_number() const {
        return inside_ == Inside::kMessage ||
               (inside_ == Inside::kWorkload && (key_ == kRanks || key_ == kIterations)) ||
               (inside_ == Inside::kSet && key_ == kComputeSeconds);
    }

    /// The name of the next number of a message for errors, with a blank. Empty outside of messages.
    [[nodiscard]] std::string element() const {
        constexpr std::array<const char*, 4> kNames = {"the source rank ", "the destination rank ", "the message size ",
                                                       "a fourth element "};
        if (inside_ != Inside::kMessage) return "";
        return kNames[static_cast<std::size_t>(std::min(field_, 3))];
    }

    RankId rank(std::uint64_t value) {
        if (value > rank_limit_) {
            fail(std::string(field_ == 1 ? "source" : "destination") + " rank " + std::to_string(value) +
                 " is outside 0.." + std::to_string(rank_limit_));
        }
        if (value >= ranks_used_) {
            ranks_used_ = value + 1;
            highest_rank_line_ = stream_->place().line;
            highest_rank_message_ = messages_.size();
        }
        return RankId(static_cast<std::int32_t>(value));
    }

    void set_ranks(std::uint64_t value) {
        if (value < 1 || value > static_cast<std::uint64_t>(kMostRanks)) {
            fail(std::to_string(value) + " is outside 1.." + std::to_string(kMostRanks));
        }
        ranks_ = static_cast<std::int32_t>(value);
        rank_limit_ = value - 1;
        if (ranks_used_ <= value) return;
        // In this file, the sets come before the number of ranks.
        std::size_t t = 0;
        while (sets_[t].end <= highest_rank_message_) ++t;
        throw InputError(SourcePlace{stream_->place().file, highest_rank_line_},
                         "sets[" + std::to_string(t) + "].messages[" +
                             std::to_string(highest_rank_message_ - sets_[t].first) + "]: rank " +
                             std::to_string(ranks_used_ - 1) + " is outside 0.." + std::to_string(rank_limit_));
    }

    void finish_message() {
        if (field_ < 3) {
            fail("expected a message [source, destination, bytes], found only " + std::to_string(field_) + " numbers");
        }
        if (const auto problem = messages_.add(message_)) fail(*problem);
    }

    /// Returns the path of the current value, such as "sets[3].messages[17]" or "ranks"; it is empty at the top.
    /// Without `with_key`, returns the path of the enclosing object.
    [[nodiscard]] std::string where(bool with_key = true) const {
        std::string path;
        // This is not a single expression with +, because GCC 12 would report a false overlap (-Wrestrict).
        const auto index = [](std::size_t i) { return std::string(1, '[').append(std::to_string(i)).append("]"); };
        if (inside_ == Inside::kSets) path = "sets" + index(sets_.size());
        if (inside_ == Inside::kSet) path = "sets" + index(sets_.size() - 1);
        if (inside_ == Inside::kMessages || inside_ == Inside::kMessage) {
            path = "sets" + index(sets_.size() - 1) + ".messages" + index(messages_.size() - sets_.back().first);
        }
        if (with_key && key_ != kKeyCount && kKeys[key_].object == inside_) {
            path += (path.empty() ? "" : ".") + std::string(kKeys[key_].name);
        }
        return path;
    }

    [[noreturn]] void fail_at(const std::string& path, const std::string& what, std::string hint = {}) const {
        throw InputError(stream_->place(), (path.empty() ? "" : path + ": ") + what, std::move(hint));
    }
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const {
        fail_at(where(), what, std::move(hint));
    }

    [[noreturn]] void wrong_type(const std::string& found) const {
        std::string expected;
        switch (inside_) {
            case Inside::kNothing:
                expected = "an object with \"schema\": \"haichi-workload/1\"";
                break;
            case Inside::kWorkload:
            case Inside::kSet:
                expected = kKeys[key_].expected;
                break;
            case Inside::kSets:
                expected = "a set {\"messages\": [...]}";
                break;
            case Inside::kMessages:
                expected = "a message [source, destination, bytes]";
                break;
            case Inside::kMessage:
                fail(element() + "must be a whole number, found " + found);
        }
        fail("expected " + expected + ", found " + found);
    }

    TextStream* stream_;
    Inside inside_ = Inside::kNothing;
    Key key_ = kKeyCount;
    std::array<unsigned, 2> seen_{};  ///< bit masks of the keys found so far, in the workload and in the current set
    int field_ = 0;                   ///< number of fields of the current message that have been read
    Message message_;

    std::optional<std::int32_t> ranks_;
    std::int64_t iterations_ = 1;
    std::uint64_t rank_limit_ = kMostRanks - 1;
    std::uint64_t ranks_used_ = 0;  ///< highest rank so far + 1, with the line and the message of its first occurrence
    std::size_t highest_rank_line_ = 0;
    std::size_t highest_rank_message_ = 0;
    std::vector<Workload::Set> sets_;
    MessageCollector messages_;
};

}  // namespace

Workload read_workload_json(TextStream& stream) {
    WorkloadSax sax(&stream);
    json::sax_parse(TextStreamIterator(&stream), TextStreamIterator(), &sax);
    return sax.take();
}

Workload read_workload_json(std::string_view text, const std::string& file) {
    TextStream stream(text, file);
    return read_workload_json(stream);
}

}  // namespace haichi
