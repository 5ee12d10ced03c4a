#include "mapper/report/report_json.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/anneal/objective_table.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

/// Two ranks on a line of four nodes, one message.
Evaluation small_report(const std::string& label = "only") {
    Workload workload(2);
    workload.add_set(label);
    workload.add_message(RankId(0), RankId(1), 1000);
    const Job job({.machine = "mesh:4", .traffic = {.source = std::move(workload)}});
    const Mapping mapping = rankmap_mapping({0, 3}, job.allocation());
    const Placement placement(job, mapping, SearchRecord{.strategy = "anneal", .objective = "hop-bytes"});
    return evaluate(placement, {.objective = {"hop-bytes"}, .all_objectives = false, .most_loaded_links = 1});
}

TEST(ReportJson, the_schema_comes_first_and_the_nodes_last) {
    const nlohmann::ordered_json json = report_json(small_report(), true);
    EXPECT_EQ(json.begin().key(), "schema");
    EXPECT_EQ(json["schema"], "haichi-report/1");
    EXPECT_EQ((--json.end()).key(), "node_of_rank");
    EXPECT_EQ(json["node_of_rank"].dump(), "[0,3]");
}

TEST(ReportJson, has_all_keys_of_the_contract) {
    const nlohmann::ordered_json json = report_json(small_report(), true);
    for (const char* key : {"machine",
                            "shape",
                            "routing",
                            "fold",
                            "ranks",
                            "nodes",
                            "ranks_per_node",
                            "seed",
                            "strategy",
                            "objective",
                            "unit",
                            "value",
                            "lower_bound",
                            "optimal",
                            "evaluations",
                            "evaluations_per_second",
                            "wall_seconds",
                            "reproducible",
                            "metrics",
                            "default",
                            "most_loaded_links"}) {
        EXPECT_TRUE(json.contains(key)) << key;
    }
    for (const char* key :
         {"hop_bytes", "max_link_bytes", "rmatt", "tac3_seconds", "set_contention", "hops_per_byte"}) {
        EXPECT_TRUE(json["metrics"].contains(key)) << key;
        EXPECT_TRUE(json["default"].contains(key)) << key;
    }
    EXPECT_FALSE(json.contains("interrupted"));
}

TEST(ReportJson, counts_are_integers) {
    const nlohmann::ordered_json json = report_json(small_report(), true);
    EXPECT_EQ(json["value"].dump(), "3000");
    EXPECT_EQ(json["lower_bound"].dump(), "1000");
    EXPECT_EQ(json["default"]["value"].dump(), "1000");
    EXPECT_EQ(json["metrics"]["rmatt"].dump(), "3000000");
    EXPECT_EQ(json["metrics"]["hops_per_byte"].dump(), "3.0");
}

TEST(ReportJson, a_product_beyond_64_bits_becomes_a_floating_number) {
    Evaluation report = small_report();
    report.metrics.hop_bytes = std::int64_t{1} << 40;
    report.metrics.max_link_bytes = std::int64_t{1} << 23;
    EXPECT_EQ(report_json(report, true)["metrics"]["rmatt"].dump(), "9223372036854775808");
    report.metrics.max_link_bytes = std::int64_t{1} << 40;
    EXPECT_TRUE(report_json(report, true)["metrics"]["rmatt"].is_number_float());
}

TEST(ReportJson, a_value_above_2_to_the_53_is_exact) {
    Evaluation report = small_report();
    report.asked.counted_value = (std::uint64_t{1} << 53) + 1;
    report.asked.value = static_cast<double>(*report.asked.counted_value);
    EXPECT_EQ(report_json(report, true)["value"].dump(), "9007199254740993");
}

TEST(ReportJson, without_timing_equal_runs_give_equal_bytes) {
    Evaluation report = small_report();
    const std::string before = report_text(report_json(report, false));
    report.wall_seconds += 12;
    EXPECT_EQ(report_text(report_json(report, false)), before);
    EXPECT_NE(report_text(report_json(report, true)), before);
}

TEST(ReportJson, an_interrupted_run_says_so_and_no_bound_is_null) {
    Evaluation report = small_report();
    report.interrupted = true;
    report.asked.lower_bound.reset();
    report.asked.counted_lower_bound.reset();
    const nlohmann::ordered_json json = report_json(report, true);
    EXPECT_EQ(json["interrupted"], true);
    EXPECT_TRUE(json["lower_bound"].is_null());
}

TEST(ReportText, survives_labels_that_are_not_utf8_and_reads_back) {
    const std::string text = report_text(report_json(small_report("\xff"), true));
    EXPECT_EQ(nlohmann::json::parse(text)["most_loaded_links"][0]["label"], "\xef\xbf\xbd");
    EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(ReportMetric, knows_every_name_it_lists) {
    const Evaluation report = small_report();
    for (const std::string& name : metric_names()) EXPECT_NO_THROW((void)report_metric(report, name)) << name;
    EXPECT_EQ(report_metric(report, "value"), 3000);
    EXPECT_EQ(report_metric(report, "hop_bytes"), 3000);
    EXPECT_EQ(report_metric(report, "hop-bytes"), 3000);
    EXPECT_EQ(report_metric(report, "tac3"), report.metrics.tac3_seconds);
}

TEST(ReportMetric, unknown_names_get_a_suggestion) {
    try {
        check_metric_name("tac3_second", "tac3");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.hint(), "did you mean 'tac3_seconds'?");
    }
}

TEST(ReportMetric, what_is_told_only_when_asked_for_must_be_the_objective) {
    EXPECT_THROW(check_metric_name("predicted-time", "tac3"), OptionError);
    EXPECT_NO_THROW(check_metric_name("predicted-time", "predicted-time"));
    EXPECT_NO_THROW(check_metric_name("weighted(tac3=1)", "weighted(tac3=1)"));
}

}  // namespace
}  // namespace haichi
