haichi_test(commlog_tests
            LINKS haichi::commlog
            SOURCES unit/commlog_workload.cc
                    unit/job_totals.cc unit/site_totals.cc unit/call_stream.cc
                    unit/commlog_workload_json.cc
                    unit/commlog_readers.cc
                    unit/commlog_collectives.cc
                    unit/commlog_patterns.cc unit/call_sequence_builder.cc unit/commlog_nas.cc
                    unit/commlog_ccs.cc unit/commlog_ccs_kernels.cc
                    unit/commlog_ccs_scale.cc unit/commlog_log.cc
                    malformed/workload_json.cc
                    malformed/workload_matrices.cc
                    property/commlog_workload.cc
                    property/commlog_readers.cc
                    property/commlog_patterns.cc property/commlog_nas.cc)
haichi_test(commlog_log_tests
            LINKS haichi::commlog
            SOURCES unit/commlog_log_readers.cc
                    unit/commlog_log_otf2.cc
                    malformed/log_readers.cc)
target_compile_definitions(commlog_log_tests PRIVATE HAICHI_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
if(OTF2_INCLUDE_DIR AND OTF2_LIBRARY)
  target_include_directories(commlog_log_tests SYSTEM PRIVATE ${OTF2_INCLUDE_DIR})
  target_link_libraries(commlog_log_tests PRIVATE ${OTF2_LIBRARY})
  target_compile_definitions(commlog_log_tests PRIVATE HAICHI_HAS_OTF2)
endif()

# The profiler in MPI programs that the tests compile; of the MPIs that are installed. Not in builds with sanitizers: the
# library is the same there.
if((TARGET haichi_prof_openmpi OR TARGET haichi_prof_mpich) AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  find_program(HAICHI_PYTHON NAMES python PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
               DOC "Python of the virtual environment that scripts/bootstrap.sh makes")
  if(HAICHI_PYTHON)
    add_test(NAME profiler.guest COMMAND ${HAICHI_PYTHON} -m pytest tests/profiler/test_profiler_c.py
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(settings "HAICHI_BIN=$<TARGET_FILE:haichi>" PYTHONDONTWRITEBYTECODE=1)
    foreach(mpi openmpi mpich)
      if(TARGET haichi_prof_${mpi})
        string(TOUPPER ${mpi} upper)
        list(APPEND settings "HAICHI_PROFILER_${upper}=$<TARGET_FILE:haichi_prof_${mpi}>")
      endif()
    endforeach()
    set_tests_properties(profiler.guest PROPERTIES ENVIRONMENT "${settings}" LABELS fast TIMEOUT 400 RUN_SERIAL ON)
  endif()
endif()
