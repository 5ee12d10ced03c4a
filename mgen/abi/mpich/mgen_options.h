#pragma once

#include "mgen/call.h"
#include "mgen/program/mgen.h"

namespace haichi::abi::mpich {

/// Throws CallError for invalid options.
SendOptions send_options(const MGEN_Send_options& options);

}  // namespace haichi::abi::mpich
