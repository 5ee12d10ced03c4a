#pragma once

#include "commlog/readers/readers.h"

namespace haichi {

/// The entries of the table of formats; each function is in the file of its format.
WorkloadFormat json_workload_format();
WorkloadFormat matrix_market_format();
WorkloadFormat qaplib_format();
WorkloadFormat edge_list_format();
WorkloadFormat dense_matrix_format();
WorkloadFormat metis_format();

/// Returns true if `name` is a usual column name in the header of an edge list, such as "source".
bool is_edge_list_column(std::string_view name);

}  // namespace haichi
