#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/stop_flag.h"
#include "python/bindings/log_relay.h"

namespace haichi {

/// Makes a long run that Ctrl-C ends early. run(stop, log) must return a report with the member `interrupted` soon
/// after `stop` is set. The log goes to Python's logger, in the caller's thread.
///
/// The run executes in a separate thread and without the GIL, because it uses no Python object. It may take hours,
/// during which other Python threads must continue. Python's signal handlers run only in the main thread, which must
/// therefore be free to poll. During the run, the caller's thread calls look() with the GIL, several times a second.
/// Ctrl-C ends the run with the results so far. A second Ctrl-C, or any other exception of a signal handler or of
/// look(), is raised after the end of the run.
template <class Run, class Look>
auto run_interruptibly(const Run& run, const Look& look) {
    namespace py = pybind11;
    constexpr auto kLookPeriod = std::chrono::milliseconds(50);
    StopFlag stop;
    std::optional<py::error_already_set> raised;
    LogRelay relay;
    std::optional<std::invoke_result_t<Run, const StopFlag&, const Log&>> report;
    const auto run_to_end = [&] {
        const py::gil_scoped_release release;
        auto running = std::async(std::launch::async, [&] { return run(stop, relay.log()); });
        while (running.wait_for(kLookPeriod) != std::future_status::ready) {
            const py::gil_scoped_acquire acquire;
            try {
                if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                relay.deliver();
                if (!stop.load()) look();
            } catch (py::error_already_set& error) {
                if (stop.load() || !error.matches(PyExc_KeyboardInterrupt)) raised.emplace(std::move(error));
                stop = true;
            }
        }
        report = running.get();
    };
    try {
        run_to_end();
    } catch (...) {
        relay.deliver();
        throw;
    }
    relay.deliver();
    if (raised) throw py::error_already_set(std::move(*raised));
    if (stop.load() && !report->interrupted) {  // the run had already ended: Ctrl-C must not be lost
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw py::error_already_set();
    }
    return *std::move(report);
}

template <class Run>
auto run_interruptibly(const Run& run) {
    return run_interruptibly(run, [] {});
}

}  // namespace haichi
