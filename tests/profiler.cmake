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
  foreach(test counts fortran crash programs extraction)
    set(file tests/profiler/test_profiler_${test}.py)
    if(test STREQUAL "extraction")
      set(file tests/profiler/test_extraction.py)
    endif()
    add_test(NAME profiler.${test} COMMAND ${cli_python} -m pytest -m "not slow" ${file})
    add_test(NAME profiler.${test}_slow COMMAND ${cli_python} -m pytest -m slow ${file})
    set_tests_properties(profiler.${test} PROPERTIES LABELS fast TIMEOUT 600)
    set_tests_properties(profiler.${test}_slow PROPERTIES LABELS slow TIMEOUT 1200)
    # Jobs of more ranks than cores: side by side they would only be slower.
    set_tests_properties(profiler.${test} profiler.${test}_slow PROPERTIES
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ENVIRONMENT "${profiler_environment}" PROCESSORS 2)
  endforeach()
endif()
