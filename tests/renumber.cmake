# Programs of both MPIs under libhaichi-renumber; each MPI's cases are skipped, visibly, where it is missing.
haichi_test(renumber_tests
            LINKS haichi::base
            SOURCES unit/renumber_plan.cc ../commlog/renumber/plan.cc)
add_test(NAME renumber.programs COMMAND ${cli_python} -m pytest tests/renumber WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(renumber.programs PROPERTIES
  ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>;HAICHI_RENUMBER_LIBRARIES=${PROJECT_BINARY_DIR}/commlog/renumber;PYTHONDONTWRITEBYTECODE=1"
  LABELS fast TIMEOUT 600)
