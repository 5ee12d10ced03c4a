include(HaichiMpi)

# haichi_set_preloaded(TARGET FILE EXPORTS) prepares a library that is preloaded into programs. It sets the options and
# the name FILE.so, exports only the names in the file EXPORTS, and installs the library.
function(haichi_set_preloaded TARGET FILE EXPORTS)
  # Every build uses the options of a release, because programs that load the library have no sanitizer.
  target_compile_options(${TARGET} PRIVATE -O2 -g0 -fvisibility=hidden -fno-plt -fno-sanitize=all -fno-profile-arcs
                                           -fno-test-coverage -Wno-deprecated-declarations)
  target_link_options(${TARGET} PRIVATE -fno-sanitize=all -static-libstdc++ -static-libgcc -Wl,-z,defs -Wl,-O1
                      -Wl,--as-needed -Wl,--version-script=${EXPORTS})
  set_target_properties(${TARGET} PROPERTIES
    PREFIX "" OUTPUT_NAME ${FILE} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} LINK_DEPENDS ${EXPORTS})
  install(TARGETS ${TARGET} LIBRARY DESTINATION lib/haichi OPTIONAL)
  if(SKBUILD)
    install(TARGETS ${TARGET} LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib/haichi COMPONENT python EXCLUDE_FROM_ALL)
    set_property(GLOBAL APPEND PROPERTY HAICHI_PRELOADED ${TARGET})
  endif()
endfunction()

# haichi_preload(NAME MPI WRAPPER [GENERATOR SCRIPT [DEPENDS FILES...]] SOURCES FILES...) builds libhaichi-NAME-MPI.so,
# which is preloaded into programs of this MPI. The library does not link the MPI. SCRIPT writes a source file with the
# library's MPI functions. HAICHI_PRELOAD_TARGET in the caller gets the target's name, or is empty without this MPI.
function(haichi_preload NAME MPI WRAPPER)
  cmake_parse_arguments(PRELOAD "" "GENERATOR" "DEPENDS;SOURCES" ${ARGN})
  set(HAICHI_PRELOAD_TARGET "" PARENT_SCOPE)
  haichi_find_mpi(${MPI} ${WRAPPER})
  if(NOT HAICHI_MPI_FOUND)
    return()
  endif()

  set(BASE ${PROJECT_SOURCE_DIR}/commlog/preload)
  set(WRITTEN)
  if(PRELOAD_GENERATOR)
    set(WRITTEN ${CMAKE_CURRENT_BINARY_DIR}/functions_${MPI}.cc)
    add_custom_command(
      OUTPUT ${WRITTEN}
      COMMAND ${HAICHI_GENERATOR_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${PRELOAD_GENERATOR}
              --compiler ${HAICHI_MPI_COMPILER} --include ${HAICHI_MPI_INCLUDES} --output ${WRITTEN}
      DEPENDS ${PRELOAD_GENERATOR} ${PRELOAD_DEPENDS} ${BASE}/interposing.py
              ${PROJECT_SOURCE_DIR}/commlog/profiler/mpi_prototypes.py
      COMMENT "Functions of libhaichi-${NAME} for ${MPI}" VERBATIM)
  endif()

  set(TARGET haichi_${NAME}_${MPI})
  add_library(${TARGET} MODULE ${WRITTEN} ${PRELOAD_SOURCES} ${BASE}/mpi_library.cc
                               ${PROJECT_SOURCE_DIR}/base/errors.cc ${PROJECT_SOURCE_DIR}/base/regular_file.cc)
  target_link_libraries(${TARGET} PRIVATE haichi_flags nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
  target_include_directories(${TARGET} SYSTEM PRIVATE ${HAICHI_MPI_INCLUDES})
  haichi_set_preloaded(${TARGET} libhaichi-${NAME}-${MPI} ${BASE}/exported.map)
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD OFF)
  set(HAICHI_PRELOAD_TARGET ${TARGET} PARENT_SCOPE)
  set(HAICHI_MPI_INCLUDES ${HAICHI_MPI_INCLUDES} PARENT_SCOPE)
endfunction()
