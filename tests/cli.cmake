# The command line as users script against it; one ctest entry, pytest names the cases.
find_program(HAICHI_PYTHON NAMES python PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
             DOC "Python of the virtual environment that scripts/bootstrap.sh makes")
set(cli_python ${HAICHI_PYTHON})
if(NOT cli_python)
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
  set(cli_python ${Python3_EXECUTABLE})
endif()
add_executable(write_sample_log golden/write_sample_log.cc)
target_link_libraries(write_sample_log PRIVATE haichi_flags haichi::commlog)
add_test(NAME cli.golden COMMAND ${cli_python} -m pytest tests/golden WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.golden PROPERTIES ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>;HAICHI_SAMPLE_LOG=$<TARGET_FILE:write_sample_log>;PYTHONDONTWRITEBYTECODE=1"
                                           LABELS fast TIMEOUT 2400 COST 900)

# Twenty moments of every command and signal; cli.golden has a few. Prints the table.
add_test(NAME cli.interruption COMMAND ${cli_python} tests/golden/interruption.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(cli.interruption PROPERTIES ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>;HAICHI_SAMPLE_LOG=$<TARGET_FILE:write_sample_log>;PYTHONDONTWRITEBYTECODE=1"
                                                 LABELS slow TIMEOUT 3600)

# gcc and clang have to make programs with equal results; builds both in build/gcc and build/clang. Skipped, visibly,
# where one is missing.
add_test(NAME cli.compilers_agree COMMAND ${PROJECT_SOURCE_DIR}/scripts/compare_compilers.sh)
set_tests_properties(cli.compilers_agree PROPERTIES LABELS slow TIMEOUT 3600 SKIP_RETURN_CODE 77)

# The words of reports, without the program around them.
haichi_test(cli_output_tests
            LINKS haichi::commlog haichi::mapper
            SOURCES unit/log_words.cc ../cli/output/log_words.cc ../cli/output/log_outline.cc ../cli/output/tables.cc)

# The whole way from a running program to its map; skipped, visibly, without LAMMPS or Open MPI.
if(TARGET haichi_prof_openmpi)
  add_test(NAME examples.profile_an_app
           COMMAND ${PROJECT_SOURCE_DIR}/examples/profile_an_app/run.sh ${CMAKE_CURRENT_BINARY_DIR}/profile_an_app)
  set_tests_properties(examples.profile_an_app PROPERTIES
    ENVIRONMENT "HAICHI=$<TARGET_FILE:haichi>;PROFILER=$<TARGET_FILE:haichi_prof_openmpi>"
    LABELS fast TIMEOUT 300 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()
# The program with an objective of its own: the table is defined by the test, not by the room.
add_executable(haichi_with_own_objective contract/own_objective_table.cc $<TARGET_OBJECTS:haichi>)
target_link_libraries(haichi_with_own_objective PRIVATE $<TARGET_PROPERTY:haichi,LINK_LIBRARIES>)
add_test(NAME contract.own_objective COMMAND ${cli_python} -m pytest tests/contract/test_own_objective.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(contract.own_objective PROPERTIES
  ENVIRONMENT "HAICHI_WITH_OWN_OBJECTIVE=$<TARGET_FILE:haichi_with_own_objective>;PYTHONDONTWRITEBYTECODE=1"
  LABELS fast TIMEOUT 300)
