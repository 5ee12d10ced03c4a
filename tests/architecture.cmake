# Checks of the repository itself; none needs a compiled program.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

set(architecture_dir ${PROJECT_SOURCE_DIR}/tests/architecture)
add_test(NAME architecture.includes COMMAND ${Python3_EXECUTABLE} ${architecture_dir}/check_includes.py)
add_test(NAME architecture.includes_can_fail COMMAND ${Python3_EXECUTABLE} ${architecture_dir}/test_check_includes.py)
set_tests_properties(architecture.includes architecture.includes_can_fail PROPERTIES LABELS fast)

# Each room builds alone: with the targets it links, and nothing else.
foreach(room base netmodel commlog mgen objectives mapper)
  set(alone ${PROJECT_BINARY_DIR}/alone/${room})
  add_test(NAME architecture.${room}_builds_alone
           COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR} ${alone}
                   --build-generator ${CMAKE_GENERATOR} --build-target haichi_${room}
                   --build-options -DCMAKE_BUILD_TYPE=Debug
                                   -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
  set_tests_properties(architecture.${room}_builds_alone PROPERTIES LABELS slow TIMEOUT 1200)
endforeach()

# Behind the label tidy: formatting depends on clang-format's version. Skipped, visibly, where there is none.
find_program(CLANG_FORMAT_PROGRAM NAMES clang-format-14 clang-format)
if(CLANG_FORMAT_PROGRAM)
  add_test(NAME style.clang_format
           COMMAND ${Python3_EXECUTABLE} ${architecture_dir}/check_format.py ${CLANG_FORMAT_PROGRAM})
else()
  add_test(NAME style.clang_format COMMAND ${CMAKE_COMMAND} -E echo "skipped: clang-format is not installed")
  set_tests_properties(style.clang_format PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()
set_tests_properties(style.clang_format PROPERTIES LABELS tidy)
