#include "python/bindings/option_binding.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/field_names.h"
#include "options/advice_options.h"
#include "options/command_line.h"
#include "options/common_options.h"
#include "options/extraction_options.h"
#include "options/job_options.h"
#include "options/live_options.h"
#include "options/log_options.h"
#include "options/python_commands.h"
#include "options/search_options.h"
#include "options/simulation_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"

namespace py = pybind11;

namespace haichi {

namespace {

std::string underscored(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string dashed(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

[[noreturn]] void refuse(const OptionRow& row, const char* expected, const py::handle& value) {
    throw OptionError(field(row.name) + ": expected " + expected + ", found " +
                      shown(py::repr(value).cast<std::string>()));
}

/// The text or path in `value`, in the encoding of the operating system.
std::string text_of(const OptionRow& row, const py::handle& value) {
    const py::object encoded = py::module_::import("haichi.base.file_names").attr("encoded");
    return encoded(underscored(row.name), value).cast<py::bytes>();
}

bool is_text(const py::handle& value) {
    return py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value) || py::hasattr(value, "__fspath__");
}

bool is_number(const py::handle& value) {
    return !py::isinstance<py::bool_>(value) && (py::hasattr(value, "__index__") || py::hasattr(value, "__float__"));
}

std::string whole_text(const OptionRow& row, const py::handle& value) {
    if (py::isinstance<py::bool_>(value) || !py::hasattr(value, "__index__")) refuse(row, "a whole number", value);
    int overflow = 0;
    const py::object number = py::module_::import("operator").attr("index")(value);
    const long long held = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) throw OptionError(field(row.name) + ": the number exceeds 2^63 - 1");
    return std::to_string(held);
}

double number_of(const OptionRow& row, const py::handle& value) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) return number;
    PyErr_Clear();
    refuse(row, "a number", value);
}

/// The time in seconds `value` as a text in picoseconds, which is exact.
std::string time_text(const OptionRow& row, const py::handle& value) {
    constexpr double kPsPerS = 1e12;
    constexpr double kMostPs = 9.2e18;
    const double ps = number_of(row, value) * kPsPerS;
    if (!(ps >= 0 && ps < kMostPs)) refuse(row, "seconds from 0 to 9,200,000, or a string such as '10s'", value);
    return std::to_string(std::llround(ps)) + "ps";
}

std::string joined_words(const OptionRow& row, const py::handle& value, const char* separator) {
    if (!py::hasattr(value, "__iter__")) refuse(row, "a text or a sequence", value);
    std::string all;
    for (const py::handle& word : py::iter(value)) {
        const bool is_size = row.kind == ValueKind::kSizes;
        all +=
            (all.empty() ? "" : separator) + (is_size || is_number(word) ? whole_text(row, word) : text_of(row, word));
    }
    return all;
}

/// The value as words of the command line.
std::vector<std::string> words_of(const OptionRow& row, const py::handle& value) {
    switch (row.kind) {
        case ValueKind::kFlag:
        case ValueKind::kCounter:
            if (!py::isinstance<py::bool_>(value)) refuse(row, "True or False", value);
            return value.cast<bool>() ? std::vector<std::string>{""} : std::vector<std::string>{};
        case ValueKind::kCount:
            return {is_text(value) ? text_of(row, value) : whole_text(row, value)};
        case ValueKind::kBytes:
            return {is_text(value) ? text_of(row, value) : whole_text(row, value)};
        case ValueKind::kNumber:
            if (is_text(value) || !is_number(value)) refuse(row, "a number", value);
            return {py::repr(py::float_(number_of(row, value)))};
        case ValueKind::kTime:
            if (is_text(value)) return {text_of(row, value)};
            if (!is_number(value)) refuse(row, "seconds, or a string such as '10s'", value);
            return {time_text(row, value)};
        case ValueKind::kSizes:
            return {is_text(value) ? text_of(row, value) : joined_words(row, value, "x")};
        case ValueKind::kList:
            if (is_number(value)) return {whole_text(row, value)};
            return {is_text(value) ? text_of(row, value) : joined_words(row, value, ",")};
        case ValueKind::kTexts:
        case ValueKind::kFiles: {
            if (is_text(value)) return {text_of(row, value)};
            std::vector<std::string> words;
            if (py::isinstance<py::dict>(value)) {  // such as {"allreduce": "ring"}
                for (const auto& [key, word] : value.cast<py::dict>())
                    words.push_back(text_of(row, key) + "=" + text_of(row, word));
                return words;
            }
            if (!py::hasattr(value, "__iter__")) refuse(row, "a string, a mapping or a sequence", value);
            for (const py::handle& word : py::iter(value)) words.push_back(text_of(row, word));
            return words;
        }
        default:
            if (is_text(value)) return {text_of(row, value)};
            if (is_number(value) && row.kind == ValueKind::kText) return {py::str(value)};
            refuse(row, "a string", value);
    }
}

py::object python_value(const OptionValue& value) {
    struct Converter {
        py::object operator()(std::monostate) const { return py::none(); }
        py::object operator()(bool flag) const { return py::bool_(flag); }
        py::object operator()(std::int64_t count) const { return py::int_(count); }
        py::object operator()(double number) const { return py::float_(number); }
        py::object operator()(const std::string& text) const { return os_text(text); }
        py::object operator()(const std::vector<std::string>& texts) const {
            py::list list;
            for (const std::string& text : texts) list.append(os_text(text));
            return list;
        }
    };
    return std::visit(Converter{}, value);
}

/// The stored values of the given options, by option name with underscores.
py::dict kept_values(const OptionTable& options) {
    py::dict values;
    for (std::size_t i = 0; i < options.rows().size(); ++i) {
        const OptionRow& row = options.rows()[i];
        if (row.is_given) values[underscored(row.name).c_str()] = python_value(options.kept(i));
    }
    return values;
}

py::dict row_of(const OptionRow& row) {
    using namespace py::literals;
    return py::dict("name"_a = underscored(row.name), "kind"_a = std::string(name_of(row.kind)),
                    "description"_a = row.traits.description, "default"_a = row.traits.otherwise,
                    "choices"_a = row.traits.choices, "value"_a = row.traits.value);
}

/// The options of a function of the package, each with the target of its value.
class FunctionOptions {
  public:
    explicit FunctionOptions(const std::string& name) {
        const auto declare = tables().find(name);
        if (declare == tables().end()) throw InternalError("unknown options: " + name);
        declare->second(*this);
    }

    /// Functions that declare the options, by the name of the Python type that is generated from these
    /// (write_option_types.py).
    static const std::map<std::string, void (*)(FunctionOptions&)>& tables() {
        static const std::map<std::string, void (*)(FunctionOptions&)> kTables = {
            {"JobOptions", [](FunctionOptions& o) { o.make<JobOptions>().declare_nodes(o.table, JobUse::kMeasure); }},
            {"SearchOptions",
             [](FunctionOptions& o) {
                 MapOptions& map = o.make<MapOptions>();
                 declare_then(o.table, map.objective);
                 declare_search(o.table, map);
             }},
            {"EvaluationOptions",
             [](FunctionOptions& o) {
                 o.make<MeasuredSimulation>().declare(
                     o.table, "Simulate the placement and the default placement, packet by packet");
             }},
            {"SimulationOptions",
             [](FunctionOptions& o) {
                 SimulationArguments& simulation = o.make<SimulationArguments>();
                 simulation.declare_traffic(o.table);
                 simulation.declare_machine(o.table);
             }},
            {"ProgramOptions",
             [](FunctionOptions& o) {
                 o.make<JobOptions>().declare_nodes(o.table, JobUse::kProgram);
                 o.make<LiveOptions>().declare(o.table);
                 o.make<SimulationArguments>().declare_machine(o.table);
             }},
            {"ObservationOptions",
             [](FunctionOptions& o) { o.make<SimulationArguments>().declare_observation(o.table); }},
            {"ExtractionOptions", [](FunctionOptions& o) { declare_extraction(o.table, o.make<ExtractionOptions>()); }},
            {"ShapeAdviceOptions",
             [](FunctionOptions& o) {
                 o.make<JobOptions>().declare_nodes(o.table, JobUse::kShapes);
                 declare_advice(o.table, o.make<ShapeAdviceOptions>());
             }},
            {"SpreadAdviceOptions",
             [](FunctionOptions& o) {
                 o.make<JobOptions>().declare_nodes(o.table, JobUse::kSpread);
                 declare_advice(o.table, o.make<SpreadAdviceOptions>());
             }},
            {"BarrierAdviceOptions",
             [](FunctionOptions& o) { declare_advice(o.table, o.make<BarrierAdviceOptions>()); }},
            {"RailAdviceOptions", [](FunctionOptions& o) { declare_advice(o.table, o.make<RailAdviceRequest>()); }},
            {"ComparisonOptions", [](FunctionOptions& o) { declare_comparison(o.table); }}};
        return kTables;
    }

    OptionTable table;

  private:
    template <class Target>
    Target& make() {
        auto target = std::make_shared<Target>();
        targets_.push_back(target);
        return *target;
    }
    std::vector<std::shared_ptr<void>> targets_;
};

std::vector<std::string> option_tables() {
    std::vector<std::string> names;
    for (const auto& [name, declare] : FunctionOptions::tables()) names.push_back(name);
    return names;
}

py::list option_rows(const std::string& name) {
    const FunctionOptions options(name);
    py::list rows;
    for (const OptionRow& row : options.table.rows()) rows.append(row_of(row));
    return rows;
}

/// The checked options as command-line words, such as {"shape": ["1x2x4"]}. An empty word represents a flag.
py::dict option_words(const std::string& name, const py::dict& given) {
    FunctionOptions options(name);
    take_all(options.table, given);
    py::dict all;
    for (const auto& [key, value] : given) {
        if (value.is_none()) continue;
        py::list words;
        for (const std::string& word : words_of(*options.table.find(dashed(key.cast<std::string>())), value)) {
            words.append(os_text(word));
        }
        if (!words.empty()) all[key] = words;
    }
    return all;
}

std::int64_t message_bytes(const py::object& size) {
    std::int64_t bytes = 0;
    OptionTable options;
    options.add_bytes("message-size", bytes, {.description = "", .least = 0});
    using namespace py::literals;
    take_all(options, py::dict("message_size"_a = size));
    return bytes;
}

/// The checked values of the options that were given to `haichi.compare`.
py::dict comparison_options(const py::dict& given) {
    OptionTable options;
    declare_comparison(options);
    take_all(options, given);
    return kept_values(options);
}

/// Parses the words of a command that is written in Python. Returns its name, the given values and the log level, or a
/// text to print.
py::object read_words(const std::vector<std::string>& words) {
    const CommandSpec root{.name = "haichi",
                           .summary = "place the ranks of an MPI job on the nodes of a machine",
                           .examples = "haichi compare --help",
                           .subcommands = python_commands()};
    const CommandLineResult result = read_command_line(root, words);
    if (result.command == nullptr) return os_text(result.text);
    py::dict values = kept_values(*result.command->options);
    CommonOptions common;
    common.quiet = values.contains("quiet");
    if (values.contains("verbose")) common.verbose = values["verbose"].cast<int>();
    if (values.contains("log_level")) common.log_level = log_levels().at(values["log_level"].cast<std::string>()).level;
    return py::make_tuple(result.command->name, values, to_string(common.level()));
}

}  // namespace

void take_all(OptionTable& options, const py::dict& given) {
    for (const auto& [key, value] : given) {
        if (value.is_none()) continue;
        const std::string name = dashed(key.cast<std::string>());
        const OptionRow* const row = options.find(name);
        if (row == nullptr) throw OptionError("unknown parameter " + shown(key.cast<std::string>()));
        try {
            options.take(name, words_of(*row, value));
        } catch (const InputError& error) {  // in Python, the text of a value is an argument, not an input
            throw OptionError(error.what(), error.hint());
        }
    }
    options.check();
}

void bind_options(py::module_& module) {
    module.def("option_tables", option_tables);
    module.def("option_rows", option_rows, py::arg("table"));
    module.def("option_words", option_words, py::arg("table"), py::arg("given"));
    module.def("message_bytes", message_bytes, py::arg("size"));
    module.def("comparison_options", comparison_options, py::arg("given"));
    module.def("read_words", read_words, py::arg("words"));
}

}  // namespace haichi
