# haichi_room(NAME [BATCH n] LINKS a b ... SOURCES x.cc ...): one static library per module. LINKS names everything the
# module may include; tests/architecture checks that its #include lines agree. In a unity build (CMAKE_UNITY_BUILD, which
# the presets set) n sources are compiled as one, in the order of the list; sources with options of their own stay alone.
include(CheckIPOSupported)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# In a unity build a target says how many of its sources are compiled as one; others are compiled one by one.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 1)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(haichi_flags INTERFACE)
target_include_directories(haichi_flags INTERFACE ${PROJECT_SOURCE_DIR})
# -ffp-contract=off: the same bytes from every compiler and processor, so no fused multiply-add may change a rounding.
set(gcc_12 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
target_compile_options(haichi_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                              # False alarms on std::string with operator+ (GCC bug 105651).
                                              $<${gcc_12}:-Wno-restrict>
                                              # Of headers this would be a fault; in a unity build every source is one.
                                              $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
                                              $<$<AND:$<BOOL:${HAICHI_WARNINGS_AS_ERRORS}>,${gcc_12}>:-Werror>)

function(haichi_room NAME)
  cmake_parse_arguments(ARG "" "BATCH" "LINKS;SOURCES" ${ARGN})
  add_library(haichi_${NAME} STATIC ${ARG_SOURCES})
  if(ARG_BATCH)
    set_target_properties(haichi_${NAME} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
  endif()
  add_library(haichi::${NAME} ALIAS haichi_${NAME})
  target_link_libraries(haichi_${NAME} PUBLIC haichi_flags ${ARG_LINKS})
endfunction()

# haichi_part(NAME [BATCH n] LINKS a b ... SOURCES x.cc ... ABSENT y.cc): a part that a program may be built without, and
# its stand-in haichi_NAME_absent, which says so. The modules call one function that either defines, and link neither:
# every executable and shared library that reaches that function names one of the two. Objects, because an archive would
# have to stand after the modules.
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
endfunction()
