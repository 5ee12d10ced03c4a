# Tests of the Python package: they run on what is installed in the virtual environment, so the first one installs this
# source tree there (the build is kept in build/python; without changes it takes a few seconds).
find_program(HAICHI_PYTHON NAMES python PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
             DOC "Python of the virtual environment that scripts/bootstrap.sh makes")
# Sanitizers instrument the programs of this build, not the package.
if(HAICHI_PYTHON AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  add_test(NAME python.install
           COMMAND ${PROJECT_SOURCE_DIR}/scripts/install_python.sh --no-index)
  # The tests that take minutes begin first (COST), so that the many short ones run beside them.
  set_tests_properties(python.install PROPERTIES FIXTURES_SETUP python_package RUN_SERIAL ON TIMEOUT 1200 COST 2000)
  add_test(NAME python.pytest COMMAND ${HAICHI_PYTHON} -m pytest)
  set_tests_properties(python.pytest PROPERTIES TIMEOUT 2400 COST 1000)
  add_test(NAME python.slow COMMAND ${HAICHI_PYTHON} -m pytest -m slow)
  set_tests_properties(python.slow PROPERTIES LABELS slow TIMEOUT 1200)
  # Some results are compared with the program's.
  set_property(TEST python.pytest python.slow PROPERTY ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>")
  # The examples, which use the package as its users do.
  foreach(example notebook accuracy_card paper_study wide_area_study)
    add_test(NAME examples.${example} COMMAND ${HAICHI_PYTHON} -m pytest tests/examples/test_${example}.py)
    set_tests_properties(examples.${example} PROPERTIES
      ENVIRONMENT PYTHONDONTWRITEBYTECODE=1 FIXTURES_REQUIRED python_package WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      LABELS fast TIMEOUT 600)
  endforeach()
  set_tests_properties(examples.accuracy_card examples.paper_study PROPERTIES PROCESSORS 2)
  add_test(NAME docs.site COMMAND ${HAICHI_PYTHON} -m pytest tests/docs)
  set_tests_properties(docs.site PROPERTIES
    ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>;PYTHONDONTWRITEBYTECODE=1" FIXTURES_REQUIRED python_package
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} LABELS fast TIMEOUT 600)
  # The package and the program once more, linked with one more topology, and with one more objective: slow, because the
  # module is compiled first.
  execute_process(COMMAND ${HAICHI_PYTHON} -m pybind11 --cmakedir OUTPUT_VARIABLE pybind11_DIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_pybind11 ERROR_QUIET)
  if(no_pybind11 EQUAL 0)
    if(NOT TARGET haichi_python)
      set(Python_EXECUTABLE ${HAICHI_PYTHON})
      add_subdirectory(${PROJECT_SOURCE_DIR}/python/bindings ${CMAKE_CURRENT_BINARY_DIR}/bindings EXCLUDE_FROM_ALL)
    endif()
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
    find_package(pybind11 3.0 CONFIG REQUIRED)
    # haichi_own_rows(NAME sources...): NAME_program and NAME_module, linked with the sources' tables instead of haichi's,
    # for the slow test NAME.
    function(haichi_own_rows name)
      set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
      pybind11_add_module(${name}_module MODULE NO_EXTRAS EXCLUDE_FROM_ALL $<TARGET_OBJECTS:haichi_python> ${ARGN})
      set_target_properties(${name}_module PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${folder}/haichi)
      target_link_libraries(${name}_module PRIVATE $<TARGET_PROPERTY:haichi_python,LINK_LIBRARIES>)
      add_custom_command(TARGET ${name}_module POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_directory
                         ${PROJECT_SOURCE_DIR}/python/src/haichi ${folder}/haichi)
      add_executable(${name}_program EXCLUDE_FROM_ALL $<TARGET_OBJECTS:haichi> ${ARGN})
      target_link_libraries(${name}_program PRIVATE $<TARGET_PROPERTY:haichi,LINK_LIBRARIES>)
      add_test(NAME ${name}.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}
                                          --target ${name}_module ${name}_program)
      set_tests_properties(${name}.build PROPERTIES LABELS slow TIMEOUT 1200 FIXTURES_SETUP ${name})
      add_test(NAME ${name} COMMAND ${HAICHI_PYTHON} -m pytest tests/contract/test_${name}.py
               WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set(environment "HAICHI_BIN=$<TARGET_FILE:${name}_program>" "HAICHI_PYTHON=${HAICHI_PYTHON}"
                      "PYTHONPATH=${folder}" PYTHONDONTWRITEBYTECODE=1)
      set_tests_properties(${name} PROPERTIES LABELS slow TIMEOUT 600 FIXTURES_REQUIRED "${name};python_package"
                                              ENVIRONMENT "${environment}")
    endfunction()
    haichi_own_rows(own_topology contract/ring_of_stars.cc contract/more_topologies.cc)
    haichi_own_rows(own_objective_compared contract/own_objective_table.cc)
  endif()
  add_test(NAME python.types COMMAND ${HAICHI_PYTHON} -m mypy -p haichi)
  add_test(NAME python.user_types COMMAND ${HAICHI_PYTHON} -m mypy --strict python/tests/user_script.py)
  add_test(NAME python.stubs COMMAND ${HAICHI_PYTHON} -m mypy.stubtest haichi._core
                   --allowlist python/tests/stubtest_allowlist.txt)
  set_tests_properties(python.pytest python.slow python.types python.user_types python.stubs
                       PROPERTIES FIXTURES_REQUIRED python_package)
  add_test(NAME python.wheel COMMAND ${HAICHI_PYTHON} python/tests/wheel_roundtrip.py)
  set_tests_properties(python.wheel PROPERTIES LABELS slow RUN_SERIAL ON TIMEOUT 1200)
  add_test(NAME python.lint COMMAND ${HAICHI_PYTHON} -m ruff check .)
  add_test(NAME python.format COMMAND ${HAICHI_PYTHON} -m ruff format --check .)
  set_tests_properties(python.install python.pytest python.types python.user_types python.stubs PROPERTIES LABELS fast)
  set_tests_properties(python.lint python.format PROPERTIES LABELS tidy)
  foreach(test install pytest slow types user_types stubs wheel lint format)
    set_property(TEST python.${test} PROPERTY WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
elseif(NOT HAICHI_PYTHON)
  message(STATUS "No tests of the Python package: scripts/bootstrap.sh makes the virtual environment they need")
endif()
