#pragma once

#include <vector>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Formats that are recognised only to name them in an error. Each has a hint that suggests another input.
std::vector<NetworkFileRow> other_network_files();

/// Whether the text is a recipe of flux-sched, which is GraphML without a network.
bool is_flux_recipe(std::string_view text);

}  // namespace haichi
