#include "mapper/choose/map_shapes.h"

#include <utility>

#include "mapper/search/progress_meter.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

std::vector<Placement> map_shapes(std::span<const Job> jobs, const MapOptions& options, const SearchControl& control,
                                  const SimulationControl& simulation) {
    const auto count = static_cast<double>(jobs.size());
    MapOptions of_each = options;
    if (of_each.search.time_limit_seconds) *of_each.search.time_limit_seconds /= count;
    std::vector<Placement> placements;
    for (const Job& job : jobs) {
        SearchControl of_all = control;
        if (control.progress) {
            of_all.progress = [&, done = static_cast<double>(placements.size())](SearchProgress progress) {
                progress.fraction_done = (done + progress.fraction_done) / count;
                control.progress(progress);
            };
        }
        control.log.info("shape {}:", sizes_text(job.allocation().shape));
        placements.push_back(map(job, of_each, of_all, simulation));
    }
    return placements;
}

ShapesReport evaluate_shapes(std::span<const Placement> placements, const EvaluateOptions& options,
                             const SimulationControl& simulation) {
    ShapesReport report;
    for (const Placement& placement : placements) {
        EvaluateOptions of_each = options;
        const SearchRecord* search = placement.search();
        if (report.interrupted || (search != nullptr && search->interrupted)) of_each.simulation.reset();
        report.shapes.push_back(evaluate(placement, of_each, simulation));
        report.interrupted = report.interrupted || report.shapes.back().interrupted;
        report.wall_seconds += wall_seconds(report.shapes.back());
    }
    return report;
}

ShapesReport evaluate_shapes(RobustPlacement robust, const EvaluateOptions& options,
                             const SimulationControl& simulation) {
    EvaluateOptions of_each = options;
    of_each.most_loaded_links = 0;  // a list per shape would not describe the shared placement
    ShapesReport report = evaluate_shapes(robust.placements, of_each, simulation);
    report.robust = std::move(robust);
    return report;
}

}  // namespace haichi
