#include "mgen/mpi/type_signature.h"

#include <algorithm>

#include "mgen/mpi/checked.h"

namespace haichi::mpi {

SignatureRef Signature::run_of(BasicType type, std::int64_t count) {
    const BasicTypeInfo& row = info(type);
    auto signature = std::shared_ptr<Signature>(new Signature());
    signature->run_ = Run{type, row.size == 0 ? 0 : count};
    signature->bytes_ = checked_product(count, row.size);
    signature->elements_ = signature->run_->count;
    signature->external32_bytes_ = checked_product(count, row.external32_size);
    return signature;
}

SignatureRef Signature::basic(BasicType type) {
    const BasicTypeInfo& row = info(type);
    if (row.kind != BasicKind::kPair) return run_of(type, 1);
    if (row.parts[0] == row.parts[1]) return run_of(row.parts[0], 2);
    return sequence({{1, basic(row.parts[0])}, {1, basic(row.parts[1])}});
}

SignatureRef Signature::repeated(std::int64_t times, const SignatureRef& of) {
    if (times == 1) return of;
    if (of->run_) return run_of(of->run_->type, checked_product(times, of->run_->count));
    return sequence({{times, of}});
}

SignatureRef Signature::sequence(std::vector<Repeat> parts) {
    auto signature = std::shared_ptr<Signature>(new Signature());
    std::vector<Repeat>& kept = signature->parts_;
    for (Repeat& part : parts) {
        if (part.times == 0 || part.of->elements_ == 0) continue;
        if (!part.of->run_ && part.of->parts_.size() == 1) {
            const Repeat inner = part.of->parts_[0];
            part = {checked_product(part.times, inner.times), inner.of};
        }
        if (part.of->run_ && part.times > 1) part = {1, repeated(part.times, part.of)};
        Run before{};
        const bool after_run = !kept.empty() && kept.back().of->run_;
        if (after_run) before = *kept.back().of->run_;
        if (part.of->run_ && after_run && before.type == part.of->run_->type) {
            kept.back().of = run_of(before.type, checked_sum(before.count, part.of->run_->count));
        } else if (!kept.empty() && kept.back().of == part.of) {
            kept.back().times = checked_sum(kept.back().times, part.times);
        } else {
            kept.push_back(std::move(part));
        }
    }
    if (kept.empty()) return run_of(BasicType::kByte, 0);
    if (kept.size() == 1 && kept[0].times == 1) return kept[0].of;
    for (const Repeat& part : kept) {
        signature->bytes_ = checked_sum(signature->bytes_, checked_product(part.times, part.of->bytes_));
        signature->elements_ = checked_sum(signature->elements_, checked_product(part.times, part.of->elements_));
        signature->external32_bytes_ =
            checked_sum(signature->external32_bytes_, checked_product(part.times, part.of->external32_bytes_));
    }
    return signature;
}

std::optional<std::int64_t> Signature::elements_in(std::int64_t bytes) const {
    if (bytes >= bytes_) return bytes == bytes_ ? std::optional(elements_) : std::nullopt;
    if (run_) {
        const std::int64_t size = info(run_->type).size;
        return bytes % size == 0 ? std::optional(bytes / size) : std::nullopt;
    }
    std::int64_t elements = 0;
    for (const Repeat& part : parts_) {
        const std::int64_t whole = std::min(bytes / part.of->bytes_, part.times);
        elements += whole * part.of->elements_;
        bytes -= whole * part.of->bytes_;
        if (whole < part.times) {
            const std::optional<std::int64_t> rest = part.of->elements_in(bytes);
            return rest ? std::optional(elements + *rest) : std::nullopt;
        }
    }
    return elements;
}

}  // namespace haichi::mpi
