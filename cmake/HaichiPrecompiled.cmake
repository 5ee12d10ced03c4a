# In a unity build by GCC, all modules share one precompiled header. It contains only headers of the standard library,
# so that changes to haichi never recompile it. A build without unity does not use the header, because it would hide
# missing includes.
set(has_precompiled_headers OFF)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(has_precompiled_headers ON)
  # ccache stores objects that use a precompiled header only with this setting and -fpch-preprocess.
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()
# The headers of the standard library depend on a macro that -fopenmp defines. The precompiled header and its users are
# therefore compiled with -fopenmp.
set(precompiled_options ${OpenMP_CXX_FLAGS} -fpch-preprocess)
if(has_precompiled_headers)
  add_library(haichi_precompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(haichi_precompiled PRIVATE haichi_flags)
  target_compile_options(haichi_precompiled PRIVATE ${precompiled_options})
  target_precompile_headers(haichi_precompiled PRIVATE
    <algorithm> <array> <bit> <charconv> <chrono> <cmath> <cstdint> <cstdio> <cstring> <filesystem> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <ranges> <set> <span> <sstream> <string> <string_view>
    <thread> <unordered_map> <utility> <variant> <vector>)
endif()

# haichi_precompile(TARGET) compiles a target with the precompiled header. GCC accepts the header even with another -O
# option. GCC rejects the header with -fPIE, with another instruction set, and with another value of a macro that the
# header depends on.
function(haichi_precompile USER)
  if(has_precompiled_headers)
    target_compile_options(${USER} PRIVATE ${precompiled_options})
    target_precompile_headers(${USER} REUSE_FROM haichi_precompiled)
  endif()
endfunction()
