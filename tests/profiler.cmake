# The profiler on MPI programs, of these tests and of Debian's packages. pytest skips what an MPI or a program that is not
# installed would be needed for; the sanitizers' builds have the same profiler as others, and need not run it again.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  set(profiler_environment "HAICHI_BIN=$<TARGET_FILE:haichi>;PYTHONDONTWRITEBYTECODE=1")
  foreach(mpi openmpi mpich)
    if(TARGET haichi_prof_${mpi})
      string(TOUPPER ${mpi} name)
      list(APPEND profiler_environment "HAICHI_PROFILER_${name}=$<TARGET_FILE:haichi_prof_${mpi}>")
    endif()
  endforeach()
  set(profiler_tests profiler.slow)
  foreach(suite profiler_counts profiler_fortran profiler_crash profiler_files profiler_alone profiler_openers profiler_places profiler_programs extraction)
    string(REPLACE "profiler_" "" test profiler.${suite})
    add_test(NAME ${test} COMMAND ${cli_python} -m pytest -m "not slow" tests/profiler/test_${suite}.py)
    set_tests_properties(${test} PROPERTIES LABELS fast TIMEOUT 900)
    list(APPEND profiler_tests ${test})
  endforeach()
  add_test(NAME profiler.slow COMMAND ${cli_python} -m pytest -m slow tests/profiler)
  set_tests_properties(profiler.slow PROPERTIES LABELS slow TIMEOUT 1800)
  # Builds the profiler once more, for another processor.
  if(TARGET haichi_prof_openmpi AND TARGET haichi_prof_mpich)
    add_test(NAME profiler.aarch64 COMMAND ${PROJECT_SOURCE_DIR}/scripts/test_aarch64.sh ${CMAKE_BINARY_DIR}/aarch64)
    set_tests_properties(profiler.aarch64 PROPERTIES
      LABELS slow TIMEOUT 3600 SKIP_RETURN_CODE 77 PROCESSORS 2 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      ENVIRONMENT "PYTHON=${cli_python};${profiler_environment}")
  endif()
  # Jobs of more ranks than cores: side by side they would only be slower.
  set_tests_properties(${profiler_tests} PROPERTIES
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ENVIRONMENT "${profiler_environment}" PROCESSORS 2)
endif()

# What is expected of real programs is what was committed before they were run under the profiler.
add_test(NAME differential.real_programs COMMAND ${cli_python} -m pytest tests/differential/test_real_programs.py)
set_tests_properties(differential.real_programs PROPERTIES LABELS fast WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
