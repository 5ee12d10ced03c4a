# Tests of the Python package: they run on what is installed in the virtual environment, so the first one installs this
# source tree there (the build is kept in build/python; without changes it takes a few seconds).
find_program(HAICHI_PYTHON NAMES python PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
             DOC "Python of the virtual environment that scripts/bootstrap.sh makes")
# Sanitizers instrument the programs of this build, not the package.
if(HAICHI_PYTHON AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  add_test(NAME python.install
           COMMAND ${PROJECT_SOURCE_DIR}/scripts/install_python.sh --no-index)
  set_tests_properties(python.install PROPERTIES FIXTURES_SETUP python_package RUN_SERIAL ON TIMEOUT 1200)
  add_test(NAME python.pytest COMMAND ${HAICHI_PYTHON} -m pytest)
  # Some results are compared with the program's.
  set_property(TEST python.pytest PROPERTY ENVIRONMENT "HAICHI_BIN=$<TARGET_FILE:haichi>")
  # The examples, which use the package as its users do.
  foreach(example notebook accuracy_card paper_study)
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
  add_test(NAME python.types COMMAND ${HAICHI_PYTHON} -m mypy -p haichi)
  add_test(NAME python.user_types COMMAND ${HAICHI_PYTHON} -m mypy --strict python/tests/user_script.py)
  add_test(NAME python.stubs COMMAND ${HAICHI_PYTHON} -m mypy.stubtest haichi._core
                   --allowlist python/tests/stubtest_allowlist.txt)
  set_tests_properties(python.pytest python.types python.user_types python.stubs PROPERTIES FIXTURES_REQUIRED python_package)
  add_test(NAME python.wheel COMMAND ${HAICHI_PYTHON} python/tests/wheel_roundtrip.py)
  set_tests_properties(python.wheel PROPERTIES LABELS slow RUN_SERIAL ON TIMEOUT 1200)
  add_test(NAME python.lint COMMAND ${HAICHI_PYTHON} -m ruff check .)
  add_test(NAME python.format COMMAND ${HAICHI_PYTHON} -m ruff format --check .)
  set_tests_properties(python.install python.pytest python.types python.user_types python.stubs PROPERTIES LABELS fast)
  set_tests_properties(python.lint python.format PROPERTIES LABELS tidy)
  foreach(test install pytest types user_types stubs wheel lint format)
    set_property(TEST python.${test} PROPERTY WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
elseif(NOT HAICHI_PYTHON)
  message(STATUS "No tests of the Python package: scripts/bootstrap.sh makes the virtual environment they need")
endif()
