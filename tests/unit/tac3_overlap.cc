// What tac3-overlap says of small cases by hand, and of varied ones by its definition once more in plain code.
#include "objectives/tac3_overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/errors.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/weighted.h"
#include "tests/unit/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::started;
using testing_problems::varied_problems;

/// FreeRun's definition with real numbers, every rate anew at every event. Seconds per iteration.
class PlainRun {
  public:
    PlainRun(const Posed& posed, const Mapping& mapping) : network_(&posed.allocation->network) {
        double bytes = 0;
        for (std::size_t t = 0; t < posed.workload->set_count(); ++t) {
            for (const Message& m : posed.workload->messages(t)) {
                if (m.source == m.destination || m.size_bytes == 0) continue;
                Flow flow{m.source.index(), m.destination.index(), static_cast<double>(m.size_bytes), t, {}};
                network_->append_route(mapping.node(m.source), mapping.node(m.destination), flow.route);
                bytes += flow.bytes;
                flows_.push_back(flow);
            }
        }
        double fastest = 0;
        for (std::int32_t l = 0; l < network_->link_count(); ++l) {
            fastest = std::max(fastest, static_cast<double>(network_->bandwidth_bytes_per_s(LinkId(l))));
        }
        gap_ = flows_.empty() ? 0 : bytes / static_cast<double>(flows_.size()) / fastest / 4;
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            for (const std::size_t rank : {flows_[i].source, flows_[i].destination}) {
                auto& sets = sets_of_rank_[rank];
                if (sets.empty() || sets.back() != flows_[i].set) sets.push_back(flows_[i].set);
            }
        }
    }

    double seconds_per_iteration() {
        while (true) {
            start_flows();
            double step = std::numeric_limits<double>::infinity();
            for (const Flow& flow : flows_) {
                if (flow.under_way) step = std::min(step, flow.wait > 0 ? flow.wait : flow.left / rate(flow));
            }
            if (step == std::numeric_limits<double>::infinity()) return now_ / 6;
            std::vector<double> rates;
            for (const Flow& flow : flows_) rates.push_back(flow.under_way && flow.wait <= 0 ? rate(flow) : 0);
            now_ += step;
            for (std::size_t i = 0; i < flows_.size(); ++i) advance(flows_[i], step, rates[i]);
        }
    }

  private:
    struct Flow {
        std::size_t source, destination;
        double bytes;
        std::size_t set;
        std::vector<LinkId> route;
        bool under_way = false;
        double wait = 0;
        double left = 0;
        int done = 0;
    };

    /// Which of its sets the rank is at, over all iterations: the first with a message that is not through.
    [[nodiscard]] std::size_t position(std::size_t rank) const {
        const auto& sets = sets_of_rank_.at(rank);
        std::size_t at = 0;
        while (at < sets.size() * 6) {
            const int iteration = static_cast<int>(at / sets.size());
            for (const Flow& flow : flows_) {
                const bool is_here =
                    (flow.source == rank || flow.destination == rank) && flow.set == sets[at % sets.size()];
                if (is_here && flow.done <= iteration) return at;
            }
            ++at;
        }
        return at;
    }
    void start_flows() {
        std::map<std::size_t, std::size_t> at;
        for (const auto& [rank, sets] : sets_of_rank_) at[rank] = position(rank);
        const auto is_at = [&](std::size_t rank, const Flow& flow) {
            const auto& sets = sets_of_rank_.at(rank);
            const std::size_t p = at.at(rank);
            return p < sets.size() * 6 && sets[p % sets.size()] == flow.set &&
                   static_cast<int>(p / sets.size()) == flow.done;
        };
        for (Flow& flow : flows_) {
            if (flow.under_way || !is_at(flow.source, flow) || !is_at(flow.destination, flow)) continue;
            flow.under_way = true;
            flow.wait = flow.route.empty() ? 0 : gap_;
            flow.left = flow.route.empty() ? 0 : flow.bytes;
        }
    }
    [[nodiscard]] double rate(const Flow& flow) const {
        double slowest = 1e30;
        for (const LinkId link : flow.route) {
            int sharing = 0;
            for (const Flow& other : flows_) {
                if (other.under_way && other.wait <= 0 && std::ranges::count(other.route, link) > 0) ++sharing;
            }
            slowest = std::min(slowest, static_cast<double>(network_->bandwidth_bytes_per_s(link)) / sharing);
        }
        return slowest;
    }
    void advance(Flow& flow, double step, double rate) const {
        if (!flow.under_way) return;
        if (flow.wait > 0) {
            flow.wait -= step;
            if (flow.wait < gap_ * 1e-9) flow.wait = 0;
            return;
        }
        flow.left -= step * rate;
        if (flow.left > flow.bytes * 1e-9) return;
        flow.under_way = false;
        ++flow.done;
    }

    const Network* network_;
    std::vector<Flow> flows_;
    std::map<std::size_t, std::vector<std::size_t>> sets_of_rank_;
    double gap_ = 0;
    double now_ = 0;
};

double value_of(const Posed& posed) {
    Tac3Overlap overlap(*posed.problem, {}, posed.default_placement);
    overlap.reset(posed.default_placement);
    return overlap.in_unit(overlap.value()) * posed.problem->scale_per_second();
}

TEST(Tac3Overlap, alone_a_message_takes_its_time_and_a_quarter) {
    Workload workload(2);
    workload.add_set("exchange");
    workload.add_message(RankId(0), RankId(1), 4096);
    workload.add_message(RankId(1), RankId(0), 4096);
    const Posed posed = pose("exchange", workload, "mesh:2", {});
    EXPECT_DOUBLE_EQ(value_of(posed), 5120);
    const Tac3Overlap overlap(*posed.problem, {}, posed.default_placement);
    EXPECT_DOUBLE_EQ(overlap.in_unit(*overlap.lower_bound()) * posed.problem->scale_per_second(), 5120);
}

TEST(Tac3Overlap, messages_under_way_together_share_their_link) {
    Workload workload(3);
    workload.add_set("both to the last");
    workload.add_message(RankId(0), RankId(2), 4096);
    workload.add_message(RankId(1), RankId(2), 4096);
    EXPECT_DOUBLE_EQ(value_of(pose("line", workload, "mesh:3", {})), 1024 + 2 * 4096);
}

TEST(Tac3Overlap, sets_of_other_ranks_slide_into_each_other) {
    // 0 -> 2 of set a and 1 -> 3 of set b share the link 1 -> 2 of the line: no rank of b waits for one of a.
    Workload workload(4);
    workload.add_set("a");
    workload.add_message(RankId(0), RankId(2), 4096);
    workload.add_set("b");
    workload.add_message(RankId(1), RankId(3), 4096);
    const Posed posed = pose("line", workload, "mesh:4", {});
    EXPECT_DOUBLE_EQ(value_of(posed), 1024 + 2 * 4096);
    EXPECT_EQ(measure(*posed.problem, posed.default_placement).set_contention, (std::vector<std::int64_t>{1, 1}));
}

TEST(Tac3Overlap, messages_inside_a_node_take_no_time) {
    Workload workload(2);
    workload.add_set("exchange");
    workload.add_message(RankId(0), RankId(1), 4096);
    EXPECT_EQ(value_of(pose("one node", workload, "mesh:2", {.ranks_per_node = 2})), 0);
}

TEST(Tac3Overlap, agrees_with_its_definition_in_plain_code) {
    for (const Posed& posed : varied_problems()) {
        SCOPED_TRACE(posed.name);
        if (posed.workload->crossing_message_count() > 200) continue;  // the plain code is slow
        Tac3Overlap overlap(*posed.problem, {}, posed.default_placement);
        const Mapping mapping = started("random", *posed.problem, *posed.allocation, 5);
        overlap.reset(mapping);
        const double plain = PlainRun(posed, mapping).seconds_per_iteration();
        // Rounding decides who is first where messages end together, and that can matter later.
        EXPECT_NEAR(overlap.in_unit(overlap.value()), plain, 0.02 * plain);
    }
}

TEST(Tac3Overlap, may_be_a_term_of_a_weighted_sum) {
    const auto problems = varied_problems();
    const Posed& posed = problems.front();
    const Weighted sum(*posed.problem, parse_objective("weighted(tac3-overlap=2)"), posed.default_placement);
    EXPECT_DOUBLE_EQ(sum.value_from_scratch(posed.default_placement), 2);
}

}  // namespace
}  // namespace haichi
