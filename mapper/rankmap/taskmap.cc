// Maps as blocks of consecutive ranks on nodes that are numbered from 0 in the job. A block of a Flux task map (RFC 34)
// states the first node, the number of nodes, the ranks per node, and a repeat count. An example is
// [[0,4,1,2],[4,2,1,1]]. A block of a PMI vector (PMI_process_mapping) states the first three. An example is
// (vector,(0,4,1),(4,2,1)).

#include <utility>

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"

namespace haichi {

namespace {

/// Places `ranks` consecutive ranks on each of `nodes` consecutive nodes. `repetitions` states how often the whole
/// occurs.
struct RankBlock {
    std::int64_t first = 0;
    std::int64_t nodes = 1;
    std::int64_t ranks = 1;
    std::int64_t repetitions = 1;
    std::size_t line = 0;
};

/// Describes the mapping by blocks that occur once. A greedy search keeps their number small.
std::vector<RankBlock> blocks_of(const Mapping& mapping) {
    std::vector<RankBlock> series;  // each on one node
    for (const NodeId node : mapping.node_of_rank()) {
        if (series.empty() || series.back().first != node.value) series.push_back({.first = node.value, .ranks = 0});
        ++series.back().ranks;
    }
    std::vector<RankBlock> blocks;
    for (const RankBlock& one : series) {
        const bool joins = !blocks.empty() && blocks.back().ranks == one.ranks &&
                           blocks.back().first + blocks.back().nodes == one.first;
        if (joins) {
            ++blocks.back().nodes;
        } else {
            blocks.push_back(one);
        }
    }
    return blocks;
}

void check_any(const RankMapContext&) {}

std::string write_pmi(const Mapping& mapping, const RankMapContext&) { return pmi_vector(mapping) + "\n"; }

std::string write_flux(const Mapping& mapping, const RankMapContext&) {
    std::string text;
    const std::vector<RankBlock> blocks = blocks_of(mapping);
    for (std::size_t i = 0; i < blocks.size();) {
        std::size_t next = i + 1;
        const auto is_equal = [](const RankBlock& a, const RankBlock& b) {
            return a.first == b.first && a.nodes == b.nodes && a.ranks == b.ranks;
        };
        while (next < blocks.size() && is_equal(blocks[next], blocks[i])) ++next;
        char before = '[';
        text += text.empty() ? "[" : ",";
        for (const std::int64_t number :
             {blocks[i].first, blocks[i].nodes, blocks[i].ranks, static_cast<std::int64_t>(next - i)}) {
            text += before;
            append_number(text, number);
            before = ',';
        }
        text += ']';
        i = next;
    }
    return text + "]\n";
}

/// The characters and numbers of a text, without blanks.
class BlockText {
  public:
    BlockText(std::string_view text, const std::string& file) : text_(text), place_{file, 1} { skip_blanks(); }

    [[nodiscard]] const SourcePlace& place() const { return place_; }
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char next() const { return at_end() ? '\0' : text_[at_]; }
    /// Skips the word if the text continues with it.
    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        skip_blanks();
        return true;
    }
    void expect(std::string_view word) {
        if (!take(word)) refuse(shown(word));
    }
    std::int64_t number(std::int64_t least) {
        const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
        if (end == at_) refuse("a number");
        const std::int64_t number = parse_count(text_.substr(at_, end - at_), INT32_MAX, place_);
        if (number < least) {
            throw InputError(place_,
                             "expected at least " + std::to_string(least) + ", found " + std::to_string(number));
        }
        at_ = end;
        skip_blanks();
        return number;
    }
    [[noreturn]] void refuse(const std::string& expected) const {
        const std::string_view rest = text_.substr(at_, text_.substr(at_, 32).find('\n'));
        throw InputError(place_, "expected " + expected + ", found " + (at_end() ? "the end" : shown(rest)));
    }

  private:
    void skip_blanks() {
        for (; at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos; ++at_) {
            if (text_[at_] == '\n') ++place_.line;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    SourcePlace place_;
};

/// "[[0,4,1,4],[4,2,4,1]]".
std::vector<RankBlock> read_flux_blocks(BlockText& text) {
    std::vector<RankBlock> blocks;
    text.expect("[");
    do {
        RankBlock block{.line = text.place().line};
        text.expect("[");
        block.first = text.number(0);
        for (std::int64_t* number : {&block.nodes, &block.ranks, &block.repetitions}) {
            text.expect(",");
            *number = text.number(1);
        }
        text.expect("]");
        blocks.push_back(block);
    } while (text.take(","));
    text.expect("]");
    return blocks;
}

/// Reads a list of blocks, or an object with the keys "version" and "map".
std::vector<RankBlock> read_flux_map(BlockText& text) {
    if (!text.take("{")) return read_flux_blocks(text);
    std::vector<RankBlock> blocks;
    do {
        if (text.take("\"version\"")) {
            text.expect(":");
            const SourcePlace place = text.place();
            const std::int64_t version = text.number(0);
            if (version != 1) throw InputError(place, "unknown version of Flux task maps: " + std::to_string(version));
        } else {
            text.expect("\"map\"");
            text.expect(":");
            if (!blocks.empty()) throw InputError(text.place(), "duplicate key 'map'");
            blocks = read_flux_blocks(text);
        }
    } while (text.take(","));
    text.expect("}");
    if (blocks.empty()) throw InputError(text.place(), "the key 'map' is missing");
    return blocks;
}

RankBlock read_pmi_block(BlockText& text) {
    RankBlock block{.line = text.place().line};
    if (!text.take("(")) {
        block.first = text.number(0);
        return block;
    }
    block.first = text.number(0);
    for (std::int64_t* number : {&block.nodes, &block.ranks}) {
        text.expect(",");
        *number = text.number(1);
    }
    text.expect(")");
    return block;
}

/// "(vector,(0,4,1),...)". MPICH also writes a node alone, and "[0,1]x4" for repeated blocks.
std::vector<RankBlock> read_pmi_vector(BlockText& text, std::int64_t most) {
    std::vector<RankBlock> blocks;
    text.expect("(");
    text.expect("vector");
    while (text.take(",") && text.next() != ')') {
        if (!text.take("[")) {
            blocks.push_back(read_pmi_block(text));
            continue;
        }
        std::vector<RankBlock> repeated;
        do repeated.push_back(read_pmi_block(text));
        while (text.take(","));
        text.expect("]");
        text.expect("x");
        // Each block has at least one rank, so more blocks than `most` are always an error.
        for (std::int64_t k = text.number(1); k > 0 && std::ssize(blocks) <= most; --k) {
            blocks.insert(blocks.end(), repeated.begin(), repeated.end());
        }
    }
    text.expect(")");
    return blocks;
}

class BlockReader {
  public:
    BlockReader(const std::string& file, const RankMapContext& context)
        : file_(file), context_(&context), ranks_(file, context, "rank") {}

    void add(const RankBlock& block, std::int64_t most) {
        const std::int32_t nodes = context_->allocation->node_count();
        const std::int64_t last = block.first + block.nodes - 1;
        if (last >= nodes) {
            throw InputError(
                SourcePlace{file_, block.line},
                "invalid node: " + std::to_string(last) + " (the job has nodes 0.." + std::to_string(nodes - 1) + ")",
                "number the nodes of the job from 0, and check §shape");
        }
        // The numbers are below 2^31, and their product may not fit.
        const auto all = static_cast<__int128>(block.nodes) * block.ranks * block.repetitions;
        std::int64_t left = static_cast<std::int64_t>(std::min<__int128>(all, most));
        while (left > 0 && ranks_.room() > 0) {
            for (std::int64_t k = 0; k < block.nodes && left > 0; ++k) {
                const std::int64_t ranks = std::min(block.ranks, left);
                ranks_.add(NodeId(static_cast<std::int32_t>(block.first + k)), block.line, ranks);
                left -= ranks;
                count_ += ranks;
            }
        }
        ranks_.add(NodeId(), block.line, left);  // no room is left, so these ranks are only counted
        count_ += left;
    }
    [[nodiscard]] std::int64_t count() const { return count_; }
    PlacedRanks take() { return ranks_.take(*context_, "describe each rank once"); }

  private:
    std::string file_;
    const RankMapContext* context_;
    RankCollector ranks_;
    std::int64_t count_ = 0;
};

constexpr std::int64_t kMostCounted = INT32_MAX;

PlacedRanks read_flux(std::string_view text, const std::string& file, const RankMapContext& context) {
    BlockReader reader(file, context);
    const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
        BlockText words(text, file);
        const std::vector<RankBlock> blocks = read_flux_map(words);
        if (!words.at_end()) words.refuse("the end");
        for (const RankBlock& block : blocks) reader.add(block, kMostCounted);
    });
    return is_read ? reader.take() : PlacedRanks{};
}

/// Adds the blocks as MPICH does. If the job has more ranks, the blocks are repeated, starting with the first block on
/// node 0. The last block may have room for more ranks than there are.
void add_pmi_blocks(const std::vector<RankBlock>& blocks, BlockReader& reader, const RankMapContext& context) {
    const std::int64_t wanted = context.rank_count;
    for (const RankBlock& block : blocks) {
        const bool is_last = &block == &blocks.back();
        reader.add(block, is_last && wanted > reader.count() ? wanted - reader.count() : kMostCounted);
    }
    const auto first = std::ranges::find(blocks, 0, &RankBlock::first);
    while (first != blocks.end() && reader.count() < wanted) {
        for (auto block = first; block != blocks.end() && reader.count() < wanted; ++block) {
            reader.add(*block, wanted - reader.count());
        }
    }
}

PlacedRanks read_pmi(std::string_view text, const std::string& file, const RankMapContext& context) {
    BlockReader reader(file, context);
    const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
        BlockText words(text, file);
        const std::vector<RankBlock> blocks = read_pmi_vector(words, context.allocation->slot_count());
        if (!words.at_end()) words.refuse("the end");
        add_pmi_blocks(blocks, reader, context);
    });
    return is_read ? reader.take() : PlacedRanks{};
}

bool is_flux_map(std::string_view start) {
    if (start.starts_with('{')) return start.find("\"version\"") != std::string_view::npos;
    const auto second = start.find_first_not_of(" \t\r\n", 1);
    return start.starts_with('[') && second != std::string_view::npos && start[second] == '[';
}

/// The task map has to cover exactly the nodes of the job.
std::string launch_flux(const Mapping& mapping, const RankMapContext& context, const std::string& file) {
    const JobSize size = size_of(mapping);
    return "flux run --exclusive --nodes=" + std::to_string(size.last_node + 1) +
           " --ntasks=" + std::to_string(size.ranks) + cores_option(context, "--cores-per-task=") +
           " --taskmap=manual:\"$(cat " + shell_word(file) + ")\" ./app\n";
}

/// The longest argument of a program on Linux, without its NUL.
constexpr std::size_t kLongestArgument = (std::size_t{128} << 10) - 1;

std::string flux_warning(const Mapping& mapping, const RankMapContext& context) {
    const std::size_t length = write_flux(mapping, context).size();
    if (length + std::string_view("--taskmap=manual:").size() > kLongestArgument) {
        return "the task map has " + std::to_string(length) +
               " bytes, which exceeds the longest argument of a command"
               "\nhint: write the format slurm, and use flux run --taskmap=hostfile:FILE";
    }
    const JobSize size = size_of(mapping);
    if (size.nodes == size.last_node + 1) return "";
    return std::to_string(size.last_node + 1 - size.nodes) + " of the " + std::to_string(size.last_node + 1) +
           " nodes have no rank, but Flux requires a task on each node of a job\nhint: list only nodes that have "
           "ranks, with --nodes";
}

std::string launch_pmi(const Mapping& mapping, const RankMapContext& context, const std::string& file) {
    return "# in an allocation, with MPICH 5.1 or later\nmpiexec" + cores_option(context, "-bind-to core:") + " -n " +
           std::to_string(mapping.rank_count()) + " -rankmap \"$(cat " + shell_word(file) + ")\" ./app\n";
}

}  // namespace

std::string pmi_vector(const Mapping& mapping) {
    std::string text = "(vector";
    for (const RankBlock& block : blocks_of(mapping)) {
        char before = '(';
        text += ',';
        for (const std::int64_t number : {block.first, block.nodes, block.ranks}) {
            text += before;
            append_number(text, number);
            before = ',';
        }
        text += ')';
    }
    return text + ")";
}

RankMapFormat flux_format() {
    return {"flux",
            "Flux task map (RFC 34), flux run --taskmap=manual:MAP: blocks of first node, nodes, ranks per node and "
            "how often, as in [[0,4,1,2]]",
            check_any,
            [](const MapShape& shape, const RankMapContext&) { return likely_if(is_flux_map(shape.start)); },
            write_flux,
            read_flux,
            flux_warning,
            launch_flux};
}

RankMapFormat pmi_format() {
    return {
        "pmi",
        "PMI vector (PMI_process_mapping), MPICH's mpiexec -rankmap: blocks of first node, nodes and ranks per node, "
        "as in (vector,(0,4,1))",
        check_any,
        [](const MapShape& shape, const RankMapContext&) { return likely_if(shape.start.starts_with("(vector")); },
        write_pmi,
        read_pmi,
        nullptr,
        launch_pmi};
}

}  // namespace haichi
