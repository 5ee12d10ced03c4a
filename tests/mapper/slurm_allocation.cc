// Jobs of Slurm as their environment states them.

#include "mapper/job/slurm_allocation.h"

#include <gtest/gtest.h>

#include <map>

#include "base/errors.h"

namespace haichi {
namespace {

using Variables = std::map<std::string, std::string>;

SlurmAllocation job_of(const Variables& variables, const SlurmRequest& request = {}) {
    return slurm_allocation(request, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

std::string error_of(const Variables& variables, const SlurmRequest& request = {}) {
    try {
        (void)job_of(variables, request);
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
}

TEST(SlurmAllocation, has_the_nodes_and_tasks_of_the_environment) {
    const SlurmAllocation job = job_of({{"SLURM_JOB_NODELIST", "n[1-2],gpu7"},
                                        {"SLURM_NTASKS", "6"},
                                        {"SLURM_TASKS_PER_NODE", "2(x3)"},
                                        {"SLURM_CPUS_PER_TASK", "8"}});
    EXPECT_EQ(job.nodes, (std::vector<std::string>{"n1", "n2", "gpu7"}));
    EXPECT_EQ(job.ntasks, 6);
    EXPECT_EQ(job.slots, (std::vector{2, 2, 2}));
    EXPECT_EQ(job.cpus_per_task, 8);
}

TEST(SlurmAllocation, reads_the_variables_that_are_there) {
    EXPECT_EQ(job_of({{"SLURM_NODELIST", "n7"}}).nodes, std::vector<std::string>{"n7"});
    EXPECT_EQ(job_of({{"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_NTASKS_PER_NODE", "3"}}).slots,
              (std::vector{3, 3, 3, 3}));
    EXPECT_EQ(job_of({{"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_NPROCS", "14"}}).slots, (std::vector{4, 4, 4, 4}));
    EXPECT_EQ(job_of({{"SLURM_JOB_NODELIST", "n[1-4]"}}).slots, (std::vector{1, 1, 1, 1}));
}

TEST(SlurmAllocation, has_the_tasks_of_each_node) {
    Variables variables = {
        {"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_NTASKS", "14"}, {"SLURM_TASKS_PER_NODE", "4(x3),2"}};
    EXPECT_EQ(job_of(variables).slots, (std::vector{4, 4, 4, 2}));
    variables["SLURM_JOB_CPUS_PER_NODE"] = "48(x4)";
    EXPECT_EQ(job_of(variables).slots, (std::vector{4, 4, 4, 2})) << "CPUs do not change Slurm's tasks";
    EXPECT_EQ(job_of(variables, {.ranks_per_node = 4}).slots, (std::vector{4, 4, 4, 4}));
}

TEST(SlurmAllocation, gives_more_tasks_the_cpus_of_the_nodes) {
    Variables variables = {
        {"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_NTASKS", "14"}, {"SLURM_TASKS_PER_NODE", "4(x3),2"}};
    EXPECT_EQ(job_of(variables, {.ntasks = 22}).slots, (std::vector{6, 6, 6, 6}));
    variables["SLURM_JOB_CPUS_PER_NODE"] = "8(x3),4";
    EXPECT_EQ(job_of(variables, {.ntasks = 22}).slots, (std::vector{6, 6, 6, 4}));
    variables["SLURM_CPUS_PER_TASK"] = "2";
    EXPECT_EQ(error_of(variables, {.ntasks = 22}),
              "the nodes of the job have CPUs for 14 tasks, not for 22 | request them: sbatch --nodes=4 "
              "--ntasks-per-node=6");
}

TEST(SlurmAllocation, outside_of_a_job_has_the_stated_nodes_and_tasks) {
    const Variables another = {{"SLURM_JOB_NODELIST", "x[1-9]"}, {"SLURM_NTASKS", "9"}};
    const SlurmAllocation job = job_of(another, {.nodelist = "n[1-8,11]", .ntasks = 64});
    EXPECT_EQ(job.nodes.size(), 9U);
    EXPECT_EQ(job.slots, std::vector<std::int32_t>(9, 8));
    EXPECT_EQ(job_of({}, {.nodelist = "n[1-8]", .ntasks = 64, .ranks_per_node = 16}).slots.front(), 16);
    EXPECT_TRUE(error_of({}).starts_with("§slurm requires a Slurm job"));
}

TEST(SlurmAllocation, refuses_malformed_variables) {
    const std::string nodes = "SLURM_JOB_NODELIST";
    EXPECT_TRUE(error_of({{nodes, "n[1-"}}).starts_with("SLURM_JOB_NODELIST: brackets"));
    for (const char* tasks : {"4(x2)", "4(x2),2,2", "4(x4)", "0(x3)", "4(3)", "4(x3", "", "x", "4(x9999999999999)"}) {
        if (std::string(tasks).empty()) continue;
        EXPECT_TRUE(error_of({{nodes, "n[1-3]"}, {"SLURM_TASKS_PER_NODE", tasks}}).starts_with("SLURM_TASKS_PER_NODE"))
            << tasks;
    }
    EXPECT_NE(error_of({{nodes, "n1"}, {"SLURM_HET_SIZE", "2"}}).find("heterogeneous job"), std::string::npos);
    EXPECT_TRUE(error_of({{nodes, "n1"}, {"SLURM_NTASKS", "many"}}).starts_with("SLURM_NTASKS"));
}

TEST(SlurmTopologyAddresses, become_a_topology_file) {
    EXPECT_EQ(topology_of_addresses("n1 spine.leaf1.n1 switch.switch.node\n"
                                    "n2 spine.leaf1.n2 switch.switch.node\n"
                                    "n3 spine.leaf2.n3 switch.switch.node\n"),
              "SwitchName=spine Switches=leaf1,leaf2\nSwitchName=leaf1 Nodes=n1,n2\nSwitchName=leaf2 Nodes=n3\n");
    EXPECT_EQ(topology_of_addresses("n1 top[1-2].leaf.n1 switch.switch.node\n"),
              "SwitchName=top1 Switches=leaf\nSwitchName=top2 Switches=leaf\nSwitchName=leaf Nodes=n1\n");
    EXPECT_EQ(topology_of_addresses("n1 n1 node\n"), "") << "topology/none";
    EXPECT_THROW((void)topology_of_addresses("n1 a[1-9999999].b[1-9999999].n1 switch.switch.node\n"), InputError);
}

}  // namespace
}  // namespace haichi
