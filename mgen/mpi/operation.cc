#include "mgen/mpi/operation.h"

#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace haichi::mpi {

namespace {

/// The type of Fortran's REAL*16.
using Quad = __float128;

template <class T>
void each(const void* in, void* inout, std::int64_t count, auto&& combine) {
    const T* a = static_cast<const T*>(in);
    T* b = static_cast<T*>(inout);
    for (std::int64_t i = 0; i < count; ++i) b[i] = combine(a[i], b[i]);
}

/// Unsigned types wrap around, as processors do, while signed overflow would be undefined behaviour.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a > b ? a : b;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return a < b ? a : b;
    }
};
struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
        } else {
            return a + b;
        }
    }
};
struct Product {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
        } else {
            return a * b;
        }
    }
};
struct LogicalAnd {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a != T{} && b != T{});
    }
};
struct LogicalOr {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a != T{} || b != T{});
    }
};
struct LogicalXor {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>((a != T{}) != (b != T{}));
    }
};
struct BitAnd {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a & b);
    }
};
struct BitOr {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a | b);
    }
};
struct BitXor {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a ^ b);
    }
};

template <class Value, class Index>
struct Pair {
    Value value;
    Index index;
};

/// Keeps the pair with the better value; ties go to the smaller index. Padding between a pair's value and index is
/// unchanged.
template <class Better, class P>
void locate(const void* in, void* inout, std::int64_t count) {
    const P* a = static_cast<const P*>(in);
    P* b = static_cast<P*>(inout);
    for (std::int64_t i = 0; i < count; ++i) {
        const bool is_equal = a[i].value == b[i].value;
        if (is_equal ? a[i].index < b[i].index : Better{}(a[i].value, b[i].value) == a[i].value) {
            b[i].value = a[i].value;
            b[i].index = a[i].index;
        }
    }
}

struct Items {
    const void* in;
    void* inout;
    std::int64_t count;
};

template <class Combine>
void integers(const BasicTypeInfo& type, const Items& items) {
    const bool is_signed = type.kind == BasicKind::kSigned;
    const auto run = [&]<class Signed>(Signed) {
        if (is_signed) return each<Signed>(items.in, items.inout, items.count, Combine{});
        each<std::make_unsigned_t<Signed>>(items.in, items.inout, items.count, Combine{});
    };
    switch (type.size) {
        case 1:
            return run(std::int8_t{});
        case 2:
            return run(std::int16_t{});
        case 4:
            return run(std::int32_t{});
        default:
            return run(std::int64_t{});
    }
}

template <class Combine>
void reals(const BasicTypeInfo& type, const Items& items) {
    if (type.size == 4) return each<float>(items.in, items.inout, items.count, Combine{});
    if (type.size == 8) return each<double>(items.in, items.inout, items.count, Combine{});
    if (type.kind == BasicKind::kFortranReal) return each<Quad>(items.in, items.inout, items.count, Combine{});
    each<long double>(items.in, items.inout, items.count, Combine{});
}

template <class Combine>
void complexes(const BasicTypeInfo& type, const Items& items) {
    if (type.size == 8) return each<std::complex<float>>(items.in, items.inout, items.count, Combine{});
    if (type.size == 16) return each<std::complex<double>>(items.in, items.inout, items.count, Combine{});
    each<std::complex<long double>>(items.in, items.inout, items.count, Combine{});
}

bool is_real(BasicKind kind) { return kind == BasicKind::kFloating || kind == BasicKind::kFortranReal; }

template <class Combine>
void ordered(const BasicTypeInfo& type, const Items& items) {
    is_real(type.kind) ? reals<Combine>(type, items) : integers<Combine>(type, items);
}

template <class Combine>
void arithmetic(const BasicTypeInfo& type, const Items& items) {
    type.kind == BasicKind::kComplex ? complexes<Combine>(type, items) : ordered<Combine>(type, items);
}

template <class Better>
void locations(const BasicTypeInfo& type, const Items& items) {
    const auto run = [&]<class Value, class Index>(Pair<Value, Index>) {
        locate<Better, Pair<Value, Index>>(items.in, items.inout, items.count);
    };
    const BasicTypeInfo& value = info(type.parts[0]);
    const bool has_real_index = is_real(info(type.parts[1]).kind);
    if (!is_real(value.kind)) {
        if (value.size == 2) return run(Pair<std::int16_t, std::int32_t>{});
        if (value.size == 4) return run(Pair<std::int32_t, std::int32_t>{});
        return run(Pair<std::int64_t, std::int32_t>{});
    }
    if (value.size == 4) return has_real_index ? run(Pair<float, float>{}) : run(Pair<float, std::int32_t>{});
    if (value.size == 8) return has_real_index ? run(Pair<double, double>{}) : run(Pair<double, std::int32_t>{});
    run(Pair<long double, std::int32_t>{});
}

using Loop = void (*)(const BasicTypeInfo&, const Items&);

/// The sets of types on which operations are defined.
enum class Domain : std::uint8_t { kOrdered, kArithmetic, kLogical, kBits, kPairs, kNone };

struct OperationRow {
    std::string_view name;
    Domain domain;
    Loop loop;
};

constexpr std::array<OperationRow, kOperationKinds> kOperations = {{
    {"MPI_MAX", Domain::kOrdered, ordered<Maximum>},
    {"MPI_MIN", Domain::kOrdered, ordered<Minimum>},
    {"MPI_SUM", Domain::kArithmetic, arithmetic<Sum>},
    {"MPI_PROD", Domain::kArithmetic, arithmetic<Product>},
    {"MPI_LAND", Domain::kLogical, ordered<LogicalAnd>},
    {"MPI_BAND", Domain::kBits, integers<BitAnd>},
    {"MPI_LOR", Domain::kLogical, ordered<LogicalOr>},
    {"MPI_BOR", Domain::kBits, integers<BitOr>},
    {"MPI_LXOR", Domain::kLogical, ordered<LogicalXor>},
    {"MPI_BXOR", Domain::kBits, integers<BitXor>},
    {"MPI_MAXLOC", Domain::kPairs, locations<Maximum>},
    {"MPI_MINLOC", Domain::kPairs, locations<Minimum>},
    {"MPI_REPLACE", Domain::kNone, nullptr},
    {"MPI_NO_OP", Domain::kNone, nullptr},
}};

const OperationRow& row(OperationKind kind) { return kOperations[static_cast<std::size_t>(kind)]; }

[[noreturn]] void refuse(OperationKind kind, std::string_view type) {
    throw CallError(ErrorClass::kOperation, std::string(row(kind).name) + " is not defined on " + std::string(type));
}

}  // namespace

std::string_view name(OperationKind kind) { return row(kind).name; }

bool is_defined(OperationKind kind, BasicType type) {
    using enum BasicKind;
    const BasicKind of = info(type).kind;
    const bool is_integer = of == kSigned || of == kUnsigned;
    switch (row(kind).domain) {
        case Domain::kOrdered:
            return is_integer || is_real(of);
        case Domain::kArithmetic:
            return is_integer || is_real(of) || (of == kComplex && type != BasicType::kComplex32);
        case Domain::kLogical:
            // MPICH also accepts floating-point types.
            return is_integer || is_real(of) || of == kLogical || of == kFortranLogical;
        case Domain::kBits:
            return is_integer || of == kByte;
        case Domain::kPairs:
            return of == kPair;
        case Domain::kNone:
            break;
    }
    return false;
}

Operation::Operation(OperationKind kind) : Reduction(true, false), kind_(kind) {}

const OperationRef& Operation::predefined(OperationKind kind) {
    // Never destroyed, because it is created on the first rank's request and must outlive that rank.
    static const auto* const kAll = [] {
        auto* all = new std::vector<OperationRef>();
        for (int i = 0; i < kOperationKinds; ++i) {
            all->push_back(OperationRef(new Operation(static_cast<OperationKind>(i))));
        }
        return all;
    }();
    return (*kAll)[static_cast<std::size_t>(kind)];
}

void Operation::check(const Datatype& type) const {
    if (!kind_) return;
    const Combiner combiner = type.contents().combiner;
    const bool is_basic = combiner == Combiner::kNamed || combiner == Combiner::kF90Real ||
                          combiner == Combiner::kF90Complex || combiner == Combiner::kF90Integer;
    if (!is_basic) refuse(*kind_, "a derived data type");
    if (!is_defined(*kind_, *type.only_basic_type())) refuse(*kind_, info(*type.only_basic_type()).name);
}

void Operation::apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const {
    if (!kind_) {
        function_(in, inout, count, type);
        return;
    }
    row(*kind_).loop(info(*type.only_basic_type()), {in, inout, count});
}

void Operation::accumulate(const std::byte* from, void* target, std::int64_t count, const Datatype& type) const {
    if (!kind_) throw CallError(ErrorClass::kOperation, "an accumulate requires a predefined operation");
    if (*kind_ == OperationKind::kNoOperation) return;
    const std::int64_t bytes = type.packed_bytes(count);
    if (*kind_ == OperationKind::kReplace) {
        type.unpack(target, count, from, bytes);
        return;
    }
    if (bytes == 0) return;
    const std::optional<BasicType> basic = type.only_basic_type();
    if (!basic) refuse(*kind_, "a data type of several basic types");
    if (!is_defined(*kind_, *basic)) refuse(*kind_, info(*basic).name);

    // The items are unpacked first, because packed pairs lack padding and packed bytes may be unaligned.
    const Datatype& item = *Datatype::basic(*basic);
    const std::int64_t items = bytes / item.size();
    const auto item_bytes = static_cast<std::size_t>(items * item.extent());
    std::vector<std::byte> in(item_bytes);
    item.unpack(in.data(), items, from, bytes);
    if (type.is_contiguous()) {
        apply(in.data(), target, items, item);
        return;
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(bytes));
    std::vector<std::byte> inout(item_bytes);
    type.pack(target, count, packed.data());
    item.unpack(inout.data(), items, packed.data(), bytes);
    apply(in.data(), inout.data(), items, item);
    item.pack(inout.data(), items, packed.data());
    type.unpack(target, count, packed.data(), bytes);
}

}  // namespace haichi::mpi
