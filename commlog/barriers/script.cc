#include "commlog/barriers/script.h"

#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "base/errors.h"

namespace haichi::barriers {

namespace {

constexpr std::string_view kSchema = "haichi-barriers/1";
constexpr std::array<std::string_view, 6> kMessages = {"send", "isend", "ssend", "issend", "recv", "irecv"};
/// Names in the order of CollectiveOperation.
constexpr std::array<std::string_view, static_cast<std::size_t>(CollectiveOperation::kCount)> kCollectives = {
    "barrier",    "bcast",         "reduce",    "allreduce",          "gather", "allgather", "scatter",
    "alltoall",   "reducescatter", "scan",      "neighbor",           "other",  "gatherv",   "scatterv",
    "allgatherv", "alltoallv",     "alltoallw", "reducescatterblock", "exscan"};

std::string name_of(std::uint32_t call) {
    if (call < kMessages.size()) return std::string(kMessages[call]);
    const std::size_t k = call - kMessages.size();
    return (k % 2 == 0 ? "" : "i") + std::string(kCollectives[k / 2]);
}

/// Looks up a call by name; returns false for an unknown name.
bool find_call(std::string_view name, std::uint32_t& call) {
    static const std::map<std::string, std::uint32_t, std::less<>> kCalls = [] {
        std::map<std::string, std::uint32_t, std::less<>> calls;
        for (std::uint32_t k = 0; k < kMessages.size() + 2 * kCollectives.size(); ++k) calls.emplace(name_of(k), k);
        return calls;
    }();
    const auto found = kCalls.find(name);
    if (found != kCalls.end()) call = found->second;
    return found != kCalls.end();
}

bool is_message(std::uint32_t call) { return call < kMessages.size(); }

class Words {
  public:
    explicit Words(std::string_view text) : rest_(text) {}
    std::string_view next() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
        const std::string_view word = rest_.substr(0, rest_.find(' '));
        rest_.remove_prefix(word.size());
        return word;
    }

  private:
    std::string_view rest_;
};

template <class Number>
bool read_number(std::string_view text, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

[[noreturn]] void refuse(const std::string& place, std::string_view what, std::string_view found) {
    throw InputError(place + ": expected " + std::string(what) + ", found '" + std::string(found.substr(0, 40)) + "'",
                     "write the file with 'haichi advise barrier --write-barriers FILE'");
}

Post parse_post(std::string_view word, const std::string& place) {
    Post post;
    std::string_view rest = word;
    std::size_t letters = 0;
    while (letters < rest.size() && rest[letters] >= 'a' && rest[letters] <= 'z') ++letters;
    if (!find_call(rest.substr(0, letters), post.call)) refuse(place, "a call", word);
    rest.remove_prefix(letters);
    if (const auto at = rest.find('@'); at != std::string_view::npos) {
        if (!read_number(rest.substr(at + 1), post.members, 16)) refuse(place, "a communicator after @", word);
        rest = rest.substr(0, at);
    }
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
        const std::string_view tag = rest.substr(slash + 1);
        post.has_any_tag = tag == "?";
        if (tag != "*" && tag != "?" && (!read_number(tag, post.tag) || post.tag < 0)) refuse(place, "a tag", word);
        rest = rest.substr(0, slash);
    } else if (is_message(post.call)) {
        refuse(place, "a tag", word);
    }
    if (rest.empty() ? is_message(post.call) : rest != "*" && (!read_number(rest, post.peer) || post.peer < 0)) {
        refuse(place, "a rank", word);
    }
    return post;
}

/// Removes the first line of the text and returns it.
std::string_view next_line(std::string_view& text, std::size_t& number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    return line;
}

}  // namespace

std::uint32_t call_of(CallKind kind, std::uint8_t flags, CollectiveOperation operation) {
    const std::uint32_t starts = (flags & kBlocking) != 0 ? 0 : 1;
    if (kind == CallKind::kSend) return starts + ((flags & kSynchronous) != 0 ? 2 : 0);
    if (kind == CallKind::kReceive || kind == CallKind::kReceiveAny) return 4 + starts;
    return static_cast<std::uint32_t>(kMessages.size()) + 2 * static_cast<std::uint32_t>(operation) + starts;
}

std::uint32_t members_hash(std::span<const std::int32_t> members, std::int32_t ranks) {
    bool is_world = static_cast<std::int64_t>(members.size()) == ranks;
    std::uint32_t hash = 2166136261U;  // FNV-1a hash over the ranks
    for (std::size_t i = 0; i < members.size(); ++i) {
        hash = (hash ^ static_cast<std::uint32_t>(members[i])) * 16777619U;
        is_world = is_world && members[i] == static_cast<std::int32_t>(i);
    }
    return is_world ? 0 : hash | 1;
}

std::string post_text(const Post& post) {
    std::string text = name_of(post.call);
    if (post.peer >= 0) text += std::to_string(post.peer);
    if (is_message(post.call)) {
        if (post.peer < 0) text += '*';
        text += '/' + (post.has_any_tag ? "?" : post.tag < 0 ? "*" : std::to_string(post.tag));
    }
    if (post.members == 0) return text;
    std::array<char, 8> hex{};
    const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), post.members, 16).ptr;
    return text + '@' + std::string(hex.data(), end);
}

std::vector<Step> parse_script(std::string_view text, const std::string& place) {
    std::vector<Step> steps;
    std::vector<std::size_t> open;
    Words words(text);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        Step step;
        if (word == kBarrierWord || word == kBarrierAtWaitWord) {
            step.kind = word == kBarrierWord ? StepKind::kBarrier : StepKind::kBarrierAtWait;
            for (const std::size_t loop : open) steps[loop].has_barriers = true;
        } else if (word.back() == '(') {
            step.kind = StepKind::kLoop;
            if (!read_number(word.substr(0, word.size() - 1), step.repetitions) || step.repetitions == 0) {
                refuse(place, "a number of iterations", word);
            }
            if (open.size() == kMostNested) refuse(place, "at most 8 nested loops", word);
            open.push_back(steps.size());
        } else if (word == ")") {
            if (open.empty() || open.back() + 1 == steps.size()) refuse(place, "the steps of a loop", word);
            step = steps[open.back()];
            step.kind = StepKind::kEndLoop;
            step.other = open.back();
            steps[open.back()].other = steps.size();
            open.pop_back();
        } else {
            step.post = parse_post(word, place);
        }
        steps.push_back(step);
    }
    if (!open.empty()) refuse(place, "')'", "");
    return steps;
}

std::uint64_t barrier_count(std::span<const Step> steps) {
    std::vector<std::uint64_t> times = {1};  // total number of executions of each open loop, innermost last
    std::uint64_t count = 0;
    for (const Step& step : steps) {
        if (step.kind == StepKind::kLoop) times.push_back(times.back() * step.repetitions);
        if (step.kind == StepKind::kEndLoop) times.pop_back();
        if (step.kind == StepKind::kBarrier || step.kind == StepKind::kBarrierAtWait) count += times.back();
    }
    return count;
}

std::string barrier_file_text(const BarrierFile& file) {
    std::string text(kSchema);
    text += "\nranks " + std::to_string(file.ranks) + "\nsets";
    for (const std::size_t set : file.sets) text += ' ' + std::to_string(set + 1);
    text += "\nbarriers " + std::to_string(file.barriers) + '\n';
    for (std::size_t r = 0; r < file.scripts.size(); ++r) {
        text += "rank " + std::to_string(r) + ' ' + file.scripts[r] + '\n';
    }
    return text;
}

BarrierFile parse_barrier_file(std::string_view text, const std::string& name) {
    BarrierFile file;
    std::size_t number = 0;
    const auto place = [&] { return name + ":" + std::to_string(number); };
    if (const auto line = next_line(text, number); line != kSchema) refuse(place(), std::string(kSchema), line);
    /// Returns the words of the next line after its first word, which must be `first`.
    const auto words_after = [&](std::string_view first) {
        const std::string_view line = next_line(text, number);
        Words words(line);
        if (words.next() != first) refuse(place(), "'" + std::string(first) + "'", line);
        return words;
    };
    Words ranks = words_after("ranks");
    if (!read_number(ranks.next(), file.ranks) || file.ranks < 1) refuse(place(), "a number of ranks", "");
    Words sets = words_after("sets");
    for (std::string_view set = sets.next(); !set.empty(); set = sets.next()) {
        if (!read_number(set, file.sets.emplace_back()) || file.sets.back() == 0) refuse(place(), "a set", set);
        --file.sets.back();
    }
    Words barriers = words_after("barriers");
    if (!read_number(barriers.next(), file.barriers)) refuse(place(), "a number of barriers", "");
    for (std::int32_t r = 0; r < file.ranks; ++r) {
        const std::string_view line = next_line(text, number);
        const std::string start = "rank " + std::to_string(r) + ' ';
        if (!line.starts_with(start)) refuse(place(), "'" + start + "'", line);
        file.scripts.emplace_back(line.substr(start.size()));
    }
    if (!text.empty()) refuse(name + ":" + std::to_string(number + 1), "the end of the file", text);
    return file;
}

}  // namespace haichi::barriers
