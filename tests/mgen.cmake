haichi_test(mgen_tests
            LINKS haichi::mgen
            SOURCES unit/mgen_protocols.cc unit/mgen_replay.cc unit/call_replay.cc unit/mgen_partitions.cc unit/mgen_order.cc unit/mgen_rdma.cc unit/mgen_trunking.cc unit/mgen_sends.cc
                    property/mgen_matching.cc property/mgen_replay.cc property/nas_replay.cc)

# A library that a program brings, for the tests of what is private to ranks.
add_library(host_test_library SHARED unit/host_test_library.cc)
target_link_libraries(host_test_library PRIVATE haichi_flags)
haichi_test(host_tests
            LINKS haichi::host host_test_library
            SOURCES unit/host_elf_file.cc unit/host_libc_state.cc unit/host_globals.cc unit/host_image_globals.cc unit/host_rank_heaps.cc unit/host_program_output.cc
                    property/host_getopt.cc)
haichi_test(mpi_tests
            LINKS haichi::mpi
            SOURCES unit/mpi_datatype.cc unit/mpi_group.cc unit/mpi_operation.cc unit/mpi_payload.cc unit/mpi_topology.cc unit/mpi_window_part.cc
                    property/mpi_datatype.cc)
haichi_test(mpi_collectives_tests
            LINKS haichi::mpi_collectives
            SOURCES unit/mpi_collectives.cc unit/mpi_selection.cc property/mpi_collectives.cc)
target_compile_definitions(mpi_collectives_tests PRIVATE HAICHI_COLLECTIVES_PAGE="${PROJECT_SOURCE_DIR}/docs/collectives.md")
# For tests/bench/collective_matrices.py.
add_executable(collective_matrix EXCLUDE_FROM_ALL bench/collective_matrix.cc)
target_link_libraries(collective_matrix PRIVATE haichi_flags haichi::mpi_collectives)
