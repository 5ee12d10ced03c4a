# Programs built for MPICH on the simulated machine. pytest skips what a compiler that is not installed would be needed for.
if(TARGET haichi_live_mpich AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  set(live_environment "HAICHI_BIN=$<TARGET_FILE:haichi>;PYTHONDONTWRITEBYTECODE=1")
  if(TARGET haichi_prof_mpich)
    list(APPEND live_environment "HAICHI_PROFILER_MPICH=$<TARGET_FILE:haichi_prof_mpich>")
  endif()
  add_test(NAME live.programs COMMAND ${cli_python} -m pytest tests/live)
  set_tests_properties(live.programs PROPERTIES
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} LABELS fast TIMEOUT 600 PROCESSORS 2
    ENVIRONMENT "${live_environment}")
endif()
