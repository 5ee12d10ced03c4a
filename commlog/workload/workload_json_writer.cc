#include <array>
#include <charconv>

#include "base/json_text.h"
#include "commlog/workload/workload_json.h"

namespace haichi {

namespace {

/// Collects text and passes it to the sink in larger pieces.
class ChunkedText {
  public:
    explicit ChunkedText(const std::function<void(std::string_view)>& sink) : sink_(sink) {
        text_.reserve(kPieceBytes + 4096);
    }

    void add(std::string_view text) {
        text_ += text;
        if (text_.size() >= kPieceBytes) flush();
    }
    template <class Number>
    void add_number(Number value) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        add({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }
    void flush() {
        if (!text_.empty()) sink_(text_);
        text_.clear();
    }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
    const std::function<void(std::string_view)>& sink_;
    std::string text_;
};

}  // namespace

void write_workload_json(const Workload& workload, const std::function<void(std::string_view)>& sink) {
    ChunkedText out(sink);
    out.add("{\"schema\": \"");
    out.add(kWorkloadSchema);
    out.add("\", \"ranks\": ");
    out.add_number(workload.rank_count());
    out.add(", \"iterations\": ");
    out.add_number(workload.iterations());
    out.add(",\n \"sets\": [");
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        const Workload::Set& set = workload.set(t);
        out.add(t == 0 ? "\n  {\"label\": " : ",\n  {\"label\": ");
        out.add(quoted_json(set.label));
        out.add(", \"compute_seconds\": ");
        out.add_number(set.compute_seconds);
        if (set.transfer == Transfer::kPut) out.add(", \"transfer\": \"put\"");
        out.add(", \"messages\": [");
        bool first = true;
        for (const Message& m : workload.messages(t)) {
            out.add(first ? "[" : ",[");
            first = false;
            out.add_number(m.source.value);
            out.add(",");
            out.add_number(m.destination.value);
            out.add(",");
            out.add_number(m.size_bytes);
            out.add("]");
        }
        out.add("]}");
    }
    out.add("]}\n");
    out.flush();
}

}  // namespace haichi
