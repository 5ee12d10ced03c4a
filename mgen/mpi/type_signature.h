#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/mpi/basic_type.h"

namespace haichi::mpi {

class Signature;
using SignatureRef = std::shared_ptr<const Signature>;

/// The sequence of basic types in a data type, without where they lie: what sender and receiver must agree on. A tree
/// of repetitions, so that its memory is that of the type's description. Pairs are in it as their two parts.
class Signature {
  public:
    /// `count` times the same basic type; none of them is a pair.
    struct Run {
        BasicType type;
        std::int64_t count;
    };
    /// `times` times what `of` says.
    struct Repeat {
        std::int64_t times;
        SignatureRef of;
    };

    static SignatureRef basic(BasicType type);
    /// `times` times `of`, merged where it is one run.
    static SignatureRef repeated(std::int64_t times, const SignatureRef& of);
    static SignatureRef sequence(std::vector<Repeat> parts);

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::int64_t elements() const { return elements_; }
    [[nodiscard]] std::int64_t external32_bytes() const { return external32_bytes_; }

    /// Calls visit(Run) for the runs in order, until it returns false. Returns whether it came to the end.
    template <class Visit>
    bool visit_runs(Visit&& visit) const {
        if (run_) return run_->count == 0 || visit(*run_);
        for (const Repeat& part : parts_) {
            for (std::int64_t i = 0; i < part.times; ++i) {
                if (!part.of->visit_runs(visit)) return false;
            }
        }
        return true;
    }

    /// Basic elements in the first `bytes` of it; nullopt if these end inside of one.
    [[nodiscard]] std::optional<std::int64_t> elements_in(std::int64_t bytes) const;

  private:
    Signature() = default;
    static SignatureRef run_of(BasicType type, std::int64_t count);

    std::optional<Run> run_;
    std::vector<Repeat> parts_;  ///< if there is not one run alone
    std::int64_t bytes_ = 0;
    std::int64_t elements_ = 0;
    std::int64_t external32_bytes_ = 0;
};

}  // namespace haichi::mpi
