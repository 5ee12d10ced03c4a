// haichi-mapping/1: the id of each rank's node or, in robust maps, each rank's position in the rank order. Also reads
// haichi-report/1, which contains the list of nodes.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_text.h"
#include "base/located_json.h"
#include "base/text_stream.h"
#include "mapper/rankmap/formats.h"

namespace haichi {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kMappingSchema = "haichi-mapping/1";
constexpr const char* kReportSchema = "haichi-report/1";

void check_json(const RankMapContext&) {}

std::string write_json(const Mapping& mapping, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    ordered_json head;
    head["schema"] = kMappingSchema;
    head["machine"] = allocation.machine_name;
    head["shape"] = allocation.shape;
    head["ranks_per_node"] = allocation.ranks_per_node;
    head["ranks"] = mapping.rank_count();
    std::string text = json_text(head);
    text.back() = ',';
    text += "\n\"node_of_rank\":[";
    for (const NodeId node : mapping.node_of_rank()) {
        append_number(text, node.value);
        text += ',';
    }
    if (text.back() == ',') text.pop_back();
    return text + "]}\n";
}

/// Keeps "schema", "ranks" and "node_of_rank" of the outermost object and skips everything else. Memory therefore
/// depends on the job, not on the file.
class MappingSax {
  public:
    MappingSax(const TextStream* stream, const std::string& file, const RankMapContext& context)
        : stream_(stream), file_(file), context_(&context), ranks_(file, context, "node") {}

    PlacedRanks take() {
        if (!has_schema_)
            throw InputError(SourcePlace{file_, root_line_}, "the key 'schema' is missing", schema_hint());
        if (list_.empty()) throw InputError(SourcePlace{file_, root_line_}, "the key 'node_of_rank' is missing");
        const std::int32_t per_node = context_->allocation->ranks_per_node;
        if (list_ == "position_of_rank" && per_node_ && *per_node_ != per_node) {
            throw InputError(SourcePlace{file_, per_node_line_},
                             "the positions are for " + std::to_string(*per_node_) +
                                 " ranks per node, but the job has " + std::to_string(per_node),
                             "check §ppn");
        }
        if (declared_ && *declared_ != count_) {
            throw InputError(SourcePlace{file_, declared_line_}, "ranks is " + std::to_string(*declared_) + ", but " +
                                                                     list_ + " has " + std::to_string(count_) +
                                                                     (count_ == 1 ? " entry" : " entries"));
        }
        return ranks_.take(*context_, "write one entry per rank in " + list_);
    }

    bool null() { return other("null"); }
    bool boolean(bool value) { return other(value ? "true" : "false"); }
    bool number_float(json::number_float_t, const std::string& text) { return other(text); }
    bool number_integer(json::number_integer_t value) { return other(std::to_string(value)); }
    bool number_unsigned(json::number_unsigned_t value) {
        if (in_list()) return add_node(value);
        if (at_key("ranks_per_node")) {
            per_node_ = static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
            per_node_line_ = stream_->line();
            return true;
        }
        if (!at_key("ranks")) return other(std::to_string(value));
        declared_ = static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
        declared_line_ = stream_->line();
        return true;
    }
    bool string(std::string& text) {
        if (!at_key("schema")) return other("the text " + shown(text));
        if (text != kMappingSchema && text != kReportSchema) {
            throw InputError(here(), "unknown schema " + shown(text), schema_hint());
        }
        has_schema_ = true;
        return true;
    }
    bool binary(json::binary_t&) { return false; }

    bool start_object(std::size_t) {
        if (depth_ == 0) {
            root_line_ = stream_->line();
        } else {
            other("an object");
        }
        return deeper();
    }
    bool start_array(std::size_t) {
        if (depth_ == 0) throw InputError(here(), "expected an object, found a list", schema_hint());
        if (at_list()) {
            if (!list_.empty()) throw InputError(here(), "node_of_rank cannot be combined with position_of_rank");
            list_ = kKeys[key_];
        } else {
            other("a list");
        }
        return deeper();
    }
    bool end_object() { return shallower(); }
    bool end_array() { return shallower(); }

    bool key(std::string& name) {
        if (depth_ != 1) return true;
        key_ = kOther;
        const auto known = std::ranges::find(kKeys, name);
        if (known == kKeys.end()) return true;
        key_ = static_cast<std::size_t>(known - kKeys.begin());
        if (seen_[key_]) throw InputError(here(), "duplicate key " + shown(name));
        seen_[key_] = true;
        return true;
    }

    bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) {
        throw InputError(here(), json_error_text(error.id, error.what(), token));
    }

  private:
    static constexpr std::array<std::string_view, 5> kKeys = {"schema", "ranks", "ranks_per_node", "node_of_rank",
                                                              "position_of_rank"};
    static constexpr std::size_t kOther = kKeys.size();
    static constexpr int kDeepest = 64;

    [[nodiscard]] SourcePlace here() const { return stream_->place(); }
    [[nodiscard]] static std::string schema_hint() {
        return std::string("use \"schema\": \"") + kMappingSchema + "\" or \"" + kReportSchema + "\"";
    }
    [[nodiscard]] bool at_key(std::string_view name) const {
        return depth_ == 1 && key_ != kOther && kKeys[key_] == name;
    }
    [[nodiscard]] bool is_list_key() const { return key_ != kOther && kKeys[key_].ends_with("_of_rank"); }
    [[nodiscard]] bool at_list() const { return depth_ == 1 && is_list_key(); }
    [[nodiscard]] bool in_list() const { return depth_ == 2 && is_list_key(); }

    bool deeper() {
        if (++depth_ > kDeepest) throw InputError(here(), "nested deeper than " + std::to_string(kDeepest) + " levels");
        return true;
    }
    bool shallower() {
        --depth_;
        return true;
    }

    /// Handles a value that no required key accepts. Throws if the value belongs to a required key; otherwise ignores
    /// the value.
    bool other(const std::string& value) {
        if (depth_ == 0) throw InputError(here(), "expected an object, found " + value, schema_hint());
        if (in_list()) {
            throw InputError(here(), list_ + "[" + std::to_string(count_) + "]: expected a " +
                                         (list_ == "node_of_rank" ? "node number" : "position") + ", found " + value);
        }
        if (at_key("schema")) throw InputError(here(), "schema: expected a string, found " + value, schema_hint());
        if (at_key("ranks")) throw InputError(here(), "ranks: expected an integer, found " + value);
        if (at_list()) {
            throw InputError(here(), std::string(kKeys[key_]) + ": expected a list of " +
                                         (at_key("node_of_rank") ? "node numbers" : "positions") + ", found " + value);
        }
        return true;
    }

    bool add_node(std::uint64_t value) {
        if (list_ == "position_of_rank") return add_position(value);
        const std::int32_t nodes = context_->allocation->node_count();
        if (value >= static_cast<std::uint64_t>(nodes)) {
            throw InputError(here(),
                             "invalid node_of_rank[" + std::to_string(count_) + "]: " + std::to_string(value) +
                                 " (the job has nodes 0.." + std::to_string(nodes - 1) + ")",
                             "check §shape");
        }
        ranks_.add(NodeId(static_cast<std::int32_t>(value)), stream_->line());
        ++count_;
        return true;
    }

    /// Converts a position to a node. Positions count all slots of a node before those of the next.
    bool add_position(std::uint64_t value) {
        const Allocation& job = *context_->allocation;
        const std::uint64_t position = value / static_cast<std::uint64_t>(job.ranks_per_node);
        if (position >= job.fold.node_of_position.size()) {
            const auto places = std::to_string(std::int64_t{job.node_count()} * job.ranks_per_node - 1);
            throw InputError(here(),
                             "invalid position_of_rank[" + std::to_string(count_) + "]: " + std::to_string(value) +
                                 " (the job has positions 0.." + places + ")",
                             "check §shape");
        }
        ranks_.add(job.fold.node_of_position[position], stream_->line());
        ++count_;
        return true;
    }

    const TextStream* stream_;
    std::string file_;
    const RankMapContext* context_;
    RankCollector ranks_;
    std::int64_t count_ = 0;
    std::optional<std::int64_t> declared_;
    std::size_t declared_line_ = 0;
    std::size_t root_line_ = 0;
    int depth_ = 0;
    std::size_t key_ = kOther;
    std::array<bool, kKeys.size()> seen_{};
    bool has_schema_ = false;
    std::string list_;  ///< key of the list of ranks; empty before it is found
    std::optional<std::int64_t> per_node_;
    std::size_t per_node_line_ = 0;
};

PlacedRanks read_json(std::string_view text, const std::string& file, const RankMapContext& context) {
    TextStream stream(text, file);
    MappingSax sax(&stream, file, context);
    nlohmann::json::sax_parse(TextStreamIterator(&stream), TextStreamIterator(), &sax);
    return sax.take();
}

}  // namespace

RankMapFormat json_format() {
    RankMapFormat format{
        "json",
        "haichi-mapping/1, for other uses: {\"node_of_rank\": [...]}, nodes numbered row-major in the job, last "
        "axis fastest; also reads haichi-report/1",
        check_json,
        [](const MapShape& shape, const RankMapContext&) { return likely_if(shape.first == '{'); },
        write_json,
        read_json};
    format.describes_groups = true;
    return format;
}

}  // namespace haichi
