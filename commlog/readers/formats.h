#pragma once

#include "commlog/readers/readers.h"

namespace haichi {

/// The entries of the table, one function in the file of each format.
WorkloadFormat json_workload_format();
WorkloadFormat matrix_market_format();
WorkloadFormat qaplib_format();
WorkloadFormat edge_list_format();
WorkloadFormat dense_matrix_format();
WorkloadFormat metis_format();

}  // namespace haichi
