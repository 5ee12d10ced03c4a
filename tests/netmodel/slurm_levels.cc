#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "netmodel/networkfiles/network_file.h"

namespace haichi {
namespace {

Graph read_slurm(const std::string& text) {
    static const std::string kFile = "net";
    std::vector<std::string> notes;
    return read_network({text, kFile, {}, notes}, "hint");
}

/// A chain of switches with a node at its end, listed from the root or from the leaf.
std::string chain(int switches, bool is_top_first) {
    const int last = switches - 1;
    const std::string leaf = "SwitchName=" + std::to_string(last) + " Nodes=a\n";
    std::string above;
    for (int i = 0; i < last; ++i) {
        const int k = is_top_first ? i : last - 1 - i;
        above += "SwitchName=" + std::to_string(k) + " Switches=" + std::to_string(k + 1) + "\n";
    }
    return is_top_first ? above + leaf : leaf + above;
}

TEST(SlurmTopology, levels_have_the_same_limit_in_any_order) {
    for (const bool is_top_first : {false, true}) {
        EXPECT_EQ(read_slurm(chain(65, is_top_first)).terminal_count(), 1);
        for (const int switches : {66, 5000}) {
            try {
                (void)read_slurm(chain(switches, is_top_first));
                ADD_FAILURE() << switches << " switches were read";
            } catch (const InputError& error) {
                EXPECT_TRUE(std::string(error.what()).ends_with(" is in a chain of more than 65 switches"));
            }
        }
    }
}

}  // namespace
}  // namespace haichi
