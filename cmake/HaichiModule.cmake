# haichi_module(NAME [BATCH n] LINKS a b ... SOURCES x.cc ... [COLD y.cc ...]) makes one static library per module.
# LINKS lists all modules whose headers the module may include; tests/architecture checks the #include lines. A unity
# build (CMAKE_UNITY_BUILD, set by the presets) compiles n sources as one, in the order of the list. Sources with their
# own options are compiled separately. Headers take a third of the compile time, so a few large batches compile faster
# than many small ones. COLD sources, whose run time does not matter, are compiled with -O1, in batches of 23.
include(CheckIPOSupported)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Default number of sources that a unity build compiles as one. Targets set their own number.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 1)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(haichi_flags INTERFACE)
target_include_directories(haichi_flags INTERFACE ${PROJECT_SOURCE_DIR})
# -ffp-contract=off forbids fused multiply-add, which could change a rounding. Results must be byte-identical with
# every compiler and processor.
set(gcc_12 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
set(gcc_13_or_newer $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>)
target_compile_options(haichi_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                              # Avoids false positives for std::string with operator+ (GCC bug 105651).
                                              $<${gcc_12}:-Wno-restrict>
                                              # Avoids false positives for functions that return an entry of a table.
                                              $<${gcc_13_or_newer}:-Wno-dangling-reference>
                                              # This warning is meant for headers. A unity build includes sources as if
                                              # they were headers.
                                              $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
                                              $<$<AND:$<BOOL:${HAICHI_WARNINGS_AS_ERRORS}>,${gcc_12}>:-Werror>)

function(haichi_module NAME)
  cmake_parse_arguments(ARG "" "BATCH" "LINKS;SOURCES;COLD" ${ARGN})
  add_library(haichi_${NAME} STATIC ${ARG_SOURCES})
  if(ARG_COLD)
    add_library(haichi_${NAME}_cold OBJECT ${ARG_COLD})
    target_link_libraries(haichi_${NAME}_cold PRIVATE haichi_flags ${ARG_LINKS})
    target_compile_options(haichi_${NAME}_cold PRIVATE $<$<CONFIG:Release>:-O1>)
    target_sources(haichi_${NAME} PRIVATE $<TARGET_OBJECTS:haichi_${NAME}_cold>)
    set_target_properties(haichi_${NAME}_cold PROPERTIES UNITY_BUILD_BATCH_SIZE 23)
  endif()
  if(ARG_BATCH)
    set_target_properties(haichi_${NAME} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
  endif()
  add_library(haichi::${NAME} ALIAS haichi_${NAME})
  target_link_libraries(haichi_${NAME} PUBLIC haichi_flags ${ARG_LINKS})
  haichi_precompile(haichi_${NAME})
  if(ARG_COLD)
    haichi_precompile(haichi_${NAME}_cold)
  endif()
endfunction()

# haichi_part(NAME [BATCH n] LINKS a b ... SOURCES x.cc ... ABSENT y.cc) makes an optional part of a program. It also
# makes a substitute, haichi_NAME_absent, which reports that the part is missing. The part and the substitute define a
# function that modules call. Modules link neither of the two. Every executable and shared library that calls the
# function links one of them. Both are object libraries, because archives would have to follow the modules on the
# linker's command line.
function(haichi_part NAME)
  cmake_parse_arguments(ARG "" "BATCH;ABSENT" "LINKS;SOURCES" ${ARGN})
  add_library(haichi_${NAME} OBJECT ${ARG_SOURCES})
  if(ARG_BATCH)
    set_target_properties(haichi_${NAME} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
  endif()
  add_library(haichi_${NAME}_absent OBJECT ${ARG_ABSENT})
  foreach(TARGET haichi_${NAME} haichi_${NAME}_absent)
    string(REPLACE haichi_ haichi:: ALIAS ${TARGET})
    add_library(${ALIAS} ALIAS ${TARGET})
  endforeach()
  target_link_libraries(haichi_${NAME} PUBLIC haichi_flags ${ARG_LINKS})
  target_link_libraries(haichi_${NAME}_absent PUBLIC haichi_flags)
  haichi_precompile(haichi_${NAME})
endfunction()
