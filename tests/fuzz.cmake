# haichi_fuzzer(NAME LINKS rooms...): tests/fuzz/NAME.cc defines LLVMFuzzerTestOneInput for one reader; tests/fuzz/corpus/NAME
# holds a few small inputs. The corpus is run by every test run. With HAICHI_FUZZ (preset fuzz: clang, ASan, UBSan) there is
# also fuzz_NAME, a libFuzzer program; scripts/fuzz.sh runs them all.
if(HAICHI_FUZZ)
  add_custom_target(fuzzers)
endif()

function(haichi_fuzzer NAME)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_executable(fuzz_${NAME}_corpus fuzz/${NAME}.cc fuzz/run_corpus.cc)
  target_link_libraries(fuzz_${NAME}_corpus PRIVATE haichi_flags ${ARG_LINKS})
  add_test(NAME fuzz.${NAME} COMMAND fuzz_${NAME}_corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${NAME})
  set_tests_properties(fuzz.${NAME} PROPERTIES LABELS fast)
  if(HAICHI_FUZZ)
    add_executable(fuzz_${NAME} fuzz/${NAME}.cc)
    target_link_libraries(fuzz_${NAME} PRIVATE haichi_flags ${ARG_LINKS})
    target_link_options(fuzz_${NAME} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${NAME})
  endif()
endfunction()

haichi_fuzzer(workload_json LINKS haichi::commlog)
foreach(format edge_list dense_matrix matrix_market qaplib workload_recognition)
  haichi_fuzzer(${format} LINKS haichi::commlog)
endforeach()
